#include "compiler/emit/cpu_span.h"

#include <fmt/format.h>

namespace weft::emit {

using namespace plan;
using fmt::format;

std::string CpuSpan::padded_copy(size_t bytes) {
  const char* type = bytes == 1   ? "char"
                     : bytes == 2 ? "short"
                     : bytes == 4 ? "int"
                     : bytes == 8 ? "long"
                                  : "weft_16";
  if (!e_.padded_.insert(bytes).second) return std::to_string(bytes);
  if (bytes == 16) e_.support_ += "struct weft_16 { long a, b; };\n";
  e_.support_ += format(
      "static __attribute__((noinline)) void weft_pad_{0}(void* t, const void* s, long by, long m) {{\n"
      "#pragma clang loop unroll(disable)\n"
      "  for (long k = 0; k < L; ++k) (({1}*)t)[k] = ((const {1}*)s)[k < m ? k * by : 0];\n}}\n"
      "static __attribute__((noinline)) void weft_unpad_{0}(void* d, long by, const void* t, long m) {{\n"
      "#pragma clang loop unroll(disable)\n"
      "  for (long k = 0; k < m; ++k) (({1}*)d)[k * by] = ((const {1}*)t)[k];\n}}\n",
      bytes, type);
  return std::to_string(bytes);
}

void CpuSpan::write_function() {
  std::string advance, pointers;
  for (auto& q : streams_) {
    if (!q.rows.empty()) {
      members_ += format("  long {}_rows;\n", q.name);
      pointers += format("  const long {0}_rows = s->{0}_rows;\n", q.name);
    }
    members_ += format("  {}{}* {};\n", q.out ? "" : "const ", q.element, q.name);
    pointers += format("  {0}{1}* {2} = s->{2};\n", q.out ? "" : "const ", q.element, q.name);
    if (!q.stride.empty() || !q.guard.empty()) {
      members_ += format("  long {}_by;\n", q.name);
      pointers += format("  const long {0}_by = s->{0}_by;\n", q.name);
      advance += format("    {0} += {0}_by * L;\n", q.name);
    } else {
      advance += format("    {} += L;\n", q.name);
    }
  }
  if (uses_positions_) {
    members_ += "  long i;\n";
    pointers += "  long i = s->i;\n";
    pre_ = "    i64v at = weft_minimum_i64(weft_lanes_i64() + (i64v)(i), (i64v)(final));\n" + pre_;
    advance += "    i += L;\n";
  }
  if (many_rows()) {
    members_ += "  long rows;\n";
    pointers += "  const long rows = s->rows;\n";
  }
  if (counts_lanes_) {
    members_ += "  long live;\n";
    pointers += "  const long live = s->live;\n";
  }
  e_.functions_ += format("struct S{} {{\n{}}};\n", id_, members_);
  e_.functions_ += format("static __attribute__((noinline)) void span{0}(S{0}* s, long n) {{\n{1}{2}{3}", id_,
                          locals_, pointers, before_);
  if (many_rows()) body_ = "    for (long u = 0; u < rows; ++u) {\n" + body_ + "    }\n";
  e_.functions_ += "#pragma clang loop unroll(disable)\n  for (long k = 0; k < n; ++k) {\n" + pre_ + body_ +
                   post_ + advance + "  }\n" + after_ + "}\n";
}

std::string CpuSpan::call() {
  std::string out = "      {\n      S" + std::to_string(id_) + " s;\n" + sets_;
  for (auto& q : streams_) {
    out += format("      {}{}* const {} = {};\n", q.out ? "" : "const ", q.element, q.name, q.start);
    if (!q.stride.empty()) out += format("      const long {}_by = {};\n", q.name, q.stride);
    if (!q.rows.empty()) out += format("      const long {0}_rows = s.{0}_rows = {1};\n", q.name, q.rows);
  }
  for (auto* t : tests_)
    out += format("      long lo{0}, hi{0};\n      weft_bounds({1}, {2}, {3}, &lo{0}, &hi{0});\n", t->out,
                  e_.offset(t->at), spell(*e_.along_x(t->at)), spell(t->extent));
  out += "      for (long c = left; c < right;) {\n        long m = right - c;\n";
  for (auto* t : tests_)
    out += format(
        "        const bool g{0} = c >= lo{0} && c < hi{0};\n        m = weft_stretch(c, lo{0}, hi{0}, "
        "m);\n        s.g{0} = g{0};\n",
        t->out);
  // The first stretch, shorter than a vector, ends where aligned ones begin. Several streams are aligned
  // where positions are multiples of L.
  if (!streamed_.empty()) {
    std::string head = streams_out_ > 1
                           ? "-(unsigned long)c & (L - 1)"
                           : format(
                                 "(-(unsigned long)({0} + c) & (weft_least(L * sizeof(*{0}), 64) "
                                 "- 1)) / sizeof(*{0})",
                                 streamed_);
    out += format("        const long head = {};\n        if (head && head < m) m = head;\n", head);
  }
  out += "        const bool partial = m < L;\n        long n = partial ? 1 : m / L;\n";
  if (folds_) out += "        n = weft_least(n, 64);\n";
  out += "        if (!partial) m = n * L;\n";
  // Padded copies hold one row.
  if (many_rows())
    out += "        s.rows = partial ? 1 : rows;\n        for (long u = 0; u < rows; u += s.rows) {\n";
  std::string copies_in, copies_out, buffers;
  for (auto& q : streams_) {
    std::string from = q.stride.empty() ? format("{} + c", q.name) : format("{0} + c * {0}_by", q.name);
    if (!q.rows.empty()) from += format(" + u * {}_rows", q.name);
    std::string by = q.stride.empty() ? (q.guard.empty() ? "" : "1") : q.name + "_by";
    if (q.guard.empty()) {
      out += format("        s.{} = {};\n", q.name, from);
      if (!by.empty()) out += format("        s.{}_by = {};\n", q.name, by);
    } else {
      out += format(
          "        s.{0} = ({1}) ? {2} : (const {3}*)weft_zeros;\n        s.{0}_by = ({1}) ? {4} : 0;\n",
          q.name, q.guard, from, q.element, by);
    }
    buffers += format("        __attribute__((aligned(64))) {} {}_t[L];\n", q.element, q.name);
    std::string copy = padded_copy(q.bytes);
    if (q.in)
      copies_in += format("          weft_pad_{0}({1}_t, s.{1}, {2}, m);\n", copy, q.name,
                          by.empty() ? "1" : format("s.{}_by", q.name));
    if (q.out)
      copies_out += format("          weft_unpad_{0}({1}, {2}, {3}_t, m);\n", copy, from,
                           q.stride.empty() ? "1" : q.name + "_by", q.name);
    copies_in += format("          s.{0} = {0}_t;\n", q.name);
    if (!by.empty()) copies_in += format("          s.{}_by = 1;\n", q.name);
  }
  // Lanes beyond a stretch repeat its last position: where a test fails, indices may leave their arrays.
  if (uses_positions_) out += "        s.i = c;\n        s.final = c + m - 1;\n";
  if (counts_lanes_) out += "        s.live = weft_least(m, L);\n";
  out += buffers + "        if (partial) {\n" + copies_in + "        }\n";
  out += format("        span{}(&s, n);\n", id_);
  if (!copies_out.empty()) out += "        if (partial) {\n" + copies_out + "        }\n";
  if (many_rows()) out += "        }\n";
  if (folds_) out += "        const boolv live = weft_less_i64(weft_lanes_i64(), (i64v)(m));\n" + gather_;
  return out + "        c += m;\n      }\n      }\n";
}

}  // namespace weft::emit
