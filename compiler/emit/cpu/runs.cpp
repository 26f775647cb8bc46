// Accesses to neighbours of which each lane has as many. One lane's after another's: as many whole vectors,
// whose elements are dealt to the lanes, or collected from them, in registers. Apart: a vector of each
// lane's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/emit/cpu/span.h"
#include "compiler/emit/cpu/uniform.h"
#include "compiler/plan/facts/deal.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

template <class Range>
std::string list(const Range& numbers) {
  return format("{}", fmt::join(numbers, ", "));
}

// The types of a function for runs, and its copy of those that are not as many as lanes.
std::string opening(const char* what, const std::string& element, const char* pointer, int length) {
  return format(
      "  typedef {0} Item __attribute__((aligned(1), may_alias));\n"
      "  {0} items[{3} * L];\n"
      "  {2}char* at = ({2}char*){1};\n",
      element, what, pointer, length);
}

std::string vectors(const std::string& element, const Deal& deal) {
  std::set<size_t> widths;
  for (auto& p : deal.pieces) widths.insert(static_cast<size_t>(p.count));
  std::string out;
  for (const size_t width : widths)
    out += format("  typedef {0} V{1} __attribute__((ext_vector_type({1}), aligned(1), may_alias));\n",
                  element, width);
  return out;
}

// The pieces of a deal whose lanes are apart, in the order of the lanes.
std::vector<size_t> by_lane(const Deal& deal) {
  std::vector<size_t> order(deal.pieces.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](size_t k) { return deal.pieces[k].at; });
  return order;
}

std::string picks(const Deal& deal, size_t next) {
  std::string out;
  for (auto& p : deal.picks)
    out +=
        format("  const auto v{} = __builtin_shufflevector(v{}, v{}, {});\n", next++, p.a, p.b, list(p.from));
  return out;
}

std::string function_that_loads(DType dtype, const std::string& element, const std::string& value, int lanes,
                                int length) {
  const Deal deal = deal_in(lanes, length);
  std::string out = format(
      "static inline __attribute__((always_inline)) void weft_load_run_{0}_{1}(const void* from, long rest, "
      "{2} (&to)[{1}]) {{\n{3}{4}"
      "  if (rest < L) {{\n    __builtin_memset(items, 0, sizeof items);\n"
      "    for (long k = 0; k < {1} * rest; ++k) items[k] = ((const Item*)from)[k];\n"
      "    at = (const char*)items;\n  }}\n",
      suffix(dtype), length, value, opening("from", element, "const ", length), vectors(element, deal));
  for (size_t k = 0; k < deal.pieces.size(); ++k)
    out += format("  const auto v{} = *(const V{}*)(at + {} * sizeof(Item));\n", k, deal.pieces[k].count,
                  deal.pieces[k].at);
  out += picks(deal, deal.pieces.size());
  for (int k = 0; k < length; ++k)
    out += format("  to[{}] = weft_unpack_{}(v{});\n", k, suffix(dtype), deal.ends[static_cast<size_t>(k)]);
  return out + "}\n";
}

std::string function_that_stores(DType dtype, const std::string& element, const std::string& value, int lanes,
                                 int length) {
  const Deal deal = deal_out(lanes, length);
  std::string out = format(
      "static inline __attribute__((always_inline)) void weft_store_run_{0}_{1}(void* to, long rest, "
      "const {2} (&from)[{1}]) {{\n{3}{4}  if (rest < L) at = (char*)items;\n",
      suffix(dtype), length, value, opening("to", element, "", length), vectors(element, deal));
  for (int k = 0; k < length; ++k)
    out += format("  const auto v{0} = weft_pack_{1}(from[{0}]);\n", k, suffix(dtype));
  out += picks(deal, static_cast<size_t>(length));
  for (size_t k = 0; k < deal.pieces.size(); ++k)
    out += format("  *(V{}*)(at + {} * sizeof(Item)) = v{};\n", deal.pieces[k].count, deal.pieces[k].at,
                  deal.ends[k]);
  return out + format(
                   "  if (rest < L)\n"
                   "    for (long k = 0; k < {} * rest; ++k) ((Item*)to)[k] = items[k];\n}}\n",
                   length);
}

std::string function_that_loads_apart(DType dtype, const std::string& element, const std::string& value,
                                      int lanes, int length) {
  const Deal deal = deal_in_apart(lanes, length);
  std::string out = format(
      "static inline __attribute__((always_inline)) void weft_load_near_{0}_{1}(const {2}* at, long by, "
      "{3} (&to)[{1}]) {{\n{4}",
      suffix(dtype), length, element, value, vectors(element, deal));
  for (const size_t k : by_lane(deal))
    out += format("  const auto v{} = *(const V{}*)at;\n  at += by;\n", k, length);
  out += picks(deal, deal.pieces.size());
  for (int k = 0; k < length; ++k)
    out += format("  to[{}] = weft_unpack_{}(v{});\n", k, suffix(dtype), deal.ends[static_cast<size_t>(k)]);
  return out + "}\n";
}

