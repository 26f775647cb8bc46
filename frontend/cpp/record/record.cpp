#include "frontend/cpp/record/record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "compiler/base/error.h"
#include "compiler/blocks/loops.h"
#include "compiler/ir/build.h"
#include "compiler/ir/ops/evaluate.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/evaluate/find_nans.h"
#include "frontend/cpp/evaluate/flush.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/reductions.h"

namespace weft {
namespace detail {
bool holds(DType to, const Scalar& value) {
  if (to == DType::Bool) return true;
  if (!is_complex(to) && value.im != 0) return false;
  if (is_integer(to)) {
    // A long double holds every integer of 64 bits.
    const bool from_integer = kind(value.dtype) <= DTypeKind::Unsigned;
    const long double whole = !from_integer               ? std::trunc(value.re)
                              : value.dtype == DType::U64 ? static_cast<uint64_t>(value.i)
                                                          : static_cast<long double>(value.i);
    const bool negative = kind(to) == DTypeKind::Signed;
    const long double limit = std::ldexp(1.0L, 8 * static_cast<int>(size_of(to)) - (negative ? 1 : 0));
    return whole >= (negative ? -limit : 0) && whole < limit;
  }
  const Scalar there = value.cast(to);
  return (std::isfinite(there.re) || !std::isfinite(value.re)) &&
         (std::isfinite(there.im) || !std::isfinite(value.im));
}

void throw_as(std::string_view op) {
  const auto renamed = [&](const Error& e) {
    const std::string text = e.what();
    return std::string(op) + text.substr(std::min(text.find(": "), text.size()));
  };
  try {
    throw;
  } catch (const OutOfMemory&) {
    throw;
  } catch (const AxisError& e) {
    throw AxisError(renamed(e));
  } catch (const IndexError& e) {
    throw IndexError(renamed(e));
  } catch (const TypeError& e) {
    throw TypeError(renamed(e));
  } catch (const OverflowError& e) {
    throw OverflowError(renamed(e));
  } catch (const Error& e) {
    throw Error(renamed(e));
  }
}

DType default_dtype(const Number& number) {
  if (number.is_typed()) return number.value().dtype;
  switch (number.kind()) {
    case DTypeKind::Bool:
      return DType::Bool;
    case DTypeKind::Signed:
      return DType::I64;
    case DTypeKind::Unsigned:
      return number.value().i < 0 ? DType::U64 : DType::I64;
    case DTypeKind::Float:
      return DType::F64;
    case DTypeKind::Complex:
      return DType::C128;
  }
  return DType::F64;
}

void check_held(std::string_view op, DType dtype, const Scalar& value) {
  if (holds(dtype, value)) return;
  throw OverflowError(std::string(op) + ": the number does not fit the array's dtype " +
                      std::string(name(dtype)) + ": got " + ir::to_string(value));
}

DType weak_dtype(std::string_view op, DType strong, const Number& number) {
  if (number.is_typed()) return promote(strong, number.value().dtype);
  const DTypeKind given = number.kind() == DTypeKind::Unsigned ? DTypeKind::Signed : number.kind();
  const DType dtype = promote_weak(strong, given);
  if (given == DTypeKind::Signed && is_integer(dtype)) check_held(op, dtype, number.value());
  return dtype;
}

namespace {

void check_not_complex(std::string_view op, DType dtype, DType given) {
  if (is_complex(given) && !is_complex(dtype)) {
    throw TypeError(std::string(op) + ": complex values cannot be stored as " + std::string(name(dtype)) +
                    ": got " + std::string(name(given)));
  }
}

}  // namespace

void check_stored(std::string_view op, DType dtype, const Number& number) {
  check_not_complex(op, dtype, number.value().dtype);
  if (!is_integer(dtype)) return;
  weak_dtype(op, dtype, number);
  if (number.kind() != DTypeKind::Float) return;
  const Scalar& value = number.value();
  if (!std::isfinite(value.re)) {
    const std::string text = std::string(op) + ": integers are finite: got " + ir::to_string(value) +
                             " for " + std::string(name(dtype));
    if (std::isnan(value.re)) throw Error(text);
    throw OverflowError(text);
  }
  check_held(op, dtype, value);
}

void check_stored(std::string_view op, DType dtype, const Operand& value) {
  if (value.array()) return check_not_complex(op, dtype, value.array()->dtype());
  check_stored(op, dtype, value.number());
}

DeviceSlot& Recording::device() const { return device_ ? *device_ : current_session().device({}); }

ir::NodeRef Recording::node(const Array& x) {
  const Cell& cell = *Access::cell(x);
  DeviceSlot& here = cell.device;
  if (!device_) {
    device_ = &here;
    flush_due(lines_.only(), result_ == Result::Write);
  } else if (device_ != &here) {
    const bool sessions = &device_->session != &here.session;
    throw Error(std::string(op_) + ": arrays must be on one device: got " + device_->name + " and " +
                here.name + (sessions ? " of another session" : "; move one with to()"));
  }
  ir::NodeRef node = read(x, lines_);
  if (cell.since() < since_) {
    since_ = cell.since();
    oldest_ = &cell;
  }
  if (const View* view = Access::view(x).get()) steps_ += static_cast<uint32_t>(steps(view));
  return node;
}

ir::NodeRef Recording::node(const Operand& x) {
  if (x.array()) return node(*x.array());
  return ir::constant({default_dtype(x.number()), {}}, x.number().value(), lines_);
}

namespace {

// Of the operands those that are constants: what they alone give is computed as it is recorded.
std::vector<Scalar> constants_among(std::span<const ir::NodeRef> operands) {
  std::vector<Scalar> out;
  for (const ir::NodeRef& one : operands)
    if (one->op == ir::Op::constant) out.push_back(one->as<ir::ConstantAttr>().value);
  return out;
}

}  // namespace

void Recording::nodes(std::span<const Operand* const> operands, ir::NodeRef* out, bool spread,
                      std::optional<DType> beyond) {
  std::optional<DType> strong;
  const Shape* shape = nullptr;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Array* array = operands[i]->array();
    if (!array) {
      const Number& number = operands[i]->number();
      if (number.is_typed()) strong = strong ? promote(*strong, number.value().dtype) : number.value().dtype;
      continue;
    }
    out[i] = node(*array);
    strong = strong ? promote(*strong, out[i]->dtype()) : out[i]->dtype();
    shape = &out[i]->shape();
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->array()) continue;
    const Number& number = operands[i]->number();
    DType dtype = default_dtype(number);
    if (strong && !number.is_typed()) {
      const bool fits = !is_integer(*strong) || !is_integer(dtype) || holds(*strong, number.value());
      if (fits || !beyond) {
        dtype = weak_dtype(op_, *strong, number);
      } else if (!is_integer(*beyond)) {
        dtype = *beyond;
      }
    }
    out[i] = constant({dtype, spread && shape ? *shape : Shape{}}, number.value());
  }
}

