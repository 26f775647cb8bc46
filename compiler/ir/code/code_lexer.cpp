#include "compiler/ir/code/code_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/base/error.h"
#include "compiler/ir/text/lexer.h"

namespace weft::ir {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_word(char c) { return starts_word(c) || is_decimal(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

// Longer ones first.
constexpr std::array kSigns = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                               "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::"};

size_t number_end(std::string_view text, size_t at) {
  const bool hex = text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X";
  size_t end = at;
  while (end < text.size()) {
    const char c = text[end];
    const bool exponent =
        end > at && (c == '+' || c == '-') &&
        (hex ? text[end - 1] == 'p' || text[end - 1] == 'P' : text[end - 1] == 'e' || text[end - 1] == 'E');
    if (!in_word(c) && c != '.' && c != '\'' && !exponent) break;
    ++end;
  }
  return end;
}

}  // namespace

void CodeLexer::advance() {
  const std::string_view s = text_.part;
  for (;;) {
    while (at_ < s.size() && is_space(s[at_])) ++at_;
    if (s.substr(at_, 2) == "//") {
      at_ = std::min(s.find('\n', at_), s.size());
    } else if (s.substr(at_, 2) == "/*") {
      const size_t end = s.find("*/", at_ + 2);
      if (end == std::string_view::npos)
        fail_at(text_, s.substr(at_, 2), "this comment has no end: close it with */");
      at_ = end + 2;
    } else {
      break;
    }
  }
  if (at_ >= s.size()) {
    token_ = {CodeToken::End, s.substr(s.size())};
    return;
  }
  size_t end = at_ + 1;
  CodeToken::Kind kind = CodeToken::Sign;
  if (starts_word(s[at_])) {
    kind = CodeToken::Word;
    while (end < s.size() && in_word(s[end])) ++end;
  } else if (is_decimal(s[at_]) || (s[at_] == '.' && at_ + 1 < s.size() && is_decimal(s[at_ + 1]))) {
    kind = CodeToken::Number;
    end = number_end(s, at_);
  } else {
    end = character_end(s, at_);
    for (const std::string_view sign : kSigns)
      if (s.substr(at_, sign.size()) == sign) {
        end = at_ + sign.size();
        break;
      }
  }
  token_ = {kind, s.substr(at_, end - at_)};
  at_ = end;
}

CodeToken CodeLexer::peek_second() const {
  CodeLexer ahead = *this;
  ahead.advance();
  return ahead.peek();
}

CodeToken CodeLexer::take() {
  const CodeToken taken = token_;
  advance();
  return taken;
}

bool CodeLexer::accept(std::string_view text) {
  if (!token_.is(text)) return false;
  advance();
  return true;
}

CodeToken CodeLexer::expect(std::string_view text) {
  if (!token_.is(text)) expected(fmt::format("'{}'", text));
  return take();
}

void CodeLexer::expected(std::string_view what) const {
  fail_at(text_, token_.text, fmt::format("expected {}, got {}", what, quoted(token_)));
}

void fail_at(const CodeText& text, std::string_view place, std::string_view message) {
  const std::string_view before = text.whole.substr(0, static_cast<size_t>(place.data() - text.whole.data()));
  const auto line = static_cast<uint32_t>(std::ranges::count(before, '\n')) + 1;
  throw Error(TextLexer(text.whole, text.name).located(Token{Token::Word, line, place}, message));
}

std::string quoted(const CodeToken& token) {
  return token.kind == CodeToken::End ? "the end of the text" : quoted(Token{Token::Word, 1, token.text});
}

}  // namespace weft::ir
