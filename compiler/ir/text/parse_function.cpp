#include "compiler/ir/text/parse_function.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/text/literal.h"
#include "compiler/ir/text/types.h"

namespace weft::ir {
namespace {

class FunctionParser {
 public:
  explicit FunctionParser(TextLexer& lexer) : lexer_(lexer) {}

  FunctionRef run() {
    const Token at = lexer_.peek();
    if (!at.is("function")) lexer_.expected("'function'");
    lexer_.take();
    const Token named = lexer_.peek();
    if (named.kind != Token::Word) lexer_.expected("a function's name");
    f_.name = std::string(lexer_.take().text);
    body_of_all();
    on_cuda();
    if (lexer_.peek().is("derivative")) {
      FunctionParser derivative(lexer_, "d_" + f_.name);
      const Token at_derivative = lexer_.take();
      derivative.body_of_all();
      derivative.on_cuda();
      f_.derivative = derivative.made(at_derivative);
    }
    if (lexer_.peek().is("reference")) {
      f_.reference = other(f_.name + "_reference");
      if (lexer_.peek().is("ulps")) {
        lexer_.take();
        f_.ulps = parse_ulps(lexer_);
      }
    }
    return made(named);
  }

 private:
  FunctionParser(TextLexer& lexer, std::string name) : lexer_(lexer) { f_.name = std::move(name); }

  FunctionRef made(const Token& at) {
    return at_token(lexer_, at, [&] { return checked(std::move(f_)); });
  }
  // The function that stands behind the word at which the lexer is.
  FunctionRef other(std::string name) {
    FunctionParser own(lexer_, std::move(name));
    const Token at = lexer_.take();
    own.body_of_all();
    return own.made(at);
  }
  void on_cuda() {
    if (lexer_.peek().is("cuda")) f_.on_cuda = other(f_.name);
  }

  // What stands behind the name.
  void body_of_all() {
    expect('(');
    do typed(f_.block.params);
    while (accept(','));
    expect(')');
    expect('{');
    body(f_.block, "return");
    f_.block.gives = values();
    end_of_line();
    skip_newlines();
    expect('}');
  }

  static constexpr size_t kDeepest = 200;

  bool accept(char c) {
    if (!lexer_.peek().is(c)) return false;
    lexer_.take();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) lexer_.expected(fmt::format("'{}'", c));
  }
  void skip_newlines() {
    while (lexer_.peek().kind == Token::Newline) lexer_.take();
  }
  void end_of_line() {
    if (lexer_.peek().kind != Token::Newline && !lexer_.peek().is('}'))
      lexer_.expected("the end of the line");
  }
  DType dtype() {
    std::optional<DType> t;
    if (lexer_.peek().kind == Token::Word) t = dtype_from_name(lexer_.peek().text);
    if (!t) lexer_.expected("a dtype, as in 'f64'");
    lexer_.take();
    return *t;
  }
  Token name() {
    if (lexer_.peek().kind != Token::Value) lexer_.expected("a value, as in '%x'");
    return lexer_.take();
  }
  int define(const Token& at, DType t) {
    f_.values.push_back(t);
    const int v = static_cast<int>(f_.values.size()) - 1;
    if (!names_.emplace(at.text, v).second) lexer_.fail(at, fmt::format("{} is already defined", quoted(at)));
    scope_.push_back(at.text);
    return v;
  }
  void typed(std::vector<int>& to) {
    const Token at = name();
    expect(':');
    to.push_back(define(at, dtype()));
  }
  int value() {
    const Token at = name();
    const auto found = names_.find(at.text);
    if (found == names_.end()) lexer_.fail(at, fmt::format("{} is not defined above", quoted(at)));
    return found->second;
  }
  std::vector<int> values() {
    std::vector<int> all;
    if (lexer_.peek().kind != Token::Value) return all;
    do all.push_back(value());
    while (accept(','));
    return all;
  }
  void leave(size_t depth) {
    for (; scope_.size() > depth; scope_.pop_back()) names_.erase(scope_.back());
  }

  // Instructions up to the word that ends the block, which is taken.
  void body(Block& b, std::string_view end) {
    for (skip_newlines(); !lexer_.peek().is(end); skip_newlines()) {
      instruction(b);
      end_of_line();
    }
    lexer_.take();
  }

