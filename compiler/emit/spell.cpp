#include "compiler/emit/spell.h"

#include <fmt/format.h>

#include <cmath>

namespace weft::emit {

using ir::Op;

namespace {

std::string real_literal(double v, DType dtype) {
  bool f64 = dtype == DType::F64;
  const char* end = f64 ? "" : "f";
  if (std::isnan(v)) return fmt::format("{}__builtin_nan{}(\"\")", std::signbit(v) ? "-" : "", end);
  if (std::isinf(v)) return fmt::format("{}__builtin_inf{}()", v < 0 ? "-" : "", end);
  return fmt::format("{:a}{}", v, end);
}

}  // namespace

std::string Dialect::element_type(DType t) const {
  switch (t) {
    case DType::Bool:
    case DType::U8:
      return "unsigned char";
    case DType::I8:
      return "signed char";
    case DType::I16:
      return "short";
    case DType::I32:
      return "int";
    case DType::I64:
      return word_;
    case DType::U16:
    case DType::F16:
    case DType::BF16:
      return "unsigned short";
    case DType::U32:
      return "unsigned int";
    case DType::U64:
      return "unsigned " + word_;
    case DType::F32:
      return "float";
    case DType::F64:
      return "double";
    case DType::C64:
    case DType::C128:
      return suffix(t) + complex_;
  }
  return "";
}

std::string literal(const Scalar& s) {
  switch (s.dtype) {
    case DType::Bool:
      return s.i ? "true" : "false";
    case DType::I64:
      if (s.i == INT64_MIN) return "(-0x7fffffffffffffffLL - 1)";
      return fmt::format("{}LL", s.i);
    case DType::U64:
      return fmt::format("{}ULL", static_cast<uint64_t>(s.i));
    case DType::U32:
      return fmt::format("{}U", s.i);
    case DType::I32:
      if (s.i == INT32_MIN) return "(-0x7fffffff - 1)";
      return fmt::format("{}", s.i);
    case DType::C64:
      return fmt::format("{}, {}", real_literal(s.re, DType::F32), real_literal(s.im, DType::F32));
    case DType::C128:
      return fmt::format("{}, {}", real_literal(s.re, DType::F64), real_literal(s.im, DType::F64));
    default:
      return is_float(s.dtype) ? real_literal(s.re, s.dtype) : fmt::format("{}", s.i);
  }
}

std::string spell(const plan::Num& n) {
  return n.param < 0 ? std::to_string(n.value) : fmt::format("p[{}]", n.param);
}

std::string times(const std::string& x, const plan::Num& n) {
  if (n.param < 0 && n.value == 1) return x;
  if (n.param < 0 && n.value == -1) return "-" + x;
  return fmt::format("{} * {}", x, spell(n));
}

bool is_rounded(const plan::Let& let, const plan::RowProgram& p) {
  const bool computes = let.op != Op::cast && let.op != Op::bitcast && let.op != Op::real &&
                        let.op != Op::conj && let.op != Op::positive && let.op != Op::imag;
  return computes && is_half(p.values[let.out].dtype) && info(let.op).halves == ir::Halves::Rounded;
}

std::string spell(const plan::Let& let, const plan::RowProgram& p, const Dialect& dialect,
                  const Names& names) {
  const std::string expression = spell_unrounded(let, p, dialect, names);
  return is_rounded(let, p) ? fmt::format("weft_round_{}({})", name(p.values[let.out].dtype), expression)
                            : expression;
}

std::string spell_unrounded(const plan::Let& let, const plan::RowProgram& p, const Dialect& dialect,
                            const Names& names) {
  DType to = p.values[let.out].dtype;
  DType from = p.values[let.args[let.op == Op::select ? 1 : 0]].dtype;
  std::string args;
  for (plan::Value a : let.args) args += (args.empty() ? "" : ", ") + names(a);
  if (let.op == Op::cast || let.op == Op::bitcast)
    return fmt::format("weft_{}_{}_{}({})", name(let.op), name(from), name(to), args);
  if (!is_complex(from)) {
    if (let.op == Op::real || let.op == Op::conj || let.op == Op::positive) return names(let.args[0]);
    if (let.op == Op::imag) return dialect.splat(to, literal(Scalar{to}));
  }
  DType computed = is_half(from) ? DType::F32 : from;
  std::string expression;
  std::string_view code = info(let.op).code;
  if (from == DType::Bool && let.op == Op::add) code = "{0} | {1}";
  if (from == DType::Bool && let.op == Op::multiply) code = "{0} & {1}";
  ir::Halves halves = info(let.op).halves;
  if (code.empty() || is_complex(from)) {
    expression =
        fmt::format("weft_{}_{}({})", name(let.op), name(halves == ir::Halves::Own ? from : computed), args);
  } else {
    std::string a = names(let.args[0]), b = let.args.size() > 1 ? names(let.args[1]) : "";
    expression = is_integer(from) ? dialect.wrap(from, std::string(code), a, b)
                                  : fmt::format(fmt::runtime(std::string(code)), a, b);
  }
  return expression;
}

}  // namespace weft::emit
