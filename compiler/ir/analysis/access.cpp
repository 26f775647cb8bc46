#include "compiler/ir/analysis/access.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/base/error.h"

namespace weft::ir {

namespace {

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0)); }

}  // namespace

std::optional<int> Linear::single() const {
  if (offset != 0 || terms.size() != 1 || terms[0].second != 1) return std::nullopt;
  return terms[0].first;
}

int64_t Linear::coefficient(int variable) const {
  for (auto& [v, c] : terms)
    if (v == variable) return c;
  return 0;
}

int Variables::add_axis(int64_t extent) {
  Variable v;
  v.high = std::max<int64_t>(extent - 1, 0);
  variables_.push_back(v);
  return size() - 1;
}

Linear Variables::of(int variable) const {
  const Variable& v = variables_[variable];
  if (v.low == v.high) return {{}, v.low};
  return {{{variable, 1}}, 0};
}

// Puts c*d*(e/d) + c*(e%d) together again as c*e.
void Variables::normalize(Linear& a) const {
  for (bool again = true; again;) {
    again = false;
    for (auto& [q, cq] : a.terms) {
      if (variables_[q].kind != VariableKind::Quotient) continue;
      for (auto& [r, cr] : a.terms) {
        const Variable &vq = variables_[q], &vr = variables_[r];
        if (vr.kind != VariableKind::Remainder || vr.divisor != vq.divisor || cq != cr * vq.divisor ||
            vr.of != vq.of)
          continue;
        Linear whole = scale(vq.of, cr), rest = a;
        int gone[] = {q, r};
        std::erase_if(rest.terms, [&](auto& t) { return t.first == gone[0] || t.first == gone[1]; });
        a = add(rest, whole);
        again = true;
        break;
      }
      if (again) break;
    }
  }
}

Linear Variables::add(const Linear& a, const Linear& b) const {
  if (b.is_constant()) return shift(a, b.offset);
  Linear sum;
  sum.offset = a.offset + b.offset;
  auto i = a.terms.begin(), j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
      sum.terms.push_back(*i++);
    } else if (i == a.terms.end() || j->first < i->first) {
      sum.terms.push_back(*j++);
    } else {
      if (int64_t c = i->second + j->second) sum.terms.push_back({i->first, c});
      ++i, ++j;
    }
  }
  normalize(sum);
  return sum;
}

Linear Variables::scale(const Linear& a, int64_t by) const {
  if (by == 0) return {};
  Linear out = a;
  out.offset *= by;
  for (auto& t : out.terms) t.second *= by;
  return out;
}

Linear Variables::shift(Linear a, int64_t by) const {
  a.offset += by;
  return a;
}

std::pair<int64_t, int64_t> Variables::range(const Linear& a) const {
  int64_t low = a.offset, high = a.offset;
  for (auto& [v, c] : a.terms) {
    const Variable& x = variables_[v];
    low += c > 0 ? c * x.low : c * x.high;
    high += c > 0 ? c * x.high : c * x.low;
  }
  return {low, high};
}

Linear Variables::quotient(const Linear& a, int64_t divisor) {
  if (divisor == 1) return a;
  Linear whole, rest;
  for (auto& t : a.terms) {
    if (t.second % divisor == 0)
      whole.terms.push_back({t.first, t.second / divisor});
    else
      rest.terms.push_back(t);
  }
  whole.offset = floor_div(a.offset, divisor);
  rest.offset = a.offset - whole.offset * divisor;
  auto [low, high] = range(rest);
  if (low >= 0 && high < divisor) return whole;
  auto [it, fresh] = derived_.try_emplace({rest, divisor, true}, size());
  if (fresh) {
    Variable v;
    v.kind = VariableKind::Quotient;
    v.of = rest, v.divisor = divisor;
    v.low = floor_div(low, divisor), v.high = floor_div(high, divisor);
    variables_.push_back(v);
  }
  return add(whole, of(it->second));
}

