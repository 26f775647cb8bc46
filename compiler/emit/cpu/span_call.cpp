#include <fmt/format.h>

#include "compiler/emit/cpu/span.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// `step` for k below `count`.
std::string CpuSpan::loop(const std::string& count, const std::string& step) const {
  if (widen_.empty()) return format("  for (long k = 0; k < {}; ++k) {}\n", count, step);
  return format(
      "  for (long k = 0; k < {0};) {{\n  for (const long most = weft_least({0}, k + {1}); k < most; ++k) "
      "{2}\n{3}  }}\n",
      count, kNarrowTerms, step, widen_);
}

// Streams without a step are addressed by one count for all, others move their pointers.
void CpuSpan::write_function() {
  std::string advance, pointers, places;
  const std::string done = aligned_store().empty() ? "L" : "rest";
  for (auto& q : streams_) {
    if (!q.rows.empty()) {
      members_ += format("  long {}_rows;\n", q.name);
      pointers += format("  const long {0}_rows = s->{0}_rows;\n", q.name);
    }
    members_ += format("  {}{}* {};\n", q.out ? "" : "const ", q.element, q.name);
    const std::string pointer = format("{}{}*", q.out ? "" : "const ", q.element);
    if (q.has_step()) {
      pointers += format("  {0} {1} = s->{1};\n", pointer, q.name);
      if (q.owns_step()) {
        members_ += format("  long {};\n", q.step);
        pointers += format("  const long {0} = s->{0};\n", q.step);
      }
      advance += format("    {} += {} * {};\n", q.name, q.step, done);
    } else {
      pointers += format("  {0} const {1}_row = s->{1};\n", pointer, q.name);
      places += format("    {0} const {1} = {1}_row + done;\n", pointer, q.name);
    }
  }
  if (!places.empty()) {
    pointers += "  long done = 0;\n";
    advance += format("    done += {};\n", done);
  }
  if (uses_positions_) {
    members_ += "  long i, final;\n";
    pointers += "  long i = s->i;\n  const long final = s->final;\n";
    pre_ = "    i64v at = weft_minimum_i64(weft_lanes_i64() + (i64v)(i), (i64v)(final));\n" + pre_;
    advance += format("    i += {};\n", done);
  }
  if (many_rows()) {
    members_ += "  long rows;\n";
    pointers += "  const long rows = s->rows;\n";
  }
  if (scans_ && !masked())
    pointers += "  const boolv alive = weft_less_i64(weft_lanes_i64(), (i64v)(live));\n";
  e_.functions_ += format("struct S{} {{\n{}}};\n", id_, members_);
  if (many_rows()) body_ = "    for (long u = 0; u < rows; ++u) {\n" + body_ + "    }\n";
  body_ = places + pre_ + body_ + post_ + advance;
  if (masked()) return write_masked_function(pointers);
  e_.functions_ += format(
      "static __attribute__((noinline)) void span{0}(void* state, long n, long live) {{\n  S{0}* s = "
      "(S{0}*)state;\n{1}{2}{3}{4}{5}}}\n",
      id_, locals_, pointers, before_, loop("n", format("{{\n{}  }}", body_)), after_);
}

std::string CpuSpan::call() {
  if (masked()) return masked_call();
  auto place = [&](bool there, const std::string& name) {
    return there ? format("__builtin_offsetof(S{}, {})", id_, name) : std::string("-1");
  };
  const std::string most = folds_ ? std::to_string(kFoldedVectors) : "0x7fffffffffffffff";
  std::string streams, memory, guards, tests, aims;
  bool unguarded = true;
  int guard_count = 0, aligned = streams_out_ > 1 ? -2 : -1;
  size_t pads = 0;
  for (size_t k = 0; k < streams_.size(); ++k) {
    const Stream& q = streams_[k];
    const int first = guard_count;
    for (Value g : q.tests)
      for (size_t t = 0; t < tests_.size(); ++t)
        if (tests_[t]->out == g) guards += format("{}{}", guard_count++ ? ", " : "", t);
    streams += format("        {{sizeof({}), {}, {}, {}, {}, {}, {}, {}}},\n", q.element, q.count,
                      place(true, q.name), place(q.has_step(), q.step), first, guard_count, q.in ? 1 : 0,
                      q.out ? 1 : 0);
    if (!q.rows.empty()) sets_ += format("      s.{}_rows = {};\n", q.name, q.rows);
    memory += format("        {{{}, {}, {}}},\n",
                     q.only_if.empty() ? q.start : format("{} ? {} : nullptr", q.only_if, q.start),
                     q.stride.empty() ? "1" : q.stride, q.rows.empty() ? "0" : format("s.{}_rows", q.name));
    unguarded &= q.only_if.empty();
    aims += format("        s.{0} = ({1}{2}*)memory[{3}].start + left * memory[{3}].by;\n", q.name,
                   q.out ? "" : "const ", q.element, k);
    if (q.owns_step()) aims += format("        s.{} = memory[{}].by;\n", q.step, k);
    pads += (static_cast<size_t>(e_.s_.lanes * q.count) * q.bytes + 63) / 64 * 64;
    if (streams_out_ == 1 && q.name == streamed_) aligned = static_cast<int>(k);
  }
  for (auto* t : tests_)
    tests += format("        {{{}, {}, {}, {}}},\n", e_.offset(t->at), spell(*e_.along_x(t->at)),
                    spell(t->extent), place(true, format("g{}", t->out)));
  std::string out = format("      {{\n      S{} s;\n{}", id_, sets_);
  auto list = [&](const char* declaration, const std::string& items) {
    if (!items.empty()) out += format("      {}[] = {{\n{}      }};\n", declaration, items);
  };
  auto name_if = [](const char* name, const std::string& items) { return items.empty() ? "nullptr" : name; };
  list("static const WalkStream streams", streams);
  list("static const int guards", guards);
  out += format("      static const WalkPlan plan = {{span{}, {}, {}, L, {}, {}, {}, {}, {}, {}}};\n", id_,
                name_if("streams", streams), name_if("guards", guards), most, streams_.size(), tests_.size(),
                place(many_rows(), "rows"), place(uses_positions_, "i"), aligned);
  list("const WalkMemory memory", memory);
  list("WalkTest tests", tests);
  if (pads) out += format("      __attribute__((aligned(64))) char pads[{}];\n", pads);
  std::string from = "left";
  if (tests_.empty() && aligned == -1 && !uses_positions_ && !many_rows() && unguarded &&
      e_.d_.order == Order::Rows && e_.lane_extent() <= kRowOfDirectCalls) {
    // Most rows are a run of whole vectors that no test cuts; short ones cannot wait for the walk.
    from = "done";
    out += format(
        R"(      long done = left;
      const long whole = (right - left) / L;
      if (whole > 0 && whole <= {}) {{
{}        span{}(&s, whole, L);
        done += whole * L;
      }}
      if (done < right)
  )",
        most, aims, id_);
  }
  return out + format("      weft_walk_2(&plan, {}, right, {}, {}, {}, {}, &s);\n{}      }}\n", from,
                      many_rows() ? "rows" : "1", name_if("memory", memory), name_if("tests", tests),
                      pads ? "pads" : "nullptr", gather_);
}

}  // namespace weft::emit