std::string function_that_stores_apart(DType dtype, const std::string& element, const std::string& value,
                                       int lanes, int length) {
  const Deal deal = deal_out_apart(lanes, length);
  std::string out = format(
      "static inline __attribute__((always_inline)) void weft_store_near_{0}_{1}({2}* at, long by, "
      "const {3} (&from)[{1}]) {{\n{4}",
      suffix(dtype), length, element, value, vectors(element, deal));
  for (int k = 0; k < length; ++k)
    out += format("  const auto v{0} = weft_pack_{1}(from[{0}]);\n", k, suffix(dtype));
  out += picks(deal, static_cast<size_t>(length));
  for (const size_t k : by_lane(deal))
    out += format("  *(V{}*)at = v{};\n  at += by;\n", length, deal.ends[k]);
  return out + "}\n";
}

using FunctionText = std::string (*)(DType dtype, const std::string& element, const std::string& value,
                                     int lanes, int length);

// The name of a function, which is written where it is met first.
std::string function_named(Entry& e, const std::string& what, DType t, int length, FunctionText write) {
  const std::string name = format("weft_{}_{}_{}", what, suffix(t), length);
  if (e.functions.names.insert(name).second)
    e.functions.text += write(t, e.element(t), e.type(t), e.layout.lanes.count, length);
  return name;
}

// A stream of runs, one a lane.
Stream stream_of(const Entry& e, const std::string& name, int buffer, const Index& at, bool written) {
  const DType t = e.program.buffers[static_cast<size_t>(buffer)].dtype;
  return {.name = name,
          .element = e.element(t),
          .start = address(e, buffer, at),
          .stride = spell(*along_lanes(e.layout.lanes, at)),
          .in = !written,
          .out = written,
          .bytes = size_of(t)};
}

std::string add_family(Span& s, const std::string& name, int buffer, const Family& family, bool written) {
  Stream stream = stream_of(s.entry, name, buffer, *family.first, written);
  stream.count = static_cast<int>(family.length);
  return add_stream(s, std::move(stream));
}

}  // namespace

std::string load_neighbours(Span& s, const SpanStmt& stmt, const Load& l) {
  const Family& family = s.layout.families[stmt.family];
  Span::Met& met = s.families[stmt.family];
  if (met.accesses++ == 0) {
    const DType t = s.entry.program.buffers[l.buffer].dtype;
    const auto length = static_cast<int>(family.length);
    met.name = format("q{}", l.out);
    const std::string from = format("r{}", l.out), step = add_family(s, from, l.buffer, family, false);
    s.text.body += format("    {} {}[{}];\n    {}({}, {}, {});\n", s.entry.type(t), met.name, length,
                          function_named(s.entry, "load_near", t, length, function_that_loads_apart), from,
                          step, met.name);
  }
  return format("{}[{}]", met.name, stmt.nth);
}

void store_neighbours(Span& s, const SpanStmt& stmt, const Store& st, const std::string& value) {
  const Family& family = s.layout.families[stmt.family];
  Span::Met& met = s.families[stmt.family];
  const DType t = s.entry.program.buffers[st.buffer].dtype;
  const auto length = static_cast<int>(family.length);
  if (met.accesses == 0) {
    met.name = std::to_string(s.stores++);
    s.text.body += format("    {} u{}[{}];\n", s.entry.type(t), met.name, length);
  }
  s.text.body += format("    u{}[{}] = {};\n", met.name, stmt.nth, value);
  if (++met.accesses < family.length) return;
  const std::string to = "w" + met.name, step = add_family(s, to, st.buffer, family, true);
  s.text.body += format("    {}({}, {}, u{});\n",
                        function_named(s.entry, "store_near", t, length, function_that_stores_apart), to,
                        step, met.name);
}

std::string load_run(Span& s, const Load& l) {
  if (l.run.nth == 0) {
    const DType t = s.entry.program.buffers[l.buffer].dtype;
    s.run = format("q{}", l.out);
    add_stream(s, stream_of(s.entry, format("r{}", l.out), l.buffer, l.at, false));
    s.text.body +=
        format("    {} {}[{}];\n    {}(r{}, rest, {});\n", s.entry.type(t), s.run, l.run.length,
               function_named(s.entry, "load_run", t, l.run.length, function_that_loads), l.out, s.run);
  }
  return format("{}[{}]", s.run, l.run.nth);
}

void store_run(Span& s, const Store& st, const std::string& value) {
  const DType t = s.entry.program.buffers[st.buffer].dtype;
  if (st.run.nth == 0) {
    s.run = std::to_string(s.stores++);
    add_stream(s, stream_of(s.entry, "w" + s.run, st.buffer, st.at, true));
    s.text.body += format("    {} u{}[{}];\n", s.entry.type(t), s.run, st.run.length);
  }
  s.text.body += format("    u{}[{}] = {};\n", s.run, st.run.nth, value);
  if (st.run.nth == st.run.length - 1)
    s.text.body +=
        format("    {}(w{}, rest, u{});\n",
               function_named(s.entry, "store_run", t, st.run.length, function_that_stores), s.run, s.run);
}

}  // namespace weft::emit::cpu
