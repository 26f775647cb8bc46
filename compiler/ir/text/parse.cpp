#include "compiler/ir/text/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/ir/build.h"
#include "compiler/ir/code/code.h"
#include "compiler/ir/make_loop.h"
#include "compiler/ir/text/lexer.h"
#include "compiler/ir/text/literal.h"
#include "compiler/ir/text/parse_function.h"
#include "compiler/ir/text/parse_kernel.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/text/types.h"

namespace weft::ir {
namespace {

// A SourceLine's file lives as long as the program, while nodes outlive the caller's string: each name is
// kept once.
const char* interned(std::string_view file_name) {
  static std::mutex mutex;
  static auto* names = new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto found = names->find(file_name);
  if (found == names->end()) found = names->emplace(file_name).first;
  return found->c_str();
}

struct Operand {
  Token at;
  NodeRef node;  // empty for a literal
  std::optional<Literal> literal;
};

struct Attribute {
  Token key;
  Token at;
  bool is_list = false;
  Dims values;
  std::vector<Token> words;  // names of bodies, in place of numbers
  bool used = false;
};

// One line, read but not yet checked against its op.
struct Statement {
  Token target, op_at;
  Op op = Op::input;
  std::vector<Operand> operands;
  std::optional<std::string> name;  // of an input or scalar
  Token name_at;
  std::vector<Attribute> attributes;
  std::optional<TensorType> stated;
  Token stated_at;
};

}  // namespace

struct Defined {
  std::vector<std::shared_ptr<const std::string>> texts;  // into which maps point
  std::map<std::string, FunctionRef, std::less<>> functions;
  std::map<std::string, std::shared_ptr<const Code>, std::less<>> codes;
  std::map<std::string, UserKernelRef, std::less<>> kernels;
};

namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name, const Defined& defined)
      : lexer_(text, file_name), file_(interned(file_name)), defined_(defined) {}

  // What stands before the graph.
  void definitions() {
    for (skip_newlines();; skip_newlines()) {
      if (lexer_.peek().is("body")) {
        body();
      } else if (lexer_.peek().is("function")) {
        function();
      } else if (lexer_.peek().is("map")) {
        code();
      } else if (lexer_.peek().is("kernel")) {
        kernel();
      } else {
        break;
      }
    }
  }

  // Those of a text that holds nothing else.
  Defined alone() {
    definitions();
    if (!bodies_.empty()) lexer_.expected("the graph that the bodies belong to");
    if (lexer_.peek().kind != Token::End) lexer_.expected("'map', 'function' or 'kernel'");
    return std::move(defined_);
  }

  Graph graph() {
    definitions();
    if (!lexer_.peek().is("graph")) lexer_.expected("'graph'");
    lexer_.take();
    if (lexer_.peek().kind == Token::Word) lexer_.take();
    Graph whole = block();
    skip_newlines();
    if (lexer_.peek().kind != Token::End) lexer_.expected("the end of the text after the graph");
    return whole;
  }

 private:
  struct Definition {
    NodeRef node;
    uint32_t line;
  };

  void body() {
    lexer_.take();
    const Token name = lexer_.peek();
    if (name.kind != Token::Word) lexer_.expected("a body's name");
    if (bodies_.contains(name.text)) lexer_.fail(name, fmt::format("{} is already a body", quoted(name)));
    lexer_.take();
    bodies_.emplace(name.text, block());
  }

  void function() {
    FunctionRef made = parse_function(lexer_);
    const std::string name = made->name;
    if (!defined_.functions.emplace(name, std::move(made)).second)
      lexer_.fail(lexer_.peek(), fmt::format("'{}' is already a function", name));
  }

  void kernel() {
    auto [name, made] = parse_kernel(lexer_);
    if (!defined_.kernels.emplace(name, std::move(made)).second)
      lexer_.fail(lexer_.peek(), fmt::format("'{}' is already a kernel", name));
  }

  // map name(T x) -> (T y) { y = …; } cuda { y = …; } derivative { dy_dx = …; } reference { y = …; } ulps 2
  void code() {
    lexer_.take();
    const Token named = lexer_.peek();
    if (named.kind != Token::Word) lexer_.expected("the name of an op");
    CodeTexts texts;
    texts.name = std::string(lexer_.take().text);
    if (defined_.functions.contains(texts.name) || defined_.codes.contains(texts.name))
      lexer_.fail(named, fmt::format("{} is already a function", quoted(named)));
    const auto text = [&](std::string_view part) {
      return CodeText{lexer_.text(), part, lexer_.file_name()};
    };
    const std::string_view nothing = lexer_.text().substr(0, 0);
    texts.in_params = text(lexer_.take_enclosed('(', ')'));
    if (lexer_.peek().text != "-") lexer_.expected("'->'");
    lexer_.take();
    expect('>');
    texts.out_params = text(lexer_.take_enclosed('(', ')'));
    texts.operation = text(lexer_.take_enclosed('{', '}'));
    texts.preamble = text(nothing);
    texts.derivative = text(nothing);
    texts.cuda_operation = texts.cuda_preamble = texts.reference = text(nothing);
    const auto accept_text = [&](const char* word, CodeText& to) {
      if (!lexer_.peek().is(word)) return;
      lexer_.take();
      to = text(lexer_.take_enclosed('{', '}'));
    };
    accept_text("cuda", texts.cuda_operation);
    accept_text("derivative", texts.derivative);
    Code::ReferenceOf reference;
    if (lexer_.peek().is("reference")) {
      lexer_.take();
      if (lexer_.peek().kind == Token::Word)
        reference = function_above();
      else
        texts.reference = text(lexer_.take_enclosed('{', '}'));
      if (lexer_.peek().is("ulps")) {
        lexer_.take();
        texts.ulps = parse_ulps(lexer_);
      }
    }
    defined_.codes.emplace(texts.name, Code::parse(texts, std::move(reference)));
  }

  // What the name of a function or of an op stands for.
  Code::ReferenceOf function_above() {
    const Token at = lexer_.take();
    if (const auto f = defined_.functions.find(at.text); f != defined_.functions.end())
      return [made = f->second](auto) { return made; };
    const auto op = defined_.codes.find(at.text);
    if (op == defined_.codes.end()) lexer_.fail(at, fmt::format("{} is no function above", quoted(at)));
    return [code = op->second](std::span<const DType> dtypes) {
      std::vector<Code::Argument> arguments;
      arguments.reserve(dtypes.size());
      for (const DType dtype : dtypes) arguments.push_back({dtype});
      return code->of(arguments);
    };
  }

  // What stands in braces.
  Graph block() {
    graph_ = {};
    assigns_.clear();
    values_.clear();
    expect('{');
    for (skip_newlines(); !lexer_.peek().is("return"); skip_newlines()) {
      if (lexer_.peek().kind != Token::Value) lexer_.expected("'%name = …' or 'return'");
      define(statement());
      end_of_line();
    }
    lexer_.take();
    if (lexer_.peek().kind == Token::Value) {
      graph_.outputs.push_back(value(lexer_.take()));
      while (accept(',')) {
        if (lexer_.peek().kind != Token::Value) lexer_.expected("a value");
        graph_.outputs.push_back(value(lexer_.take()));
      }
    }
    end_of_line();
    skip_newlines();
    expect('}');
    check_assigns();
    return std::move(graph_);
  }

  // ---- reading
  void skip_newlines() {
    while (lexer_.peek().kind == Token::Newline) lexer_.take();
  }
  bool accept(char c) {
    if (!lexer_.peek().is(c)) return false;
    lexer_.take();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) lexer_.expected(fmt::format("'{}'", c));
  }
  void end_of_line() {
    if (lexer_.peek().kind != Token::Newline && !lexer_.peek().is('}'))
      lexer_.expected("the end of the line");
  }

  NodeRef value(const Token& at) const {
    auto found = values_.find(at.text);
    if (found == values_.end()) lexer_.fail(at, fmt::format("{} is not defined above", quoted(at)));
    return found->second.node;
  }

  Statement statement() {
    Statement s;
    s.target = lexer_.take();
    if (s.target.text.size() == 1) lexer_.fail(s.target, "expected a name after '%'");
    if (auto old = values_.find(s.target.text); old != values_.end())
      lexer_.fail(s.target,
                  fmt::format("{} is already defined on line {}", quoted(s.target), old->second.line));
    expect('=');
    s.op_at = lexer_.peek();
    std::optional<Op> op;
    if (s.op_at.kind == Token::Word) op = op_from_name(s.op_at.text);
    if (!op) lexer_.expected("an op");
    s.op = *op;
    lexer_.take();
    if (!ends_arguments(lexer_.peek())) {
      do argument(s);
      while (accept(','));
    }
    if (accept(':')) {
      s.stated_at = lexer_.peek();
      s.stated = parse_type(lexer_);
    } else if (!ends_arguments(lexer_.peek())) {
      lexer_.expected("',', ':' or the end of the line");
    }
    return s;
  }

  static bool ends_arguments(const Token& t) {
    return t.is(':') || t.is('}') || t.kind == Token::Newline || t.kind == Token::End;
  }

  void argument(Statement& s) {
    const Token at = lexer_.peek();
    if (at.kind == Token::Value) {
      s.operands.push_back({at, value(at), {}});
      lexer_.take();
    } else if (at.kind == Token::String) {
      if (s.name) lexer_.expected("one name only");
      s.name = parse_string(lexer_, lexer_.take());
      s.name_at = at;
    } else if (starts_literal(at)) {
      s.operands.push_back({at, {}, parse_literal(lexer_)});
    } else if (at.kind == Token::Word) {
      lexer_.take();
      for (const Attribute& a : s.attributes)
        if (a.key.text == at.text) lexer_.fail(at, fmt::format("{} is given twice", quoted(at)));
      if (!lexer_.peek().is('='))
        lexer_.fail(at, fmt::format("expected a value or '{}=…', got {}", at.text, quoted(at)));
      lexer_.take();
      Attribute a{at, lexer_.peek(), lexer_.peek().is('['), {}, {}, false};
      if ((kind(s.op) == OpKind::Loop && names_bodies(at.text)) ||
          ((s.op == Op::apply || s.op == Op::kernel) && at.text == "function"))
        a.words = words();
      else if (a.is_list)
        a.values = parse_dims(lexer_);
      else
        a.values = {to_int64(lexer_, lexer_.take())};
      s.attributes.push_back(std::move(a));
    } else {
      lexer_.expected("a value");
    }
  }

  static bool names_bodies(std::string_view key) {
    return key == "body" || key == "condition" || key == "bodies";
  }

  std::vector<Token> words() {
    const auto word = [&] {
      if (lexer_.peek().kind != Token::Word) lexer_.expected("a body's name");
      return lexer_.take();
    };
    if (!accept('[')) return {word()};
    std::vector<Token> all;
    do all.push_back(word());
    while (accept(','));
    if (!accept(']')) lexer_.expected("',' or ']'");
    return all;
  }

  // ---- checking and making
  void check_assigns() const {
    const BrokenAssign broken = find_broken_assign(graph_);
    for (auto& [node, at] : assigns_)
      if (node.get() == broken.node)
        lexer_.fail(at, fmt::format("assign: {}: use update, which takes the same operands", broken.why));
  }

  void define(Statement s) {
    NodeRef node = make_node(s);
    if (s.stated && node->type != *s.stated)
      lexer_.fail(s.stated_at, fmt::format("{}: the result is {}, but {} is stated", name(s.op),
                                           to_string(node->type), to_string(*s.stated)));
    if (is_given(s.op)) graph_.inputs.push_back(node);
    if (s.op == Op::assign) assigns_.emplace_back(node, s.op_at);
    values_.emplace(s.target.text, Definition{std::move(node), s.target.line});
  }

  static bool needs_type(Op op) { return info(op).states_shape || info(op).result == Result::Stated; }
  // Maps whose operands may be of mixed types or literals.
  static bool is_elementwise(Op op) {
    return kind(op) == OpKind::Map && info(op).arity >= 0 && info(op).result != Result::Stated;
  }

  NodeRef make_node(Statement& s) {
    check_operands(s);
    if (needs_type(s.op) && !s.stated)
      lexer_.fail(s.op_at, fmt::format("expected ': type' at the end of the line, since {} does not imply it",
                                       name(s.op)));
    Attr attr = attribute(s);
    for (const Attribute& a : s.attributes)
      if (!a.used) lexer_.fail(a.key, fmt::format("{} has no attribute {}", name(s.op), quoted(a.key)));

    Lines lines(SourceLine{file_, s.op_at.line});
    if (is_elementwise(s.op) && !is_strict(s)) {
      std::vector<NodeRef> inputs = weak_inputs(s, lines);
      return at_token(lexer_, s.op_at, [&] { return elementwise(s.op, inputs, lines); });
    }
    std::vector<NodeRef> inputs;
    for (const Operand& operand : s.operands)
      if (operand.node)
        inputs.push_back(operand.node);
      else if (s.op == Op::pad)
        inputs.push_back(literal_node(*operand.literal, s.operands[0].node->dtype(), lines));
    return at_token(lexer_, s.op_at, [&] {
      return make(s.op, inputs, std::move(attr), s.stated.value_or(TensorType{}), lines);
    });
  }

  void check_operands(const Statement& s) const {
    if (s.name && !is_given(s.op))
      lexer_.fail(s.name_at, fmt::format("{} has no name; only input and scalar have", name(s.op)));
    size_t arity = s.op == Op::constant ? 1 : static_cast<size_t>(info(s.op).arity);
    if (info(s.op).arity >= 0 && s.operands.size() != arity) {
      const Token& at = s.operands.size() > arity ? s.operands[arity].at : s.op_at;
      lexer_.fail(at, fmt::format("{} takes {} operand{}, got {}", name(s.op), arity, arity == 1 ? "" : "s",
                                  s.operands.size()));
    }
    if (s.op == Op::constant && s.operands[0].node)
      lexer_.fail(s.operands[0].at,
                  fmt::format("expected a number, true or false, got {}", quoted(s.operands[0].at)));
    for (size_t i = 0; i < s.operands.size(); ++i) {
      bool literal_may_stand = is_elementwise(s.op) || s.op == Op::constant || (s.op == Op::pad && i == 1);
      if (s.operands[i].literal && !literal_may_stand)
        lexer_.fail(s.operands[i].at, fmt::format("expected a value, got {}: {} takes no literal here",
                                                  quoted(s.operands[i].at), name(s.op)));
    }
  }

  // Whether the line already states a node: all of one shape and of one dtype that the op takes.
  static bool is_strict(const Statement& s) {
    size_t first = s.op == Op::select ? 1 : 0;
    for (const Operand& operand : s.operands)
      if (!operand.node || operand.node->shape() != s.operands[0].node->shape()) return false;
    for (size_t i = first; i < s.operands.size(); ++i)
      if (s.operands[i].node->dtype() != s.operands[first].node->dtype()) return false;
    if (s.op == Op::select && s.operands[0].node->dtype() != DType::Bool) return false;
    return accepts(s.op, s.operands[first].node->dtype());
  }

  NodeRef literal_node(const Literal& literal, DType dtype, const Lines& lines) const {
    Scalar value = literal.kind == DTypeKind::Bool ? to_scalar(lexer_, literal, DType::Bool).cast(dtype)
                                                   : to_scalar(lexer_, literal, dtype);
    return constant({dtype, {}}, value, lines);
  }

  // Literals take the dtype of the arrays beside them, unless their kind exceeds it.
  std::vector<NodeRef> weak_inputs(const Statement& s, const Lines& lines) const {
    size_t first = s.op == Op::select ? 1 : 0;
    std::optional<DType> common;
    for (size_t i = first; i < s.operands.size(); ++i)
      if (const NodeRef& node = s.operands[i].node)
        common = common ? promote(*common, node->dtype()) : node->dtype();
    if (!common) common = DType::Bool;
    DType dtype = *common;
    for (size_t i = first; i < s.operands.size(); ++i)
      if (s.operands[i].literal) dtype = promote_weak(dtype, s.operands[i].literal->kind);
    std::vector<NodeRef> inputs;
    for (size_t i = 0; i < s.operands.size(); ++i) {
      const Operand& operand = s.operands[i];
      inputs.push_back(operand.node ? operand.node
                                    : literal_node(*operand.literal, i < first ? DType::Bool : dtype, lines));
    }
    return inputs;
  }

  // ---- attributes
  std::optional<Dims> find_list(Statement& s, std::string_view key) const {
    for (Attribute& a : s.attributes) {
      if (a.key.text != key) continue;
      if (!a.is_list)
        lexer_.fail(a.at, fmt::format("expected a list, as in '{}=[0, 1]', got {}", key, quoted(a.at)));
      a.used = true;
      return std::move(a.values);
    }
    return {};
  }
  Dims list_or(Statement& s, std::string_view key, size_t rank, int64_t value) const {
    return find_list(s, key).value_or(Dims(rank, value));
  }
  std::optional<int64_t> find_number(Statement& s, std::string_view key) const {
    for (Attribute& a : s.attributes) {
      if (a.key.text != key) continue;
      if (a.is_list) lexer_.fail(a.at, fmt::format("expected an integer, as in '{}=0', got a list", key));
      a.used = true;
      return a.values[0];
    }
    return {};
  }
  [[noreturn]] void missing(const Statement& s, std::string_view attribute) const {
    lexer_.fail(s.op_at, fmt::format("{} needs {}", name(s.op), attribute));
  }

  Attr attribute(Statement& s) const {
    size_t rank = s.operands.empty() || !s.operands[0].node ? 0 : s.operands[0].node->shape().size();
    switch (kind(s.op)) {
      case OpKind::Scan:
      case OpKind::Gather:
      case OpKind::Scatter:
        return axis_attribute(s, rank);
      case OpKind::Reduce:
        return reduced_axes(s, rank);
      case OpKind::Update:
        return range_attribute(s, rank);
      case OpKind::Loop:
        return loop_attribute(s);
      case OpKind::Kernel:
        return kernel_attribute(s);
      default:
        break;
    }
    switch (s.op) {
      case Op::input: {
        InputAttr a{nullptr, s.name.value_or(std::string(s.target.text.substr(1))), {}, 0};
        if (auto strides = find_list(s, "strides")) a.strides = *strides;
        a.offset = find_number(s, "offset").value_or(0);
        return a;
      }
      case Op::scalar:
        return ScalarAttr{s.name.value_or(std::string(s.target.text.substr(1)))};
      case Op::constant:
        return ConstantAttr{to_scalar(lexer_, *s.operands[0].literal, s.stated->dtype)};
      case Op::iota:
        return axis_attribute(s, s.stated->shape.size());
      case Op::concat:
        return axis_attribute(s, rank);
      case Op::permute: {
        auto axes = find_list(s, "axes");
        if (!axes) missing(s, "axes=[…]");
        for (int64_t& axis : *axes) axis = normal_axis(s, axis, rank);
        return AxesAttr{std::move(*axes)};
      }
      case Op::slice:
        return range_attribute(s, rank);
      case Op::pad: {
        Dims before = list_or(s, "before", rank, 0);
        return PadAttr{std::move(before), list_or(s, "after", rank, 0)};
      }
      case Op::apply:
        return apply_attribute(s);
      default:
        return {};
    }
  }

  ApplyAttr apply_attribute(Statement& s) const {
    for (Attribute& a : s.attributes) {
      if (a.key.text != "function") continue;
      a.used = true;
      if (const auto code = defined_.codes.find(a.words[0].text); code != defined_.codes.end())
        return {function_of(*code->second, s), find_number(s, "result").value_or(0)};
      const auto found = defined_.functions.find(a.words[0].text);
      if (found == defined_.functions.end())
        lexer_.fail(a.at, fmt::format("{} is no function above", quoted(a.at)));
      return {found->second, find_number(s, "result").value_or(0)};
    }
    missing(s, "function=…");
  }

  KernelAttr kernel_attribute(Statement& s) const {
    for (Attribute& a : s.attributes) {
      if (a.key.text != "function") continue;
      a.used = true;
      const auto found = defined_.kernels.find(a.words[0].text);
      if (found == defined_.kernels.end())
        lexer_.fail(a.at, fmt::format("{} is no kernel above", quoted(a.at)));
      const UserKernel& kernel = *found->second;
      const auto fits = [](const Operand& one, const TensorType& type) {
        return one.node && one.node->type == type;
      };
      if (!std::ranges::equal(s.operands, kernel.operands, fits))
        lexer_.fail(s.op_at, fmt::format("kernel: {} takes other operands", kernel.title));
      const int64_t result = find_number(s, "result").value_or(0);
      if (result < 0 || std::cmp_greater_equal(result, kernel.results.size()))
        lexer_.fail(s.op_at, fmt::format("kernel: {} has {} results: got result={}", kernel.title,
                                         kernel.results.size(), result));
      return {found->second, result};
    }
    missing(s, "function=…");
  }

  // The op for the dtypes of these operands.
  static FunctionRef function_of(const Code& code, const Statement& s) {
    std::vector<Code::Argument> arguments;
    arguments.reserve(s.operands.size());
    for (const Operand& one : s.operands)
      if (one.node) arguments.push_back({one.node->dtype()});
    if (code.takes_index()) arguments.pop_back();
    return code.of(arguments);
  }

  std::vector<Graph> bodies(Statement& s, std::string_view key) const {
    std::vector<Graph> found;
    for (Attribute& a : s.attributes) {
      if (a.key.text != key) continue;
      a.used = true;
      for (const Token& word : a.words) {
        const auto body = bodies_.find(word.text);
        if (body == bodies_.end()) lexer_.fail(word, fmt::format("{} is no body above", quoted(word)));
        found.push_back(body->second);
      }
    }
    if (found.empty()) missing(s, fmt::format("{}=…", key));
    return found;
  }

  LoopAttr loop_attribute(Statement& s) const {
    Loop loop;
    loop.op = s.op;
    if (s.op == Op::while_loop) loop.bodies = bodies(s, "condition");
    const std::vector<Graph> done = bodies(s, s.op == Op::branch ? "bodies" : "body");
    loop.bodies.insert(loop.bodies.end(), done.begin(), done.end());
    const auto count = [&](std::string_view key, int64_t otherwise) {
      const int64_t value = find_number(s, key).value_or(otherwise);
      if (value < 0)
        lexer_.fail(s.op_at, fmt::format("{}: {} is not negative: got {}", name(s.op), key, value));
      return value;
    };
    const auto of_body = static_cast<int64_t>(done[0].outputs.size());
    if (s.op == Op::scan) {
      const std::optional<int64_t> length = find_number(s, "length");
      if (!length) missing(s, "length=…");
      loop.length = *length;
      loop.carries = static_cast<size_t>(count("carries", of_body));
      loop.sliced = static_cast<size_t>(count("sliced", 0));
      loop.reverse = count("reverse", 0) != 0;
    } else if (s.op == Op::while_loop) {
      loop.carries = static_cast<size_t>(of_body);
    }
    const int64_t result = count("result", 0);
    const LoopRef made = at_token(lexer_, s.op_at, [&] { return checked(std::move(loop)); });
    return {made, result};
  }

  AxesAttr reduced_axes(Statement& s, size_t rank) const {
    auto axes = find_list(s, "axes");
    if (!axes) {
      axes = Dims(rank, 0);
      for (size_t i = 0; i < rank; ++i) (*axes)[i] = static_cast<int64_t>(i);
    }
    for (int64_t& axis : *axes) axis = normal_axis(s, axis, rank);
    return {std::move(*axes)};
  }

  SliceAttr range_attribute(Statement& s, size_t rank) const {
    Dims starts = list_or(s, "starts", rank, 0);
    return {std::move(starts), list_or(s, "steps", rank, 1)};
  }

  AxisAttr axis_attribute(Statement& s, size_t rank) const {
    auto axis = find_number(s, "axis");
    if (!axis) missing(s, "axis=…");
    return {normal_axis(s, *axis, rank)};
  }

  int64_t normal_axis(const Statement& s, int64_t axis, size_t rank) const {
    return at_token(lexer_, s.op_at, [&] { return normalize_axis(name(s.op), axis, rank); });
  }

  TextLexer lexer_;
  const char* file_;
  Graph graph_;
  std::vector<std::pair<NodeRef, Token>> assigns_;
  std::unordered_map<std::string_view, Definition> values_;
  std::unordered_map<std::string_view, Graph> bodies_;
  Defined defined_;
};

}  // namespace

Definitions::Definitions() : defined_(std::make_shared<const Defined>()) {}

void Definitions::add(std::string text, std::string_view file_name) {
  const auto kept = std::make_shared<const std::string>(std::move(text));
  Defined all = Parser(*kept, file_name, *defined_).alone();
  all.texts.push_back(kept);
  defined_ = std::make_shared<const Defined>(std::move(all));
}

Graph Definitions::parse(std::string_view text, std::string_view file_name) const {
  return Parser(text, file_name, *defined_).graph();
}

Graph parse(std::string_view text, std::string_view file_name) {
  return Definitions().parse(text, file_name);
}

}  // namespace weft::ir
