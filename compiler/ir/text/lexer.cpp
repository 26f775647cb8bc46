#include "compiler/ir/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/error.h"

namespace weft::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }
bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_utf8(c); }));
}

// Control characters and bytes that are not UTF-8 are escaped, so that a message is always valid text.
std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : (c & 0xf0) == 0xe0    ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
    bool good = length > 0 && i + length <= text.size() && (c >= 0x20 || c == '\t') && c != 0x7f;
    for (size_t k = 1; good && k < length; ++k) good = continues_utf8(text[i + k]);
    if (good && length > 2) {
      // Longer than it need be, half of a pair of UTF-16, or beyond Unicode.
      const auto next = static_cast<unsigned char>(text[i + 1]);
      good = !(c == 0xe0 && next < 0xa0) && !(c == 0xed && next >= 0xa0) && !(c == 0xf0 && next < 0x90) &&
             !(c == 0xf4 && next >= 0x90);
    }
    if (good) {
      out += text.substr(i, length);
    } else {
      out += fmt::format("\\x{:02x}", c);
    }
    i += good ? length : 1;
  }
  return out;
}

}  // namespace

Token TextLexer::take() {
  Token taken = token_;
  advance();
  return taken;
}

std::string_view TextLexer::token_end(size_t start) const {
  size_t end = start + 1;
  char first = text_[start];
  if (first == '"') {
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
      end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
    if (end < text_.size() && text_[end] == '"') ++end;
  } else if (is_digit(first) || first == '-' || first == '.') {
    bool hex = text_.substr(start, 2) == "0x";
    auto exponent_sign = [&](size_t i) {
      return (text_[i] == '-' || text_[i] == '+') && (text_[i - 1] == 'e' || text_[i - 1] == 'E') && !hex;
    };
    while (end < text_.size() && (is_name(text_[end]) || text_[end] == '.' || exponent_sign(end))) ++end;
  } else if (is_name(first) || first == '%') {
    while (end < text_.size() && is_name(text_[end])) ++end;
  } else {
    end = character_end(text_, start);
  }
  return text_.substr(start, end - start);
}

void TextLexer::advance() {
  for (; at_ < text_.size(); ++at_) {
    char c = text_[at_];
    if (c == '#')
      while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    else if (c == '\n' && after_comma_)
      ++line_;
    else if (c != ' ' && c != '\t' && c != '\r')
      break;
  }
  token_ = {Token::End, line_, text_.substr(at_, 0)};
  after_comma_ = false;
  if (at_ == text_.size()) return;
  char c = text_[at_];
  if (c == '\n') {
    token_ = {Token::Newline, line_++, text_.substr(at_, 1)};
  } else {
    token_.text = token_end(at_);
    if (c == '"')
      token_.kind = Token::String;
    else if (c == '%')
      token_.kind = Token::Value;
    else if (is_digit(c) || c == '-' || c == '.')
      token_.kind = Token::Number;
    else
      token_.kind = is_name(c) ? Token::Word : Token::Punctuation;
    after_comma_ = c == ',';
  }
  at_ += token_.text.size();
}

std::string TextLexer::located(const Token& at, std::string_view message) const {
  size_t position = static_cast<size_t>(at.text.data() - text_.data());
  size_t begin = position;
  while (begin > 0 && text_[begin - 1] != '\n') --begin;
  size_t end = std::min(text_.find('\n', position), text_.size());
  size_t column = columns(text_.substr(begin, position - begin)) + 1;
  // Of a very long line only the surroundings are shown, and even less where it is no text.
  const auto within = [&](size_t from, size_t to, size_t margin) {
    if (position - begin > 2 * margin) from = position - margin;
    if (end - position > 2 * margin) to = position + margin;
    while (from < position && continues_utf8(text_[from])) ++from;
    while (to < text_.size() && to > position && continues_utf8(text_[to])) --to;
    const std::string_view part = text_.substr(from, to - from);
    return part.ends_with('\r') ? part.substr(0, part.size() - 1) : part;
  };
  std::string_view shown = within(begin, end, 60);
  if (printable(shown) != shown) shown = within(begin, end, 10);

  std::string where = fmt::format("{}:{}:{}: {}", file_name_, at.line, column, message);
  if (shown.empty()) return where;
  std::string caret;
  for (char c : printable(shown.substr(0, static_cast<size_t>(at.text.data() - shown.data()))))
    if (!continues_utf8(c)) caret += c == '\t' ? '\t' : ' ';
  return fmt::format("{}\n  {}\n  {}^", where, printable(shown), caret);
}

std::string_view TextLexer::take_enclosed(char opens, char closes) {
  if (!token_.is(opens)) expected(fmt::format("'{}'", opens));
  const Token at = token_;
  const auto start = static_cast<size_t>(at.text.data() - text_.data()) + 1;
  size_t depth = 1, end = start;
  for (; end < text_.size(); ++end) {
    if (text_[end] == opens) ++depth;
    if (text_[end] == closes && --depth == 0) break;
  }
  if (end >= text_.size()) fail(at, fmt::format("'{}' is never closed", opens));
  for (size_t k = start; k < end; ++k) line_ += text_[k] == '\n';
  at_ = end + 1;
  advance();
  return text_.substr(start, end - start);
}

void TextLexer::fail(const Token& at, std::string_view message) const { throw Error(located(at, message)); }

void TextLexer::expected(std::string_view what) const {
  fail(token_, fmt::format("expected {}, got {}", what, quoted(token_)));
}

size_t character_end(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (static_cast<unsigned char>(text[at]) & 0x80)
    while (end < text.size() && continues_utf8(text[end])) ++end;
  return end;
}

std::string quoted(const Token& token) {
  constexpr size_t kLongest = 40;
  if (token.kind == Token::Newline) return "the end of the line";
  if (token.kind == Token::End) return "the end of the text";
  const std::string shown = printable(token.text.substr(0, kLongest));
  return fmt::format("'{}{}'", shown, token.text.size() > kLongest ? "…" : "");
}

}  // namespace weft::ir
