// The session: devices, caches, counters and settings behind all arrays. One is made from the environment on
// first use; a program may make its own instead. Sessions live as long as the process.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/program/numerics.h"
#include "compiler/program/tier.h"
#include "frontend/cpp/weft/array.h"

namespace weft {

// What results are looked through for.
enum class Watch : uint8_t { Nothing, Nans, NansAndInfinities };

struct SessionOptions {
  std::string device = "cpu";                // of arrays that name none
  std::string cache_directory;               // of compiled kernels; empty: none on disk
  uint64_t cache_limit = uint64_t{1} << 30;  // bytes on disk
  int threads = 0;                           // of the CPU; 0: all that the process may use
  Numerics numerics = Numerics::Standard;
  // A recorded graph that passes this many nodes is computed at once, so that loops stay bounded.
  int graph_limit = 4096;
  // Graphs whose nodes have at most this many elements together, or a sixteenth of it each, wait for no
  // compiler. The interpreter computes them where its results have a kernel's bits; else they run in blocks.
  // On a GPU the interpreter computes all of them, and floats may differ from a kernel's in the last bit.
  int interpret_limit = 256;
  // What first calls do while kernels are not compiled. Results are the same bits.
  Tier tier = Tier::Auto;
  size_t program_limit = 4096;  // programs kept in memory, least recently used first to go
  std::string log = "warn";     // trace, debug, info, warn, error, off
  // Where the graph of each program is written when it runs first, for `weft replay`; empty: nowhere.
  std::string dump;
  bool dump_data = true;  // with its inputs and results; else shapes alone

  // The settings of this process: WEFT_DEVICE, WEFT_CACHE_DIR (else $XDG_CACHE_HOME/weft, ~/.cache/weft),
  // WEFT_CACHE_LIMIT, WEFT_THREADS, WEFT_NUMERICS, WEFT_GRAPH_LIMIT, WEFT_INTERPRET_LIMIT, WEFT_TIER,
  // WEFT_LOG, WEFT_DUMP, WEFT_DUMP_DATA.
  static SessionOptions from_environment();
};

// What a session did so far.
struct Stats {
  int64_t kernels_launched = 0, library_calls = 0;  // library calls: matrix products
  int64_t compiles = 0, compile_ns = 0;             // sources given to Clang or NVRTC
  int64_t compiles_behind = 0;                      // of these, while their programs ran in blocks
  int64_t memory_hits = 0, disk_hits = 0, disk_misses = 0;
  int64_t program_hits = 0, program_misses = 0;
  int64_t interpreted = 0;      // graphs small enough for the interpreter
  int64_t blocks_launched = 0;  // of the kernels launched, those that ran in blocks
  int64_t bytes_read = 0, bytes_written = 0;
};

// Upper bounds in nanoseconds, by which work is counted.
inline constexpr std::array<int64_t, 12> kDurationBounds = {
    1'000'000,   2'500'000,   5'000'000,     10'000'000,    25'000'000,    50'000'000,
    100'000'000, 250'000'000, 1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};
// How long pieces of work took: how many are within each bound but not within the one before, and beyond the last.
struct Durations {
  std::array<int64_t, kDurationBounds.size() + 1> counts{};
  int64_t ns = 0;  // of all
};
// Of a session: kernels compiled by Clang or NVRTC, kernels loaded from the disk cache, graphs that became programs.
struct Times {
  Durations compiles, loads, plans;
};

struct DeviceSummary {
  std::string name;          // "cpu", "cuda:0"
  std::string description;   // the vendor's name of the part
  std::string architecture;  // what kernels are compiled for: "znver4", "sm_90"
  int threads = 0;           // CPU: worker threads; CUDA: multiprocessors
  int vector_bytes = 0;      // CPU: width of a vector register
  size_t cache_bytes = 0;    // CPU: last-level cache; CUDA: L2
  size_t shared_bytes = 0;   // CUDA: most shared memory of one block
  size_t memory_bytes = 0;   // all of the device's memory
  // Of Weft's pool: held by arrays, free to be handed out again, and the most that arrays held so far.
  size_t in_use = 0, pooled = 0, peak = 0;
};

// A library of others that computes: one that Weft was built with, or one that it opens.
struct UsedLibrary {
  std::string name;  // "Clang and LLVM", "oneTBB", "OpenBLAS", "oneDNN", "NVRTC"
  std::string what;  // its version, or why there is none
};

namespace detail {
struct SessionState;
}

class Session {
 public:
  // Devices are opened when they are first used.
  explicit Session(SessionOptions options);
  // What arrays without a past belong to.
  static Session current();
  void make_current() const;

