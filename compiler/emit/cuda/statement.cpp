#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// How values, single statements and outer code are spelled.

// ---- names

std::string CudaEmitter::name_of(Value v) const {
  if (auto home = home_.find(v); home != home_.end()) return home->second;
  if (settled_.contains(v))
    return element_of(p_.values[v].dtype, format("k{}[u]", v), at_element_ ? "e" : "0");
  if (outer_values_.contains(v)) return format("h{}[{}]", v, at_element_ ? "e" : "0");
  return format("v{}", v);
}

std::string CudaEmitter::index_text(const Index& at, int64_t shift) const {
  std::string s;
  auto term = [&](const std::string& t) { s += (s.empty() ? "" : " + ") + t; };
  if (at.offset.param >= 0 || at.offset.value != 0) term(spell(at.offset));
  for (auto& t : at.axes) term(times(axis_[t.axis], t.by));
  for (auto& t : at.values) term(times("(I)" + name_of(t.value), t.by));
  if (s.empty()) s = "0";
  if (shift != 0) s += format(" {} {}", shift < 0 ? '-' : '+', std::abs(shift));
  return s;
}

std::string CudaEmitter::guards_text(const std::vector<Value>& guards) const {
  std::string s;
  for (Value g : guards) s += (s.empty() ? "" : " && ") + name_of(g);
  return s;
}

// What memory holds for a value. Values of a half dtype are always rounded to it.
std::string CudaEmitter::packed(DType t, const std::string& value) const {
  return t == DType::BF16 ? format("weft_bits_bf16({})", value)
                          : format("weft_pack_{}({})", suffix(t), value);
}

// An element of a vector as a value, and the other way round. Halves of a word are cheaper to reach as such.
std::string CudaEmitter::element_of(DType t, const std::string& vector, const std::string& e) const {
  if (t == DType::BF16 && s_.lanes % 2 == 0) return format("weft_get_bf16({}, {})", vector, e);
  return format("weft_unpack_{}({}.e[{}])", suffix(t), vector, e);
}

void CudaEmitter::set_element(DType t, const std::string& vector, const std::string& value) {
  if (t == DType::BF16 && s_.lanes % 2 == 0)
    code_.line("weft_set_bf16({}, e, {});", vector, value);
  else
    code_.line("{}.e[e] = {};", vector, packed(t, value));
}

// ---- single statements

// Opens a scope with the inverses of the numbers by which the sweep divides several elements of a thread.
void CudaEmitter::open_divisors(const Sweep& sweep) {
  if (!contract_ || s_.lanes * s_.unroll == 1) return;
  for (auto& s : sweep.body) {
    auto* l = std::get_if<Let>(&s);
    if (!l || l->op != ir::Op::divide) continue;
    const DType t = p_.values[l->args[1]].dtype;
    // An inverse of f64 takes as long as a quotient.
    if (t != DType::F32 && (t != DType::F64 || s_.lanes * s_.unroll < 4)) continue;
    auto divisor = definitions_.find(l->args[1]);
    if (divisor == definitions_.end() || std::holds_alternative<Argument>(*divisor->second))
      inverses_.insert(l->args[1]);
  }
  if (inverses_.empty()) return;
  code_.add("{");
  for (Value v : inverses_) {
    const std::string of = suffix(p_.values[v].dtype);
    auto body = definitions_.find(v);
    if (body != definitions_.end()) {
      code_.line("const double inverse{} = weft_inverse_{}(a{});", v, of,
                 std::get<Argument>(*body->second).scalar);
    } else if (columns_) {
      code_.line("double inverse{}[{}];", v, s_.lanes);
      code_.unrolled("e", s_.lanes);
      code_.line("inverse{0}[e] = weft_inverse_{1}(h{0}[e]);", v, of);
      code_.add("}");
    } else {
      code_.line("const double inverse{} = weft_inverse_{}({});", v, of, name_of(v));
    }
  }
}

void CudaEmitter::close_divisors() {
  if (!inverses_.empty()) code_.add("}");
  inverses_.clear();
}

