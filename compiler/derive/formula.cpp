#include "compiler/derive/formula.h"

#include <array>
#include <charconv>
#include <numbers>

#include "compiler/base/error.h"
#include "compiler/derive/nodes.h"

namespace weft::derive {
namespace {

using ir::Lines;
using ir::NodeRef;
using ir::Op;

// The derivative of lgamma. Above one half by the recurrence and the asymptotic series of Abramowitz and
// Stegun 6.3.5 and 6.3.18, below by the reflection 6.3.7. The branch that is not taken stays finite, so
// that its own derivative does.
NodeRef digamma(const NodeRef& x, const Lines& lines) {
  constexpr int kShift = 8;
  constexpr std::array kSeries = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                  1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const auto n = [&](double value) { return number(x->type, value, lines); };
  const NodeRef low = op(Op::less, x, n(0.5), lines);
  const NodeRef z = choose(low, op(Op::subtract, n(1), x, lines), x, lines);
  NodeRef steps = op(Op::divide, n(1), z, lines);
  for (int k = 1; k < kShift; ++k)
    steps = op(Op::add, steps, op(Op::divide, n(1), op(Op::add, z, n(k), lines), lines), lines);
  const NodeRef w = op(Op::add, z, n(kShift), lines);
  const NodeRef inverse = op(Op::divide, n(1), w, lines);
  const NodeRef square = op(Op::multiply, inverse, inverse, lines);
  NodeRef series = n(0);
  for (size_t k = kSeries.size(); k-- > 0;)
    series = op(Op::multiply, op(Op::add, series, n(kSeries[k]), lines), square, lines);
  NodeRef value = op(Op::subtract, op(Op::log, w, lines), op(Op::multiply, n(0.5), inverse, lines), lines);
  value = op(Op::subtract, op(Op::subtract, value, series, lines), steps, lines);
  const NodeRef angle = op(Op::multiply, n(std::numbers::pi), choose(low, x, n(0.25), lines), lines);
  const NodeRef reflected = op(Op::divide, n(std::numbers::pi), op(Op::tan, angle, lines), lines);
  return op(Op::subtract, value, choose(low, reflected, n(0), lines), lines);
}

// Whether a power of 0 to it, times 0, is no NaN: a known exponent of 1 or more.
bool is_finite_at_zero(const NodeRef& exponent) {
  if (!exponent) return false;
  const ir::Node* n = exponent.get();
  while (n->op == Op::broadcast || n->op == Op::cast) n = n->inputs[0].get();
  if (n->op != Op::constant) return false;
  const Scalar& value = n->as<ir::ConstantAttr>().value;
  return (is_float(value.dtype) || is_complex(value.dtype)) && value.im == 0 && value.re >= 1;
}

// Reads one formula and makes its nodes; or only reads it.
class Formula {
 public:
  struct Values {
    ir::TensorType type;            // of all operands
    std::array<NodeRef, 4> inputs;  // x, y, z, w
    NodeRef result, t;
    Lines lines;
  };
  // `values` null: only reads.
  Formula(std::string_view text, const Values* values) : text_(text), values_(values) {}

  NodeRef value() {
    NodeRef all = comparison();
    skip_blanks();
    if (at_ != text_.size()) fail("the end");
    return all;
  }

