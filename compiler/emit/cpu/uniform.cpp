#include <fmt/format.h>

#include "compiler/emit/cpu/cpu_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

std::string CpuEmitter::define_uniform(Value v, const std::string& expression) const {
  DType t = p_.values[v].dtype;
  std::string out = format("{} v{} = {};", type(t), v, expression);
  if (t == DType::I64) out += format(" long x{0} = v{0}[0];", v);
  if (t == DType::Bool) out += format(" bool g{0} = v{0}[0];", v);
  return out;
}

bool CpuEmitter::keeps_unrounded(Value v) const {
  if (!stored_halves_.contains(v)) return false;
  if (const int a = accumulator_of(v); a >= 0) {
    const Accumulator& acc = p_.accumulators[a];
    return !columns_ && !acc.is_running() && !acc.is_over_points() && row_total_dtype(acc) == DType::F32;
  }
  const auto* let = definition_[v] ? std::get_if<Let>(definition_[v]) : nullptr;
  return let && is_rounded(*let, p_);
}

std::string CpuEmitter::stored_name(Value v) const {
  return keeps_unrounded(v) ? format("e{}", v) : name_of(v);
}

std::string CpuEmitter::define_rounded(Value v, const std::string& unrounded) const {
  return format("f32v e{0} = {1}; f32v v{0} = weft_round_f16(e{0});", v, unrounded);
}

std::string CpuEmitter::define_position(Value v, const std::string& expression) const {
  return format("long x{0} = {1}; i64v v{0} = (i64v)(x{0});", v, expression);
}

std::string CpuEmitter::offset(const Index& at) const {
  std::string out;
  auto add = [&](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
  for (auto& t : at.axes)
    if (t.axis != x_) add(times(format("a{}", t.axis), t.by));
  for (auto& t : at.values)
    if (!varies_[t.value]) add(times(format("x{}", t.value), t.by));
  if (out.empty() || at.offset.param >= 0 || at.offset.value != 0) add(spell(at.offset));
  return out;
}

std::string CpuEmitter::guard(const std::vector<Value>& guards) const {
  std::string out;
  for (Value g : guards) {
    if (varies_[g]) continue;
    out += (out.empty() ? "" : " && ") + format("g{}", g);
  }
  return out;
}

std::string CpuEmitter::uniform(const Stmt& stmt) const {
  if (auto* s = std::get_if<Let>(&stmt))
    return keeps_unrounded(s->out) ? define_rounded(s->out, spell_unrounded(*s, p_, dialect_, name_of))
                                   : define_uniform(s->out, spell(*s, p_, dialect_, name_of));
  if (auto* s = std::get_if<Literal>(&stmt))
    return define_uniform(s->out, dialect_.splat(s->value.dtype, literal(s->value)));
  if (auto* s = std::get_if<Argument>(&stmt)) return define_uniform(s->out, argument(*s));
  if (auto* s = std::get_if<Position>(&stmt)) return define_position(s->out, offset(s->at));
  if (auto* s = std::get_if<Divide>(&stmt))
    return define_position(
        s->out, format("weft_floor_{}(x{}, {})", s->remainder ? "mod" : "div", s->of, spell(s->divisor)));
  if (auto* s = std::get_if<Clamp>(&stmt))
    return define_position(s->out, format("weft_within(x{}, {})", s->index, spell(s->extent)));
  if (auto* s = std::get_if<Test>(&stmt))
    return format(
        "bool g{0} = (unsigned long)({1}) < (unsigned long)({2}); boolv v{0} = weft_splat_bool(g{0});",
        s->out, offset(s->at), spell(s->extent));
  if (auto* s = std::get_if<Load>(&stmt)) {
    DType t = p_.buffers[s->buffer].dtype;
    std::string pointer = format("b{} + {}", s->buffer, offset(s->at));
    if (std::string g = guard(s->guards); !g.empty())
      pointer = format("{} ? {} : (const {}*)weft_zeros", g, pointer, dialect_.element_type(t));
    return define_uniform(s->out, format("weft_load_one_{}({})", suffix(t), pointer));
  }
  auto& s = std::get<Store>(stmt);
  return format("weft_store_one_{}(b{} + {}, {});", suffix(p_.buffers[s.buffer].dtype), s.buffer,
                offset(s.at), stored_name(s.value));
}

std::string CpuEmitter::argument(const Argument& a) const {
  DType t = p_.scalars[a.scalar];
  std::string s = format("s{}", a.scalar);
  if (is_complex(t)) return format("weft_splat_{}({}.re, {}.im)", suffix(t), s, s);
  if (is_half(t)) return format("weft_load_one_{}(&{})", suffix(t), s);
  return dialect_.splat(t, t == DType::Bool ? s + " != 0" : s);
}

}  // namespace weft::emit