ir::NodeRef Recording::constant(const ir::TensorType& type, const Scalar& value) const {
  ir::NodeRef made = ir::constant(type, value, lines_);
  if (device().session.watch.load(std::memory_order_relaxed) != Watch::Nothing)
    refuse_made(device().session, ir::Op::cast, {&value, 1}, made->as<ir::ConstantAttr>().value, type.shape,
                lines_.only());
  return made;
}

ir::NodeRef Recording::looked_at(ir::Op op, std::span<const ir::NodeRef> operands, ir::NodeRef made) const {
  if (device().session.watch.load(std::memory_order_relaxed) == Watch::Nothing) return made;
  if (made->op != ir::Op::constant) return made;
  refuse_made(device().session, op, constants_among(operands), made->as<ir::ConstantAttr>().value,
              made->shape(), lines_.only());
  return made;
}

ir::NodeRef Recording::like(const ir::NodeRef& x, double value) const {
  return ir::constant(x->type, Scalar::of(value), lines_);
}

Array Recording::finish(ir::NodeRef result, uint32_t added) {
  if (result->op == ir::Op::input) return record(device(), std::move(result), kInMemory);
  Array made = record(device(), std::move(result), count(added));
  flush_if_due(*Access::cell(made), oldest_, lines_);
  return made;
}

