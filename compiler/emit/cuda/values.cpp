// A value is its variable, unless the scope says that it is kept, an array of outer code, or elsewhere for
// now.
#include "compiler/emit/cuda/values.h"

#include <cstdlib>

#include "compiler/emit/cuda/lay_out_memory.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

std::string name_of(const Entry& e, Value v) {
  if (auto home = e.scope.home.find(v); home != e.scope.home.end()) return home->second;
  const char* element = e.scope.at_element ? "e" : "0";
  if (e.scope.settled.contains(v)) return element_of(e, e.dtype(v), format("k{}[u]", v), element);
  if (e.scope.outer.contains(v)) return format("h{}[{}]", v, element);
  return format("v{}", v);
}

std::string index_text(const Entry& e, const Index& at, int64_t shift) {
  std::string s;
  auto term = [&](const std::string& t) { s += (s.empty() ? "" : " + ") + t; };
  if (at.offset.param >= 0 || at.offset.value != 0) term(spell(at.offset));
  for (auto& t : at.axes) term(times(e.scope.axis[t.axis], t.by));
  for (auto& t : at.values) term(times("(I)" + name_of(e, t.value), t.by));
  if (s.empty()) s = "0";
  if (shift != 0) s += format(" {} {}", shift < 0 ? '-' : '+', std::abs(shift));
  return s;
}

std::string guards_text(const Entry& e, const std::vector<Value>& guards) {
  std::string s;
  for (Value g : guards) s += (s.empty() ? "" : " && ") + name_of(e, g);
  return s;
}

std::string packed(DType t, const std::string& value) {
  return t == DType::BF16 ? format("weft_bits_bf16({})", value)
                          : format("weft_pack_{}({})", suffix(t), value);
}

// Halves of a word are cheaper to reach as such.
std::string element_of(const Entry& e, DType t, const std::string& vector, const std::string& element) {
  if (t == DType::BF16 && e.own.lanes % 2 == 0) return format("weft_get_bf16({}, {})", vector, element);
  return format("weft_unpack_{}({}.e[{}])", suffix(t), vector, element);
}

void set_element(Entry& e, DType t, const std::string& vector, const std::string& value) {
  if (t == DType::BF16 && e.own.lanes % 2 == 0)
    e.code.line("weft_set_bf16({}, e, {});", vector, value);
  else
    e.code.line("{}.e[e] = {};", vector, packed(t, value));
}

std::string converted(DType from, DType to, const std::string& value) {
  return from == to ? value : format("weft_cast_{}_{}({})", suffix(from), suffix(to), value);
}

std::string place_of(const Entry& e, const Stmt& s, int buffer) {
  if (is_bundled(e.program, e.layout, s))
    return format("z{}[(I)(threadIdx.x / {}) * m + {}]", buffer, e.own.threads_per_row,
                  e.scope.axis[e.lane()]);
  return format("b{}[{}]", buffer, index_text(e, *index_of(s)));
}

bool is_kept_as_loaded(const Entry& e, const Load& load, Path path) {
  return e.layout.facts.crossing.contains(load.out) &&
         (path == Path::Vector || e.layout.shared.ahead.contains(load.out));
}

}  // namespace weft::emit