void CudaEmitter::let(const Let& l) {
  DType from = p_.values[l.args[0]].dtype;
  std::string text;
  // __fmul_rn is never contracted into a multiply-add.
  if (!contract_ && (l.op == ir::Op::multiply || l.op == ir::Op::square) && is_float(from) && !is_half(from))
    text = format("__{}mul_rn({}, {})", from == DType::F64 ? "d" : "f", name_of(l.args[0]),
                  name_of(l.args.back()));
  else if (from == DType::Bool && (l.op == ir::Op::add || l.op == ir::Op::bitwise_or))
    text = format("weft_either({}, {})", name_of(l.args[0]), name_of(l.args[1]));
  else if (l.op == ir::Op::divide && inverses_.contains(l.args[1]))
    text = format("weft_divide_by_{}({}, {}inverse{}{})", suffix(from), name_of(l.args[0]),
                  from == DType::F64 ? name_of(l.args[1]) + ", " : "", l.args[1],
                  !columns_ || definitions_.contains(l.args[1]) ? ""
                  : at_element_                                 ? "[e]"
                                                                : "[0]");
  else if (contract_ && in_outer_ && l.op == ir::Op::divide && from == DType::F32)
    // The instruction's seldom needed second half takes NVRTC as long as ten others.
    text = format("weft_divide_by_f32({}, weft_inverse_f32({}))", name_of(l.args[0]), name_of(l.args[1]));
  else if (contract_ && l.op == ir::Op::divide && from == DType::BF16)
    // Two 8-bit significands' quotient is never so near to the middle of two bf16 that 2 ulp of f32 matter.
    text = format("weft_round_bf16(weft_quotient({}, {}))", name_of(l.args[0]), name_of(l.args[1]));
  else if (contract_ && l.op == ir::Op::divide && from == DType::F16)
    text = format("weft_round_f16(weft_quotient_f16({}, {}))", name_of(l.args[0]), name_of(l.args[1]));
  else if (contract_ && l.op == ir::Op::exp && is_half(from))
    // Its error is lost in the rounding.
    text = format("weft_round_{0}(weft_exp_within_{0}({1}))", suffix(from), name_of(l.args[0]));
  else if (contract_ && l.op == ir::Op::erf && beside_one_.contains(l.out))
    text = format("weft_erf_beside_one({})", name_of(l.args[0]));
  else if (is_half(from) && (l.op == ir::Op::add || l.op == ir::Op::subtract))
    text = format("weft_{}_{}({}, {})", name(l.op), suffix(from), name_of(l.args[0]), name_of(l.args[1]));
  else if (from == DType::F16 && l.op == ir::Op::multiply)
    text = format("weft_multiply_f16({}, {})", name_of(l.args[0]), name_of(l.args[1]));
  else if (l.op == ir::Op::select && p_.values[l.out].dtype == DType::F16)
    // Through f32 a NaN would lose its bits.
    text = format("weft_select_f16({}, {}, {})", name_of(l.args[0]), name_of(l.args[1]), name_of(l.args[2]));
  else if (from == DType::F16 && l.op == ir::Op::square)
    text = format("weft_square_f16({})", name_of(l.args[0]));
  else if (l.op == ir::Op::rsqrt && normal_.contains(l.args[0]))
    text = format("weft_rsqrt_normal({})", name_of(l.args[0]));
  else
    text = spell(l, p_, dialect_, [&](Value v) { return name_of(v); });
  code_.line("const {} v{} = {};", value_type(l.out), l.out, text);
}

// The element's place in its row, if the vector were to begin with a row.
std::string CudaEmitter::within_row(const FlatRows& rows) const {
  return rows.is_short ? format("e % {}", rows.length.value) : "e";
}

std::string CudaEmitter::length_of(const FlatRows& rows) const {
  return rows.is_short ? std::to_string(rows.length.value) : spell(rows.length);
}

std::string CudaEmitter::last_flat_row(const FlatRows& rows) {
  std::string& text = last_flat_rows_[rows.length.value];
  if (text.empty()) text = extra((extent(lane_).value - 1) / rows.length.value);
  return text;
}