  const SessionOptions& options() const;
  // Settings that may change while the session lives: the options', until they are set. What is under way ends
  // as it began, and programs that were compiled for other settings stay for those.
  Tier tier() const;
  void set_tier(Tier tier) const;
  Numerics numerics() const;
  void set_numerics(Numerics numerics) const;
  // While it is set, each result is looked through as it is computed. Error where an op made what is watched for of
  // operands that are free of it; the error names the op, its lines and its operands. Inputs may hold it, as may what
  // no result is made of. Calls of Compiled are not looked through. It takes the time of the interpreter only where there is something to say.
  Watch watch() const;
  void set_watch(Watch watch) const;
  // Of the CPU; 0 sets all that the process may use. Results do not depend on it.
  int threads() const;
  void set_threads(int threads) const;
  // Where compiled kernels are kept, and the most bytes of them; empty: nowhere. Error where the folder cannot
  // be used; then the one before it stays.
  std::string cache_directory() const;
  uint64_t cache_limit() const;
  void set_cache(const std::string& directory, uint64_t limit) const;
  // One of the options' `log`, of all sessions.
  std::string log_level() const;
  void set_log_level(const std::string& level) const;
  // Compiles, with this thread's help, the kernels that are to be compiled behind their programs, and returns
  // when they are there. Throws CompileError.
  void finish_kernels() const;
  Stats stats() const;
  Times times() const;
  // The CPU and every GPU that can be had. `devices` opens them.
  std::vector<std::string> device_names() const;
  std::vector<DeviceSummary> devices() const;
  // One device, opened; Error when it cannot be had.
  DeviceSummary device(const std::string& name) const;
  // Where arrays that name no device lie: what the innermost DeviceScope says, else the session's options.
  std::string default_device() const;
  // Returns when the device has done all that it was given; throws what that reported.
  void sync(const std::string& device) const;
  // Gives the device's pooled memory back to the system.
  void trim(const std::string& device) const;
  // The libraries that compile and compute here, for a report of a problem. Opens those that are opened when they are needed.
  static std::vector<UsedLibrary> libraries();
  // Why there is no GPU, or no disk cache; empty where there is.
  std::string no_cuda_because() const;
  std::string no_cache_because() const;
  // Returns when all devices are done; throws what their work reported.
  void sync() const;

  detail::SessionState& state() const { return *state_; }

 private:
  explicit Session(detail::SessionState& state) : state_(&state) {}
  detail::SessionState* state_;
};

// While it lives, what this thread makes without naming a device lies on this one. Error when it cannot be
// had.
class DeviceScope {
 public:
  explicit DeviceScope(const std::string& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;

 private:
  const std::string* outer_;
  std::string device_;
};

// For front ends whose scopes are not threads' (a Python context belongs to a task): `chosen` gives the
// default device's name at this moment, or null. Scopes of C++ go before it. Set once.
void choose_default_device_by(const std::string* (*chosen)());

// Error for what is none of auto, compile and blocks.
Tier tier_named(const std::string& name);
std::string to_string(Tier tier);
// Error for what is none of strict, standard and fast.
Numerics numerics_named(const std::string& name);
std::string to_string(Numerics numerics);
// Error for what is none of off, nans and infinities.
Watch watch_named(const std::string& name);
std::string to_string(Watch watch);

// Of the current session. POSIX has a sync() of its own, so this one is written weft::sync().
Stats stats();
void sync();
// Computes the array and returns when its device is done; throws what the work reported.
void sync(const Array& x);

// How an array's recorded graph is or would be computed: kernels, and for each edge why it was fused or not.
std::string explain(const Array& x);
// The same for the program of several, as eval would run it; one after another for several devices.
std::string explain(std::span<const Array> xs);
// The array, computed. Error with the reasons when that takes more than one kernel.
const Array& one_kernel(const Array& x);
// The same for the program of several, of one device, as eval would run it.
void one_kernel(std::span<const Array> xs);
// Searches faster schedules for the kernels that would compute the array, by running them for up to
// `seconds`, and says what was tried. What is faster is kept in the cache, and used for these kernels and
// extents from then on. Results may differ in their last digits from those of another schedule. The array
// stays uncomputed.
std::string tune(const Array& x, double seconds = 10);
std::string tune(std::span<const Array> xs, double seconds = 10);
// The text of one stage of compiling: graph, simplified, fused, plan, cpp (or cuda), asm (or ptx). An
// empty stage gives all but the last, each under its name. The stage dot is a drawing for Graphviz: the nodes of each
// kernel in a frame, with the bytes and the time that it takes. The stage svg is the picture that Graphviz makes of it.
std::string show(const Array& x, const std::string& stage = {});
std::string show(std::span<const Array> xs, const std::string& stage = {});

}  // namespace weft