Age Recording::count(uint32_t nodes) const {
  return std::min(since_, device().session.recorded.fetch_add(nodes + steps_, std::memory_order_relaxed));
}

namespace {

// Comparisons and truths answer for any number, so an integer that an array's dtype does not hold keeps its
// own; where floats are computed, it becomes one.
std::optional<DType> dtype_beyond(ir::Op op, std::span<const Operand* const> operands) {
  const auto is_whole_number = [](const Operand* x) {
    return !x->array() && x->number().kind() <= DTypeKind::Unsigned;
  };
  if (std::none_of(operands.begin(), operands.end(), is_whole_number)) return std::nullopt;
  const ir::OpInfo& info = ir::info(op);
  if (info.mirror || info.result == ir::Result::Bool) return DType::I64;
  if (ir::accepts(op, DType::I64) || !ir::accepts(op, DType::F64)) return std::nullopt;
  if (info.whole == ir::Whole::F64) return DType::F64;
  std::optional<DType> result;
  for (const Operand* x : operands) {
    if (!x->array() || !is_integer(x->array()->dtype())) continue;
    const DType one = ir::float_for(x->array()->dtype());
    result = result ? promote(*result, one) : one;
  }
  return result;
}

std::vector<Scalar> values_of(std::span<const Known> operands) {
  std::vector<Scalar> out;
  out.reserve(operands.size());
  for (const Known& one : operands) out.push_back(one.value);
  return out;
}

// The array that the operands are, where all of them are single values that are known.
std::optional<Array> folded(ir::Op op, std::span<const Operand* const> operands) {
  DeviceSlot* device = nullptr;
  Known known[ir::kMostOperands];
  for (size_t k = 0; k < operands.size(); ++k) {
    const Array* array = operands[k]->array();
    if (!array) {
      const Number& number = operands[k]->number();
      if (number.is_typed()) return {};
      known[k] = {number.value(), true};
      continue;
    }
    const std::optional<Scalar> value = known_element(*array);
    DeviceSlot& here = Access::cell(*array)->device;
    if (!value || (device && device != &here)) return {};
    device = &here, known[k] = {*value, false};
  }
  if (!device) return {};
  Scalar value;
  if (!map_known(*device, op, {known, operands.size()}, value)) return {};
  if (!std::isfinite(value.re) || !std::isfinite(value.im))
    refuse_made(device->session, op, values_of({known, operands.size()}), value, {},
                lines_at(operands[0]->at()).only());
  return record(*device, ir::constant({value.dtype, {}}, value), kInMemory);
}

Array map_of(ir::Op op, std::span<const Operand* const> operands) {
  if (std::optional<Array> known = folded(op, operands)) return *std::move(known);
  Recording r(ir::name(op), *operands[0]);
  ir::Inputs in(operands.size());
  r.nodes(operands, in.begin(), operands.size() == 2, dtype_beyond(op, operands));
  if (op == ir::Op::pow) check_power(in[0]->dtype(), *operands[1], in[1]->dtype());
  const bool watches = r.device().session.watch.load(std::memory_order_relaxed) != Watch::Nothing;
  const std::vector<Scalar> known = watches ? constants_among(in) : std::vector<Scalar>();
  ir::NodeRef made = ir::elementwise(op, std::move(in), r.lines());
  if (watches && made->op == ir::Op::constant)
    refuse_made(r.device().session, op, known, made->as<ir::ConstantAttr>().value, made->shape(),
                r.lines().only());
  return r.finish(std::move(made));
}

bool orders(ir::Op op) {
  using ir::Op;
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal ||
         op == Op::maximum || op == Op::minimum;
}

bool has_complex(const Operand& x) {
  return x.array() ? is_complex(x.array()->dtype()) : x.number().kind() == DTypeKind::Complex;
}

// A part of what is compared; of a number of no dtype again one.
struct Part {
  std::optional<Array> array;
  Number number = 0;
  Where at;