 private:
  [[noreturn]] void fail(const char* wanted) const {
    throw InternalError("derivative '" + std::string(text_) + "': wanted " + wanted + " at column " +
                        std::to_string(at_ + 1));
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void need(std::string_view word, const char* wanted) {
    if (!take(word)) fail(wanted);
  }
  NodeRef make(Op op, std::initializer_list<NodeRef> in) const {
    return values_ ? ir::map(op, in, values_->lines) : NodeRef();
  }

  NodeRef comparison() {
    NodeRef left = sum();
    if (take("==")) return make(Op::equal, {left, sum()});
    if (take(">")) return make(Op::greater, {left, sum()});
    if (take("<")) return make(Op::less, {left, sum()});
    return left;
  }
  NodeRef sum() {
    NodeRef left = product();
    for (;;) {
      if (take("+"))
        left = make(Op::add, {left, product()});
      else if (take("-"))
        left = make(Op::subtract, {left, product()});
      else
        return left;
    }
  }
  NodeRef product() {
    NodeRef left = factor();
    for (;;) {
      if (take("*"))
        left = make(Op::multiply, {left, factor()});
      else if (take("/"))
        left = make(Op::divide, {left, factor()});
      else
        return left;
    }
  }
  NodeRef factor() {
    if (take("-")) return make(Op::negative, {factor()});
    if (take("(")) {
      NodeRef inner = comparison();
      need(")", "')'");
      return inner;
    }
    if (at_ < text_.size() && (text_[at_] >= '0' && text_[at_] <= '9')) return literal();
    return named();
  }
  NodeRef literal() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number");
    at_ = static_cast<size_t>(end - text_.data());
    return values_ ? number(values_->type, value, values_->lines) : NodeRef();
  }
  NodeRef named() {
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word.size() == 1) return value_named(word[0]);
    need("(", "a value or a function");
    std::array<NodeRef, ir::kMostOperands> in;
    size_t count = 0;
    do {
      if (count == in.size()) fail("fewer arguments");
      in[count++] = comparison();
    } while (take(","));
    need(")", "')'");
    return call(word, {in.data(), count});
  }
  NodeRef value_named(char letter) const {
    constexpr std::string_view kInputs = "xyzw";
    const size_t input = kInputs.find(letter);
    if (input == std::string_view::npos && letter != 'r' && letter != 't') fail("x, y, z, w, r or t");
    if (!values_) return {};
    if (input != std::string_view::npos) return values_->inputs[input];
    return letter == 'r' ? values_->result : values_->t;
  }
  NodeRef call(std::string_view word, std::span<const NodeRef> in) const {
    if (word == "digamma" && in.size() == 1) return values_ ? digamma(in[0], values_->lines) : NodeRef();
    if (word == "off_zero" && in.size() == 1) return values_ ? off_zero(in[0]) : NodeRef();
    const std::optional<Op> op = ir::op_from_name(word);
    if (!op || ir::kind(*op) != ir::OpKind::Map || ir::info(*op).arity != static_cast<int>(in.size()))
      fail("a map of so many arguments");
    return values_ ? ir::map(*op, in, values_->lines) : NodeRef();
  }

  // 1 where both the value and t are 0, so that 0 times an infinite derivative is 0: what a mask keeps of the distances
  // of points has no part of those of points to themselves.
  NodeRef off_zero(const NodeRef& x) const {
    const bool counts = values_->t->op == Op::constant && !is_zero(*values_->t);
    if (counts || is_finite_at_zero(values_->inputs[1])) return x;
    const NodeRef none = number(values_->type, 0, values_->lines);
    const NodeRef one = number(values_->type, 1, values_->lines);
    return make(Op::select, {make(Op::equal, {x, none}),
                             make(Op::select, {make(Op::equal, {values_->t, none}), one, x}), x});
  }

  std::string_view text_;
  const Values* values_;
  size_t at_ = 0;
};

std::string_view part(std::string_view all, size_t index) {
  for (; index > 0; --index) all = all.substr(std::min(all.find(';'), all.size() - 1) + 1);
  all = all.substr(0, all.find(';'));
  return all.substr(std::min(all.find_first_not_of(' '), all.size()));
}

}  // namespace

NodeRef by_formula(const ir::Node& node, size_t operand, const NodeRef& t) {
  const std::string_view text = part(ir::info(node.op).derivative, operand);
  if (text == "0") return {};
  if (text == "t") return t;
  if (text == "-t") return op(Op::negative, t, node.lines);
  const bool half = is_half(t->dtype());
  const auto wide = [&](const NodeRef& x) { return half ? ir::cast(x, DType::F32, node.lines) : x; };
  Formula::Values values;
  values.type = {half ? DType::F32 : t->dtype(), t->shape()};
  for (size_t i = 0; i < node.inputs.size(); ++i) values.inputs[i] = wide(node.inputs[i]);
  values.result = wide(NodeRef(&node));
  values.t = wide(t);
  values.lines = node.lines;
  return ir::cast(Formula(text, &values).value(), t->dtype(), node.lines);
}

size_t formula_count(std::string_view derivative) {
  size_t count = 1;
  for (const char c : derivative) count += c == ';';
  for (size_t i = 0; i < count; ++i) Formula(part(derivative, i), nullptr).value();
  return count;
}

}  // namespace weft::derive
