#include "tests/fuzz/random_graph.h"

#include <algorithm>
#include <string>

#include "compiler/ir/build.h"
#include "tests/fuzz/random.h"

namespace weft::test {
namespace {

using ir::NodeRef;
using ir::Op;
using ir::TensorType;

// Every value drawn so far is kept, and any may be used again: that is where shared subexpressions come from.
class Drawing {
 public:
  Drawing(uint64_t seed, const RandomGraphOptions& options) : random_(seed), options_(options) {
    for (int i = 0; i < ir::kOpCount; ++i) {
      Op op = static_cast<Op>(i);
      const std::vector<Op>& from = options.drawn_from;
      if (!from.empty() && std::find(from.begin(), from.end(), op) == from.end()) continue;
      if (kind(op) == ir::OpKind::Map && ir::info(op).result != ir::Result::Stated && op != Op::select &&
          allowed(op))
        maps_.push_back(op);
      if (kind(op) == ir::OpKind::Reduce) reductions_.push_back(op);
      if (kind(op) == ir::OpKind::Scan) scans_.push_back(op);
    }
  }

  ir::Graph draw() {
    for (int i = 0; i < 2; ++i) keep(fresh_input({dtype(), shape()}));
    for (int i = 0; i < options_.ops; ++i) keep(step());
    ir::Graph graph;
    graph.inputs = inputs_;
    // The last value is always an output, so that a graph is about as large as was asked for.
    graph.outputs.push_back(values_.back());
    for (int64_t more = random_.below(std::max(options_.outputs, 1)); more > 0; --more)
      graph.outputs.push_back(any());
    return graph;
  }

 private:
  // ---- choices
  bool allowed(Op op) const {
    if (ir::info(op).erratic) return false;
    if (!options_.complexes && ir::info(op).result == ir::Result::Complex) return false;
    if (!options_.exact) return true;
    // The sign of a NaN that arithmetic made is nobody's promise.
    return ir::info(op).ulp.f32 <= 0.5f && op != Op::fma && op != Op::copysign && op != Op::signbit;
  }

  DType dtype() {
    static const std::vector<std::pair<DType, double>> weights = {
        {DType::F32, 10}, {DType::F64, 4}, {DType::I64, 3},  {DType::I32, 3}, {DType::Bool, 2},
        {DType::U8, 1},   {DType::I8, 1},  {DType::I16, 1},  {DType::U16, 1}, {DType::U32, 1},
        {DType::U64, 1},  {DType::F16, 2}, {DType::BF16, 2}, {DType::C64, 1}, {DType::C128, 1}};
    std::vector<double> chances;
    for (auto [type, weight] : weights) {
      bool out = (is_half(type) && !options_.halves) || (is_complex(type) && !options_.complexes);
      chances.push_back(out ? 0 : weight);
    }
    return weights[random_.weighted(chances)].first;
  }

  bool takes(Op op, DType type) const {
    if (!ir::accepts(op, type)) return false;
    return !options_.exact || !is_complex(type) || kind(op) != ir::OpKind::Map ||
           ir::info(op).result == ir::Result::Bool;
  }

  DType dtype_for(Op op) {
    DType type = dtype();
    while (!takes(op, type)) type = dtype();
    return type;
  }

  int64_t extent() {
    static const std::vector<int64_t> common = {1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 64, 65};
    return random_.chance(options_.empty_axis) ? 0 : random_.pick(common);
  }

  Shape shape() {
    static const std::vector<double> ranks = {1, 3, 5, 4, 2, 1};
    std::vector<double> weights(ranks.begin(), ranks.begin() + std::min(options_.max_rank, 5) + 1);
    Shape result;
    int64_t count = 1;
    for (size_t left = random_.weighted(weights); left > 0; --left) {
      int64_t e = extent();
      if (e > 0 && count * e > options_.max_elements) e = 1;
      count *= std::max<int64_t>(e, 1);
      result.push_back(e);
    }
    return result;
  }

