#include "compiler/ir/text/literal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace weft::ir {
namespace {

[[noreturn]] void does_not_fit(const TextLexer& lexer, const Token& token, std::string_view dtype) {
  lexer.fail(token, fmt::format("{} does not fit {}", quoted(token), dtype));
}

template <class T>
T number(const TextLexer& lexer, const Token& token, std::string_view dtype, std::string_view what) {
  std::string_view text = token.text;
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  size_t first = text[0] == '-' ? 1 : 0;
  bool starts_well =
      first < text.size() && (text[first] == '.' || (text[first] >= '0' && text[first] <= '9'));
  if (!starts_well || error == std::errc::invalid_argument || end != text.data() + text.size()) {
    // A minus is not part of an unsigned number, but then the number's range is what is wrong.
    bool negative = std::is_unsigned_v<T> && first == 1 &&
                    text.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (negative && text.size() > 1) does_not_fit(lexer, token, dtype);
    lexer.fail(token, fmt::format("expected {}, got {}", what, quoted(token)));
  }
  if (error == std::errc::result_out_of_range) does_not_fit(lexer, token, dtype);
  return value;
}

double nan_of_bits(const TextLexer& lexer, const Token& token, DType dtype) {
  std::string_view digits = token.text.substr(0, 2) == "0x" ? token.text.substr(2) : "";
  uint64_t bits = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.empty() || end != digits.data() + digits.size() || error != std::errc())
    lexer.fail(token, fmt::format("expected the bits of a NaN as 0x…, got {}", quoted(token)));
  double value = Scalar::load(dtype, &bits).re;
  bool wide = size_of(dtype) < 8 && bits >> (8 * size_of(dtype)) != 0;
  if (wide || !std::isnan(value))
    lexer.fail(token, fmt::format("{} are not the bits of a NaN of {}", quoted(token), name(dtype)));
  return value;
}

double real_part(const TextLexer& lexer, const Literal::Part& part, DType dtype) {
  if (part.nan_bits) return nan_of_bits(lexer, *part.nan_bits, dtype);
  std::string_view text = part.token.text;
  bool negative = text[0] == '-';
  std::string_view magnitude = text.substr(negative ? 1 : 0);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (magnitude == "nan") return negative ? -kNan : kNan;
  if (magnitude == "inf") return negative ? -kInfinity : kInfinity;
  if (dtype == DType::F32) return number<float>(lexer, part.token, name(dtype), "a number");
  double value = number<double>(lexer, part.token, name(dtype), "a number");
  if (dtype == DType::F64) return value;
  double rounded = Scalar::of(value).cast(dtype).re;
  if (std::isinf(rounded)) does_not_fit(lexer, part.token, name(dtype));
  return rounded;
}

int64_t integer(const TextLexer& lexer, const Token& token, DType dtype) {
  std::string what = fmt::format("an integer for {}", name(dtype));
  if (dtype == DType::U64) return static_cast<int64_t>(number<uint64_t>(lexer, token, name(dtype), what));
  auto value = number<int64_t>(lexer, token, name(dtype), what);
  if (Scalar::of(value).cast(dtype).i != value) does_not_fit(lexer, token, name(dtype));
  return value;
}

Literal::Part parse_part(TextLexer& lexer) {
  const Token& next = lexer.peek();
  if (next.kind != Token::Number && !next.is("inf") && !next.is("nan")) lexer.expected("a number");
  Literal::Part part{lexer.take(), {}};
  if (part.token.is("nan") && lexer.peek().is('(')) {
    lexer.take();
    if (lexer.peek().kind != Token::Number) lexer.expected("the bits of a NaN as 0x…");
    part.nan_bits = lexer.take();
    if (!lexer.peek().is(')')) lexer.expected("')'");
    lexer.take();
  }
  return part;
}

}  // namespace

bool starts_literal(const Token& token) {
  return token.kind == Token::Number || token.is('(') || token.is("true") || token.is("false") ||
         token.is("inf") || token.is("nan");
}

Literal parse_literal(TextLexer& lexer) {
  if (lexer.peek().is("true") || lexer.peek().is("false")) return {DTypeKind::Bool, {lexer.take(), {}}, {}};
  if (!lexer.peek().is('(')) {
    Literal::Part part = parse_part(lexer);
    bool whole = part.token.text.find_first_not_of("-0123456789") == std::string_view::npos;
    return {whole ? DTypeKind::Signed : DTypeKind::Float, part, {}};
  }
  lexer.take();
  Literal literal{DTypeKind::Complex, parse_part(lexer), {}};
  if (!lexer.peek().is(',')) lexer.expected("',' and the imaginary part");
  lexer.take();
  literal.im = parse_part(lexer);
  if (!lexer.peek().is(')')) lexer.expected("')'");
  lexer.take();
  return literal;
}

Scalar to_scalar(const TextLexer& lexer, const Literal& literal, DType dtype) {
  auto refuse = [&](std::string_view what) {
    lexer.fail(literal.re.token, fmt::format("expected {} for {}, got {}", what, name(dtype),
                                             literal.im ? "a complex number" : quoted(literal.re.token)));
  };
  switch (kind(dtype)) {
    case DTypeKind::Bool:
      if (literal.kind != DTypeKind::Bool) refuse("true or false");
      return Scalar::of(literal.re.token.is("true"));
    case DTypeKind::Signed:
    case DTypeKind::Unsigned:
      if (literal.kind != DTypeKind::Signed) refuse("an integer");
      return {dtype, integer(lexer, literal.re.token, dtype), 0, 0};
    case DTypeKind::Float:
      if (literal.kind != DTypeKind::Signed && literal.kind != DTypeKind::Float) refuse("a number");
      return {dtype, 0, real_part(lexer, literal.re, dtype), 0};
    case DTypeKind::Complex:
      break;
  }
  if (literal.kind == DTypeKind::Bool) refuse("a number");
  DType part = real_of(dtype);
  return {dtype, 0, real_part(lexer, literal.re, part),
          literal.im ? real_part(lexer, *literal.im, part) : 0.0};
}

int64_t to_int64(const TextLexer& lexer, const Token& token) {
  if (token.kind != Token::Number)
    lexer.fail(token, fmt::format("expected an integer, got {}", quoted(token)));
  return number<int64_t>(lexer, token, "64 bits", "an integer");
}

}  // namespace weft::ir
