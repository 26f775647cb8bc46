// The tokens of ops as text: statements in the form of C. Each points into the text, so that errors show its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::ir {

// What is read: a part of a text. Errors give places in the whole text, which the file of this name holds.
struct CodeText {
  std::string_view whole, part;
  std::string name;
};

struct CodeToken {
  enum Kind : uint8_t { Word, Number, Sign, End };
  Kind kind = End;
  std::string_view text;  // a place in CodeText::whole, also of End

  bool is(std::string_view other) const { return (kind == Word || kind == Sign) && text == other; }
};

class CodeLexer {
 public:
  explicit CodeLexer(CodeText text) : text_(std::move(text)) { advance(); }

  const CodeToken& peek() const { return token_; }
  // The token behind the next one.
  CodeToken peek_second() const;
  CodeToken take();
  bool accept(std::string_view text);
  // Error that expects `text` where something else stands.
  CodeToken expect(std::string_view text);
  [[noreturn]] void expected(std::string_view what) const;
  const CodeText& text() const { return text_; }

 private:
  void advance();

  CodeText text_;
  size_t at_ = 0;
  CodeToken token_;
};

// Throws what is wrong at a place in the text: its name, line and column, the line, and a caret below it.
[[noreturn]] void fail_at(const CodeText& text, std::string_view place, std::string_view message);
// The token as a message shows it.
std::string quoted(const CodeToken& token);

}  // namespace weft::ir