  const NodeRef& any() {
    // Recent values are likelier, so that chains grow long.
    auto n = static_cast<int64_t>(values_.size());
    return values_[static_cast<size_t>(random_.chance(0.6) ? n - 1 - random_.below(std::min<int64_t>(n, 4))
                                                           : random_.below(n))];
  }

  // A value of at least this rank.
  NodeRef any_of_rank(size_t rank) {
    for (int tries = 0; tries < 8; ++tries)
      if (NodeRef x = any(); x->shape().size() >= rank) return x;
    Shape s = shape();
    while (s.size() < rank) s.push_back(random_.between(1, 3));
    return s.size() > rank || element_count(s) <= options_.max_elements
               ? fresh_input({dtype(), s})
               : fresh_input({dtype(), Shape(rank, 1)});
  }

  NodeRef keep(NodeRef node) {
    values_.push_back(node);
    return node;
  }

  // ---- values that fit
  NodeRef fresh_input(const TensorType& type) {
    ir::InputAttr attr;
    attr.name = "a" + std::to_string(inputs_.size());
    if (options_.strided_inputs && random_.chance(0.5)) {
      Dims order;
      for (size_t i = 0; i < type.shape.size(); ++i)
        order.insert(static_cast<size_t>(random_.below(static_cast<int64_t>(i) + 1)),
                     static_cast<int64_t>(i));
      attr.strides = Dims(type.shape.size(), 0);
      int64_t step = random_.between(1, 2), low = 0;
      for (int64_t axis : order) {
        auto a = static_cast<size_t>(axis);
        bool backwards = random_.chance(0.2);
        attr.strides[a] = backwards ? -step : step;
        if (backwards) low += step * std::max<int64_t>(type.shape[a] - 1, 0);
        step *= std::max<int64_t>(type.shape[a], 1) + random_.below(2);
      }
      int64_t offset = low + random_.below(3);
      if (!attr.strides.empty()) attr.offset = offset;
    }
    inputs_.push_back(ir::input(type, std::move(attr)));
    return inputs_.back();
  }

  Scalar small_number(DType type) {
    double value = static_cast<double>(random_.between(-8, 8)) / (random_.chance(0.5) ? 1 : 4);
    return Scalar::of(kind(type) == DTypeKind::Unsigned ? std::abs(value) : value).cast(type);
  }

  NodeRef to_dtype(const NodeRef& x, DType type) { return ir::cast(x, type); }

  // A value of this very type: one that is there, one that broadcasts to it, or a new one.
  NodeRef fitting(const TensorType& type) {
    auto first = random_.below(static_cast<int64_t>(values_.size()));
    for (size_t i = 0; i < values_.size(); ++i) {
      const NodeRef& v = values_[(static_cast<size_t>(first) + i) % values_.size()];
      if (v->shape() == type.shape && random_.chance(0.7)) return to_dtype(v, type.dtype);
    }
    switch (random_.below(4)) {
      case 0:
        return ir::constant(type, small_number(type.dtype));
      case 1: {
        inputs_.push_back(ir::scalar(type, "s" + std::to_string(inputs_.size())));
        return inputs_.back();
      }
      case 2: {
        Shape narrow = type.shape;
        for (int64_t& e : narrow)
          if (random_.chance(0.4)) e = 1;
        while (!narrow.empty() && narrow[0] == 1 && random_.chance(0.5)) narrow.erase(0);
        return ir::broadcast(fresh_input({type.dtype, narrow}), type.shape);
      }
      default:
        return fresh_input(type);
    }
  }

