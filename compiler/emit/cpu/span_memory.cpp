// Loads and stores of a span.
#include "compiler/emit/cpu/span.h"
#include "compiler/emit/cpu/transpose.h"
#include "compiler/emit/cpu/uniform.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

// Every lane from a place of its own.
std::string gather(Span& s, const Load& l) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[l.buffer].dtype;
  const std::string n = std::to_string(l.out);
  add_member(s, format("const {}*", e.element(t)), "r" + n, address(e, l.buffer, l.at));
  std::string index = lanes_index(s, l.at, n, false), mask;
  for (Value g : l.guards) mask = mask.empty() ? import(s, g) : both(s, mask, import(s, g));
  if (index.empty()) index = "(i64v)(0)";
  return mask.empty() ? format("weft_gather_{}(r{}, {})", suffix(t), n, index)
                      : format("weft_gather_masked_{}(r{}, {}, {})", suffix(t), n, index, mask);
}

// How far a row is from the next along the axis of which the span folds several rows.
std::string along_rows(const Span& s, const Index& at) {
  for (auto& t : at.axes)
    if (t.axis == s.layout.rows_axis && t.by.value != 0) return spell(t.by);
  return "";
}

std::string load_vectors(Span& s, const Load& l, const std::vector<Value>& tests) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[l.buffer].dtype;
  const Num* by = along_lanes(e.layout.lanes, l.at);
  const std::string name = format("r{}", l.out), rows = s.many_rows() ? along_rows(s, l.at) : "";
  const std::string step = add_stream(s, {.name = name,
                                          .element = e.element(t),
                                          .start = address(e, l.buffer, l.at),
                                          .stride = is_one(by) ? ""
                                                    : by       ? spell(*by)
                                                               : "0",
                                          .in = true,
                                          .out = false,
                                          .bytes = size_of(t),
                                          .rows = rows,
                                          .only_if = guard(e, l.guards),
                                          .tests = tests});
  const std::string from = rows.empty() ? name : format("{0} + u * {0}_rows", name);
  return is_one(by) ? format("weft_load_{}({})", suffix(t), from)
                    : format("weft_load_strided_{}({}, {})", suffix(t), from, step);
}

std::string load_tile(Span& s, const Load& l) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[l.buffer].dtype;
  add_stream(s, {format("r{}", l.out), e.element(t), tile_row(e, l), "", true, false, size_of(t)});
  return format("weft_load_{}(r{})", suffix(t), l.out);
}

// Stores lane by lane, in order, those lanes that are no padding.
void scatter(Span& s, const Store& st, const std::string& v) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[st.buffer].dtype;
  const std::string element = e.element(t), n = std::to_string(s.stores++);
  s.text.state.push_back({format("  {}* w{};\n", element, n),
                          format("  {0}* const w{1} = s->w{1};\n", element, n),
                          format("      s.w{} = {};\n", n, address(e, st.buffer, st.at))});
  const std::string index = lanes_index(s, st.at, "w" + n, false);
  s.text.body += format(
      "    {0} w{1}_t[L];\n    long w{1}_at[L];\n    weft_store_{2}(w{1}_t, {3});\n    "
      "weft_store_i64(w{1}_at, {4});\n",
      element, n, suffix(t), v, index);
  s.text.body += format("    for (long j = 0; j < {1}; ++j) w{0}[w{0}_at[j]] = w{0}_t[j];\n", n,
                        s.masked() ? "rest" : "live");
}

void store_vectors(Span& s, const Store& st, const std::string& v) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[st.buffer].dtype;
  const Num* by = along_lanes(e.layout.lanes, st.at);
  const std::string name = format("w{}", s.stores++);
  const std::string step = add_stream(s, {name, e.element(t), address(e, st.buffer, st.at),
                                          is_one(by) ? ""
                                          : by       ? spell(*by)
                                                     : "0",
                                          false, true, size_of(t)});
  if (s.layout.aligned == &st) s.aligned = name;
  const std::string to = is_one(by) ? name : name + ", " + step;
  const char* strided = is_one(by) ? "" : "strided_";
  if (s.masked())
    s.text.body += format("    weft_store_{}first_{}({}, {}, rest);\n", strided, suffix(t), to, v);
  else if (is_one(by) && e.layout.division.streaming())
    s.text.body += format("    weft_stream_{}({}, {});\n", suffix(t), to, v);
  else
    s.text.body += format("    weft_store_{}{}({}, {});\n", strided, suffix(t), to, v);
}

}  // namespace

void write_load(Span& s, const SpanStmt& stmt, const Load& l) {
  if (stmt.way == Way::Each) return define(s, l.out, gather(s, l));
  if (stmt.way == Way::Run) return define(s, l.out, load_run(s, l));
  if (stmt.way == Way::Neighbours) return define(s, l.out, load_neighbours(s, stmt, l));
  if (stmt.way == Way::Tile) return define(s, l.out, load_tile(s, l));
  std::vector<Value> tests;
  for (Value g : l.guards)
    if (is_stretch(s.entry.layout.lanes, g)) tests.push_back(g), import(s, g);
  if (stmt.asks_ahead)
    s.text.body +=
        format("    weft_ahead_{}(r{});\n", suffix(s.entry.program.buffers[l.buffer].dtype), l.out);
  define(s, l.out, s.masked() ? masked_load(s, stmt, l) : load_vectors(s, l, tests));
}

void write_store(Span& s, const SpanStmt& stmt, const Store& st) {
  const std::string v =
      s.layout.own.contains(st.value) ? stored_name(s.entry, st.value) : import(s, st.value);
  if (stmt.way == Way::Run) return store_run(s, st, v);
  if (stmt.way == Way::Neighbours) return store_neighbours(s, stmt, st, v);
  if (stmt.way == Way::Each) return scatter(s, st, v);
  store_vectors(s, st, v);
}

}  // namespace weft::emit::cpu
