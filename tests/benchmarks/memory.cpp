// Elementwise kernels beside a copy by the same threads, and the most memory that a fused chain holds.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <string>

#include "compiler/base/error.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/weft.h"
#include "tests/benchmarks/devices.h"

namespace {

using namespace weft;
using namespace weft::bench;
using Clock = std::chrono::steady_clock;
using Arrays = std::vector<Array>;

// Each array is larger than the last-level cache: else the copy would read its two from there.
int64_t elements_for(const runtime::Device& device) {
  const size_t least = device.host_visible() ? size_t{1} << 24 : size_t{1} << 27;
  return static_cast<int64_t>(std::max(least, std::bit_floor(2 * device.info().cache_bytes / sizeof(float))));
}

// Copies one buffer to another as fast as the machine lets: on the CPU a loop of streaming stores that the
// device's own threads run, on a GPU the driver's copy.
class Copy {
 public:
  Copy(runtime::Device& device, size_t bytes)
      : device_(device), from_(device.allocate(bytes)), to_(device.allocate(bytes)) {
    if (!device.host_visible()) return;
    KernelSource source{"stream_copy",
                        fmt::format(R"(
typedef float vector __attribute__((ext_vector_type({0})));
extern "C" void stream_copy(const unsigned long* args, long begin, long end, char*) {{
  const vector* from = (const vector*)args[0];
  vector* to = (vector*)args[1];
  for (long i = begin * {1}; i < end * {1}; ++i) __builtin_nontemporal_store(from[i], to + i);
}}
)",
                                    device.info().vector_bytes / 4, kTaskBytes / device.info().vector_bytes),
                        {}};
    source.hash = hash_text(source.text);
    kernel_ = device.load(source);
    launch_.tasks = static_cast<int64_t>(bytes) / kTaskBytes;
    // What was never written has no pages of its own.
    const std::vector<char> zeros(bytes);
    device.upload(*from_, 0, zeros.data(), bytes);
  }

  void operator()() {
    if (!kernel_) return device_.copy(*to_, 0, *from_, 0, to_->bytes());
    const uint64_t words[] = {reinterpret_cast<uint64_t>(from_->data()),
                              reinterpret_cast<uint64_t>(to_->data())};
    device_.launch(*kernel_, launch_, words);
  }

 private:
  static constexpr int kTaskBytes = 1 << 16;
  runtime::Device& device_;
  runtime::BufferRef from_, to_;
  runtime::KernelRef kernel_;
  Launch launch_;
};

double seconds(runtime::Device& device, const std::function<void()>& f) {
  const Clock::time_point start = Clock::now();
  f();
  device.synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The copy and the maps in turn; the upper quartiles of their speeds are compared, which another process's
// bursts do not reach.
void beside_copy(benchmark::State& state, const std::string& name, int inputs,
                 const std::function<Arrays(const Arrays&)>& maps) {
  runtime::Device& device = *Session::current().state().device(name).device;
  const int64_t n = elements_for(device);
  Arrays in;
  for (int i = 0; i < inputs; ++i) {
    in.push_back(full({n}, 0.5 + i, {DType::F32, name}));
    in.back().eval();
  }
  const size_t bytes = static_cast<size_t>(n) * sizeof(float);
  Copy copy(device, bytes);
  Arrays out;
  auto run = [&] {
    Arrays results = maps(in);
    eval(results);
    out = std::move(results);
  };
  for (int i = 0; i < 3; ++i) run(), copy();
  device.synchronize();
  const double moved =
      static_cast<double>(bytes) * (static_cast<double>(inputs) + static_cast<double>(out.size()));
  std::vector<double> speeds, copies;
  for (auto _ : state) {
    copies.push_back(2.0 * static_cast<double>(bytes) / seconds(device, [&] { copy(); }));
    const double time = seconds(device, run);
    speeds.push_back(moved / time);
    state.SetIterationTime(time);
  }
  state.counters["GBps"] = upper_quartile(speeds) / 1e9;
  state.counters["copy_GBps"] = upper_quartile(copies) / 1e9;
  state.counters["of_copy"] = upper_quartile(speeds) / upper_quartile(copies);
}

// A session of its own, whose device has held nothing but the chain's arrays.
void peak_of_chain(benchmark::State& state, const std::string& name) {
  const Session before = Session::current();
  SessionOptions options;
  options.tier = Tier::Compile;
  options.device = name;
  const Session session(options);
  session.make_current();
  const int64_t n = elements_for(*session.state().device(name).device);
  const auto needed = static_cast<double>(3 * n) * sizeof(float);
  for (auto _ : state) {
    const std::vector<float> ones(static_cast<size_t>(n), 1);
    const Array a = from(ones, {n}, name), b = from(ones, {n}, name);
    Array y = a;
    for (int i = 0; i < 10; ++i) y = tanh(y * b) + a;
    y.eval();
    session.sync();
  }
  const auto peak = static_cast<double>(session.state().device(name).device->memory().peak);
  state.counters["peak_MB"] = peak / 1e6;
  state.counters["needed_MB"] = needed / 1e6;
  state.counters["peak_over_needed"] = peak / needed;
  before.make_current();
}

void add(const std::string& device) {
  const std::tuple<const char*, int, std::function<Arrays(const Arrays&)>> cases[] = {
      {"scale", 1, [](const Arrays& x) { return Arrays{x[0] * 1.5}; }},
      {"add", 2, [](const Arrays& x) { return Arrays{x[0] + x[1]}; }},
      {"axpy_and_maximum", 3,
       [](const Arrays& x) { return Arrays{x[0] * x[1] + x[2], maximum(x[0], x[1])}; }},
  };
  for (const auto& [name, inputs, maps] : cases) {
    benchmark::RegisterBenchmark(fmt::format("beside_copy/{}/{}", name, device).c_str(), beside_copy, device,
                                 inputs, maps)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
  }
  benchmark::RegisterBenchmark(("peak_memory/" + device).c_str(), peak_of_chain, device)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const std::string& device : device_names()) add(device);
  benchmark::RunSpecifiedBenchmarks();
}
