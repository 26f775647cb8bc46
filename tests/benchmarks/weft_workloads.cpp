#include "tests/benchmarks/weft_workloads.h"

#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/cpp/weft/weft.h"

using weft::Array;
using weft::newaxis;
using weft::Slice;
using Arrays = std::vector<Array>;

namespace {

// ---- the workloads, as one writes them

Arrays axpy_chain(std::span<const Array> in) {
  const Array &a = in[0], &b = in[1], &c = in[2];
  Array y = a * b + c;
  return {tanh(y) * (1.0 / (1.0 + exp(-y))) + exp(-y * y)};
}

Arrays maximum_3d(std::span<const Array> in) { return {maximum(in[0], in[1])}; }

Arrays black_scholes(std::span<const Array> in) {
  const Array &s = in[0], &k = in[1], &t = in[2];
  const double r = 0.02, v = 0.3;
  auto normal = [](const Array& d) { return 0.5 * (1.0 + erf(d / std::sqrt(2.0))); };
  Array d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t));
  Array d2 = d1 - v * sqrt(t);
  Array discounted = k * exp(-r * t);
  Array call = s * normal(d1) - discounted * normal(d2);
  return {call, call - s + discounted};
}

Arrays softmax(std::span<const Array> in) {
  Array e = exp(in[0] - max(in[0], 1, true));
  return {e / sum(e, 1, true)};
}

Arrays layernorm(std::span<const Array> in) {
  const Array &a = in[0], &gain = in[1], &bias = in[2];
  Array d = a - mean(a, 1, true);
  Array variance = mean(d * d, 1, true);
  return {d / sqrt(variance + 1e-5) * gain + bias};
}

Arrays sum_all(std::span<const Array> in) { return {sum(in[0])}; }

Arrays sum_cols(std::span<const Array> in) { return {sum(in[0], 0)}; }

Arrays mean_var_rows(std::span<const Array> in) {
  Array d = in[0] - mean(in[0], 1, true);
  return {mean(in[0], 1), mean(d * d, 1)};
}

Arrays dot_exp_reduce(std::span<const Array> in) { return {sum(exp(-in[0] * in[1]) * in[0])}; }

Arrays matvec(std::span<const Array> in) { return {sum(in[0] * in[1], 1)}; }

Arrays add_transposed(std::span<const Array> in) { return {in[0] + in[1].T() * 2.0}; }

Arrays heat5(std::span<const Array> in) {
  const Array& u = in[0];
  const Slice inner{1, -1}, before{{}, -2}, after{2};
  Array c = u(inner, inner);
  return {c + 0.1 * (u(after, inner) + u(before, inner) + u(inner, after) + u(inner, before) - 4.0 * c)};
}

Arrays nbody_pairs(std::span<const Array> in) {
  auto between = [](const Array& p) { return p(newaxis, Slice{}) - p(Slice{}, newaxis); };
  Array dx = between(in[0]), dy = between(in[1]), dz = between(in[2]);
  Array inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3);
  Array cubed = inverse * inverse * inverse;
  return {sum(dx * cubed, 1), sum(dy * cubed, 1), sum(dz * cubed, 1)};
}

Arrays svd_reco(std::span<const Array> in) { return {matmul(in[0] * in[1], in[2])}; }

Arrays mlp_bias_gelu(std::span<const Array> in) {
  Array h = matmul(in[0], in[1]) + in[2];
  return {0.5 * h * (1.0 + erf(h * std::sqrt(0.5)))};
}

Arrays small_chain(std::span<const Array> in) {
  const Array &a = in[0], &b = in[1];
  Array y = a * b + 1.0;
  y = y * a - b;
  y = tanh(y) + a;
  y = y * y + b;
  return {sqrt(y * y + 1.0) * a};
}

// ---- what Python calls

struct Entry {
  size_t inputs;
  Arrays (*run)(std::span<const Array>);
};

const std::map<std::string, Entry>& entries() {
  static const std::map<std::string, Entry> table = {
      {"axpy_chain", {3, axpy_chain}},
      {"maximum_3d", {2, maximum_3d}},
      {"black_scholes", {3, black_scholes}},
      {"softmax_rows", {1, softmax}},
      {"layernorm", {3, layernorm}},
      {"sum_all", {1, sum_all}},
      {"sum_cols", {1, sum_cols}},
      {"mean_var_rows", {1, mean_var_rows}},
      {"dot_exp_reduce", {2, dot_exp_reduce}},
      {"matvec", {2, matvec}},
      {"add_transposed", {2, add_transposed}},
      {"heat5", {1, heat5}},
      {"nbody_pairs", {3, nbody_pairs}},
      {"svd_reco", {3, svd_reco}},
      {"mlp_bias_gelu", {3, mlp_bias_gelu}},
      {"softmax_wide", {1, softmax}},
      {"small_chain", {2, small_chain}},
  };
  return table;
}

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
    const auto found = entries().find(name);
    if (found == entries().end()) throw weft::Error(std::string("there is no workload '") + name + "'");
    const Entry& entry = found->second;
    if (static_cast<size_t>(inputs) != entry.inputs) {
      throw weft::Error(std::string(name) + ": takes " + std::to_string(entry.inputs) + " arrays: got " +
                        std::to_string(inputs));
    }
    open_session(device, threads);
    auto workload = std::make_unique<WeftWorkload>(WeftWorkload{entry.run, {}, {}});
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