  Part(ir::Op op, const Operand& x) : at(x.at()) {
    if (x.array()) {
      array = map(op, x);
      return;
    }
    const Scalar value = x.number().value().cast(DType::C128);
    number = Number(op == ir::Op::real ? value.re : value.im);
    if (!x.number().is_typed()) return;
    const bool small = x.number().value().dtype == DType::C64;
    number = Number::typed(number.value().cast(small ? DType::F32 : DType::F64));
  }
  operator Operand() const { return array ? Operand(*array, at) : Operand(number, at); }
};

// Complex numbers are ordered by their real parts, equal ones by their imaginary parts, and not at all where
// one of those is NaN; the larger and the smaller of two is the first NaN, all as NumPy has it.
Array ordered(ir::Op op, const Operand& x, const Operand& y) {
  using ir::Op;
  const bool picks = op == Op::maximum || op == Op::minimum;
  const Op how = op == Op::maximum ? Op::greater_equal : op == Op::minimum ? Op::less_equal : op;
  const Op strictly = how == Op::less || how == Op::less_equal ? Op::less : Op::greater;
  const Part x_real(Op::real, x), y_real(Op::real, y), x_imag(Op::imag, x), y_imag(Op::imag, y);
  const Array unordered =
      map(Op::logical_or, map(Op::not_equal, x_imag, x_imag), map(Op::not_equal, y_imag, y_imag));
  const Array apart = map(Op::logical_and, map(strictly, x_real, y_real), map(Op::logical_not, unordered));
  const Array beside = map(Op::logical_and, map(Op::equal, x_real, y_real), map(how, x_imag, y_imag));
  const Array result = map(Op::logical_or, apart, beside);
  return picks ? where(map(Op::logical_or, result, map(Op::not_equal, x, x)), x, y) : result;
}

}  // namespace

namespace {

// The map of two values whose dtype is that of Python's numbers. False where it does not take them. Field by field:
// a processor waits where what was written in parts is read as a whole.
template <class T>
bool compute(const ir::Evaluator::Typed<T>& by, const std::array<T, 2>& x, Scalar& out) {
  if (!by.predicate && !by.value) return false;
  out.dtype = by.predicate ? DType::Bool : std::is_same_v<T, double> ? DType::F64 : DType::I64;
  out.i = 0, out.re = 0, out.im = 0;
  if (by.predicate) {
    out.i = by.predicate(x.data());
  } else if constexpr (std::is_same_v<T, double>) {
    out.re = by.value(x.data());
  } else {
    out.i = by.value(x.data());
  }
  return true;
}

// A power as passes/simplify.cpp has it where it knows the exponent; test_numbers.py holds the two together.
bool simple_power(std::span<const Scalar> operands, Scalar& out) {
  const Scalar& x = operands[0];
  const double power = operands[1].re;
  if (power == 2 || power == 3) {
    out = ir::evaluate_map(ir::Op::square, x.dtype, {&x, 1});
    if (power == 2) return true;
    const Scalar both[] = {out, x};
    out = ir::evaluate_map(ir::Op::multiply, x.dtype, both);
    return true;
  }
  if (power == -1) out = ir::evaluate_map(ir::Op::reciprocal, x.dtype, {&x, 1});
  if (power == 0.5 || power == 1) out = ir::evaluate_map(ir::Op::pow, x.dtype, {operands.data(), 2});
  return power == -1 || power == 0.5 || power == 1;
}

// Halves are computed in f32 and rounded, as kernels do it.
bool map_as_kernels(runtime::Device& device, ir::Op op, std::span<Scalar> operands, Scalar& out) {
  const DType dtype = operands[0].dtype;
  if (is_half(dtype) && ir::info(op).halves == ir::Halves::Own) return false;
  const DType computed = is_half(dtype) ? DType::F32 : dtype;
  if (!blocks::has_loop(op, computed)) return false;
  for (Scalar& x : operands) x = x.cast(computed);
  if (!device.map_element(blocks::loop_of(op, computed), operands, out)) return false;
  out = out.cast(dtype);
  return true;
}

}  // namespace