std::string CudaEmitter::divide(const Divide& d) {
  const Range& of = ranges_[d.of];
  std::string value = name_of(d.of), by = spell(d.divisor);
  // One division is enough for a vector.
  if (batch_ && batch_->row_of.contains(d.out)) {
    const int number = batch_->row_of.at(d.out);
    const FlatRows& rows = batch_->flat_rows[static_cast<size_t>(number)];
    const std::string within = within_row(rows), left = format("left{}[u]", number),
                      next = format("{0} > 0 && {0} >= {1}", within, left);
    if (d.remainder)
      return format("(long long)({} - {} + ({} ? 0 : {}))", within, left, next, length_of(rows));
    std::string quotient = format("row{}[u] + {}({} ? 1 : 0)", number,
                                  rows.is_short ? format("e / {} + ", rows.length.value) : "", next);
    if (ragged_) quotient = format("weft_min({}, {})", quotient, last_flat_row(rows));
    return format("(long long)({})", quotient);
  }
  if (of.known && of.low >= 0) {
    if (of.high <= INT32_MAX) {
      const std::string x = "(unsigned int)" + value;
      return format("(long long)({})",
                    d.remainder ? remainder(x, by, d.divisor.value) : quotient(x, by, d.divisor.value));
    }
    return format("(long long)((unsigned long long){} {} (unsigned long long){})", value,
                  d.remainder ? '%' : '/', by);
  }
  return format("weft_{}_i64({}, {})", d.remainder ? "remainder" : "floor_divide", value, by);
}

void CudaEmitter::element_load(const Load& l) {
  std::string type = value_type(l.out), t = suffix(p_.values[l.out].dtype);
  std::string at = format("weft_unpack_{}({})", t, place_of(l, l.buffer));
  if (l.guards.empty()) return code_.line("const {} v{} = {};", type, l.out, at);
  code_.line("{} v{} = {{}};", type, l.out);
  code_.line("if ({}) v{} = {};", guards_text(l.guards), l.out, at);
}

void CudaEmitter::element_store(const Store& s) {
  if (s.how == Storing::Largest)
    return code_.line("{}atomicMax(b{} + {}, {});", every_store_ ? "" : "if (in_store) ", s.buffer,
                      index_text(s.at), name_of(s.value));
  if (s.how == Storing::Sum) {
    // The hardware adds unsigned words; signed ones have the same bits.
    const bool wide = size_of(p_.buffers[s.buffer].dtype) == 8;
    const char* word = wide ? "unsigned long long" : "unsigned int";
    return code_.line("{}atomicAdd(({}*)(b{} + {}), ({}){});", every_store_ ? "" : "if (in_store) ", word,
                      s.buffer, index_text(s.at), word, name_of(s.value));
  }
  const std::string when =
      both(every_store_ ? "" : "in_store", s_.overlap > 0 && at_element_ ? is_own(s) : "");
  code_.line("{}{} = {};", when.empty() ? "" : format("if ({}) ", when), place_of(s, s.buffer),
             packed(p_.buffers[s.buffer].dtype, name_of(s.value)));
}

// Of two strips that have the column the one with the first column of its sector stores it.
std::string CudaEmitter::is_own(const Store& s) const {
  const int64_t sector = sector_elements(p_, s.buffer);
  const std::string past =
      stride_along(s.at, lane_) == 1 ? format("({}) & {}", index_text(s.at), sector - 1) : "0";
  return format("weft_is_own(column - ({}), own, {})", past, own_columns());
}

void CudaEmitter::statement(const Stmt& stmt) {
  if (auto* l = std::get_if<Let>(&stmt)) {
    let(*l);
  } else if (auto* c = std::get_if<Literal>(&stmt)) {
    code_.line("const {} v{} = {};", value_type(c->out), c->out,
               dialect_.splat(c->value.dtype, literal(c->value)));
  } else if (auto* a = std::get_if<Argument>(&stmt)) {
    code_.line("const {} v{} = a{};", value_type(a->out), a->out, a->scalar);
  } else if (auto* at = std::get_if<Position>(&stmt)) {
    code_.line("const long long v{} = (long long)({});", at->out, index_text(at->at));
  } else if (auto* d = std::get_if<Divide>(&stmt)) {
    code_.line("const long long v{} = {};", d->out, divide(*d));
  } else if (auto* k = std::get_if<Clamp>(&stmt)) {
    code_.line("const long long v{} = weft_clamp({}, {});", k->out, name_of(k->index), spell(k->extent));
  } else if (auto* t = std::get_if<Test>(&stmt)) {
    const char* type = wide_ ? "unsigned long long" : "unsigned int";
    code_.line("const bool v{} = ({})({}) < ({}){};", t->out, type, index_text(t->at), type,
               spell(t->extent));
  } else if (auto* l2 = std::get_if<Load>(&stmt)) {
    element_load(*l2);
  } else if (auto* f = std::get_if<Fold>(&stmt)) {
    fold(*f);
  } else if (auto* scan = std::get_if<Scan>(&stmt)) {
    totalling_ ? fold({scan->accumulator, scan->value}) : scan_column(*scan);
  } else if (auto* s = std::get_if<Store>(&stmt)) {
    element_store(*s);
  }
}

