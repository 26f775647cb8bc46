#include "compiler/ir/code/code_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <utility>

#include "compiler/ir/code/code_calls.h"
#include "compiler/ir/code/code_words.h"

namespace weft::ir {
namespace {

constexpr int kMostNested = 200;

struct Advice {
  std::string_view word, text;
};
constexpr std::string_view kWholeKernels =
    "it belongs to whole kernels: write an array expression, or give a whole kernel to cuda_kernel()";
constexpr std::array kRefused = {
    Advice{"goto", "goto cannot be compiled: use while, break and continue"},
    Advice{"switch", "switch cannot be compiled: write if and else if"},
    Advice{"struct", "a struct cannot be compiled: use variables of their own"},
    Advice{"class", "a class cannot be compiled: use variables of their own"},
    Advice{"template", "a template stands in the preamble, before a function"},
    Advice{"typedef", "typedef cannot be compiled: name the type where it is used"},
    Advice{"using", "using cannot be compiled: name the type where it is used"},
    Advice{"new", "memory cannot be asked for: use variables"},
    Advice{"delete", "memory cannot be given back here: use variables"},
    Advice{"throw", "throw cannot be compiled: give NAN, or another number that says so"},
    Advice{"try", "try cannot be compiled: test before what may fail, by if"},
    Advice{"printf", "printf cannot be compiled: look at results in place of it"},
    Advice{"asm", "asm cannot be compiled: use operators and functions"},
    Advice{"volatile", "volatile has no meaning here: leave it out"},
    Advice{"static", "static has no meaning here: use a parameter"},
    Advice{"extern", "extern has no meaning here: use a parameter"},
};
// Words that C++ keeps, where a statement or a value begins with one.
constexpr std::array kNoBegin = {
    Advice{"enum", "an enum cannot be compiled: use const variables"},
    Advice{"union", "a union cannot be compiled: use variables of their own"},
    Advice{"namespace", "a namespace cannot be compiled: leave it out"},
    Advice{"case", "switch cannot be compiled: write if and else if"},
    Advice{"default", "switch cannot be compiled: write if and else if"},
    Advice{"decltype", "decltype cannot be compiled: write auto"},
    Advice{"alignof", "alignof cannot be compiled: elements have no addresses here"},
    Advice{"typeid", "typeid cannot be compiled: make an op for each type"},
    Advice{"nullptr", "there are no addresses here: use numbers"},
    Advice{"this", "there are no objects here: use parameters"},
    Advice{"dynamic_cast", "dynamic_cast cannot be compiled: write static_cast"},
    Advice{"const_cast", "const_cast cannot be compiled: write static_cast"},
    Advice{"reinterpret_cast",
           "reinterpret_cast cannot be compiled: pass x.view(dtype) as an argument of its own"},
    Advice{"and", "write && in place of and"},
    Advice{"or", "write || in place of or"},
    Advice{"not", "write ! in place of not"},
    Advice{"cout", "cout cannot be compiled: look at results in place of it"},
    Advice{"NULL", "there are no addresses here: use numbers"},
    Advice{"None", "there is no None here: use a number that says so, as NAN"},
    Advice{"True", "write true"},
    Advice{"False", "write false"},
};
constexpr std::array<std::string_view, 14> kOfKernels = {
    "threadIdx",     "blockIdx",   "blockDim",   "gridDim",          "warpSize",
    "__syncthreads", "__shared__", "__syncwarp", "__shfl_down_sync", "__shfl_xor_sync",
    "atomicAdd",     "atomicMax",  "atomicMin",  "atomicCAS"};

int precedence(std::string_view sign) {
  static const std::unordered_map<std::string_view, int> levels = {
      {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
      {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  const auto found = levels.find(sign);
  return found == levels.end() ? 0 : found->second;
}

class CodeParser {
 public:
  CodeParser(const CodeText& text, const std::set<std::string>& generics)
      : lexer_(text), generics_(generics) {}

  CodeStatements statements_to_end() {
    CodeStatements all;
    while (next().kind != CodeToken::End) statement(all);
    return all;
  }

  CodeStatements value_to_end(const std::string& name) {
    CodeStatement s;
    s.kind = CodeStatement::Assign;
    s.at = next().text;
    s.name = name;
    s.value.push_back(expression());
    if (next().kind != CodeToken::End) lexer_.expected("the end of the value");
    CodeStatements all;
    all.push_back(std::move(s));
    return all;
  }

  std::vector<CodeParameter> parameters(std::string_view end, std::set<std::string>* add_to) {
    std::vector<CodeParameter> all;
    while (!at_end(end)) {
      while (next().is("const") || next().is("__restrict__")) lexer_.take();
      if (next().is("raw"))
        fail(
            "raw arrays, of which any element can be read, cannot be had in an op of elements: pass shifted "
            "views of "
            "the array, or call take() before it");
      CodeParameter one;
      one.type = type(add_to);
      if (one.type.name == "auto")
        fail_at(lexer_.text(), one.type.at, "a parameter has a type: name it, or T");
      refuse_pointer();
      one.name = new_name("a parameter's name");
      if (next().is("[")) fail("an array is no parameter of an op of elements: name one value of each");
      all.push_back(std::move(one));
      if (!lexer_.accept(",")) break;
    }
    if (!at_end(end)) lexer_.expected("',' or the end of the parameters");
    return all;
  }

  CodeFunction function() {
    CodeFunction f;
    f.text = lexer_.text();
    generics_.clear();
    for (;;) {
      if (lexer_.accept("template")) {
        lexer_.expect("<");
        do {
          if (!lexer_.accept("typename")) lexer_.expect("class");
          generics_.emplace(new_name("a type's name"));
        } while (lexer_.accept(","));
        lexer_.expect(">");
      } else if (next().is("__device__") || next().is("__host__") || next().is("__forceinline__") ||
                 next().is("inline") || next().is("static") || next().is("constexpr") || next().is("const")) {
        lexer_.take();
      } else {
        break;
      }
    }
    if (next().is("#")) fail("the preprocessor is not there: write numbers and functions in place of macros");
    if (next().is("__global__"))
      fail(
          "a kernel cannot stand in a preamble, which has functions of numbers alone: give functions of "
          "numbers");
    if (next().is("void")) fail("a function gives a value: return it");
    f.result = type();
    refuse_pointer();
    f.name = new_name("a function's name");
    lexer_.expect("(");
    f.params = parameters(")", nullptr);
    lexer_.expect(")");
    if (!next().is("{")) lexer_.expected("'{'");
    statement(f.body);
    f.generics = generics_;
    return f;
  }

  bool at_end_of_text() {
    while (lexer_.accept(";")) {
    }
    return next().kind == CodeToken::End;
  }

 private:
  const CodeToken& next() const { return lexer_.peek(); }
  [[noreturn]] void fail(std::string_view message) const { fail_at(lexer_.text(), next().text, message); }
  bool is_type(std::string_view word) const {
    return is_type_word(word) || word == "std" || word == "thrust" || generics_.contains(std::string(word));
  }
  bool at_end(std::string_view end) const {
    return end.empty() ? next().kind == CodeToken::End : next().is(end);
  }
  void refuse_pointer() const {
    if (next().is("*")) fail("a pointer cannot be had here: results are assigned to the output parameters");
    if (next().is("&")) fail("a reference cannot be had here: return the value");
  }
  // What CuPy's kernels find positions and numbers of elements by.
  void refuse_indexer(const CodeToken& word) const {
    if (word.is("_ind") || word.is("_in_ind") || word.is("_out_ind"))
      fail_at(lexer_.text(), word.text,
              fmt::format(
                  "there is no {}: i is the number of the element; of the number of all take a parameter, as "
                  "long n, and give x.size",
                  word.text));
  }
  // `takes_generic`: where a type is named that the arrays decide.
  [[noreturn]] void refuse_type(bool takes_generic) const {
    fail(fmt::format("{} is no type: name one of C's or NumPy's, or a generic one{}{}", quoted(next()),
                     takes_generic ? ", which is one letter or has a capital in front" : " of the parameters",
                     meant_type(next().text)));
  }
  void refuse_word(const CodeToken& word) const {
    for (const Advice& one : kRefused)
      if (word.text == one.word) fail_at(lexer_.text(), word.text, one.text);
    if (std::ranges::find(kOfKernels, word.text) != kOfKernels.end())
      fail_at(lexer_.text(), word.text,
              fmt::format("{} cannot be used in an op of elements: {}", word.text, kWholeKernels));
  }

  void refuse_begin(const CodeToken& word) const {
    for (const Advice& one : kNoBegin)
      if (word.is(one.word)) fail_at(lexer_.text(), word.text, one.text);
  }

  std::string name(std::string_view what) {
    if (next().kind != CodeToken::Word) lexer_.expected(what);
    refuse_word(next());
    if (is_type_word(next().text))
      fail(fmt::format("expected {}, got {}, which is a type", what, quoted(next())));
    return std::string(lexer_.take().text);
  }

  // The name of what is defined here.
  std::string new_name(std::string_view what) {
    const CodeToken word = next();
    std::string made = name(what);
    if (is_keyword(word.text))
      fail_at(lexer_.text(), word.text,
              fmt::format("expected {}, got {}, a word that C++ keeps", what, quoted(word)));
    if (constant_in_code(word.text))
      fail_at(lexer_.text(), word.text,
              fmt::format("expected {}, got {}, which is a constant", what, quoted(word)));
    if (is_type(word.text))
      fail_at(lexer_.text(), word.text,
              fmt::format("expected {}, got {}, which is a type", what, quoted(word)));
    return made;
  }

  // `add_to`: takes names that are not known, as generic ones.
  CodeType type(std::set<std::string>* add_to = nullptr) {
    CodeType made;
    const auto skip_const = [&] {
      while (lexer_.accept("const") || lexer_.accept("constexpr")) made.is_const = true;
    };
    skip_const();
    if ((next().is("std") || next().is("thrust")) && lexer_.peek_second().is("::")) {
      lexer_.take();
      lexer_.take();
    }
    made.at = next().text;
    if (next().kind == CodeToken::Word && is_keyword(next().text)) {
      refuse_word(next());
      fail(fmt::format("expected a type, got {}, a word that C++ keeps", quoted(next())));
    }
    if (add_to && next().kind == CodeToken::Word && !is_type(next().text) && may_be_generic(next().text))
      add_to->emplace(next().text), generics_.emplace(next().text);
    if (next().kind != CodeToken::Word || !is_type(next().text)) {
      if (next().kind == CodeToken::Word) refuse_word(next());
      if (next().kind == CodeToken::Word) refuse_type(add_to != nullptr);
      lexer_.expected("a type");
    }
    made.name = std::string(lexer_.take().text);
    if (made.name == "complex") {
      lexer_.expect("<");
      const CodeType part = type(add_to);
      lexer_.expect(">");
      made.name = "complex<" + part.name + ">";
    }
    while (joins_types(made.name.substr(0, made.name.find(' '))) && next().kind == CodeToken::Word &&
           joins_types(next().text))
      made.name += " " + std::string(lexer_.take().text);
    skip_const();
    return made;
  }

  // ---- statements

  void nested(CodeStatements& into) {
    if (++depth_ > kMostNested) fail("the text nests too deeply: split it into functions");
    statement(into);
    --depth_;
  }

  // The last semicolon of a text may be left out.
  void end_of_statement() {
    if (next().kind == CodeToken::End) return;
    if (next().is("if")) fail("expected ';', got 'if': a choice of two values is written test ? a : b");
    if (!lexer_.accept(";")) lexer_.expected("';'");
  }

  void statement(CodeStatements& all) {
    const CodeToken at = next();
    if (lexer_.accept(";")) return;
    if (at.is("#")) fail("the preprocessor is not there: write numbers and functions in place of macros");
    CodeStatement s;
    s.at = at.text;
    if (lexer_.accept("{")) {
      s.kind = CodeStatement::Block;
      s.bodies.emplace_back();
      if (++depth_ > kMostNested) fail("the text nests too deeply: split it into functions");
      while (!next().is("}")) {
        if (next().kind == CodeToken::End) lexer_.expected("'}'");
        statement(s.bodies[0]);
      }
      --depth_;
      lexer_.take();
    } else if (lexer_.accept("if")) {
      s.kind = CodeStatement::If;
      s.bodies.resize(2);
      condition(s);
      nested(s.bodies[0]);
      if (lexer_.accept("else")) nested(s.bodies[1]);
    } else if (lexer_.accept("while")) {
      s.kind = CodeStatement::Loop;
      s.bodies.resize(2);
      condition(s);
      nested(s.bodies[0]);
    } else if (lexer_.accept("do")) {
      s.kind = CodeStatement::DoLoop;
      s.bodies.resize(2);
      nested(s.bodies[0]);
      if (!next().is("while")) lexer_.expected("'while'");
      lexer_.take();
      condition(s);
      end_of_statement();
    } else if (lexer_.accept("for")) {
      return for_loop(all, std::move(s));
    } else if (at.is("break") || at.is("continue") || at.is("return")) {
      lexer_.take();
      s.kind = at.is("break")      ? CodeStatement::Break
               : at.is("continue") ? CodeStatement::Continue
                                   : CodeStatement::Return;
      if (at.is("return") && !next().is(";") && next().kind != CodeToken::End)
        s.value.push_back(expression());
      end_of_statement();
    } else {
      in_row(all);
      return end_of_statement();
    }
    all.push_back(std::move(s));
  }

  void condition(CodeStatement& s) {
    lexer_.expect("(");
    s.value.push_back(expression(true));
    lexer_.expect(")");
  }

  // What C lets stand in an expression, and this language in a statement of its own alone.
  void refuse_assignment(bool is_condition) const {
    if (next().is("and") || next().is("or")) refuse_begin(next());
    if (!assigns(next())) return;
    if (next().is("=") && is_condition) fail("= assigns, which a condition cannot: write == to compare");
    fail(fmt::format("{} gives no value here: assign one variable a statement{}", next().text,
                     next().is("=") ? ", and write == to compare" : ""));
  }

  void for_loop(CodeStatements& all, CodeStatement s) {
    CodeStatement block;
    block.kind = CodeStatement::Block;
    block.at = s.at;
    block.bodies.emplace_back();
    s.kind = CodeStatement::Loop;
    s.bodies.resize(2);
    lexer_.expect("(");
    if (!next().is(";")) in_row(block.bodies[0]);
    lexer_.expect(";");
    if (!next().is(";")) s.value.push_back(expression(true));
    lexer_.expect(";");
    if (!next().is(")")) in_row(s.bodies[1]);
    lexer_.expect(")");
    nested(s.bodies[0]);
    block.bodies[0].push_back(std::move(s));
    all.push_back(std::move(block));
  }

  // Several of them, between commas.
  void in_row(CodeStatements& all) {
    do simple(all);
    while (lexer_.accept(","));
  }

  // A declaration of one or several names, an assignment, or ++ and --.
  void simple(CodeStatements& all) {
    if (next().is("const") || next().is("constexpr")) return declaration(all);
    const CodeToken at = next(), second = lexer_.peek_second();
    if (at.kind == CodeToken::Word) refuse_word(at), refuse_begin(at);
    if (at.kind == CodeToken::Word && second.is(":"))
      fail("a label cannot be had here: use while, break and continue");
    const bool declares = at.kind == CodeToken::Word && is_type(at.text) && !second.is("(");
    if (declares) return declaration(all);
    CodeStatement s;
    s.at = at.text;
    if (at.is("++") || at.is("--")) {
      lexer_.take();
      s.kind = CodeStatement::Assign;
      s.at = next().text;
      s.name = name("a variable");
      step(s, at);
    } else if (at.kind == CodeToken::Word && (second.is("++") || second.is("--"))) {
      s.kind = CodeStatement::Assign;
      s.name = name("a variable");
      step(s, lexer_.take());
    } else if (at.kind == CodeToken::Word && assigns(second)) {
      s.kind = CodeStatement::Assign;
      s.name = name("a variable");
      const CodeToken sign = lexer_.take();
      s.op = std::string(sign.text.substr(0, sign.text.size() - 1));
      s.value.push_back(expression());
    } else if (at.kind == CodeToken::Word && second.is("[")) {
      fail_at(lexer_.text(), second.text,
              "elements of arrays cannot be written here: assign the output parameter, which is one element");
    } else if (at.kind == CodeToken::Word && second.kind == CodeToken::Word) {
      refuse_type(false);
    } else {
      s.kind = CodeStatement::Evaluate;
      s.value.push_back(expression());
    }
    all.push_back(std::move(s));
  }

  static bool assigns(const CodeToken& sign) {
    return sign.kind == CodeToken::Sign && sign.text.ends_with('=') && !sign.is("==") && !sign.is("!=") &&
           !sign.is("<=") && !sign.is(">=");
  }

  static void step(CodeStatement& s, const CodeToken& sign) {
    s.op = std::string(sign.text.substr(0, 1));
    s.value.push_back({CodeExpression::Number, sign.text, "1", {}, {}});
  }

  void declaration(CodeStatements& all) {
    const CodeType t = type();
    refuse_pointer();
    do {
      refuse_pointer();
      CodeStatement s;
      s.kind = CodeStatement::Declare;
      s.type = t;
      s.at = next().text;
      s.name = new_name("a variable's name");
      if (next().is("[")) fail("an array of its own cannot be had in an op of elements: use variables");
      if (next().is("(") || next().is("{"))
        s.value.push_back(made_of(t, s.at));
      else if (lexer_.accept("="))
        s.value.push_back(next().is("{") ? made_of(t, s.at) : expression());
      all.push_back(std::move(s));
    } while (lexer_.accept(","));
  }

  // The value of the type that is made of what stands in the parentheses or braces.
  CodeExpression made_of(const CodeType& t, std::string_view at) {
    CodeExpression e;
    e.kind = CodeExpression::Cast;
    e.at = at;
    e.type = t;
    e.operands = arguments();
    if (t.name != "auto") return e;
    if (e.operands.size() != 1)
      fail_at(lexer_.text(), at, fmt::format("auto is made of one value: got {}", e.operands.size()));
    return std::move(e.operands[0]);
  }

  // ---- expressions

  CodeExpression expression(bool is_condition = false) {
    if (++depth_ > kMostNested) fail("the expression nests too deeply: give parts of it names");
    CodeExpression a = binary(1);
    if (next().is("?")) {
      CodeExpression whole;
      whole.kind = CodeExpression::Conditional;
      whole.at = lexer_.take().text;
      whole.operands.push_back(std::move(a));
      whole.operands.push_back(expression());
      lexer_.expect(":");
      whole.operands.push_back(expression());
      a = std::move(whole);
    }
    --depth_;
    refuse_assignment(is_condition);
    return a;
  }

  CodeExpression binary(int level) {
    CodeExpression a = unary();
    for (;;) {
      const int found = next().kind == CodeToken::Sign ? precedence(next().text) : 0;
      if (found < level) return a;
      CodeExpression whole;
      whole.kind = CodeExpression::Binary;
      whole.at = next().text;
      whole.text = std::string(lexer_.take().text);
      if (whole.text == "*" && next().is("*") && next().text.data() == whole.at.data() + 1)
        fail_at(lexer_.text(), whole.at, "there is no **: write pow(x, y), or x * x");
      whole.operands.push_back(std::move(a));
      whole.operands.push_back(binary(found + 1));
      a = std::move(whole);
    }
  }

  CodeExpression unary() {
    const CodeToken at = next();
    if (at.is("++") || at.is("--")) fail("++ and -- stand as statements of their own");
    if (at.is("*") || at.is("&")) {
      refuse_callee();
      fail("pointers cannot be had here: use values");
    }
    if (at.is("-") || at.is("+") || at.is("!") || at.is("~")) {
      if (++depth_ > kMostNested) fail("the expression nests too deeply: give parts of it names");
      CodeExpression whole;
      whole.kind = CodeExpression::Unary;
      whole.at = at.text;
      whole.text = std::string(lexer_.take().text);
      whole.operands.push_back(unary());
      --depth_;
      return whole;
    }
    if (at.is("(") && lexer_.peek_second().kind == CodeToken::Word && is_type(lexer_.peek_second().text)) {
      CodeLexer ahead = lexer_;
      lexer_.take();
      CodeExpression whole;
      whole.kind = CodeExpression::Cast;
      whole.at = next().text;
      whole.type = type();
      if (lexer_.accept(")")) {
        whole.operands.push_back(unary());
        return whole;
      }
      lexer_ = ahead;
    }
    return postfix();
  }

  // In parentheses or braces.
  std::vector<CodeExpression> arguments() {
    const std::string_view end = next().is("{") ? "}" : ")";
    lexer_.expect(end == "}" ? "{" : "(");
    std::vector<CodeExpression> all;
    if (!next().is(end)) do
        all.push_back(expression());
      while (lexer_.accept(","));
    lexer_.expect(end);
    return all;
  }

  // Says what to write in place of the call whose arguments are read, where that is known.
  void refuse_callee() const {
    if (const std::string_view advice = instead_of_call(callee_.text); !advice.empty())
      fail_at(lexer_.text(), callee_.text, fmt::format("{} cannot be called here: {}", callee_.text, advice));
  }

  CodeExpression postfix() {
    CodeExpression a = primary();
    for (;;) {
      if (lexer_.accept(".")) {
        CodeExpression whole;
        whole.kind = CodeExpression::Member;
        whole.at = next().text;
        whole.text = name("'real()' or 'imag()'");
        if (!next().is("("))
          fail_at(lexer_.text(), whole.at,
                  fmt::format("numbers have no {}: z.real() and z.imag() are there", whole.text));
        whole.operands.push_back(std::move(a));
        lexer_.expect("(");
        lexer_.expect(")");
        a = std::move(whole);
      } else if (next().is("[")) {
        fail(
            "elements of arrays cannot be read here: a parameter is one element; pass shifted views of the "
            "array");
      } else if (next().is("++") || next().is("--")) {
        fail("++ and -- stand as statements of their own");
      } else if (next().is("->")) {
        fail("pointers cannot be had here: use values");
      } else {
        return a;
      }
    }
  }

  // sizeof(type), and of a value, which is not computed.
  CodeExpression size() {
    CodeExpression e;
    e.kind = CodeExpression::Size;
    e.at = lexer_.take().text;
    if (next().is("(") && lexer_.peek_second().kind == CodeToken::Word &&
        is_type(lexer_.peek_second().text)) {
      lexer_.take();
      e.type = type();
      lexer_.expect(")");
    } else {
      e.operands.push_back(unary());
    }
    return e;
  }

  CodeExpression primary() {
    const CodeToken at = next();
    CodeExpression e;
    e.at = at.text;
    if (at.kind == CodeToken::Number) {
      e.kind = CodeExpression::Number;
      e.text = std::string(lexer_.take().text);
      return e;
    }
    if (lexer_.accept("(")) {
      e = expression();
      if (next().is(",")) fail(", gives no value here: write a statement for each");
      lexer_.expect(")");
      return e;
    }
    if (at.kind != CodeToken::Word) {
      if (at.is("\"") || at.is("'")) {
        refuse_callee();
        fail("text cannot be used here: use numbers alone");
      }
      if (at.is("[")) fail("a lambda cannot be had here: write a function in the preamble");
      lexer_.expected("a value");
    }
    if (at.is("sizeof")) return size();
    if (at.is("static_cast")) {
      lexer_.take();
      lexer_.expect("<");
      e.kind = CodeExpression::Cast;
      e.type = type();
      lexer_.expect(">");
      e.operands = arguments();
      return e;
    }
    if ((at.is("std") || at.is("thrust") || at.is("cuda")) && lexer_.peek_second().is("::")) {
      CodeLexer ahead = lexer_;
      ahead.take();
      ahead.take();
      if (!ahead.peek().is("complex")) {
        lexer_ = ahead;
        return primary();
      }
    }
    if (is_type(at.text)) {
      e.kind = CodeExpression::Cast;
      e.type = type();
      if (!next().is("(") && !next().is("{")) lexer_.expected("'(' or '{' after a type");
      e.operands = arguments();
      return e;
    }
    refuse_indexer(at);
    refuse_begin(at);
    e.text = name("a value");
    e.kind = next().is("(") ? CodeExpression::Call : CodeExpression::Name;
    if (e.kind == CodeExpression::Call) {
      const CodeToken outer = std::exchange(callee_, at);
      e.operands = arguments();
      callee_ = outer;
    }
    return e;
  }

  CodeLexer lexer_;
  CodeToken callee_;  // whose arguments are read
  std::set<std::string> generics_;
  int depth_ = 0;
};

}  // namespace

std::string generic_name(const std::string& type) {
  return type.starts_with("complex<") ? type.substr(8, type.size() - 9) : type;
}

std::vector<CodeParameter> parse_parameters(const CodeText& text, std::set<std::string>& generics) {
  return CodeParser(text, generics).parameters("", &generics);
}

CodeStatements parse_statements(const CodeText& text, const std::set<std::string>& generics) {
  return CodeParser(text, generics).statements_to_end();
}

CodeStatements parse_value(const CodeText& text, const std::set<std::string>& generics,
                           const std::string& name) {
  return CodeParser(text, generics).value_to_end(name);
}

std::vector<CodeFunction> parse_functions(const CodeText& text) {
  CodeParser parser(text, {});
  std::vector<CodeFunction> all;
  while (!parser.at_end_of_text()) all.push_back(parser.function());
  return all;
}

bool may_leave(const CodeStatement& s) {
  if (s.kind == CodeStatement::Break || s.kind == CodeStatement::Continue || s.kind == CodeStatement::Return)
    return true;
  return std::ranges::any_of(s.bodies,
                             [](const CodeStatements& body) { return std::ranges::any_of(body, may_leave); });
}

namespace {

// Whether the loop around them may be left by break.
bool may_break(const CodeStatements& statements) {
  return std::ranges::any_of(statements, [](const CodeStatement& s) {
    if (s.kind == CodeStatement::Break) return true;
    if (s.kind == CodeStatement::Loop || s.kind == CodeStatement::DoLoop) return false;
    return std::ranges::any_of(s.bodies, may_break);
  });
}

bool is_endless(const CodeStatement& s) {
  return s.kind == CodeStatement::Loop && !may_break(s.bodies[0]) &&
         (s.value.empty() || s.value[0].text == "true" || s.value[0].text == "1");
}

}  // namespace

bool always_leaves(const CodeStatements& statements) {
  return std::ranges::any_of(statements, [](const CodeStatement& s) {
    if (s.kind == CodeStatement::Break || s.kind == CodeStatement::Continue ||
        s.kind == CodeStatement::Return)
      return true;
    if (s.kind == CodeStatement::Block) return always_leaves(s.bodies[0]);
    if (is_endless(s)) return true;
    return s.kind == CodeStatement::If && always_leaves(s.bodies[0]) && always_leaves(s.bodies[1]);
  });
}

}  // namespace weft::ir