Linear Variables::remainder(const Linear& a, int64_t divisor) {
  if (divisor == 1) return {};
  Linear rest;
  for (auto& t : a.terms)
    if (t.second % divisor != 0) rest.terms.push_back(t);
  rest.offset = a.offset - floor_div(a.offset, divisor) * divisor;
  auto [low, high] = range(rest);
  if (low >= 0 && high < divisor) return rest;
  auto [it, fresh] = derived_.try_emplace({rest, divisor, false}, size());
  if (fresh) {
    Variable v;
    v.kind = VariableKind::Remainder;
    v.of = rest, v.divisor = divisor;
    v.low = 0, v.high = divisor - 1;
    variables_.push_back(v);
  }
  return of(it->second);
}

Linear Variables::dynamic(const Node* index, const Access& at, int64_t extent) {
  auto [it, fresh] = dynamic_.try_emplace({index, at, extent}, size());
  if (fresh) {
    Variable v;
    v.kind = VariableKind::Dynamic;
    v.node = index, v.at = at, v.extent = extent;
    v.high = std::max<int64_t>(extent - 1, 0);
    variables_.push_back(v);
  }
  return {{{it->second, 1}}, 0};
}

bool Variables::depends_on(int v, int axis) const {
  if (v == axis) return true;
  const Variable& x = variables_[v];
  if (x.kind == VariableKind::Axis) return false;
  if (x.kind == VariableKind::Dynamic)
    return std::any_of(x.at.begin(), x.at.end(), [&](auto& l) { return depends_on(l, axis); });
  return depends_on(x.of, axis);
}

bool Variables::depends_on(const Linear& a, int axis) const {
  return std::any_of(a.terms.begin(), a.terms.end(), [&](auto& t) { return depends_on(t.first, axis); });
}

Access broadcast_access(const Access& at, const Shape& from) {
  Access out(from.size());
  size_t skip = at.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1) out[i] = at[i + skip];
  return out;
}

Linear address(const Access& at, const Dims& strides, int64_t offset, const Variables& variables) {
  Linear sum{{}, offset};
  for (size_t i = 0; i < at.size(); ++i) sum = variables.add(sum, variables.scale(at[i], strides[i]));
  return sum;
}