  // ---- steps
  NodeRef step() {
    using Step = NodeRef (Drawing::*)();
    struct Choice {
      double weight;
      Step step;
    };
    static const std::vector<Choice> choices = {
        {40, &Drawing::elementwise}, {4, &Drawing::select},  {5, &Drawing::cast},      {2, &Drawing::bitcast},
        {5, &Drawing::broadcast},    {5, &Drawing::permute}, {8, &Drawing::slice},     {6, &Drawing::reshape},
        {5, &Drawing::pad},          {5, &Drawing::concat},  {10, &Drawing::reduce},   {3, &Drawing::softmax},
        {3, &Drawing::layer_norm},   {6, &Drawing::update},  {3, &Drawing::gather},    {3, &Drawing::scatter},
        {3, &Drawing::dot},          {2, &Drawing::iota},    {3, &Drawing::new_value}, {4, &Drawing::scan}};
    std::vector<double> weights;
    for (const Choice& c : choices) weights.push_back(c.weight);
    // A step that finds no value that suits it gives nothing.
    if (options_.rewritten > 0 && random_.chance(options_.rewritten))
      if (NodeRef node = rewritten()) return node;
    for (;;)
      if (NodeRef node = (this->*choices[random_.weighted(weights)].step)()) return node;
  }

  NodeRef elementwise() {
    Op op = random_.pick(maps_);
    NodeRef x = any();
    for (int tries = 0; tries < 4 && !takes(op, x->dtype()); ++tries) x = any();
    if (!takes(op, x->dtype())) x = to_dtype(x, dtype_for(op));
    std::vector<NodeRef> args = {x};
    while (static_cast<int>(args.size()) < ir::info(op).arity) args.push_back(fitting(x->type));
    std::swap(args[0], args[static_cast<size_t>(random_.below(static_cast<int64_t>(args.size())))]);
    // What a division leaves has no digits where the divisor has lost its own.
    if ((op == Op::remainder || op == Op::floor_divide) && !options_.exact && is_float(x->dtype()) &&
        args[1]->inputs.size() > 0)
      return {};
    return ir::map(op, args);
  }

  NodeRef select() {
    NodeRef x = any();
    return ir::map(Op::select, {fitting({DType::Bool, x->shape()}), x, fitting(x->type)});
  }

  NodeRef cast() { return ir::cast(any(), dtype()); }

  NodeRef bitcast() {
    NodeRef x = any();
    std::vector<DType> same_size;
    for (int i = 0; i < kDTypeCount; ++i) {
      DType type = static_cast<DType>(i);
      // A bool must be 0 or 1; the bits of a computed NaN are the machine's own choice.
      bool odd = type == DType::Bool || x->dtype() == DType::Bool || is_complex(type) ||
                 is_complex(x->dtype()) || (options_.exact && (is_float(type) || is_float(x->dtype())));
      if (!odd && (options_.halves || !is_half(type)) && size_of(type) == size_of(x->dtype()) &&
          type != x->dtype())
        same_size.push_back(type);
    }
    if (same_size.empty()) return {};
    return ir::bitcast(x, random_.pick(same_size));
  }

  NodeRef broadcast() {
    NodeRef x = any();
    Shape target = x->shape();
    for (int64_t& e : target)
      if (e == 1 && random_.chance(0.7)) e = extent();
    if (target.size() < static_cast<size_t>(options_.max_rank) && random_.chance(0.5))
      target.insert(0, extent());
    return fits(target) ? ir::broadcast(x, target) : NodeRef();
  }

  bool fits(const Shape& s) const { return element_count(s) <= options_.max_elements; }

  NodeRef permute() {
    NodeRef x = any_of_rank(2);
    Dims axes;
    for (size_t i = 0; i < x->shape().size(); ++i)
      axes.insert(static_cast<size_t>(random_.below(static_cast<int64_t>(i) + 1)), static_cast<int64_t>(i));
    return ir::permute(x, axes);
  }

  struct Range {
    Dims starts, extents, steps;
  };

