// Spans of whole vectors: a walk calls them for runs of vectors, and for ends on padded copies. It is told what
// memory lies along the lanes, and which tests cut it.
#include <algorithm>

#include "compiler/base/integers.h"
#include "compiler/emit/cpu/span.h"
#include "compiler/emit/cpu/uniform.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"
#include "compiler/program/cpu_walk.h"

namespace weft::emit::cpu {

using namespace plan;

namespace {

std::string place_of(const Span& s, bool there, const std::string& name) {
  return there ? format("__builtin_offsetof(S{}, {})", s.id, name) : std::string("-1");
}

// The walk's tables: one row for each stream, one for each test.
struct Tables {
  std::string streams, memory, guards, tests;
  std::string aims;  // sets the struct's pointers where the walk is left out
  int64_t pads = 0;  // bytes of the copies of ends
  int aligned = -1;  // the stream whose vectors are to be aligned; -2: positions are
};

void add_row(const Span& s, const Stream& q, size_t k, int& guards, Tables& t) {
  const int first = guards;
  for (Value g : q.tests)
    for (size_t n = 0; n < s.stretches.size(); ++n)
      if (s.stretches[n]->out == g) t.guards += format("{}{}", guards++ ? ", " : "", n);
  t.streams += format("        {{sizeof({}), {}, {}, {}, {}, {}, {}, {}}},\n", q.element, q.count,
                      place_of(s, true, q.name), place_of(s, q.has_step(), q.step), first, guards,
                      q.in ? 1 : 0, q.out ? 1 : 0);
  t.memory += format("        {{{}, {}, {}}},\n",
                     q.only_if.empty() ? q.start : format("{} ? {} : nullptr", q.only_if, q.start),
                     q.stride.empty() ? "1" : q.stride, q.rows.empty() ? "0" : format("s.{}_rows", q.name));
  t.aims += format("        s.{0} = ({1}{2}*)memory[{3}].start + left * memory[{3}].by;\n", q.name,
                   q.out ? "" : "const ", q.element, k);
  if (q.owns_step()) t.aims += format("        s.{} = memory[{}].by;\n", q.step, k);
  t.pads += round_up(static_cast<int64_t>(q.bytes) * s.entry.layout.lanes.count * q.count, machine::kCpuLine);
  if (s.layout.aligned && q.name == s.aligned) t.aligned = static_cast<int>(k);
}

Tables tables_of(const Span& s) {
  Tables t;
  if (s.layout.aligns_positions) t.aligned = -2;
  int guards = 0;
  for (size_t k = 0; k < s.text.streams.size(); ++k) add_row(s, s.text.streams[k], k, guards, t);
  for (auto* test : s.stretches)
    t.tests += format("        {{{}, {}, {}, {}}},\n", offset(s.entry, test->at),
                      spell(*along_lanes(s.entry.layout.lanes, test->at)), spell(test->extent),
                      place_of(s, true, format("g{}", test->out)));
  return t;
}

// Whether a vector of it may be computed again, from any position on: nothing but streams is read and stored, and
// nothing goes from one vector to the next.
bool may_be_done_again(const Span& s) {
  const SpanLayout& layout = s.layout;
  if (layout.folds || layout.scans || layout.walks_series || s.many_rows()) return false;
  if (layout.aligned || layout.aligns_positions) return false;
  return std::ranges::all_of(layout.stmts, [](const SpanStmt& each) {
    const bool in_memory =
        std::holds_alternative<Load>(*each.stmt) || std::holds_alternative<Store>(*each.stmt);
    return !in_memory || each.way == Way::Vector;
  });
}

std::string name_if(const char* name, const std::string& items) { return items.empty() ? "nullptr" : name; }

// Most rows are a run of whole vectors; short ones cannot wait for the walk.
std::string direct_call(const Span& s, const Tables& t, const std::string& most) {
  return format(
      R"(      long done = left;
      const long whole = (right - left) / L;
      if (whole > 0 && whole <= {}) {{
{}        span{}(&s, whole, L);
        done += whole * L;
      }}
      if (done < right)
  )",
      most, t.aims, s.id);
}

}  // namespace

std::string walked_function(const Span& s, const Pointers& pointers, const std::string& body) {
  const std::string alive = s.layout.scans || s.layout.walks_series
                                ? "  const boolv alive = weft_less_i64(weft_lanes_i64(), (i64v)(live));\n"
                                : "";
  return format(
      "static __attribute__((noinline)) void span{0}(void* state, long n, long live) {{\n  S{0}* s = "
      "(S{0}*)state;\n{1}{2}{3}{4}{5}}}\n",
      s.id, members(s.text, &Member::read), pointers.begin + alive, s.text.before,
      s.packed.let ? packed_loop(s, pointers, body) : write_loop(s, "n", format("{{\n{}  }}", body)),
      s.text.after);
}

std::string walked_call(const Span& s) {
  const Tables t = tables_of(s);
  const bool again = may_be_done_again(s);
  const std::string most = s.layout.folds ? std::to_string(tuning::kFoldedVectors) : "0x7fffffffffffffff";
  std::string out = format("      {{\n      S{} s;\n{}", s.id, members(s.text, &Member::set));
  auto list = [&](const char* declaration, const std::string& items) {
    if (!items.empty()) out += format("      {}[] = {{\n{}      }};\n", declaration, items);
  };
  list("static const WalkStream streams", t.streams);
  list("static const int guards", t.guards);
  out +=
      format("      static const WalkPlan plan = {{span{}, {}, {}, L, {}, {}, {}, {}, {}, {}}};\n", s.id,
             name_if("streams", t.streams), name_if("guards", t.guards), most, s.text.streams.size(),
             s.stretches.size(), again ? std::to_string(WEFT_CPU_AGAIN) : place_of(s, s.many_rows(), "rows"),
             place_of(s, s.layout.takes_positions, "i"), t.aligned);
  list("const WalkMemory memory", t.memory);
  list("WalkTest tests", t.tests);
  if (t.pads) out += format("      __attribute__((aligned(64))) char pads[{}];\n", t.pads);
  if (s.layout.calls_directly) out += direct_call(s, t, most);
  const char* const rows = s.many_rows()                      ? "rows"
                           : s.layout.calls_directly && again ? "done - left + 1"
                                                              : "1";
  return out + format("      weft_walk_3(&plan, {}, right, {}, {}, {}, {}, &s);\n{}      }}\n",
                      s.layout.calls_directly ? "done" : "left", rows, name_if("memory", t.memory),
                      name_if("tests", t.tests), t.pads ? "pads" : "nullptr", s.text.gather);
}

}  // namespace weft::emit::cpu
