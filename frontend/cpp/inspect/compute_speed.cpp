#include "frontend/cpp/inspect/compute_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/inspect/kept_speeds.h"
#include "frontend/cpp/session/env.h"

namespace weft::detail {

namespace {

// Values in flight: two multiply-adds begin in each cycle and take four or five. Vectors of a CPU; numbers of a GPU's thread.
constexpr int kValues = 12;
constexpr int64_t kTurns = 20'000;
constexpr int64_t kSlower = 8;  // than multiply-adds are divisions and roots
constexpr int kLaunches = 20;
constexpr int kTimes = 16;  // a busy machine takes a processor away for some of them
constexpr int64_t kTasksOfThread = 4, kBlocksOfProcessor = 16;
constexpr uint32_t kThreads = 256;

std::string values(const char* text) {
  std::string all;
  for (int k = 0; k < kValues; ++k) all += fmt::format(fmt::runtime(text), k);
  return all;
}

// What is done to each value, over and over, in a kernel's own words.
struct Repeated {
  std::string_view name, gpu, cpu;
  double counts;  // as so many operations
};
// The number that is read again keeps the values where they are: near 1.
constexpr Repeated kMultiplyAdd{"multiply_adds", "fma(v{0}, x, y)", "__builtin_elementwise_fma(v{0}, x, y)",
                                2};
constexpr Repeated kDivide{"divisions", "x / v{0}", "x / v{0}", 1};
constexpr Repeated kSquareRoot{"square_roots", "sqrt(v{0} + y)", "__builtin_elementwise_sqrt(v{0} + y)", 1};

KernelSource source_for(const runtime::DeviceInfo& info, bool gpu, DType dtype, const Repeated& what) {
  const std::string_view type = dtype == DType::F32 ? "float" : "double";
  const std::string step = fmt::format("    v{{0}} = {};\n", gpu ? what.gpu : what.cpu);
  KernelSource source;
  source.name = fmt::format("weft_measure_{}_{}", what.name, name(dtype));
  if (gpu)
    source.text = fmt::format(
        "struct Args {{ unsigned long long w[2]; }};\n"
        "extern \"C\" __global__ void __launch_bounds__({}) {}(const __grid_constant__ Args args) {{\n"
        "  const long long turns = (long long)args.w[1];\n"
        "  const {} x = 0.999f, y = 0.001f;\n{}"
        "  for (long long i = 0; i < turns; ++i) {{\n{}  }}\n"
        "  (({}*)args.w[0])[blockIdx.x * {} + threadIdx.x] = 0{};\n}}\n",
        kThreads, source.name, type,
        values(fmt::format("  {} v{{0}} = threadIdx.x + {{0}} + 1;\n", type).c_str()), values(step.c_str()),
        type, kThreads, values(" + v{0}"));
  else
    source.text = fmt::format(
        "typedef {} V __attribute__((vector_size({})));\n"
        "extern \"C\" void {}(const unsigned long* w, long begin, long end, char*) {{\n"
        "  for (long task = begin; task < end; ++task) {{\n"
        "    const V x = V{{}} + ({})0.999, y = V{{}} + ({})0.001;\n{}"
        "    for (long i = 0, turns = (long)w[1]; i < turns; ++i) {{\n{}    }}\n"
        "    ((V*)w[0])[task] = V{{}}{};\n  }}\n}}\n",
        type, info.vector_bytes, source.name, type, type,
        values(fmt::format("    V v{{0}} = V{{{{}}}} + ({})(task + {{0}} + 1);\n", type).c_str()),
        values(step.c_str()), values(" + v{0}"));
  source.hash = hash_text(source.text);
  source.ops = fmt::format("{}, to measure the machine", what.name);
  return source;
}

// A kernel that does nothing but one kind of operation, ready to be started.
class Run {
 public:
  Run(runtime::Device& device, DType dtype, const Repeated& what, int64_t turns = kTurns)
      : device_(device), turns_(turns) {
    const runtime::DeviceInfo& info = device.info();
    const bool gpu = !device.host_visible();
    const auto item = static_cast<int64_t>(size_of(dtype));
    how_.tasks = gpu ? info.threads * kBlocksOfProcessor : device.threads() * kTasksOfThread;
    how_.threads = gpu ? kThreads : 1;
    const int64_t values = how_.tasks * (gpu ? kThreads : info.vector_bytes / item);
    out_ = device.allocate(static_cast<size_t>(values * item));
    kernel_ = device.load(source_for(info, gpu, dtype, what));
    operations_ = what.counts * kValues * static_cast<double>(turns * values);
  }

  double seconds() const { return seconds(how_, 1); }
  double operations_per_second() const {
    const double took = seconds();
    return took > 0 ? operations_ / took : 0;
  }
  // Of `times` launches of so many tasks, one after another.
  double seconds(int64_t tasks, int times) const {
    Launch how = how_;
    how.tasks = tasks;
    return seconds(how, times);
  }
  int64_t tasks() const { return how_.tasks; }

 private:
  double seconds(const Launch& how, int times) const {
    const std::array<uint64_t, 2> args{std::bit_cast<uint64_t>(out_->data()), static_cast<uint64_t>(turns_)};
    device_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int turn = 0; turn < times; ++turn) device_.launch(*kernel_, how, args);
    device_.synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return took.count();
  }

  runtime::Device& device_;
  int64_t turns_;
  Launch how_;
  runtime::BufferRef out_;
  runtime::KernelRef kernel_;
  double operations_ = 0;
};

// In turn, so that a moment in which the machine is busy does not fall on one of them alone.
ComputeSpeed measured(runtime::Device& device) {
  const Run f32(device, DType::F32, kMultiplyAdd), f64(device, DType::F64, kMultiplyAdd);
  f32.operations_per_second();  // wakes threads
  ComputeSpeed best;
  for (int turn = 0; turn < kTimes; ++turn) {
    best.f32 = std::max(best.f32, f32.operations_per_second());
    best.f64 = std::max(best.f64, f64.operations_per_second());
  }
  return best;
}

}  // namespace

OperationSpeeds measured_operations(runtime::Device& device) {
  OperationSpeeds out;
  out.multiply_adds = measured(device);
  const Run divide(device, DType::F32, kDivide, kTurns / kSlower),
      root(device, DType::F32, kSquareRoot, kTurns / kSlower), nothing(device, DType::F32, kMultiplyAdd, 0);
  double one = 1, many = 1;
  for (int turn = 0; turn < kTimes; ++turn) {
    out.divisions = std::max(out.divisions, divide.operations_per_second());
    out.square_roots = std::max(out.square_roots, root.operations_per_second());
    one = std::min(one, nothing.seconds(1, kLaunches) / kLaunches);
    many = std::min(many, nothing.seconds(nothing.tasks(), kLaunches) / kLaunches);
  }
  out.launch_seconds = one;
  out.task_seconds = std::max(0.0, many - one) / static_cast<double>(nothing.tasks());
  return out;
}

ComputeSpeed compute_speed(const std::shared_ptr<runtime::Device>& device, runtime::KernelCache* cache) {
  if (!device->info().compiles || !calibrates()) return {};
  if (const std::optional<MachineSpeeds> kept = kept_speeds(device->info(), cache))
    return {kept->multiply_adds_f32, kept->multiply_adds_f64};
  // A fact of the machine, not of a session.
  static std::mutex mutex;
  static std::map<std::string, ComputeSpeed> known;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(device->info().name);
  if (!fresh) return at->second;
  try {
    at->second = measured(*device);
  } catch (const Error&) {
    at->second = {};  // no memory, or no compiler is found
  }
  return at->second;
}

}  // namespace weft::detail