  Range range(const Shape& s) {
    Range r;
    for (int64_t n : s) {
      int64_t e = n == 0 || random_.chance(options_.empty_axis) ? 0
                  : random_.chance(0.3)                         ? n
                                                                : random_.between(1, n);
      int64_t widest = e > 1 ? (n - 1) / (e - 1) : 3;
      int64_t step = random_.between(1, std::min<int64_t>(widest, 3)) * (random_.chance(0.3) ? -1 : 1);
      int64_t span = e > 1 ? (e - 1) * std::abs(step) : 0;
      int64_t low = e > 0 ? random_.between(0, n - 1 - span) : 0;
      r.starts.push_back(e > 0 && step < 0 ? low + span : low);
      r.extents.push_back(e);
      r.steps.push_back(e > 0 ? step : 1);
    }
    return r;
  }

  NodeRef slice() {
    NodeRef x = any_of_rank(1);
    Range r = range(x->shape());
    return ir::slice(x, r.starts, r.extents, r.steps);
  }

  NodeRef reshape() {
    NodeRef x = any();
    int64_t left = element_count(x->shape());
    Shape target;
    if (left == 0) {
      target = x->shape();
      std::reverse(target.begin(), target.end());
      return ir::reshape(x, target);
    }
    while (target.size() + 1 < static_cast<size_t>(options_.max_rank) && random_.chance(0.7)) {
      int64_t e = random_.between(1, 8);
      if (left % e != 0) continue;
      target.push_back(e);
      left /= e;
    }
    if (left > 1 || random_.chance(0.5))
      target.insert(static_cast<size_t>(random_.below(static_cast<int64_t>(target.size()) + 1)), left);
    return ir::reshape(x, target);
  }

  NodeRef pad() {
    NodeRef x = any_of_rank(1);
    Dims before, after;
    Shape target = x->shape();
    for (int64_t& e : target) {
      before.push_back(random_.chance(0.5) ? random_.below(4) : 0);
      after.push_back(random_.chance(0.5) ? random_.below(4) : 0);
      e += before.back() + after.back();
    }
    if (!fits(target)) return {};
    return ir::pad(x, fitting({x->dtype(), {}}), before, after);
  }

  NodeRef concat() {
    NodeRef x = any_of_rank(1);
    auto axis = static_cast<size_t>(random_.below(static_cast<int64_t>(x->shape().size())));
    std::vector<NodeRef> parts = {x};
    Shape target = x->shape();
    for (int64_t more = random_.between(1, 3); more > 0; --more) {
      TensorType type = x->type;
      if (random_.chance(0.5)) type.shape[axis] = extent();
      target[axis] += type.shape[axis];
      if (!fits(target)) return {};
      parts.insert(parts.begin() + random_.below(static_cast<int64_t>(parts.size()) + 1), fitting(type));
    }
    return ir::concat(parts, static_cast<int64_t>(axis));
  }

  Dims some_axes(size_t rank) {
    Dims axes;
    auto forced = random_.below(std::max<int64_t>(static_cast<int64_t>(rank), 1));
    for (size_t i = 0; i < rank; ++i)
      if (static_cast<int64_t>(i) == forced || random_.chance(0.4)) axes.push_back(static_cast<int64_t>(i));
    return axes;
  }

  static int64_t count_along(const Shape& s, const Dims& axes) {
    int64_t n = 1;
    for (int64_t a : axes) n *= s[static_cast<size_t>(a)];
    return n;
  }

  NodeRef reduce() {
    Op op = random_.pick(reductions_);
    NodeRef x = any_of_rank(1);
    if (!ir::accepts(op, x->dtype())) x = to_dtype(x, dtype_for(op));
    bool sums = op == Op::sum || op == Op::prod;
    if (options_.exact && sums && (is_float(x->dtype()) || is_complex(x->dtype())))
      x = to_dtype(x, DType::I64);
    Dims axes = some_axes(x->shape().size());
    // Products of many numbers leave every range, and where they do depends on the order.
    if (op == Op::prod && count_along(x->shape(), axes) > 16) {
      if (is_complex(x->dtype())) x = to_dtype(x, DType::I32);
      if (is_float(x->dtype())) x = ir::map(Op::tanh, {x});
    }
    bool of_nothing = op == Op::max || op == Op::min || op == Op::argmax || op == Op::argmin;
    if (of_nothing && count_along(x->shape(), axes) == 0) return {};
    return ir::reduce(op, x, axes);
  }