bool map_known(DeviceSlot& device, ir::Op op, std::span<const Known> operands, Scalar& out) {
  const ir::OpInfo& row = ir::info(op);
  if (row.result != ir::Result::Same && row.result != ir::Result::Bool) return false;
  // Nearly always: the dtypes of Python's numbers. How integers are raised to others is looked at first.
  if (operands.size() == 2 && op != ir::Op::pow && ir::rounds_once(op, DType::F64, DType::F64)) {
    const Scalar &x = operands[0].value, &y = operands[1].value;
    const auto is_float = [](const Scalar& v) { return v.dtype == DType::F64; };
    // A bool, too, beside what decides the dtype.
    const auto is_whole = [](const Known& k, const Known& other) {
      const bool decides = !other.gives_way && other.value.dtype != DType::Bool;
      return k.value.dtype == DType::I64 || (k.value.dtype == DType::Bool && (k.gives_way || decides));
    };
    const auto as_double = [&](const Scalar& v) { return is_float(v) ? v.re : static_cast<double>(v.i); };
    const bool floats = is_float(x) || is_float(y);
    const bool plain = (is_float(x) || is_whole(operands[0], operands[1])) &&
                       (is_float(y) || is_whole(operands[1], operands[0]));
    if (plain && floats && compute<double>(row.eval.f64, {as_double(x), as_double(y)}, out)) return true;
    if (plain && !floats && compute<int64_t>(row.eval.i, {x.i, y.i}, out)) return true;
  }
  std::optional<DType> strong;
  for (const Known& x : operands) {
    if (x.gives_way) continue;
    if (strong && *strong != x.value.dtype) return false;
    strong = x.value.dtype;
  }
  if (!strong) return false;
  DType dtype = *strong;
  for (const Known& x : operands)
    if (x.gives_way && kind(x.value.dtype) == DTypeKind::Float && is_integer(dtype))
      dtype = promote(dtype, promote_weak(dtype, DTypeKind::Float));
  const bool in_floats = is_integer(dtype) && (row.accepts & (ir::kFloat | ir::kSigned)) == ir::kFloat;
  if (in_floats && row.whole == ir::Whole::Widened) dtype = ir::float_for(dtype);
  if (!ir::accepts(op, dtype)) return false;
  const bool is_float = kind(dtype) == DTypeKind::Float;
  // Exponents that are integers are looked at first.
  if (op == ir::Op::pow && !is_float) return false;
  Scalar values[ir::kMostOperands];
  for (size_t k = 0; k < operands.size(); ++k) {
    const auto& [value, gives_way] = operands[k];
    values[k] = value;
    if (value.dtype == dtype) continue;
    if (gives_way) {
      const DTypeKind given = kind(value.dtype);
      const bool as_float = is_float && (given <= DTypeKind::Signed || given == DTypeKind::Float);
      const bool as_integer = is_integer(dtype) && given <= DTypeKind::Signed;
      if (!as_float && !as_integer) return false;
      if (is_integer(*strong) && given <= DTypeKind::Signed && !holds(*strong, value)) return false;
      if (dtype != DType::F64 && !holds(dtype, value)) return false;
    }
    values[k] = value.cast(dtype);
  }
  const DType to = row.result == ir::Result::Bool ? DType::Bool : dtype;
  if (op == ir::Op::pow && simple_power({values, 2}, out)) return true;
  if (!ir::rounds_once(op, dtype, to))
    return map_as_kernels(*device.device, op, {values, operands.size()}, out);
  out = ir::evaluate_map(op, to, {values, operands.size()});
  return true;
}

