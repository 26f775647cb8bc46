#include "compiler/ir/code/code_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "compiler/ir/ops/evaluate.h"

namespace weft::ir {
namespace {

// What C makes of an operand before it computes.
DType promoted_dtype(DType t) {
  return t == DType::Bool || (is_integer(t) && size_of(t) < 4) ? DType::I32 : t;
}

// Two dtypes, both of which count.
DType common_dtype(DType a, DType b) {
  a = promoted_dtype(a);
  b = promoted_dtype(b);
  if (a == b) return a;
  if (is_integer(a) && is_integer(b)) {
    if (size_of(a) != size_of(b)) return size_of(a) > size_of(b) ? a : b;
    return kind(a) == DTypeKind::Unsigned ? a : b;
  }
  if (is_integer(a)) return b;
  if (is_integer(b)) return a;
  return promote(a, b);
}

}  // namespace

std::optional<DType> dtype_of_code(std::string_view name) {
  using enum DType;
  static const std::unordered_map<std::string_view, DType> names = {
      {"char", I8},
      {"signed char", I8},
      {"unsigned char", U8},
      {"short", I16},
      {"unsigned short", U16},
      {"int", I32},
      {"signed", I32},
      {"signed int", I32},
      {"unsigned", U32},
      {"unsigned int", U32},
      {"long", I64},
      {"long int", I64},
      {"long long", I64},
      {"long long int", I64},
      {"unsigned long", U64},
      {"unsigned long long", U64},
      {"unsigned long int", U64},
      {"size_t", U64},
      {"ptrdiff_t", I64},
      {"float", F32},
      {"double", F64},
      {"half", F16},
      {"__half", F16},
      {"__nv_bfloat16", BF16},
      {"int8_t", I8},
      {"int16_t", I16},
      {"int32_t", I32},
      {"int64_t", I64},
      {"uint8_t", U8},
      {"uint16_t", U16},
      {"uint32_t", U32},
      {"uint64_t", U64},
      {"int8", I8},
      {"int16", I16},
      {"int32", I32},
      {"int64", I64},
      {"uint8", U8},
      {"uint16", U16},
      {"uint32", U32},
      {"uint64", U64},
      {"float16", F16},
      {"bfloat16", BF16},
      {"float32", F32},
      {"float64", F64},
      {"bool_", Bool},
      {"intp", I64},
      {"uintp", U64},
      {"complex64", C64},
      {"complex128", C128},
      {"complex<float>", C64},
      {"complex<double>", C128},
  };
  const auto found = names.find(name);
  return found == names.end() ? dtype_from_name(name) : found->second;
}

int CodeValues::fresh(DType t) {
  function_.values.push_back(t);
  return static_cast<int>(function_.values.size()) - 1;
}

CodeValue CodeValues::number(std::string_view at, std::string_view text) const {
  std::string digits(text);
  std::erase(digits, '\'');
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  const bool real =
      digits.find('.') != std::string::npos || digits.find_first_of(hex ? "pP" : "eE") != std::string::npos;
  const auto wrong = [&] { fail_at(text_, at, fmt::format("'{}' is no number", text)); };
  if (real) {
    const char suffix = digits.back();
    if (suffix == 'l' || suffix == 'L')
      fail_at(text_, at, fmt::format("there is no long double: write {}", text.substr(0, text.size() - 1)));
    const bool powers = digits.find_first_of("pP") != std::string::npos;
    const bool is_f32 = (!hex || powers) && (suffix == 'f' || suffix == 'F');
    if (is_f32) digits.pop_back();
    double value = 0;
    const char *first = digits.data() + (hex ? 2 : 0), *last = digits.data() + digits.size();
    const auto end =
        std::from_chars(first, last, value, hex ? std::chars_format::hex : std::chars_format::general);
    if (end.ptr != last || (end.ec != std::errc() && end.ec != std::errc::result_out_of_range)) wrong();
    if (end.ec == std::errc::result_out_of_range)
      fail_at(text_, at, fmt::format("{} is beyond what a double holds", text));
    return is_f32 ? constant(Scalar::of(value).cast(DType::F32)) : constant(Scalar::of(value), true);
  }
  bool is_unsigned = false;
  int longs = 0;
  while (!digits.empty() &&
         (digits.back() == 'u' || digits.back() == 'U' || digits.back() == 'l' || digits.back() == 'L')) {
    const bool u = digits.back() == 'u' || digits.back() == 'U';
    is_unsigned |= u;
    longs += !u;
    digits.pop_back();
  }
  const bool binary = digits.starts_with("0b") || digits.starts_with("0B");
  const bool octal = !hex && !binary && digits.size() > 1 && digits[0] == '0';
  const char *first = digits.data() + (hex || binary ? 2 : 0), *last = digits.data() + digits.size();
  uint64_t value = 0;
  const auto end = std::from_chars(first, last, value, hex ? 16 : binary ? 2 : octal ? 8 : 10);
  if (end.ec == std::errc::result_out_of_range)
    fail_at(text_, at, fmt::format("{} is beyond what 64 bits hold", text));
  if (end.ptr != last || first == last) wrong();
  const bool wide = longs > 0 || value > (is_unsigned || hex ? 0xffffffffu : 0x7fffffffu);
  const bool top = hex && !is_unsigned && (wide ? value > 0x7fffffffffffffffu : value > 0x7fffffffu);
  if (!is_unsigned && !top && value > 0x7fffffffffffffffu)
    fail_at(text_, at, fmt::format("{} is beyond what a signed integer holds: write {}u", text, text));
  const DType t = is_unsigned || top ? (wide ? DType::U64 : DType::U32) : wide ? DType::I64 : DType::I32;
  Scalar scalar;
  scalar.dtype = t;
  scalar.i = static_cast<int64_t>(value);
  return constant(scalar);
}

int CodeValues::named(const CodeValue& x) {
  if (x.value >= 0) return x.value;
  Instruction i{Instruction::Kind::Constant};
  i.value = *x.constant;
  i.outs = {fresh(x.type)};
  into_->body.push_back(i);
  return i.outs[0];
}

CodeValue CodeValues::map(Op op, std::span<const CodeValue> operands, DType result) {
  if (std::ranges::all_of(operands, [](const CodeValue& x) { return x.constant.has_value(); })) {
    std::vector<Scalar> values;
    values.reserve(operands.size());
    for (const CodeValue& x : operands) values.push_back(*x.constant);
    return constant(op == Op::cast ? values[0].cast(result) : evaluate_map(op, result, values));
  }
  Instruction i;
  i.op = op;
  i.args.reserve(operands.size());
  for (const CodeValue& x : operands) i.args.push_back(named(x));
  i.outs = {fresh(result)};
  into_->body.push_back(i);
  return of(i.outs[0]);
}

CodeValue CodeValues::cast(const CodeValue& x, DType to) {
  if (x.type == to) return {x.value, x.type, false, x.constant};
  return map(Op::cast, {x}, to);
}

CodeValue CodeValues::converted(std::string_view at, const CodeValue& x, DType to) {
  if (to == DType::Bool) return as_bool(x);
  if (is_complex(x.type) && !is_complex(to))
    fail_at(text_, at, fmt::format("a complex number is no {}: take its real() or abs()", name(to)));
  return cast(x, to);
}

CodeValue CodeValues::as_bool(const CodeValue& x) {
  if (x.type == DType::Bool) return x;
  Scalar zero = Scalar::of(int64_t{0}).cast(x.type);
  return map(Op::not_equal, {x, constant(zero)}, DType::Bool);
}

CodeValue CodeValues::promoted(const CodeValue& x) {
  const DType t = promoted_dtype(x.type);
  return t == x.type ? x : cast(x, t);
}

std::pair<DType, bool> CodeValues::common(const CodeValue& a, const CodeValue& b) {
  if (a.weak == b.weak) return {common_dtype(a.type, b.type), a.weak};
  const DType strong = a.weak ? b.type : a.type;
  return {is_float(strong) || is_complex(strong) ? strong : DType::F64, false};
}

CodeValue CodeValues::unary(std::string_view at, std::string_view sign, const CodeValue& x) {
  if (sign == "!") return map(Op::logical_not, {as_bool(x)}, DType::Bool);
  const CodeValue y = promoted(x);
  if (sign == "~") {
    if (!is_integer(y.type)) fail_at(text_, at, fmt::format("~ takes integers: got {}", name(y.type)));
    return map(Op::bitwise_invert, {y}, y.type);
  }
  if (sign == "+") return y;
  CodeValue made = map(Op::negative, {y}, y.type);
  made.weak = x.weak;
  return made;
}

// C's quotients are cut off towards 0.
CodeValue CodeValues::divided(const CodeValue& a, const CodeValue& b, bool remainder) {
  const DType t = a.type;
  if (kind(t) == DTypeKind::Unsigned) return map(remainder ? Op::remainder : Op::floor_divide, {a, b}, t);
  const CodeValue rest = map(Op::remainder, {a, b}, t), zero = constant(Scalar::of(int64_t{0}).cast(t));
  const CodeValue signs = map(Op::less, {map(Op::bitwise_xor, {a, b}, t), zero}, DType::Bool);
  const CodeValue off =
      map(Op::bitwise_and, {signs, map(Op::not_equal, {rest, zero}, DType::Bool)}, DType::Bool);
  if (remainder) return select(off, map(Op::subtract, {rest, b}, t), rest);
  return map(Op::add, {map(Op::floor_divide, {a, b}, t), cast(off, t)}, t);
}

CodeValue CodeValues::binary(std::string_view at, std::string_view sign, CodeValue a, CodeValue b) {
  if (sign == "&&" || sign == "||") {
    a = as_bool(a);
    b = as_bool(b);
    return map(sign == "&&" ? Op::bitwise_and : Op::bitwise_or, {a, b}, DType::Bool);
  }
  static const std::unordered_map<std::string_view, Op> ops = {{"+", Op::add},
                                                               {"-", Op::subtract},
                                                               {"*", Op::multiply},
                                                               {"/", Op::divide},
                                                               {"&", Op::bitwise_and},
                                                               {"|", Op::bitwise_or},
                                                               {"^", Op::bitwise_xor},
                                                               {"<<", Op::bitwise_left_shift},
                                                               {"==", Op::equal},
                                                               {"!=", Op::not_equal},
                                                               {"<", Op::less},
                                                               {"<=", Op::less_equal},
                                                               {">", Op::greater},
                                                               {">=", Op::greater_equal},
                                                               {">>", Op::bitwise_right_shift},
                                                               {"%", Op::remainder}};
  const Op op = ops.at(sign);
  const bool shifts = sign == "<<" || sign == ">>", bits = sign == "&" || sign == "|" || sign == "^";
  if (bits && a.type == DType::Bool && b.type == DType::Bool) return map(op, {a, b}, DType::Bool);
  if ((shifts || bits || sign == "%") &&
      (!(is_integer(a.type) || a.type == DType::Bool) || !(is_integer(b.type) || b.type == DType::Bool)))
    fail_at(text_, at,
            fmt::format("{} takes integers: got {} and {}{}", sign, name(a.type), name(b.type),
                        sign == "%" ? "; fmod(x, y) takes floats" : ""));
  if (shifts) {
    a = promoted(a);
    return map(op, {a, cast(b, a.type)}, a.type);
  }
  const auto [t, weak] = common(a, b);
  a = cast(a, t);
  b = cast(b, t);
  if (info(op).result == Result::Bool) {
    if (is_complex(t) && op != Op::equal && op != Op::not_equal)
      fail_at(text_, at, fmt::format("{} takes no complex numbers: compare abs(z), or real parts", sign));
    return map(op, {a, b}, DType::Bool);
  }
  if ((sign == "/" || sign == "%") && is_integer(t)) return divided(a, b, sign == "%");
  CodeValue made = map(op, {a, b}, t);
  made.weak = weak;
  return made;
}

CodeValue CodeValues::select(const CodeValue& test, const CodeValue& a, const CodeValue& b) {
  if (test.constant) return test.constant->i ? a : b;
  return map(Op::select, {test, a, b}, a.type);
}

}  // namespace weft::ir