  NodeRef scan() {
    Op op = random_.pick(scans_);
    NodeRef x = any_of_rank(1);
    // Products of many numbers leave every range, and where they do depends on the order.
    if (op == Op::cumulative_prod || !ir::accepts(op, x->dtype()))
      x = to_dtype(x, op == Op::cumulative_prod ? DType::I32 : dtype_for(op));
    if (options_.exact && op == Op::cumulative_sum && (is_float(x->dtype()) || is_complex(x->dtype())))
      x = to_dtype(x, DType::I64);
    return ir::scan(op, x, random_.below(static_cast<int64_t>(x->shape().size())));
  }

  NodeRef back_over(const NodeRef& reduced, const NodeRef& x, const Dims& axes) {
    Shape kept = x->shape();
    for (int64_t a : axes) kept[static_cast<size_t>(a)] = 1;
    return ir::broadcast(ir::reshape(reduced, kept), x->shape());
  }

  NodeRef float_rows() {
    NodeRef x = any_of_rank(1);
    return is_float(x->dtype()) ? x : to_dtype(x, DType::F32);
  }

  NodeRef softmax() {
    if (options_.exact) return {};
    NodeRef x = float_rows();
    Dims axes = some_axes(x->shape().size());
    if (count_along(x->shape(), axes) == 0) return {};
    NodeRef shifted = ir::map(Op::subtract, {x, back_over(ir::reduce(Op::max, x, axes), x, axes)});
    NodeRef e = keep(ir::map(Op::exp, {shifted}));
    return ir::map(Op::divide, {e, back_over(ir::reduce(Op::sum, e, axes), x, axes)});
  }

  NodeRef layer_norm() {
    if (options_.exact) return {};
    NodeRef x = float_rows();
    Dims axes = some_axes(x->shape().size());
    auto mean = [&](const NodeRef& v) {
      NodeRef total = ir::reduce(Op::sum, v, axes);
      auto n = static_cast<double>(std::max<int64_t>(count_along(x->shape(), axes), 1));
      return ir::map(Op::divide, {total, ir::constant(total->type, Scalar::of(n))});
    };
    NodeRef centred = ir::map(Op::subtract, {x, back_over(mean(x), x, axes)});
    NodeRef variance = keep(mean(ir::map(Op::square, {centred})));
    NodeRef stable = ir::map(Op::add, {variance, ir::constant(variance->type, Scalar::of(1e-3))});
    return ir::map(Op::multiply, {centred, back_over(ir::map(Op::rsqrt, {stable}), x, axes)});
  }

  NodeRef update() {
    NodeRef base = any_of_rank(1);
    Range r = range(base->shape());
    return ir::update(base, fitting({base->dtype(), r.extents}), r.starts, r.steps);
  }

  // Most indices are inside of the axis; some are whatever an input holds.
  NodeRef index(const Shape& s, int64_t extent) {
    NodeRef raw = fitting({DType::I64, s});
    if (random_.chance(0.2)) return raw;
    return ir::map(Op::remainder, {raw, ir::constant(raw->type, Scalar::of(extent))});
  }

  // Neighbours along the axis, none of them twice.
  NodeRef distinct_index(const Shape& s, int64_t axis, int64_t extent) {
    const NodeRef places = ir::iota({DType::I64, s}, axis);
    const int64_t first = random_.between(0, extent - s[static_cast<size_t>(axis)]);
    return ir::map(Op::add, {places, ir::constant(places->type, Scalar::of(first))});
  }