namespace {

// Adds 0 <= at < extent; false when it never holds.
bool require(InputAccess& out, const Linear& at, int64_t extent, const Variables& variables) {
  auto [low, high] = variables.range(at);
  if (low >= 0 && high < extent) return true;
  if (high < 0 || low >= extent) return false;
  out.when.push_back({at, extent});
  return true;
}

// Axes go over to axes in the smallest runs with as many elements. Most runs are one axis each: its position
// is taken as it is, also where it lies outside of the axis because a guard forbids to read there.
Access reshape_access(const Access& at, const Shape& from, const Shape& to, Variables& variables) {
  Access out(to.size());
  if (element_count(from) == 0) return out;
  size_t from_end = from.size(), to_end = to.size();
  while (from_end > 0 && to_end > 0) {
    size_t from_begin = from_end, to_begin = to_end;
    int64_t of_from = 1, of_to = 1;
    Linear flat;
    do {
      if (of_from <= of_to && from_begin > 0) {
        --from_begin;
        flat = variables.add(flat, variables.scale(at[from_begin], of_from));
        of_from *= from[from_begin];
      } else {
        of_to *= to[--to_begin];
      }
    } while (of_from != of_to);
    int64_t left = of_to;
    for (size_t k = to_end; k-- > to_begin && left > 1;) {
      if (to[k] == 1) continue;
      left /= to[k];
      out[k] = left == 1 ? flat : variables.remainder(flat, to[k]);
      if (left > 1) flat = variables.quotient(flat, to[k]);
    }
    from_end = from_begin;
    to_end = to_begin;
  }
  return out;
}

constexpr int kSteps = 32;                       // nodes of an index that are looked at
constexpr int64_t kFarthest = int64_t{1} << 31;  // beyond, steps are not multiplied further

std::optional<Linear> near(Linear l) {
  const auto is_near = [](int64_t value) { return value < kFarthest && value > -kFarthest; };
  const bool all =
      is_near(l.offset) && std::ranges::all_of(l.terms, [&](auto& t) { return is_near(t.second); });
  return all ? std::optional(std::move(l)) : std::nullopt;
}

// The value of an integer node at `at`, where it is counted out: sums and multiples of positions and numbers.
std::optional<Linear> counted(const Node& n, const Access& at, Variables& variables, int& left) {
  if (--left < 0 || n.dtype() != DType::I64) return std::nullopt;
  const auto operand = [&](size_t k, const Access& where) {
    return counted(*n.inputs[k], where, variables, left);
  };
  switch (n.op) {
    case Op::iota:
      return at[static_cast<size_t>(n.as<AxisAttr>().axis)];
    case Op::constant:
      return near(Linear{{}, n.as<ConstantAttr>().value.i});
    case Op::broadcast:
    case Op::permute:
    case Op::slice:
    case Op::reshape:
      return operand(0, input_access(n, 0, at, variables).at);
    case Op::add:
    case Op::subtract:
    case Op::multiply:
      break;
    default:
      return std::nullopt;
  }
  const std::optional<Linear> a = operand(0, at), b = a ? operand(1, at) : std::nullopt;
  if (!b) return std::nullopt;
  if (n.op == Op::add) return near(variables.add(*a, *b));
  if (n.op == Op::subtract) return near(variables.add(*a, variables.scale(*b, -1)));
  if (a->is_constant()) return near(variables.scale(*b, a->offset));
  return b->is_constant() ? near(variables.scale(*a, b->offset)) : std::nullopt;
}

// An index as numbers of steps along its own axes, where it is that and lies inside of the gathered axis
// everywhere: so windows are read.
std::optional<Linear> steps_of(const Node& index, int64_t extent) {
  Variables variables;
  Access at;
  for (int64_t n : index.shape()) at.push_back({{{variables.add_axis(n), 1}}, 0});
  int left = kSteps;
  std::optional<Linear> out = counted(index, at, variables, left);
  const auto is_axis = [&](auto& term) { return variables[term.first].kind == VariableKind::Axis; };
  if (!out || !std::ranges::all_of(out->terms, is_axis)) return std::nullopt;
  const auto [low, high] = variables.range(*out);
  return low >= 0 && high < extent ? out : std::nullopt;
}

}  // namespace

bool takes_steps(const Node& gather) {
  const auto axis = static_cast<size_t>(gather.as<AxisAttr>().axis);
  return steps_of(*gather.inputs[1], gather.inputs[0]->shape()[axis]).has_value();
}

