#include "tests/unit/derive/check.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <random>

#include "compiler/derive/derive.h"
#include "compiler/ir/build.h"
#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"

namespace weft::test {
namespace {

using ir::Graph;
using ir::HostTensor;
using ir::NodeRef;
using Z = std::complex<double>;
using Values = std::vector<Z>;

// Small steps of the fourth order, and their half, whose difference bounds the error.
constexpr double kStep = 1e-3;

Values values_of(const HostTensor& x) {
  Values out;
  const size_t item = size_of(x.type.dtype);
  for (size_t i = 0; i * item < x.data.size(); ++i) {
    const Scalar s = Scalar::load(x.type.dtype, x.data.data() + i * item).cast(DType::C128);
    out.emplace_back(s.re, s.im);
  }
  return out;
}

HostTensor tensor_of(const ir::TensorType& type, const Values& values) {
  HostTensor out{type, std::vector<std::byte>(values.size() * size_of(type.dtype))};
  for (size_t i = 0; i < values.size(); ++i)
    Scalar::of(values[i]).cast(type.dtype).store(out.data.data() + i * size_of(type.dtype));
  return out;
}

class Draws {
 public:
  explicit Draws(uint64_t seed) : bits_(seed) {}
  // Integers are small positions.
  Values values(const ir::TensorType& type, Range range) {
    Values out(static_cast<size_t>(element_count(type.shape)));
    std::uniform_real_distribution<double> real(range.low, range.high);
    std::uniform_int_distribution<int> whole(0, 2);
    for (Z& one : out) {
      if (!derive::has_tangents(type.dtype))
        one = whole(bits_);
      else
        one = is_complex(type.dtype) ? Z(real(bits_), real(bits_)) : Z(real(bits_));
    }
    return out;
  }

 private:
  std::mt19937_64 bits_;
};

double pairing(const Values& a, const Values& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += (a[i] * b[i]).real();
  return total;
}

double size(const Values& a) {
  double largest = 0;
  for (const Z& one : a) largest = std::max(largest, std::abs(one));
  return largest;
}

bool finite(const Values& a) {
  return std::all_of(a.begin(), a.end(),
                     [](Z one) { return std::isfinite(one.real()) && std::isfinite(one.imag()); });
}

std::string differs(const char* what, const Values& got, const Values& want, double tolerance, double scale) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - want[i]) <= tolerance * (scale + std::abs(want[i]))) continue;
    return fmt::format("{}: element {}: got ({}, {}), want ({}, {})", what, i, got[i].real(), got[i].imag(),
                       want[i].real(), want[i].imag());
  }
  return "";
}

bool exact_enough(DType t) { return t == DType::F64 || t == DType::C128; }

// A scalar is one value, whose elements do not move apart.
bool moves(const ir::Node& in) { return in.op == ir::Op::input && derive::has_tangents(in.dtype()); }

std::vector<NodeRef> wrt_of(const Graph& graph) {
  std::vector<NodeRef> wrt;
  for (const NodeRef& in : graph.inputs)
    if (moves(*in)) wrt.push_back(in);
  return wrt;
}

std::vector<HostTensor> run(const Graph& graph, const std::vector<Values>& at) {
  std::vector<HostTensor> given;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    ir::TensorType type = graph.inputs[i]->type;
    if (graph.inputs[i]->op == ir::Op::scalar) type.shape = {};
    given.push_back(tensor_of(type, at[i]));
  }
  return ir::interpret(graph, given);
}

// A graph with its two derivatives in one: outputs, tangents of outputs, cotangents of inputs. Tangents and
// cotangents are further inputs.
struct Derived {
  Graph graph;
  std::vector<ir::TensorType> tangents, cotangents;
};

Derived derived(const Graph& graph) {
  Derived all;
  const std::vector<NodeRef> wrt = wrt_of(graph);
  std::vector<NodeRef> tangents, cotangents;
  all.graph.inputs = graph.inputs;
  const auto add = [&](const NodeRef& node, std::vector<NodeRef>& to, const char* name) {
    to.push_back(ir::input(node->type, {nullptr, name + std::to_string(to.size()), {}, 0}));
    all.graph.inputs.push_back(to.back());
  };
  for (const NodeRef& node : wrt) add(node, tangents, "t"), all.tangents.push_back(node->type);
  for (const NodeRef& node : graph.outputs) add(node, cotangents, "c"), all.cotangents.push_back(node->type);
  all.graph.outputs = graph.outputs;
  for (NodeRef& one : derive::jvp(graph.outputs, wrt, tangents)) all.graph.outputs.push_back(std::move(one));
  for (NodeRef& one : derive::vjp(graph.outputs, wrt, cotangents))
    all.graph.outputs.push_back(std::move(one));
  ir::verify(all.graph, "derive");
  return all;
}