  NodeRef gather() {
    if (!options_.indexed) return {};
    NodeRef x = any_of_rank(1);
    Shape s = x->shape();
    auto axis = static_cast<size_t>(random_.below(static_cast<int64_t>(s.size())));
    int64_t n = s[axis];
    if (n == 0) return {};
    for (int64_t& e : s)
      if (random_.chance(0.3)) e = 1;
    s[axis] = extent();
    Shape result = x->shape();
    if (options_.spread > 0 && random_.chance(options_.spread)) {
      Shape one = x->shape();
      for (size_t k = 0; k < one.size(); ++k)
        if (k != axis && one[k] > 0 && random_.chance(0.7)) one[k] = 1, s[k] = result[k] = extent();
      x = ir::slice(x, Dims(one.size(), 0), one, Dims(one.size(), 1));
    }
    result[axis] = s[axis];
    return fits(result) ? ir::gather(x, index(s, n), static_cast<int64_t>(axis)) : NodeRef();
  }

  NodeRef scatter() {
    if (!options_.indexed) return {};
    NodeRef x = any_of_rank(1);
    Op op = random_.chance(0.5) ? Op::scatter : Op::scatter_add;
    if (!ir::accepts(op, x->dtype())) op = Op::scatter;
    if (options_.exact && (is_float(x->dtype()) || is_complex(x->dtype()))) op = Op::scatter;
    if (random_.chance(0.3)) op = Op::scatter_distinct;
    Shape s = x->shape();
    auto axis = static_cast<size_t>(random_.below(static_cast<int64_t>(s.size())));
    int64_t n = s[axis];
    if (n == 0) return {};
    s[axis] = random_.between(1, op == Op::scatter_distinct ? std::min<int64_t>(n, 5) : 5);
    if (!fits(s)) return {};
    const auto along = static_cast<int64_t>(axis);
    const NodeRef at = op == Op::scatter_distinct ? distinct_index(s, along, n) : index(s, n);
    return ir::scatter(op, x, at, fitting({x->dtype(), s}), along);
  }

  NodeRef dot() {
    if (!options_.dots || options_.exact) return {};
    NodeRef a = any_of_rank(2);
    if (!ir::accepts(Op::dot, a->dtype())) a = to_dtype(a, dtype_for(Op::dot));
    Shape s = a->shape(), result = s;
    s[s.size() - 2] = s.back();
    s.back() = result.back() = random_.between(1, 5);
    return fits(s) && fits(result) ? ir::dot(a, fitting({a->dtype(), s})) : NodeRef();
  }

  NodeRef rewritten() {
    using Program = NodeRef (Drawing::*)();
    static const std::vector<Program> programs = {&Drawing::picked_rows, &Drawing::rows_of_a_reshape,
                                                  &Drawing::written_parts, &Drawing::sum_of_equals};
    return (this->*random_.pick(programs))();
  }

  // A reduction that leaves some axes, or what is computed of one and read as often as it.
  NodeRef results() {
    NodeRef x = any_of_rank(2);
    Op op = random_.pick(reductions_);
    if (op == Op::prod) op = Op::sum;
    if (!ir::accepts(op, x->dtype())) x = to_dtype(x, dtype_for(op));
    if (options_.exact && op == Op::sum && (is_float(x->dtype()) || is_complex(x->dtype())))
      x = to_dtype(x, DType::I64);
    const auto kept = random_.below(static_cast<int64_t>(x->shape().size()));
    Dims axes;
    for (int64_t a = 0; a < static_cast<int64_t>(x->shape().size()); ++a)
      if (a != kept && random_.chance(0.7)) axes.push_back(a);
    if (axes.empty()) axes.push_back(kept == 0 ? 1 : 0);
    if (count_along(x->shape(), axes) == 0) return {};
    NodeRef out = ir::reduce(op, x, axes);
    if (!is_complex(out->dtype()) && random_.chance(0.3))
      out = ir::map(Op::maximum, {out, fitting(out->type)});
    return random_.chance(0.2) ? keep(out) : out;
  }

