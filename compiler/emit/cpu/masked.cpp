// Masked spans: a row, at most some thousand elements, is one call. Where the row ends and where its guards
// hold are lanes that loads and stores leave out, found from the first and last position once a row.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler/emit/cpu/span.h"
#include "compiler/emit/cpu/uniform.h"
#include "compiler/emit/cpu/window.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

// What is live of a load's row: the mask of its lanes, and as positions, the ends where they are known.
struct Live {
  std::string mask = "alive", low = "0", high = "right - left";
};

Live live_of(Span& s, const SpanStmt& stmt, const Load& l) {
  Live live;
  for (Value g : l.guards) {
    if (!s.entry.layout.lanes.varies[g] && stmt.way == Way::Window) continue;
    live.mask = both(s, live.mask, import(s, g));
    if (!s.layout.bounded.contains(g)) continue;
    live.low = format("weft_most({}, s.low{})", live.low, g);
    live.high = format("weft_least({}, s.high{})", live.high, g);
  }
  return live;
}

// One element for all lanes, if any of them wants it.
std::string load_one(Span& s, const Load& l, const Live& live) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[l.buffer].dtype;
  const std::string only_if = guard(e, l.guards), name = format("r{}", l.out);
  add_member(s, format("const {}*", e.element(t)), name,
             format("{}{}{} < {} ? {} : (const {}*)weft_zeros", only_if, only_if.empty() ? "" : " && ",
                    live.low, live.high, address(e, l.buffer, l.at), e.element(t)));
  return format("weft_load_one_{}({})", suffix(t), name);
}

std::string load_window(Span& s, const Load& l, const Live& live) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[l.buffer].dtype;
  const Num& by = *along_lanes(e.layout.lanes, l.at);
  const bool apart = by.param == kLiteral;
  add_stream(s, {.name = format("r{}", l.out),
                 .element = e.element(t),
                 .start = "",
                 .stride = apart ? spell(by) : "",
                 .in = true,
                 .out = false,
                 .bytes = size_of(t),
                 .place = place_window(e, l, live.low, live.high)});
  return apart ? format("weft_load_apart_{}(r{}, {}, {})", suffix(t), l.out, by.value, live.mask)
               : format("weft_load_masked_{}(r{}, {})", suffix(t), l.out, live.mask);
}

std::string load_contiguous(Span& s, const Load& l, const Live& live) {
  const Entry& e = s.entry;
  const DType t = e.program.buffers[l.buffer].dtype;
  add_stream(s,
             {format("r{}", l.out), e.element(t), address(e, l.buffer, l.at), "", true, false, size_of(t)});
  if (!l.guards.empty()) return format("weft_load_guarded_{}(r{}, {})", suffix(t), l.out, live.mask);
  const std::string past = format("past{}", l.buffer);
  if (s.ends.insert(l.buffer).second)
    s.text.state.push_back({format("  const char* {};\n", past),
                            format("  const char* const {0} = s->{0};\n", past),
                            format("      s.{0} = {0};\n", past)});
  return format("weft_load_first_{}(r{}, alive, rest, {})", suffix(t), l.out, past);
}

std::string load_strided(Span& s, const Load& l, const Live& live) {
  const Entry& e = s.entry;
  const LaneLayout& lanes = e.layout.lanes;
  const DType t = e.program.buffers[l.buffer].dtype;
  const Num* by = along_lanes(lanes, l.at);
  std::string start = address(e, l.buffer, l.at), stride = by ? spell(*by) : "0";
  const std::string only_if = guard(e, l.guards);
  const bool whole_rows = std::ranges::none_of(l.guards, [&](Value g) { return lanes.varies[g]; });
  if (whole_rows && !only_if.empty()) {
    start = format("({} ? {} : (const {}*)weft_zeros)", only_if, start, e.element(t));
    stride = format("({} ? {} : 0)", only_if, stride);
  }
  const std::string step =
      add_stream(s, {format("r{}", l.out), e.element(t), start, stride, true, false, size_of(t)});
  if (whole_rows) return format("weft_load_strided_first_{}(r{}, {}, rest)", suffix(t), l.out, step);
  return format("weft_load_strided_masked_{}(r{}, {}, {})", suffix(t), l.out, step, live.mask);
}

}  // namespace

std::string masked_load(Span& s, const SpanStmt& stmt, const Load& l) {
  const Live live = live_of(s, stmt, l);
  if (stmt.way == Way::One) return load_one(s, l, live);
  if (stmt.way == Way::Window) return load_window(s, l, live);
  return is_one(along_lanes(s.entry.layout.lanes, l.at)) ? load_contiguous(s, l, live)
                                                         : load_strided(s, l, live);
}

