#include "compiler/emit/cpu/uniform.h"

#include "compiler/base/error.h"
#include "compiler/emit/function.h"

namespace weft::emit::cpu {

using namespace plan;

std::string define_uniform(const Entry& e, Value v, const std::string& expression) {
  const DType t = e.program.values[v].dtype;
  std::string out = format("{} v{} = {};", e.type(t), v, expression);
  if (t == DType::I64) out += format(" long x{0} = v{0}[0];", v);
  if (t == DType::Bool) out += format(" bool g{0} = v{0}[0];", v);
  return out;
}

std::string define_rounded(Value v, const std::string& unrounded) {
  return format("f32v e{0} = {1}; f32v v{0} = weft_round_f16(e{0});", v, unrounded);
}

std::string stored_name(const Entry& e, Value v) {
  return e.layout.unrounded.contains(v) ? format("e{}", v) : name_of(v);
}

void add_function(const Entry& e, const Let& let) {
  if (e.functions.names.insert(emit::name_of(*let.function)).second)
    e.functions.text += write_for_cpu(*let.function);
}

std::string series_of(const Entry& e, Value at) {
  const LaneLayout& lanes = e.layout.lanes;
  const Index& index = std::get<Position>(*lanes.definitions[static_cast<size_t>(at)]).at;
  if (!lanes.varies[static_cast<size_t>(at)]) return "0";
  return is_one(along_lanes(lanes, index)) && !values_vary(lanes, index) ? "1" : "2";
}

std::string offset(const Entry& e, const Index& at) {
  std::string out;
  auto add = [&](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
  for (auto& t : at.axes)
    if (t.axis != e.layout.lanes.axis) add(times(format("a{}", t.axis), t.by));
  for (auto& t : at.values)
    if (!e.layout.lanes.varies[t.value]) add(times(format("x{}", t.value), t.by));
  if (out.empty() || at.offset.param >= 0 || at.offset.value != 0) add(spell(at.offset));
  return out;
}

std::string guard(const Entry& e, const std::vector<Value>& guards) {
  std::string out;
  for (Value g : guards)
    if (!e.layout.lanes.varies[g]) out += (out.empty() ? "" : " && ") + format("g{}", g);
  return out;
}

std::string address(const Entry& e, int buffer, const Index& at) {
  return format("b{} + {}", buffer, offset(e, at));
}

namespace {

std::string define_position(Value v, const std::string& expression) {
  return format("long x{0} = {1}; i64v v{0} = (i64v)(x{0});", v, expression);
}

struct WriteUniform {
  const Entry& e;
  Calls& calls;

  std::string operator()(const Let& s) const {
    if (s.function) {
      add_function(e, s);
      const std::string call =
          call_of(s, e.dialect.splat(DType::Bool, "true"), name_of, [&](const Series& series, Value at) {
            return format("b{}, {}, {}, {}", series.buffer, name_of(at), spell(series.step),
                          series_of(e, at));
          });
      const auto [known, added] = calls.try_emplace(call, format("t{}", s.out));
      return (added ? format("const auto {} = {}; ", known->second, call) : "") +
             define_uniform(e, s.out, format("{}.r{}", known->second, s.result));
    }
    return e.layout.unrounded.contains(s.out)
               ? define_rounded(s.out, spell_unrounded(s, e.program, e.dialect, name_of))
               : define_uniform(e, s.out, spell(s, e.program, e.dialect, name_of));
  }
  std::string operator()(const Literal& s) const {
    return define_uniform(e, s.out, e.dialect.splat(s.value.dtype, literal(s.value)));
  }
  std::string operator()(const Argument& s) const {
    const DType t = e.program.scalars[s.scalar];
    const std::string name = format("s{}", s.scalar);
    if (is_complex(t))
      return define_uniform(e, s.out, format("weft_splat_{}({}.re, {}.im)", suffix(t), name, name));
    if (is_half(t)) return define_uniform(e, s.out, format("weft_load_one_{}(&{})", suffix(t), name));
    return define_uniform(e, s.out, e.dialect.splat(t, t == DType::Bool ? name + " != 0" : name));
  }
  std::string operator()(const Position& s) const { return define_position(s.out, offset(e, s.at)); }
  std::string operator()(const Divide& s) const {
    return define_position(
        s.out, format("weft_floor_{}(x{}, {})", s.remainder ? "mod" : "div", s.of, spell(s.divisor)));
  }
  std::string operator()(const Clamp& s) const {
    return define_position(s.out, format("weft_within(x{}, {})", s.index, spell(s.extent)));
  }
  std::string operator()(const Test& s) const {
    return format(
        "bool g{0} = (unsigned long)({1}) < (unsigned long)({2}); boolv v{0} = weft_splat_bool(g{0});", s.out,
        offset(e, s.at), spell(s.extent));
  }
  std::string operator()(const Load& s) const {
    const DType t = e.program.buffers[s.buffer].dtype;
    std::string pointer = address(e, s.buffer, s.at);
    if (const std::string g = guard(e, s.guards); !g.empty())
      pointer = format("{} ? {} : (const {}*)weft_zeros", g, pointer, e.element(t));
    return define_uniform(e, s.out, format("weft_load_one_{}({})", suffix(t), pointer));
  }
  std::string operator()(const Store& s) const {
    return format("weft_store_one_{}({}, {});", suffix(e.program.buffers[s.buffer].dtype),
                  address(e, s.buffer, s.at), stored_name(e, s.value));
  }
  template <class Varying>
  std::string operator()(const Varying&) const {
    throw InternalError("emit cpu: this differs from lane to lane\n" + plan::print(e.program));
  }
};

}  // namespace

std::string write_uniform(const Entry& e, const Stmt& stmt, Calls& calls) {
  return std::visit(WriteUniform{e, calls}, stmt);
}

}  // namespace weft::emit::cpu
