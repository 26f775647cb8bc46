// What the first time costs: opening the library, compiling a kernel, loading a kernel that the disk cache
// holds.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/cpp/weft/weft.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/benchmarks/devices.h"
#include "tests/benchmarks/recorded.h"
#include "tests/benchmarks/workloads.h"

namespace {

using namespace weft;
using namespace weft::bench;
using Clock = std::chrono::steady_clock;

constexpr int kRepetitions = 21, kWorkloadRepetitions = 7;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr const char* kSoftmax = R"(graph softmax {
  %a = input : f32[1024, 4096]
  %m = max %a, axes=[1]
  %row_m = reshape %m : f32[1024, 1]
  %centred = subtract %a, %row_m
  %e = exp %centred
  %s = sum %e, axes=[1]
  %row_s = reshape %s : f32[1024, 1]
  %y = divide %e, %row_s
  return %y
}
)";

// The kernel in a text that no cache has seen.
KernelSource unseen(KernelSource source) {
  static int count = 0;
  source.text += fmt::format("\n// {} {}\n", Clock::now().time_since_epoch().count(), count++);
  source.hash = hash_text(source.text);
  return source;
}

KernelSource unseen_kernel(const std::string& graph, const Target& target) {
  return unseen(compile_text(graph, target).kernels.at(0));
}

// Graph to text: passes, fusion, schedule, emission.
void graph_to_source(benchmark::State& state, const std::string& device, const std::string& graph) {
  const OpenDevice open = open_device(device);
  for (auto _ : state) benchmark::DoNotOptimize(compile_text(graph, open.target));
}

// What makes machine code of a kernel: a device, or NVRTC alone where there is no GPU to load it.
struct Maker {
  Target target;
  std::function<void(const KernelSource&)> make;
};

// Null where the name is "nvrtc" and there is none.
const Maker* maker(const std::string& name) {
  static std::map<std::string, std::optional<Maker>> makers;
  auto [at, fresh] = makers.try_emplace(name);
  if (fresh && name == "nvrtc") {
    std::string reason;
    std::shared_ptr nvrtc = runtime::cuda::Nvrtc::open(runtime::default_cuda_directories(), reason);
    const Target h200 = {TargetKind::Cuda, 132, 16, 50u << 20, 227u << 10};
    if (nvrtc) at->second = {h200, [nvrtc](auto& s) { nvrtc->compile(s.text, s.name, "sm_90"); }};
  } else if (fresh) {
    auto open = std::make_shared<OpenDevice>(open_device(name));
    at->second = {open->target, [open](auto& s) { open->device->load(s); }};
  }
  return at->second ? &*at->second : nullptr;
}

// Text to loaded code: Clang and ORC, or NVRTC and the driver. Where there are several kernels the time is
// that of one. The first repetitions warm the compiler up.
void cold(benchmark::State& state, const Maker& maker, const std::vector<KernelSource>& kernels) {
  for (auto _ : state) {
    double seconds = 0;
    for (const KernelSource& kernel : kernels) {
      const KernelSource source = unseen(kernel);
      const Clock::time_point start = Clock::now();
      maker.make(source);
      seconds += seconds_since(start);
    }
    state.SetIterationTime(seconds / static_cast<double>(kernels.size()));
  }
}

void cold_kernel(benchmark::State& state, const std::string& device, const std::string& graph) {
  const Maker& by = *maker(device);
  cold(state, by, compile_text(graph, by.target).kernels);
}

void cold_workload(benchmark::State& state, const Maker& by, const Workload& workload) {
  const Sizes& sizes = by.target.kind == TargetKind::Cpu ? kCpuSizes : kGpuSizes;
  cold(state, by, compile(graph_of(workload, sizes), by.target).kernels);
}

void kernel_from_disk(benchmark::State& state, const std::string& device, const std::string& graph) {
  std::string directory = (std::filesystem::temp_directory_path() / "weft-benchmark-XXXXXX").string();
  if (!mkdtemp(directory.data())) return state.SkipWithError("no temporary directory");
  {
    // A device that keeps one kernel loaded: asked for two in turn, it takes each from the disk.
    const auto cache = std::make_shared<runtime::KernelCache>(directory, uint64_t{1} << 30);
    const OpenDevice open = open_device(device, cache, 1);
    const KernelSource sources[] = {unseen_kernel(graph, open.target), unseen_kernel(graph, open.target)};
    for (const KernelSource& source : sources) open.device->load(source);
    const int64_t before = open.counters->disk_hits;
    int64_t loads = 0;
    for (auto _ : state) benchmark::DoNotOptimize(open.device->load(sources[loads++ % 2]));
    if (open.counters->disk_hits - before != loads) state.SkipWithError("not every load came from the disk");
  }
  std::filesystem::remove_all(directory);
}

// A process that does nothing but open the library and a device.
void set_up(benchmark::State& state, const std::string& device) {
  std::vector<double> whole;
  for (auto _ : state) {
    const Clock::time_point start = Clock::now();
    FILE* child = popen(fmt::format("exec /proc/{}/exe --open {}", getpid(), device).c_str(), "r");
    double inside = 0;
    const bool told = child && std::fscanf(child, "%lf", &inside) == 1;
    if (!child || pclose(child) != 0 || !told) return state.SkipWithError("the process failed");
    whole.push_back(seconds_since(start));
    state.SetIterationTime(inside);
  }
  state.counters["process_ms"] = median(whole) * 1e3;
}

int open_and_tell(const char* device) {
  const Clock::time_point start = Clock::now();
  SessionOptions options;
  options.tier = Tier::Compile;
  options.device = device;
  const Session session(options);
  session.state().device(device);
  std::printf("%.9f\n", seconds_since(start));
  return 0;
}

void add(const std::string& device) {
  const std::pair<const char*, std::string> graphs[] = {{"ten_maps", ten_maps(100000)},
                                                        {"softmax", kSoftmax}};
  for (const auto& [name, graph] : graphs) {
    const std::string suffix = std::string("/") + name + "/" + device;
    benchmark::RegisterBenchmark(("graph_to_source" + suffix).c_str(), graph_to_source, device, graph)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("cold_kernel" + suffix).c_str(), cold_kernel, device, graph)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1)
        ->Repetitions(kRepetitions)
        ->ReportAggregatesOnly()
        ->UseManualTime();
    benchmark::RegisterBenchmark(("kernel_from_disk" + suffix).c_str(), kernel_from_disk, device, graph)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  benchmark::RegisterBenchmark(("set_up/" + device).c_str(), set_up, device)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(kRepetitions)
      ->ReportAggregatesOnly()
      ->UseManualTime();
}

void add_workloads(const std::string& name) {
  const Maker* by = maker(name);
  if (!by) return;
  for (const Workload& workload : workloads()) {
    benchmark::RegisterBenchmark((std::string("cold_workload/") + workload.name + "/" + name).c_str(),
                                 [by, &workload](auto& state) { cold_workload(state, *by, workload); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1)
        ->Repetitions(kWorkloadRepetitions)
        ->ReportAggregatesOnly()
        ->UseManualTime();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && !std::strcmp(argv[1], "--open")) return open_and_tell(argv[2]);
  benchmark::Initialize(&argc, argv);
  const std::vector<std::string> devices = device_names();
  for (const std::string& device : devices) add(device);
  for (const std::string& device : devices) add_workloads(device);
  if (devices.size() == 1) add_workloads("nvrtc");
  benchmark::RunSpecifiedBenchmarks();
}