namespace {

// Lanes between which every test is what it is in most of the row, from the tests' own first and last ones.
std::string inside_of(const Span& s) {
  std::string out = "  long base = 0, begin = 0, end = live;\n";
  for (Value v : s.layout.bounded) {
    const auto& test = std::get<Test>(*s.entry.layout.lanes.definitions[v]);
    if (holds_inside(s.entry, test))
      out += format("  begin = weft_most(begin, s->low{0}), end = weft_least(end, s->high{0});\n", v);
    else
      out += format(
          "  if (s->low{0} < s->high{0}) {{\n    if (s->low{0} <= live - s->high{0}) begin = "
          "weft_most(begin, s->high{0});\n"
          "    else end = weft_least(end, s->low{0});\n  }}\n",
          v);
  }
  return out;
}

// Whole vectors: where tests are known for all lanes, they are constants that fold away.
std::string whole_vectors(const Span& s) {
  if (!has_inside(s.layout)) return write_loop(s, "live / L", "step(weft_splat_bool(-1), L);");
  std::string out =
      "  const long whole = live / L, from = weft_least(whole, (weft_most(begin - base, 0) + L - 1) / L);\n"
      "  const long to = weft_most(from, weft_least(whole, (end - base) / L));\n";
  const std::array<std::pair<const char*, bool>, 3> parts{
      {{"from", false}, {"to - from", true}, {"whole - to", false}}};
  for (auto& [count, inside] : parts)
    out += write_loop(s, count, format("step(weft_splat_bool(-1), L, {});", inside));
  return out;
}

}  // namespace

bool has_inside(const SpanLayout& layout) {
  return !layout.bounded.empty() && !layout.is_heavy && !layout.counts_vectors;
}

bool holds_inside(const Entry& e, const Test& test) { return 2 * test.extent.value >= e.layout.lanes.extent; }

// Whole vectors first: in those, masks are constants that fold away. What is heavy does not feel its masks,
// and is not compiled twice.
std::string masked_function(Span& s, const std::string& pointers, const std::string& stmts) {
  const LaneLayout& lanes = s.entry.layout.lanes;
  std::string out =
      format("static inline __attribute__((always_inline)) void span{0}(S{0}* s, long live) {{\n{1}{2}{3}",
             s.id, members(s.text, &Member::read), pointers, s.text.before);
  const bool inside = has_inside(s.layout);
  const std::string some = format("step(weft_first(rest), rest{});\n", inside ? ", false" : "");
  std::string body = stmts, calls;
  if (!s.layout.bounded.empty()) {
    out += "  i32v lane = __builtin_convertvector(weft_lanes_i64(), i32v);\n";
    body += format("    lane += (i32v)({});\n", s.layout.aligned ? "(int)rest" : "L");
  }
  if (inside) out += inside_of(s);
  if (s.layout.aligned)
    calls = format(
        "  if (const long rest = weft_least(weft_to_aligned({0}_row, sizeof *{0}_row), live)) {{\n"
        "    live -= rest;\n{2}    {1}  }}\n",
        s.aligned, some, inside ? "    base = rest;\n" : "");
  if (s.layout.is_heavy) {
    calls += "  for (long rest = live; rest > 0; rest -= L) {\n    " + some + s.text.widen + "  }\n";
  } else if (s.layout.counts_vectors) {
    const int64_t whole = lanes.extent / lanes.count;
    if (whole > 0) calls = format("  for (long k = 0; k < {}; ++k) step(weft_splat_bool(-1), L);\n", whole);
    if (lanes.extent % lanes.count != 0) calls += "  const long rest = live % L;\n  " + some;
  } else {
    calls += whole_vectors(s) + "  if (const long rest = live % L)\n    " + some;
  }
  return out +
         format(
             "  auto step = [&](const boolv alive, const long rest{}) __attribute__((always_inline)) {{\n{}  "
             "}};\n{}{}}}\n",
             inside ? ", const bool inside" : "", body, calls, s.text.after);
}

// The row at once: where it ends and where guards hold is known from the state.
std::string masked_call(const Span& s) {
  std::string out = format("      {{\n      S{} s;\n{}", s.id, members(s.text, &Member::set));
  for (auto& q : s.text.streams) {
    const std::string by = q.stride.empty() ? "" : format(" * {}", q.stride);
    out += q.place.empty() ? format("      s.{} = {} + left{};\n", q.name, q.start, by) : q.place;
    if (q.owns_step()) out += format("      s.{} = {};\n", q.step, q.stride);
  }
  if (s.layout.takes_positions) out += "      s.i = left;\n      s.final = right - 1;\n";
  return out + format("      span{}(&s, right - left);\n{}      }}\n", s.id, s.text.gather);
}

}  // namespace weft::emit::cpu