void check_power(DType base, const Operand& exponent, DType taken_as) {
  const DType common = promote(base, taken_as);
  if (!is_integer(common) || kind(taken_as) != DTypeKind::Signed) return;
  // The only exponents whose values decide whether there is a result at all.
  if (const Array* array = exponent.array()) {
    check_exponents(base, *array);
  } else if (exponent.number().value().dtype != DType::U64) {
    check_exponents(base, exponent.number().value().i);
  }
}

Array map(ir::Op op, const Operand& x) {
  // The parts of an array are views of it, as in NumPy: what is written to them is written to the array.
  if (const Array* array = x.array(); array && (op == ir::Op::real || op == ir::Op::imag)) {
    if (is_complex(array->dtype()))
      return Access::make(Access::cell(*array), part_view(layout_of(*array), op));
    if (op == ir::Op::real) return *array;
  }
  // Part by part: a complex factor would make NaN of infinities.
  if (op == ir::Op::exp2 && has_complex(x)) {
    const auto scaled = [&](ir::Op part) { return map(ir::Op::multiply, map(part, x), std::numbers::ln2); };
    return map(ir::Op::exp, map(ir::Op::complex, scaled(ir::Op::real), scaled(ir::Op::imag)));
  }
  const Operand* const operands[] = {&x};
  return map_of(op, operands);
}
Array map(ir::Op op, const Operand& x, const Operand& y) {
  if (orders(op) && (has_complex(x) || has_complex(y))) return ordered(op, x, y);
  const Operand* const operands[] = {&x, &y};
  return map_of(op, operands);
}
Array map(ir::Op op, const Operand& x, const Operand& y, const Operand& z) {
  const Operand* const operands[] = {&x, &y, &z};
  return map_of(op, operands);
}
Array map(ir::Op op, const Operand& x, const Operand& y, const Operand& z, const Operand& w) {
  const Operand* const operands[] = {&x, &y, &z, &w};
  return map_of(op, operands);
}

}  // namespace detail

#define WEFT_MAP1(name, ...) \
  Array name(const Operand& x) { return detail::map(ir::Op::name, x); }
#define WEFT_MAP2(name, ...) \
  Array name(const Operand& x, const Operand& y) { return detail::map(ir::Op::name, x, y); }
#define WEFT_MAP3(name, ...)                                         \
  Array name(const Operand& x, const Operand& y, const Operand& z) { \
    return detail::map(ir::Op::name, x, y, z);                       \
  }
#define WEFT_MAP4(name, ...)                                                           \
  Array name(const Operand& x, const Operand& y, const Operand& z, const Operand& w) { \
    return detail::map(ir::Op::name, x, y, z, w);                                      \
  }
#include "compiler/ir/ops/op_table.inc"

Array where(const Operand& condition, const Operand& x, const Operand& y) {
  detail::Recording r("where", condition);
  ir::Inputs in(3);
  in[0] = r.node(condition);
  const Operand* const choices[] = {&x, &y};
  r.nodes(choices, in.begin() + 1);
  return detail::named(
      "where", [&] { return r.finish(ir::elementwise(ir::Op::select, std::move(in), r.lines()), 4); });
}

Array clip(const Operand& x, const std::optional<Operand>& low, const std::optional<Operand>& high) {
  if (!x.array()) throw TypeError("clip: takes an array: got a number");
  return detail::named("clip", [&] {
    Array result = *x.array();
    if (low) result = detail::map(ir::Op::maximum, Operand(result, x.at()), *low);
    if (high) result = detail::map(ir::Op::minimum, Operand(result, x.at()), *high);
    return low || high ? result : result.copy();
  });
}

}  // namespace weft
