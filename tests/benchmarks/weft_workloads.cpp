#include "tests/benchmarks/weft_workloads.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/benchmarks/workloads.h"

using weft::Array;
using Arrays = std::vector<Array>;

namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

// The result of `f`, or `failed` with the reason kept: exceptions must not reach C.
template <class R, class F>
R guarded(R failed, F&& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    last_error() = e.what();
    return failed;
  }
}

// The process's one session. It has no disk cache, so that first calls are first calls.
void open_session(const char* device, int threads) {
  static std::optional<weft::Session> session;
  if (session) return;
  weft::SessionOptions options;
  options.tier = weft::Tier::Compile;
  options.device = device;
  options.threads = threads;
  session.emplace(options);
  session->make_current();
}

int64_t launches() {
  const weft::Stats s = weft::stats();
  return s.kernels_launched + s.library_calls;
}

}  // namespace

struct WeftWorkload {
  Arrays (*run)(std::span<const Array>);
  Arrays inputs, outputs;

  void call() {
    Arrays results = run(inputs);
    weft::eval(results);
    outputs = std::move(results);
  }
};

WeftWorkload* weft_workload_make(const char* name, const char* device, int threads, int inputs,
                                 const float* const* data, const int64_t* shapes, const int* ranks) {
  return guarded<WeftWorkload*>(nullptr, [&] {
    const auto& known = weft::bench::workloads();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](auto& w) { return w.name == std::string_view(name); });
    if (found == known.end()) throw weft::Error(std::string("there is no workload '") + name + "'");
    const size_t taken = found->inputs(weft::bench::kCpuSizes).size();
    if (static_cast<size_t>(inputs) != taken) {
      throw weft::Error(std::string(name) + ": takes " + std::to_string(taken) + " arrays: got " +
                        std::to_string(inputs));
    }
    open_session(device, threads);
    auto workload = std::make_unique<WeftWorkload>(WeftWorkload{found->run, {}, {}});
    for (int i = 0; i < inputs; shapes += ranks[i++]) {
      workload->inputs.push_back(
          weft::from(data[i], weft::Shape(std::span(shapes, static_cast<size_t>(ranks[i]))), device));
    }
    return workload.release();
  });
}

int weft_workload_call(WeftWorkload* workload) {
  return guarded(-1, [&] {
    workload->call();
    return 0;
  });
}

int weft_workload_wait() {
  return guarded(-1, [] {
    weft::sync();
    return 0;
  });
}

int weft_workload_outputs(const WeftWorkload* workload) { return static_cast<int>(workload->outputs.size()); }

int64_t weft_workload_output_size(const WeftWorkload* workload, int output) {
  return workload->outputs[static_cast<size_t>(output)].size();
}

int weft_workload_output(const WeftWorkload* workload, int output, float* to) {
  return guarded(-1, [&] {
    workload->outputs[static_cast<size_t>(output)].copy_to(to);
    return 0;
  });
}

int64_t weft_workload_launches(WeftWorkload* workload) {
  return guarded<int64_t>(-1, [&] {
    const int64_t before = launches();
    workload->call();
    return launches() - before;
  });
}

void weft_workload_free(WeftWorkload* workload) { delete workload; }

const char* weft_workload_error() { return last_error().c_str(); }