  void instruction(Block& b) {
    Instruction i;
    struct Out {
      Token at;
      std::optional<DType> dtype;
    };
    std::vector<Out> outs;
    if (lexer_.peek().kind == Token::Value) {
      do {
        Out out{name(), {}};
        if (accept(':')) out.dtype = dtype();
        outs.push_back(out);
      } while (accept(','));
      expect('=');
    }
    const Token op_at = lexer_.peek();
    if (op_at.is("if")) {
      lexer_.take();
      branch(i);
    } else if (op_at.is("while")) {
      lexer_.take();
      loop(i);
    } else {
      map_or_constant(i);
      if (outs.size() != 1) lexer_.fail(op_at, "a map has one result");
      i.outs = {define(outs[0].at, stated_)};
      if (i.kind == Instruction::Kind::Map) {
        std::vector<DType> args;
        args.reserve(i.args.size());
        for (int a : i.args) args.push_back(f_.values[static_cast<size_t>(a)]);
        const DType got = at_token(lexer_, op_at, [&] { return map_result(i.op, args, stated_); });
        if (got != stated_)
          lexer_.fail(op_at, fmt::format("{}: the result is {}, but {} is stated", op_at.text,
                                         weft::name(got), weft::name(stated_)));
      }
      b.body.push_back(std::move(i));
      return;
    }
    for (const Out& out : outs) {
      if (!out.dtype) lexer_.fail(out.at, "expected the result's dtype, as in '%x : f64 = …'");
      i.outs.push_back(define(out.at, *out.dtype));
    }
    b.body.push_back(std::move(i));
  }

  void map_or_constant(Instruction& i) {
    const Token at = lexer_.peek();
    const std::optional<Op> op = at.kind == Token::Word ? op_from_name(at.text) : std::nullopt;
    if (!op) lexer_.expected("an op, 'if' or 'while'");
    lexer_.take();
    std::optional<Literal> literal;
    const Token literal_at = lexer_.peek();
    if (*op == Op::constant) {
      if (!starts_literal(literal_at)) lexer_.expected("a number, true or false");
      literal = parse_literal(lexer_);
    } else {
      i.args = values();
    }
    expect(':');
    stated_ = dtype();
    i.kind = literal ? Instruction::Kind::Constant : Instruction::Kind::Map;
    i.op = literal ? Op::positive : *op;
    if (literal) i.value = to_scalar(lexer_, *literal, stated_);
  }

  void deeper() {
    if (++depth_ > kDeepest)
      lexer_.fail(lexer_.peek(), fmt::format("blocks lie in each other more than {} deep", kDeepest));
  }
  Block given(std::string_view after) {
    Block b;
    const size_t depth = scope_.size();
    deeper();
    body(b, "give");
    b.gives = values();
    end_of_line();
    skip_newlines();
    expect('}');
    leave(depth);
    --depth_;
    if (!after.empty()) {
      if (!lexer_.peek().is(after)) lexer_.expected(fmt::format("'{}'", after));
      lexer_.take();
      expect('{');
    }
    return b;
  }

  void branch(Instruction& i) {
    i.kind = Instruction::Kind::If;
    i.args = {value()};
    expect('{');
    i.blocks.push_back(given("else"));
    i.blocks.push_back(given(""));
  }

  void loop(Instruction& i) {
    i.kind = Instruction::Kind::While;
    Block head;
    const size_t depth = scope_.size();
    if (!lexer_.peek().is('{')) {
      std::vector<Token> named;
      do {
        named.push_back(name());
        expect('=');
        i.args.push_back(value());
      } while (accept(','));
      for (size_t k = 0; k < named.size(); ++k)
        head.params.push_back(define(named[k], f_.values[static_cast<size_t>(i.args[k])]));
    }
    expect('{');
    deeper();
    body(head, "test");
    head.gives = {value()};
    end_of_line();
    i.blocks.push_back(std::move(head));
    i.blocks.push_back(given(""));
    --depth_;
    leave(depth);
  }

  TextLexer& lexer_;
  Function f_;
  DType stated_ = DType::F64;
  size_t depth_ = 0;
  std::unordered_map<std::string_view, int> names_;
  std::vector<std::string_view> scope_;
};

}  // namespace

double parse_ulps(TextLexer& lexer) {
  const Token at = lexer.peek();
  if (!starts_literal(at)) lexer.expected("a number of units of the last place");
  const Literal literal = parse_literal(lexer);
  return literal.kind == DTypeKind::Signed ? static_cast<double>(to_scalar(lexer, literal, DType::I64).i)
                                           : to_scalar(lexer, literal, DType::F64).re;
}

FunctionRef parse_function(TextLexer& lexer) { return FunctionParser(lexer).run(); }

FunctionRef parse_function(std::string_view text, std::string_view file_name) {
  TextLexer lexer(text, file_name);
  while (lexer.peek().kind == Token::Newline) lexer.take();
  FunctionRef function = parse_function(lexer);
  while (lexer.peek().kind == Token::Newline) lexer.take();
  if (lexer.peek().kind != Token::End) lexer.expected("the end of the text after the function");
  return function;
}

}  // namespace weft::ir