namespace {

// One function for each op whose inputs lie elsewhere than its elements do.

InputAccess at_permuted(const Node& node, const Access& at) {
  const Dims& axes = node.as<AxesAttr>().axes;
  InputAccess out;
  out.at.resize(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) out.at[axes[i]] = at[i];
  return out;
}

InputAccess at_sliced(const Node& node, const Access& at, Variables& variables) {
  const auto& [starts, steps] = node.as<SliceAttr>();
  InputAccess out;
  for (size_t i = 0; i < at.size(); ++i)
    out.at.push_back(variables.shift(variables.scale(at[i], steps[i]), starts[i]));
  return out;
}

InputAccess within_padding(const Node& node, const Access& at, Variables& variables) {
  const Shape& from = node.inputs[0]->shape();
  const PadAttr& attr = node.as<PadAttr>();
  InputAccess out;
  for (size_t i = 0; i < at.size(); ++i) {
    out.at.push_back(variables.shift(at[i], -attr.before[i]));
    if (!require(out, out.at[i], from[i], variables)) out.never = true;
  }
  return out;
}

InputAccess within_part(const Node& concat, size_t part, const Access& at, Variables& variables) {
  int64_t axis = concat.as<AxisAttr>().axis, start = 0;
  for (size_t k = 0; k < part; ++k) start += concat.inputs[k]->shape()[axis];
  InputAccess out;
  out.at = at;
  out.at[axis] = variables.shift(at[axis], -start);
  if (!require(out, out.at[axis], concat.inputs[part]->shape()[axis], variables)) out.never = true;
  return out;
}

// Of what an update or an assign puts in place.
InputAccess within_update(const Node& node, const Access& at, Variables& variables) {
  const Shape& from = node.inputs[1]->shape();
  const auto& [starts, steps] = node.as<SliceAttr>();
  InputAccess out;
  for (size_t i = 0; i < at.size(); ++i) {
    Linear moved = variables.shift(at[i], -starts[i]);
    if (steps[i] < 0) moved = variables.scale(moved, -1);
    int64_t step = std::abs(steps[i]);
    if (step > 1 && from[i] > 1 && !require(out, variables.remainder(moved, step), 1, variables))
      out.never = true;
    Linear position = from[i] > 1 ? variables.quotient(moved, step) : moved;
    if (!require(out, position, from[i], variables)) out.never = true;
    out.at.push_back(position);
  }
  return out;
}

InputAccess at_gathered(const Node& node, const Access& at, Variables& variables) {
  const int64_t axis = node.as<AxisAttr>().axis, extent = node.inputs[0]->shape()[axis];
  const NodeRef& index = node.inputs[1];
  const Access index_at = broadcast_access(at, index->shape());
  InputAccess out;
  out.at = broadcast_access(at, node.inputs[0]->shape());
  if (const auto steps = steps_of(*index, extent)) {
    out.at[axis] = Linear{{}, steps->offset};
    for (auto& [k, step] : steps->terms)
      out.at[axis] = variables.add(out.at[axis], variables.scale(index_at[static_cast<size_t>(k)], step));
  } else {
    out.at[axis] = variables.dynamic(index.get(), index_at, extent);
  }
  return out;
}

}  // namespace

bool reads_at_its_own(const Node& node, size_t input) {
  // A scan's element reads others too, but those of one position along the axis is all that it reads when it is
  // walked in order.
  const bool elementwise = kind(node.op) == OpKind::Map || kind(node.op) == OpKind::Scan;
  return elementwise || (input == 0 && (node.op == Op::update || node.op == Op::assign));
}

InputAccess input_access(const Node& node, size_t input, const Access& at, Variables& variables) {
  if (reads_at_its_own(node, input)) return {.at = at};
  const Shape& from = node.inputs[input]->shape();
  switch (node.op) {
    case Op::broadcast:
      return {.at = broadcast_access(at, from)};
    case Op::permute:
      return at_permuted(node, at);
    case Op::slice:
      return at_sliced(node, at, variables);
    case Op::reshape:
      return {.at = reshape_access(at, node.shape(), from, variables)};
    case Op::pad:
      return input == 0 ? within_padding(node, at, variables) : InputAccess{};
    case Op::concat:
      return within_part(node, input, at, variables);
    case Op::update:
    case Op::assign:
      return within_update(node, at, variables);
    case Op::gather:
      if (input == 0) return at_gathered(node, at, variables);
      return {.at = broadcast_access(at, from), .never = takes_steps(node)};
    default:
      throw InternalError("access: " + std::string(name(node.op)) + " has no index map");
  }
}

namespace {

// Positions start + i * step, i below extent, as a sorted range.
struct Range {
  int64_t low, high, step;
};
Range range_of(int64_t start, int64_t extent, int64_t step) {
  int64_t last = start + (extent - 1) * step;
  return {std::min(start, last), std::max(start, last), std::abs(step)};
}

}  // namespace

bool disjoint(const SliceAttr& a, const Shape& of_a, const SliceAttr& b, const Shape& of_b) {
  for (size_t k = 0; k < a.starts.size(); ++k) {
    Range x = range_of(a.starts[k], of_a[k], a.steps[k]), y = range_of(b.starts[k], of_b[k], b.steps[k]);
    if (x.high < y.low || y.high < x.low) return true;
    if (x.step == y.step && x.step > 1 && (x.low - y.low) % x.step != 0) return true;
  }
  return false;
}

}  // namespace weft::ir
