// The tokens of `.weft` text, made one at a time from any bytes whatsoever, and errors that point at them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::ir {

struct Token {
  // Value: %name. Number: anything that starts like one, "-inf" too. String: with its quotes. Punctuation:
  // one character.
  enum Kind : uint8_t { Value, Word, Number, String, Punctuation, Newline, End };
  Kind kind = End;
  uint32_t line = 1;
  std::string_view text;

  bool is(char punctuation) const { return kind == Punctuation && text[0] == punctuation; }
  bool is(std::string_view word) const { return kind == Word && text == word; }
};

class TextLexer {
 public:
  TextLexer(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {
    advance();
  }

  const Token& peek() const { return token_; }
  Token take();
  // "file:line:column: message", the line that holds `at`, and a caret under `at`.
  std::string located(const Token& at, std::string_view message) const;
  [[noreturn]] void fail(const Token& at, std::string_view message) const;
  // "expected X, got Y", Y being the next token.
  [[noreturn]] void expected(std::string_view what) const;

  // What stands between the parentheses or braces that open here, as it is; they are taken.
  std::string_view take_enclosed(char opens, char closes);
  std::string_view text() const { return text_; }
  const std::string& file_name() const { return file_name_; }

 private:
  void advance();
  std::string_view token_end(size_t start) const;

  std::string_view text_;
  std::string file_name_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool after_comma_ = false;
  Token token_;
};

// Where the character that starts at a place ends: one beyond ASCII is shown whole in messages.
size_t character_end(std::string_view text, size_t at);
// The token as an error message shows it: "'%a'", "the end of the line".
std::string quoted(const Token& token);

}  // namespace weft::ir
