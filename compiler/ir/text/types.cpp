#include "compiler/ir/text/types.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "compiler/ir/text/literal.h"

namespace weft::ir {
namespace {

bool accept(TextLexer& lexer, char c) {
  if (!lexer.peek().is(c)) return false;
  lexer.take();
  return true;
}

}  // namespace

Dims parse_dims(TextLexer& lexer) {
  if (!accept(lexer, '[')) lexer.expected("'['");
  Dims values;
  if (accept(lexer, ']')) return values;
  do values.push_back(to_int64(lexer, lexer.take()));
  while (accept(lexer, ','));
  if (!accept(lexer, ']')) lexer.expected("',' or ']'");
  return values;
}

TensorType parse_type(TextLexer& lexer) {
  const Token at = lexer.peek();
  std::optional<DType> dtype;
  if (at.kind == Token::Word) dtype = dtype_from_name(at.text);
  if (!dtype) lexer.expected("a dtype, as in 'f32[2, 3]'");
  lexer.take();
  if (!lexer.peek().is('[')) lexer.expected(fmt::format("a shape, as in '{}[2, 3]'", at.text));
  TensorType result{*dtype, parse_dims(lexer)};
  at_token(lexer, at, [&] { check_size("type", result.shape, size_of(*dtype)); });
  return result;
}

std::string parse_string(const TextLexer& lexer, const Token& at) {
  std::string_view text = at.text;
  if (text.size() < 2 || text.back() != '"') lexer.fail(at, "expected a closing '\"' on the same line");
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    char c = text[++i];
    auto digit = [&](size_t k) { return std::string_view("0123456789abcdef").find(text[k]); };
    if (i + 1 == text.size()) {
      lexer.fail(at, "expected a closing '\"' on the same line");
    } else if (c == 'n') {
      out += '\n';
    } else if (c == '"' || c == '\\') {
      out += c;
    } else if (c == 'x' && i + 3 < text.size() && digit(i + 1) < 16 && digit(i + 2) < 16) {
      out += static_cast<char>(digit(i + 1) * 16 + digit(i + 2));
      i += 2;
    } else {
      lexer.fail(at, "expected \\\", \\\\, \\n or \\x and two digits of 0-9a-f after a backslash");
    }
  }
  return out;
}

}  // namespace weft::ir
