// What arrays cost on the host: recording a node, and a chain that was seen before, beside its kernel alone.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/weft.h"
#include "tests/benchmarks/devices.h"

namespace {

using namespace weft;
using namespace weft::bench;
using Clock = std::chrono::steady_clock;

constexpr int64_t kElements = 1024;
constexpr int kBatches = 501;  // the medians over them are what counts

// The maps of bench::ten_maps, as one writes them.
Array ten_maps_of(const Array& a, const Array& b) {
  Array t1 = a * b;
  Array t4 = t1 + a - b;
  t4 = t4 * t4;
  return exp(sqrt(maximum(t4, a)) + b) * a - t1;
}

template <class F>
double seconds(runtime::Device& device, int calls, F&& f) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < calls; ++i) f();
  device.synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Record, look up, launch; the counters tell the kernel alone (launched with prepared arguments), in turn
// with it, and what is left.
void seen_chain(benchmark::State& state, const std::string& name) {
  const std::vector<float> ones(kElements, 1);
  const Array a = from(ones, {kElements}, name), b = from(ones, {kElements}, name);
  runtime::Device& device = *Session::current().state().device(name).device;

  const OpenDevice alone = open_device(name);
  const Program program = compile_text(ten_maps(kElements), alone.target);
  const runtime::KernelRef kernel = alone.device->load(program.kernels.at(0));
  std::vector<runtime::BufferRef> buffers;
  for (int i = 0; i < 3; ++i) {
    buffers.push_back(alone.device->allocate(kElements * sizeof(float)));
    alone.device->upload(*buffers.back(), 0, ones.data(), kElements * sizeof(float));
  }
  const std::vector<uint64_t> words =
      arguments(program, std::span(buffers).first(2), std::span(buffers).last(1));
  const Launch& launch = std::get<KernelStep>(program.steps[0]).launch;

  constexpr int kCalls = 200;
  std::vector<double> with_arrays, kernel_only;
  Array result;
  for (auto _ : state) {
    with_arrays.push_back(seconds(device, kCalls,
                                  [&] {
                                    result = ten_maps_of(a, b);
                                    result.eval();
                                  }) /
                          kCalls);
    kernel_only.push_back(
        seconds(*alone.device, kCalls, [&] { alone.device->launch(*kernel, launch, words); }) / kCalls);
    state.SetIterationTime(with_arrays.back());
  }
  state.counters["call_us"] = median(with_arrays) * 1e6;
  state.counters["kernel_us"] = median(kernel_only) * 1e6;
  state.counters["beyond_us"] = (median(with_arrays) - median(kernel_only)) * 1e6;
}

// A chain recorded and dropped, a node at a time.
void record_node(benchmark::State& state, const std::string& name) {
  const Array a = from(std::vector<float>(kElements, 1), {kElements}, name), b = a.copy();
  b.eval();
  constexpr int kNodes = 1000;
  std::vector<double> recording, dropping;
  for (auto _ : state) {
    Array y = a;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kNodes / 2; ++i) {
      y = y * b;
      y = tanh(y);
    }
    const Clock::time_point recorded = Clock::now();
    y = a;
    const Clock::time_point dropped = Clock::now();
    recording.push_back(std::chrono::duration<double>(recorded - start).count() / kNodes);
    dropping.push_back(std::chrono::duration<double>(dropped - recorded).count() / kNodes);
    state.SetIterationTime(recording.back());
  }
  state.counters["record_ns"] = median(recording) * 1e9;
  state.counters["drop_ns"] = median(dropping) * 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const std::string& device : device_names()) {
    benchmark::RegisterBenchmark(("seen_chain/" + device).c_str(), seen_chain, device)
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(kBatches)
        ->UseManualTime();
    benchmark::RegisterBenchmark(("record_node/" + device).c_str(), record_node, device)
        ->Unit(benchmark::kNanosecond)
        ->Iterations(kBatches)
        ->UseManualTime();
  }
  benchmark::RunSpecifiedBenchmarks();
}