// Of all outputs one after another.
Values joined(const std::vector<HostTensor>& tensors, size_t from, size_t count) {
  Values all;
  for (size_t i = from; i < from + count; ++i) {
    const Values one = values_of(tensors[i]);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

struct Point {
  std::vector<Values> inputs, tangents, cotangents;
  std::vector<Values> all() const {
    std::vector<Values> given = inputs;
    given.insert(given.end(), tangents.begin(), tangents.end());
    given.insert(given.end(), cotangents.begin(), cotangents.end());
    return given;
  }
};

Point draw(const Graph& graph, const Derived& of, Draws& draws, const std::vector<Range>& ranges) {
  Point point;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    ir::TensorType type = graph.inputs[i]->type;
    if (graph.inputs[i]->op == ir::Op::scalar) type.shape = {};
    point.inputs.push_back(draws.values(type, i < ranges.size() ? ranges[i] : Range{}));
  }
  for (const ir::TensorType& type : of.tangents) point.tangents.push_back(draws.values(type, {-1, 1}));
  for (const ir::TensorType& type : of.cotangents) point.cotangents.push_back(draws.values(type, {-1, 1}));
  return point;
}

Values moved_outputs(const Graph& graph, const Point& point, double by) {
  std::vector<Values> at = point.inputs;
  size_t next = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    if (!moves(*graph.inputs[i])) continue;
    for (size_t k = 0; k < at[i].size(); ++k) at[i][k] += by * point.tangents[next][k];
    ++next;
  }
  return joined(run(graph, at), 0, graph.outputs.size());
}

Values difference(const Graph& graph, const Point& point, double step) {
  const Values far = moved_outputs(graph, point, 2 * step), near = moved_outputs(graph, point, step),
               back = moved_outputs(graph, point, -step), far_back = moved_outputs(graph, point, -2 * step);
  Values result(far.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = (8.0 * (near[i] - back[i]) - (far[i] - far_back[i])) / (12 * step);
  return result;
}

// The tangents and cotangents, as joined values.
struct Found {
  Values tangents, cotangents;
  double forward = 0, back = 0;  // the pairings, which are equal
};

Found found(const Graph& graph, const Derived& all, const Point& point) {
  const std::vector<HostTensor> results = run(all.graph, point.all());
  const size_t outputs = graph.outputs.size();
  Found f;
  f.tangents = joined(results, outputs, outputs);
  f.cotangents = joined(results, 2 * outputs, all.tangents.size());
  const auto flat = [](const std::vector<Values>& parts) {
    Values whole;
    for (const Values& one : parts) whole.insert(whole.end(), one.begin(), one.end());
    return whole;
  };
  f.forward = pairing(flat(point.cotangents), f.tangents);
  f.back = pairing(f.cotangents, flat(point.tangents));
  return f;
}

std::string compare_modes(const Found& f) {
  const double scale = 1 + size(f.tangents) * std::sqrt(static_cast<double>(f.tangents.size())) +
                       size(f.cotangents) * std::sqrt(static_cast<double>(f.cotangents.size()));
  if (std::abs(f.forward - f.back) <= 1e-9 * scale) return "";
  return fmt::format("jvp and vjp do not pair: {} and {}", f.forward, f.back);
}

}  // namespace

std::string wrong_derivative(const Graph& graph, uint64_t seed, bool& compared, std::vector<Range> ranges) {
  const Derived all = derived(graph);
  Draws draws(seed);
  const Point point = draw(graph, all, draws, ranges);
  const Found f = found(graph, all, point);
  compared = false;
  if (!finite(f.tangents) || !finite(f.cotangents)) return "";
  if (std::string wrong = compare_modes(f); !wrong.empty()) return wrong;
  const Values coarse = difference(graph, point, kStep), fine = difference(graph, point, kStep / 2);
  if (!finite(coarse) || !finite(fine)) return "";
  const double scale = 1 + size(coarse);
  if (!differs("", coarse, fine, 1e-5, scale).empty()) return "";  // a kink lies between
  compared = true;
  return differs("jvp", f.tangents, fine, 1e-4, scale);
}

std::string wrong_derivative(const Builder& build, DType of, uint64_t seed, std::vector<Range> ranges) {
  const DType wide = is_complex(of) ? DType::C128 : DType::F64;
  const Graph exact = build(wide), own = build(of);
  const Derived exact_all = derived(exact), own_all = derived(own);
  Draws draws(seed);
  Point point = draw(exact, exact_all, draws, ranges);
  // What the narrower dtype holds, so that both start from the same numbers.
  const auto round = [&](std::vector<Values>& parts, const auto& type_of) {
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = values_of(tensor_of(type_of(i), parts[i]));
  };
  round(point.inputs, [&](size_t i) {
    ir::TensorType type = own.inputs[i]->type;
    if (own.inputs[i]->op == ir::Op::scalar) type.shape = {};
    return type;
  });
  round(point.tangents, [&](size_t i) { return own_all.tangents[i]; });
  round(point.cotangents, [&](size_t i) { return own_all.cotangents[i]; });
  const Found f = found(exact, exact_all, point);
  if (exact_enough(of)) {
    if (std::string wrong = compare_modes(f); !wrong.empty()) return wrong;
    const Values coarse = difference(exact, point, kStep), fine = difference(exact, point, kStep / 2);
    Values want(coarse.size());  // Richardson's: of the sixth order
    for (size_t i = 0; i < want.size(); ++i) want[i] = (16.0 * fine[i] - coarse[i]) / 15.0;
    return differs("jvp", f.tangents, want, 1e-8, 1 + size(want));
  }
  const Found narrow = found(own, own_all, point);
  const double epsilon = of == DType::BF16 ? 0x1p-8 : of == DType::F16 ? 0x1p-11 : 0x1p-24;
  std::string wrong = differs("jvp", narrow.tangents, f.tangents, 64 * epsilon, 1 + size(f.tangents));
  if (wrong.empty())
    wrong = differs("vjp", narrow.cotangents, f.cotangents, 64 * epsilon, 1 + size(f.cotangents));
  return wrong;
}

}  // namespace weft::test