  NodeRef picked_rows() {
    const NodeRef x = results();
    if (!options_.indexed || !x || is_complex(x->dtype())) return {};
    const auto axis = static_cast<size_t>(random_.below(static_cast<int64_t>(x->shape().size())));
    const int64_t n = x->shape()[axis];
    if (n == 0) return {};
    Shape s(x->shape().size(), 1);
    s[axis] = random_.between(1, std::max<int64_t>(n / 2, 1));
    return ir::gather(x, index(s, n), static_cast<int64_t>(axis));
  }

  NodeRef rows_of_a_reshape() {
    const NodeRef x = results();
    if (!x || element_count(x->shape()) == 0) return {};
    int64_t first = random_.between(2, 6);
    const int64_t all = element_count(x->shape());
    while (all % first != 0) --first;
    const NodeRef shown = random_.chance(0.5) ? ir::reshape(x, {first, all / first}) : ir::reshape(x, {all});
    const Range r = range(shown->shape());
    return ir::slice(shown, r.starts, r.extents, r.steps);
  }

  // A computed value of some thousand elements, small parts of it that are replaced, and a reader or two.
  NodeRef written_parts() {
    static const std::vector<Shape> shapes = {{5000}, {64, 65}, {17, 16, 16}};
    const TensorType type{random_.chance(0.5) ? DType::F32 : DType::I32, random_.pick(shapes)};
    if (!fits(type.shape)) return {};
    NodeRef y = fitting(type);
    y = ir::map(Op::maximum, {y, fitting(type)});
    for (int64_t more = random_.between(1, 3); more > 0; --more) {
      Dims starts, extents;
      const auto narrow = random_.below(static_cast<int64_t>(type.shape.size()));
      for (size_t k = 0; k < type.shape.size(); ++k) {
        const int64_t n = type.shape[k];
        const bool part = static_cast<int64_t>(k) == narrow || random_.chance(0.3);
        extents.push_back(part ? random_.between(1, n / 4) : n);
        starts.push_back(random_.between(0, n - extents.back()));
      }
      y = ir::update(y, fitting({type.dtype, extents}), starts, Dims(starts.size(), 1));
      if (random_.chance(0.2)) keep(y);
    }
    if (random_.chance(0.5)) return ir::map(Op::minimum, {y, fitting(type)});
    Dims shift(type.shape.size(), 0);
    Shape inner = type.shape;
    const auto axis = static_cast<size_t>(random_.below(static_cast<int64_t>(inner.size())));
    inner[axis] -= 2;
    const Dims steps(inner.size(), 1);
    const NodeRef before = ir::slice(y, shift, inner, steps);
    shift[axis] = 2;
    return ir::map(Op::minimum, {before, ir::slice(y, shift, inner, steps)});
  }

  NodeRef sum_of_equals() {
    NodeRef x = any_of_rank(1);
    if (!ir::accepts(Op::sum, x->dtype())) x = to_dtype(x, DType::I32);
    if (options_.exact && !is_integer(x->dtype())) x = to_dtype(x, DType::I64);
    const size_t axis = random_.chance(0.5) ? 0 : x->shape().size();
    Shape narrow = x->shape(), wide = x->shape();
    narrow.insert(axis, 1);
    wide.insert(axis, random_.between(2, 9));
    if (!fits(wide)) return {};
    return ir::reduce(Op::sum, ir::broadcast(ir::reshape(x, narrow), wide), {static_cast<int64_t>(axis)});
  }

  NodeRef iota() {
    Shape s = shape();
    if (s.empty()) return {};
    return ir::iota({dtype_for(Op::iota), s}, random_.below(static_cast<int64_t>(s.size())));
  }

  NodeRef new_value() {
    TensorType type{dtype(), shape()};
    return random_.chance(0.5) ? fresh_input(type) : fitting(type);
  }

  Random random_;
  RandomGraphOptions options_;
  std::vector<Op> maps_, reductions_, scans_;
  std::vector<NodeRef> inputs_, values_;
};

}  // namespace

ir::Graph random_graph(uint64_t seed, const RandomGraphOptions& options) {
  return Drawing(seed, options).draw();
}

}  // namespace weft::test