// ---- what is known of values beyond their statements

// Values of which only what a sum with 1 keeps is wanted.
void CudaEmitter::find_terms_beside_one() {
  std::set<Value> ones, others;
  for_each_stmt(p_, [&](const Stmt& s) {
    if (auto* c = std::get_if<Literal>(&s); c && c->value.dtype == DType::F32 && std::abs(c->value.re) == 1)
      ones.insert(c->out);
  });
  for_each_stmt(p_, [&](const Stmt& s) {
    auto* l = std::get_if<Let>(&s);
    const bool sum = l && (l->op == ir::Op::add || l->op == ir::Op::subtract);
    for (Value u : uses(s))
      (sum && (ones.contains(l->args[0]) || ones.contains(l->args[1])) ? beside_one_ : others).insert(u);
  });
  for (Value v : others) beside_one_.erase(v);
}

// What has to hold for the sums of squares and a number, whose reciprocal roots the sweep takes, to be no
// subnormals; the instruction alone does then. Empty where there are none.
std::string CudaEmitter::normal_when(const Batch& b) {
  const std::vector<bool> above_zero = never_negative(p_);
  std::map<Value, int> arguments;
  for_each_stmt(p_, [&](const Stmt& s) {
    if (auto* a = std::get_if<Argument>(&s)) arguments[a->out] = a->scalar;
  });
  std::set<int> numbers;
  normal_.clear();
  for (auto& s : b.sweep->body) {
    auto* root = std::get_if<Let>(&s);
    if (!root || root->op != ir::Op::rsqrt || p_.values[root->out].dtype != DType::F32) continue;
    auto of = definitions_.find(root->args[0]);
    auto* sum = of == definitions_.end() ? nullptr : std::get_if<Let>(of->second);
    if (!sum || sum->op != ir::Op::add) continue;
    for (size_t k = 0; k < 2; ++k) {
      auto number = arguments.find(sum->args[k]);
      if (number == arguments.end() || !above_zero[sum->args[1 - k]]) continue;
      numbers.insert(number->second);
      normal_.insert(sum->out);
    }
  }
  std::string s;
  for (int n : numbers) s += format("{}a{} >= 0x1p-126f", s.empty() ? "" : " && ", n);
  return s;
}

// ---- outer code

// The element's position on the lane axis. Positions behind the end of a last vector that is not full stay on
// the last element; their folds and stores are left out.
void CudaEmitter::lane_position() {
  if (lane_ < 0 || s_.lanes == 1) return;
  if (s_.shifted && !inside_)
    code_.line("const I y = {0} + e < 0 ? 0 : weft_min({0} + e, {1} - 1);", axis_[lane_],
               spell(extent(lane_)));
  else if (ragged_ && !inside_)
    code_.line("const I y = weft_min({} + e, {} - 1);", axis_[lane_], spell(extent(lane_)));
  else
    code_.line("const I y = {} + e;", axis_[lane_]);
}

void CudaEmitter::outer_code(const std::vector<Stmt>& stmts, const std::string& when) {
  if (stmts.empty()) return;
  in_outer_ = true;
  if (!columns_) {
    bool stores =
        std::any_of(stmts.begin(), stmts.end(), [](auto& s) { return std::holds_alternative<Store>(s); });
    if (stores) {
      code_.line("if ({}) {{", when);
    }
    every_store_ = true;
    for (auto& s : stmts) statement(s);
    every_store_ = in_outer_ = false;
    if (stores) code_.add("}");
    return;
  }
  for (auto& s : stmts)
    if (Value v = defines(s); v >= 0) code_.line("{} h{}[{}];", value_type(v), v, s_.lanes);
  code_.unrolled("e", s_.lanes);
  at_element_ = true;
  std::string base = axis_[lane_];
  code_.line("const bool in_store = {}{};", when,
             ragged_ ? format(" && {} + e < {}", base, spell(extent(lane_))) : "");
  lane_position();
  if (s_.lanes > 1) axis_[lane_] = "y";
  for (auto& s : stmts) {
    statement(s);
    if (Value v = defines(s); v >= 0) {
      code_.line("h{0}[e] = v{0};", v);
      outer_values_.insert(v);
    }
  }
  axis_[lane_] = base;
  at_element_ = in_outer_ = false;
  code_.add("}");
}

}  // namespace weft::emit
