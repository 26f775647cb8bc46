#include <algorithm>

#include "compiler/base/error.h"
#include "compiler/emit/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// Not &&, which compilers follow into two copies of all that reads the result.
std::string both(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + " & " + (b.find(' ') == b.npos ? b : "(" + b + ")");
}

}  // namespace

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
    if (!l || l->op != ir::Op::divide || p_.values[l->args[1]].dtype != DType::F32) continue;
    auto divisor = definitions_.find(l->args[1]);
    if (divisor == definitions_.end() || std::holds_alternative<Argument>(*divisor->second))
      inverses_.insert(l->args[1]);
  }
  if (inverses_.empty()) return;
  code_.add("{");
  for (Value v : inverses_) {
    auto body = definitions_.find(v);
    if (body != definitions_.end()) {
      code_.line("const double inverse{} = weft_inverse_f32(a{});", v,
                 std::get<Argument>(*body->second).scalar);
    } else if (columns_) {
      code_.line("double inverse{}[{}];", v, s_.lanes);
      code_.unrolled("e", s_.lanes);
      code_.line("inverse{0}[e] = weft_inverse_f32(h{0}[e]);", v);
      code_.add("}");
    } else {
      code_.line("const double inverse{} = weft_inverse_f32({});", v, name_of(v));
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
    text = format("weft_divide_by_f32({}, inverse{}{})", name_of(l.args[0]), l.args[1],
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
    // Its error, below 2^-17 in the halves' range, is lost in the rounding.
    text = format("weft_round_{}(weft_exp_half({}))", suffix(from), name_of(l.args[0]));
  else if (contract_ && l.op == ir::Op::erf && beside_one_.contains(l.out))
    text = format("weft_erf_beside_one({})", name_of(l.args[0]));
  else if (from == DType::BF16 && (l.op == ir::Op::add || l.op == ir::Op::subtract))
    text = format("weft_{}_bf16({}, {})", name(l.op), name_of(l.args[0]), name_of(l.args[1]));
  else if (l.op == ir::Op::rsqrt && normal_.contains(l.args[0]))
    text = format("weft_rsqrt_normal({})", name_of(l.args[0]));
  else
    text = spell(l, p_, dialect_, [&](Value v) { return name_of(v); });
  code_.line("const {} v{} = {};", value_type(l.out), l.out, text);
}

std::string CudaEmitter::divide(const Divide& d) const {
  const Range& of = ranges_[d.of];
  std::string value = name_of(d.of), by = spell(d.divisor);
  // Neighbours lie in the same row or in the next: one division is enough for a vector of them.
  auto* at = element_base_.empty() || !definitions_.contains(d.of)
                 ? nullptr
                 : std::get_if<Position>(definitions_.at(d.of));
  if (at && s_.lanes > 1 && !s_.shifted && !wide_ && d.divisor.value >= s_.lanes && at->at.values.empty() &&
      at->at.axes.size() == 1 && at->at.axes[0].axis == lane_ && at->at.axes[0].by.value == 1 &&
      at->at.offset.value == 0)
    return format("weft_near_{}({}, {}, {})", d.remainder ? "remainder" : "quotient", element_base_,
                  axis_[lane_], by);
  if (of.known && of.low >= 0) {
    const char* type = wide_ || of.high > INT32_MAX ? "unsigned long long" : "unsigned int";
    return format("(long long)(({}){} {} ({}){})", type, value, d.remainder ? '%' : '/', type, by);
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

// ---- planning a batch

bool CudaEmitter::slice_of(const Sweep& sweep, const std::vector<Value>& guards, std::set<Value>& out) const {
  std::set<Value> here;
  for (auto& s : sweep.body)
    if (Value v = defines(s); v >= 0) here.insert(v);
  std::vector<Value> stack(guards);
  while (!stack.empty()) {
    Value v = stack.back();
    stack.pop_back();
    if (!here.contains(v) || !varies_[v] || !out.insert(v).second) continue;
    const Stmt& s = *definitions_.at(v);
    if (std::holds_alternative<Load>(s)) return false;
    for (Value u : uses(s)) stack.push_back(u);
  }
  return true;
}

Route CudaEmitter::route_load(const Load& l, bool vector_guards) const {
  bool plain = l.guards.empty() && l.at.values.empty();
  if (s_.tile_axis >= 0 && plain && stride_along(l.at, s_.tile_axis) == 1 && stride_along(l.at, lane_) != 1 &&
      stride_along(l.at, lane_) != 0)
    return {Path::Tile};
  if (s_.together > 1 && plain && !varies_[l.out] &&
      vector_phase(p_, l.at, order_of(false)[0], s_.together, varies_) == 0)
    return {Path::Run};
  if (s_.lanes == 1) return {plain ? Path::Staged : Path::Element};
  if (!varies_[l.out]) return {Path::Same};
  int phase = phase_of(l.at);
  // A vector may begin before the buffer or end behind it when the elements that it is loaded for are all
  // left out.
  bool checked = l.guards.empty() ? !ragged_ || phase == 0 : vector_guards && !ragged_;
  if (phase >= 0 && checked) return {phase == 0 ? Path::Vector : Path::Cover, phase};
  return {plain ? Path::Staged : Path::Element};
}

Route CudaEmitter::route_store(const Store& s) const {
  // Single elements of a row too: stores that follow each other fill sectors together.
  if ((s_.lanes > 1 || whole_rows_) && s_.overlap == 0 && !bundled(s) && phase_of(s.at) == 0)
    return {Path::Vector};
  return {Path::Element};
}

// The number of the aligned vector `shift` elements from where the load begins.
int CudaEmitter::share_block(Batch& batch, const Load& l, int64_t shift, unsigned needed) const {
  // More rows than this are kept apart, so that the registers of a thread do.
  constexpr int64_t kMostSpan = 6;
  auto same_walk = [](auto& x, auto& y) { return x.axis == y.axis && x.by.value == y.by.value; };
  const int64_t stride = down_ >= 0 && l.guards.empty() ? stride_along(l.at, down_) : 0;
  for (size_t k = 0; k < batch.blocks.size(); ++k) {
    Block& other = batch.blocks[k];
    if (other.load->buffer != l.buffer || other.guards != l.guards || !l.at.values.empty() ||
        !other.load->at.values.empty() ||
        !std::equal(l.at.axes.begin(), l.at.axes.end(), other.load->at.axes.begin(),
                    other.load->at.axes.end(), same_walk))
      continue;
    const int64_t apart = l.at.offset.value + shift - other.load->at.offset.value - other.shift;
    if (apart != 0 && (stride == 0 || apart % stride != 0)) continue;
    const int64_t row = apart == 0 ? 0 : apart / stride,
                  span = std::max<int64_t>(other.span, row) - std::min<int64_t>(row, 0);
    if (span > kMostSpan) continue;
    if (row < 0) other.load = &l, other.shift = shift;
    other.span = static_cast<int>(span);
    other.needed |= needed;
    return static_cast<int>(k);
  }
  batch.blocks.push_back({&l, shift, l.guards, needed});
  return static_cast<int>(batch.blocks.size()) - 1;
}

// How an element loop spells the block's vector for this load.
std::string CudaEmitter::covering(const Batch& b, int block, const Load& l, int64_t shift) const {
  const Block& from = b.blocks[static_cast<size_t>(block)];
  const int64_t apart = l.at.offset.value + shift - from.load->at.offset.value - from.shift;
  return apart == 0 ? format("c{}[u]", block)
                    : format("c{}[u + {}]", block, apart / stride_along(l.at, down_));
}

Batch CudaEmitter::plan_batch(const Sweep& sweep, int number) {
  Batch b;
  b.sweep = &sweep;
  b.number = number;
  std::set<Value> same;
  for (auto& s : sweep.body) {
    Route r;
    if (auto* l = std::get_if<Load>(&s)) {
      std::set<Value> slice;
      bool sliceable = s_.lanes > 1 && s_.lanes <= 32 && slice_of(sweep, l->guards, slice);
      r = route_load(*l, sliceable);
      if ((r.path == Path::Vector || r.path == Path::Cover) && !l->guards.empty())
        b.guard_sets.insert(l->guards);
      const bool shared = down_ >= 0 && l->guards.empty() && l->at.values.empty() &&
                          (r.path == Path::Vector || (r.path == Path::Staged && s_.lanes == 1));
      if (shared) r = {Path::Cover, 0};
      if (r.path == Path::Cover) {
        unsigned all = static_cast<unsigned>((uint64_t{1} << s_.lanes) - 1);
        unsigned first = static_cast<unsigned>((uint64_t{1} << (s_.lanes - r.phase)) - 1);
        r.first = share_block(b, *l, -r.phase, first);
        if (r.phase > 0) r.second = share_block(b, *l, s_.lanes - r.phase, all & ~first);
      }
    } else if (auto* st = std::get_if<Store>(&s)) {
      r = route_store(*st);
    } else if (Value v = defines(s); v >= 0 && s_.lanes > 1 && !varies_[v]) {
      r = {Path::Same};
    }
    if (r.path == Path::Same || r.path == Path::Run) same.insert(defines(s));
    b.routes.push_back(r);
  }
  for (size_t k = 0; k < sweep.body.size(); ++k) {
    const Stmt& s = sweep.body[k];
    if (b.routes[k].path == Path::Same) {
      if (kept(defines(s))) b.late.insert(defines(s));
      continue;
    }
    for (Value u : uses(s))
      if (same.contains(u)) b.late.insert(u);
  }
  fold_last(b, same);
  find_words(b);
  return b;
}

// Of squares of points and row elements: what folds, and products that are only added up, since those are one
// instruction with their sums.
void CudaEmitter::fold_last(Batch& b, const std::set<Value>& same) const {
  auto& body = b.sweep->body;
  if (s_.together == 1 || s_.lanes == 1 || std::ranges::any_of(body, [&](auto& s) { return meets(b, s); }))
    return;
  std::map<Value, int> readers;
  std::set<Value> totalled;
  for (auto& s : body) {
    for (Value u : uses(s)) ++readers[u];
    if (auto* fold = std::get_if<Fold>(&s)) totalled.insert(fold->value);
  }
  for (auto& s : body) {
    auto* let = std::get_if<Let>(&s);
    const bool product = let && let->op == ir::Op::multiply && totalled.contains(let->out) &&
                         readers[let->out] == 1 && !same.contains(let->out);
    b.last.push_back(product || std::holds_alternative<Fold>(s));
  }
  std::set<Value> before;
  for (size_t k = 0; k < body.size(); ++k)
    if (Value v = defines(body[k]); v >= 0 && !b.last[k] && !same.contains(v)) before.insert(v);
  for (size_t k = 0; k < body.size(); ++k)
    if (b.last[k])
      for (Value u : uses(body[k]))
        if (before.contains(u)) b.folded.insert(u);
  if (b.folded.empty()) b.last.clear();
}

bool CudaEmitter::at_once(const Stmt& s) const {
  auto* l = std::get_if<Let>(&s);
  if (!s_.at_once || !l || p_.values[l->out].dtype != DType::F32) return false;
  if (l->op != ir::Op::divide && l->op != ir::Op::sqrt) return false;
  // By numbers that are the same for all elements others divide.
  return std::ranges::all_of(l->args, [&](Value v) { return varies_[v] && definitions_.contains(v); });
}

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

// ---- a batch

// Vectors of neighbours on the row, of which each batch takes one whole.
std::vector<const Load*> CudaEmitter::run_loads(const Batch& b) const {
  std::vector<const Load*> loads;
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (b.routes[k].path == Path::Run) loads.push_back(&std::get<Load>(b.sweep->body[k]));
  return loads;
}

std::string CudaEmitter::run_type(const Load& l) const {
  return format("Vec<{}, {}>", dialect_.element_type(p_.values[l.out].dtype), s_.together);
}

void CudaEmitter::declare_runs(const Batch& b) {
  for (auto* l : run_loads(b)) code_.line("{} g{};", run_type(*l), l->out);
}

// Those of the batch that begins at `step`.
void CudaEmitter::load_runs(const Batch& b, const std::string& step) {
  const std::vector<const Load*> loads = run_loads(b);
  if (loads.empty()) return;
  code_.add("{");
  code_.line("I q = {};", step);
  split_position(order_of(false), false);
  for (auto* l : loads)
    code_.line("g{} = weft_get<{}>(b{} + ({}));", l->out, run_type(*l), l->buffer, index_text(l->at));
  code_.add("}");
}

void CudaEmitter::batch_arrays(const Batch& b) {
  for (Value v : b.late) code_.line("{} h{}[{}];", value_type(v), v, s_.unroll);
  for (size_t k = 0; k < b.routes.size(); ++k) {
    Path path = b.routes[k].path;
    if (auto* l = std::get_if<Load>(&b.sweep->body[k])) {
      if ((path == Path::Vector || path == Path::Staged) && !in_place(*l, path))
        code_.line("{} m{}[{}];", loaded_type(b, *l), l->out, s_.unroll);
    } else if (auto* s = std::get_if<Store>(&b.sweep->body[k]); s && path == Path::Vector) {
      code_.line("{} w{}[{}];", vector_type(p_.buffers[s->buffer].dtype), k, s_.unroll);
    }
  }
  for (size_t k = 0; k < b.blocks.size(); ++k)
    code_.line("{} c{}[{}];", vector_type(p_.buffers[b.blocks[k].load->buffer].dtype), k,
               s_.unroll + b.blocks[k].span);
}

// For each set of guards of vector loads, which elements of the vector pass.
void CudaEmitter::guard_bits(const Batch& b) {
  if (b.guard_sets.empty()) return;
  int number = 0;
  std::set<Value> slice;
  for (auto& guards : b.guard_sets) {
    slice_of(*b.sweep, guards, slice);
    code_.line("unsigned int g{} = 0;", number++);
  }
  code_.unrolled("e", s_.lanes);
  at_element_ = true;
  std::string base = axis_[lane_];
  lane_position();
  axis_[lane_] = "y";
  for (auto& s : b.sweep->body)
    if (Value v = defines(s); v >= 0 && slice.contains(v)) statement(s);
  number = 0;
  for (auto& guards : b.guard_sets)
    code_.line("g{} |= (unsigned int)({}) << e;", number++, guards_text(guards));
  axis_[lane_] = base;
  at_element_ = false;
  code_.add("}");
}

void CudaEmitter::batch_loads(const Batch& b) {
  auto number_of = [&](const std::vector<Value>& guards) {
    return std::distance(b.guard_sets.begin(), b.guard_sets.find(guards));
  };
  auto& body = b.sweep->body;
  auto vector_load = [&](const Load& l) {
    const char* get = !read_once(p_, l.buffer) ? "weft_get"
                      : s_.loads_stay          ? "weft_get_to_stay"
                      : s_.streaming           ? "weft_get_once"
                                               : "weft_get";
    std::string to = format("{}{}[u]", kept(l.out) ? "k" : "m", l.out);
    std::string from = format("{}<{}>(b{} + ({}))", get, loaded_type(b, l), l.buffer, index_text(l.at));
    if (l.guards.empty())
      code_.line("{} = {};", to, from);
    else
      code_.line("if (g{}) {} = {};", number_of(l.guards), to, from);
  };
  for (size_t k = 0; k < body.size(); ++k) {
    Path path = b.routes[k].path;
    if (path == Path::Same) {
      statement(body[k]);
      if (Value v = defines(body[k]); b.late.contains(v)) code_.line("h{0}[u] = v{0};", v);
    } else if (path == Path::Run) {
      Value v = defines(body[k]);
      code_.line("const {} v{} = weft_unpack_{}(g{}.e[u]);", value_type(v), v, suffix(p_.values[v].dtype), v);
      if (b.late.contains(v)) code_.line("h{0}[u] = v{0};", v);
    } else if (auto* l = std::get_if<Load>(&body[k]); l && ahead_.contains(l->out)) {
      continue;
    } else if (l && path == Path::Vector && l->guards.empty()) {
      vector_load(*l);
    } else if (l && path == Path::Staged) {
      std::string base = lane_ < 0 ? "" : axis_[lane_];
      if (s_.lanes > 1) {
        code_.unrolled("e", s_.lanes);
        lane_position();
        axis_[lane_] = "y";
      }
      const bool once =
          read_once(p_, l->buffer) && s_.lanes == 1 && !is_complex(p_.values[l->out].dtype) && !bundled(*l);
      std::string from = place_of(*l, l->buffer);
      if (once && s_.loads_stay)
        from = format("weft_get_to_stay<{}>(&{})", dialect_.element_type(p_.buffers[l->buffer].dtype), from);
      else if (once && s_.streaming)
        from = format("__ldcs(&{})", from);
      code_.line("m{}[u].e[{}] = {};", l->out, s_.lanes > 1 ? "e" : "0", from);
      if (s_.lanes > 1) {
        axis_[lane_] = base;
        code_.add("}");
      }
    }
  }
  guard_bits(b);
  for (size_t k = 0; k < body.size(); ++k)
    if (auto* l = std::get_if<Load>(&body[k]); l && b.routes[k].path == Path::Vector && !l->guards.empty())
      vector_load(*l);
  for (size_t k = 0; k < b.blocks.size(); ++k) {
    const Block& block = b.blocks[k];
    if (down_ >= 0 && block.guards.empty()) continue;
    std::string when =
        block.guards.empty() ? "" : format("if (g{} & {:#x}u) ", number_of(block.guards), block.needed);
    code_.line("{}c{}[u] = weft_get<{}>(b{} + ({}));", when, k,
               vector_type(p_.buffers[block.load->buffer].dtype), block.load->buffer,
               index_text(block.load->at, block.shift));
  }
}

void CudaEmitter::open_elements(const Batch& b) {
  code_.unrolled("u", s_.unroll);
  if (skips_last_) code_.line("if (u < {} || ok[u]) {{", sure_);
  for (Value v : b.folded) code_.line("{} y{}[{}];", value_type(v), v, s_.lanes);
  if (s_.lanes > 1)
    code_.unrolled("e", s_.lanes);
  else
    code_.add("const int e = 0;");
  at_element_ = true;
  element_base_ = lane_ < 0 ? "" : axis_[lane_];
  const char* type = wide_ ? "unsigned long long" : "unsigned int";
  const std::string end = lane_ < 0 ? "" : spell(extent(lane_)),
                    before = format("{} + e < {}", element_base_, end);
  std::string full;
  if (ragged_ && !inside_) {
    full = s_.shifted ? format("({0})({1} + e) < ({0}){2}", type, element_base_, end) : before;
    if (sure_ > 0)
      full = s_.shifted ? format("u < {} ? u > 0 || {} + e >= 0 : {}", sure_, element_base_, before)
                        : format("u < {} || {}", sure_, before);
  }
  bool folds = false, stores = false, positions = false, once = false;
  for (size_t k = 0; k < b.routes.size(); ++k) {
    if (b.by_words[k]) continue;
    const Stmt& s = b.sweep->body[k];
    const bool alone = b.routes[k].path == Path::Element;
    auto* fold = std::get_if<Fold>(&s);
    const bool across = fold && p_.accumulators[fold->accumulator].across;
    folds |= (fold && !across) || std::holds_alternative<Scan>(s);
    once |=
        std::holds_alternative<Scan>(s) || (fold && !across && adds_up(p_.accumulators[fold->accumulator]));
    stores |= across || (alone && std::holds_alternative<Store>(s));
    positions |= alone && index_of(s);
  }
  // The largest of values stays what it is when the last of them is taken again.
  const std::string ok = exact_ || inside_ || skips_last_ ? "" : "ok[u]",
                    in_fold = both(once ? ok : "", columns_ ? "" : full),
                    in_store = both(both(ok, all_live_ ? "" : "live"), full);
  every_fold_ = in_fold.empty();
  every_store_ = in_store.empty();
  if (folds && !every_fold_) code_.line("const bool in_fold = {};", in_fold);
  if (stores && !every_store_) code_.line("const bool in_store = {};", in_store);
  if (positions) lane_position();
  if (s_.lanes > 1) axis_[lane_] = "y";
  for (Value v : b.late) home_[v] = format("h{}[u]", v);
}

void CudaEmitter::close_elements(const Batch& b) {
  for (Value v : b.late) home_.erase(v);
  if (lane_ >= 0) axis_[lane_] = element_base_;
  at_element_ = every_fold_ = every_store_ = false;
  element_base_.clear();
  if (s_.lanes > 1) code_.add("}");
  if (skips_last_) code_.add("}");
  // Where all of a row is in registers, each vector leaves them as soon as it is known.
  if (s_.strips_at_once > 0 && stores_vectors(b)) store_vectors(b);
  code_.add("}");
}

void CudaEmitter::batch_elements(const Batch& b) {
  if (std::ranges::count(b.by_words, false) == 0) return;
  const std::set<Value> across = across_meetings(b);
  for (Value v : across) code_.line("{} y{}[{}][{}];", value_type(v), v, s_.unroll, s_.lanes);
  open_elements(b);
  auto& body = b.sweep->body;
  for (size_t k = 0; k < body.size(); ++k) {
    const Route& r = b.routes[k];
    const Stmt& s = body[k];
    Value v = defines(s);
    if (r.path == Path::Run || b.by_words[k]) continue;
    if (!b.last.empty() && b.last[k]) continue;
    bool staged = false;
    if (auto* l = std::get_if<Load>(&s); l && r.path != Path::Element && r.path != Path::Same) {
      staged = true;
      const DType t = p_.values[v].dtype;
      auto unpacked = [&](const std::string& raw) { return format("weft_unpack_{}({})", suffix(t), raw); };
      std::string value;
      if (r.path == Path::Cover)
        value = r.phase == 0
                    ? element_of(t, covering(b, r.first, *l, 0), "e")
                    : unpacked(format("weft_pick({}, {}, e + {})", covering(b, r.first, *l, -r.phase),
                                      covering(b, r.second, *l, s_.lanes - r.phase), r.phase));
      else if (r.path == Path::Tile)
        value = unpacked(format("tile{}[ty + u * {}][tx + e]", l->out, s_.threads * s_.lanes / s_.tile));
      else
        value = element_of(t, format("{}{}[u]", in_place(*l, r.path) ? "k" : "m", v), "e");
      code_.line("const {} v{} = {};", value_type(v), v, value);
      if (kept(v) && !in_place(*l, r.path)) set_element(t, format("k{}[u]", v), name_of(v));
    } else if (auto* st = std::get_if<Store>(&s); st && r.path == Path::Vector) {
      set_element(p_.buffers[st->buffer].dtype, format("w{}[u]", k), name_of(st->value));
    } else if (meets(b, s)) {
      // All elements meet here: those before the statement, then the threads of the row, or the thread's own
      // state, then those after it.
      auto* scan = std::get_if<Scan>(&s);
      auto* all = std::get_if<Let>(&s);
      if (scan) scan_row(*scan);
      for (Value before : across)
        if (home_.contains(before)) home_.erase(before);
      close_elements(b);
      if (all)
        code_.line("weft_{}_all(y{}, y{});", name(all->op), v, fmt::join(all->args, ", y"));
      else
        scan ? join_scan(*scan) : rescale(std::get<Largest>(s), static_cast<size_t>(b.number));
      open_elements(b);
      for (Value before : across) home_[before] = format("y{}[u][e]", before);
      if (all) continue;
      if (scan) finish_scan(*scan);
    } else if (r.path != Path::Same) {
      statement(s);
    }
    if (across.contains(v)) code_.line("y{0}[u][e] = v{0};", v);
    if (b.folded.contains(v)) code_.line("y{0}[e] = v{0};", v);
    if (v >= 0 && kept(v) && !staged) set_element(p_.values[v].dtype, format("k{}[u]", v), name_of(v));
  }
  for (Value v : across) home_.erase(v);
  if (!b.last.empty()) {
    code_.add("}");
    code_.unrolled("e", s_.lanes);
    for (Value v : b.folded) home_[v] = format("y{}[e]", v);
    for (size_t k = 0; k < body.size(); ++k)
      if (b.last[k]) statement(body[k]);
    for (Value v : b.folded) home_.erase(v);
  }
  close_elements(b);
}

void CudaEmitter::batch_stores(const Batch& b) {
  if (s_.strips_at_once > 0 || !stores_vectors(b)) return;
  code_.unrolled("u", s_.unroll);
  store_vectors(b);
  code_.add("}");
}

bool CudaEmitter::stores_vectors(const Batch& b) const {
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (std::holds_alternative<Store>(b.sweep->body[k]) && b.routes[k].path == Path::Vector) return true;
  return false;
}

// Those of vector u of the batch.
void CudaEmitter::store_vectors(const Batch& b) {
  const std::string when = both(exact_ ? "" : "ok[u]", all_live_ ? "" : "live");
  if (!when.empty()) code_.line("if ({}) {{", when);
  for (Value v : b.late) home_[v] = format("h{}[u]", v);
  auto& body = b.sweep->body;
  for (size_t k = 0; k < body.size(); ++k) {
    auto* s = std::get_if<Store>(&body[k]);
    if (!s || b.routes[k].path != Path::Vector) continue;
    std::string at = format("b{} + ({})", s->buffer, index_text(s->at));
    const char* put = s_.streaming ? "weft_put_once" : "weft_put";
    if (s_.shifted)
      code_.line("weft_put_within({}, w{}[u], {}, {});", at, k, from_first("-" + axis_[lane_]),
                 until_last(format("{} - {}", spell(extent(lane_)), axis_[lane_])));
    else if (ragged_)
      code_.line("weft_put_part({}, w{}[u], {});", at, k,
                 until_last(format("{} - {}", spell(extent(lane_)), axis_[lane_])));
    else
      code_.line("{}({}, w{}[u]);", put, at, k);
  }
  for (Value v : b.late) home_.erase(v);
  if (!when.empty()) code_.add("}");
}

}  // namespace weft::emit
