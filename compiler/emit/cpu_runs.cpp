// Accesses to neighbours of which each lane has as many, one after another: as many whole vectors, whose
// elements are dealt to the lanes, or collected from them, in registers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "compiler/emit/cpu_span.h"
#include "compiler/plan/deal.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

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

std::string picks(const Deal& deal, size_t next) {
  std::string out;
  for (auto& p : deal.picks)
    out +=
        format("  const auto v{} = __builtin_shufflevector(v{}, v{}, {});\n", next++, p.a, p.b, list(p.from));
  return out;
}

std::string load_function(DType dtype, const std::string& element, const std::string& value, int lanes,
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

std::string store_function(DType dtype, const std::string& element, const std::string& value, int lanes,
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

}  // namespace

bool CpuSpan::is_run(const Run& run, const Index& at) const {
  const Num* by = e_.along_x(at);
  return masked() && run.length > 1 && by && by->value == run.length;
}

std::string CpuSpan::run_function(const char* what, DType t, const Run& run) {
  const std::string name = format("weft_{}_run_{}_{}", what, suffix(t), run.length);
  if (e_.run_functions_.insert(name).second) {
    auto* write = *what == 'l' ? load_function : store_function;
    e_.functions_ += write(t, e_.dialect_.element_type(t), e_.type(t), e_.s_.lanes, run.length);
  }
  return name;
}

std::string CpuSpan::run_load(const Load& s, const std::string& n) {
  const DType t = e_.p_.buffers[s.buffer].dtype;
  if (s.run.nth == 0) {
    run_ = "q" + n;
    add_stream({"r" + n, e_.dialect_.element_type(t), format("b{} + {}", s.buffer, e_.offset(s.at)),
                spell(*e_.along_x(s.at)), true, false, size_of(t)});
    body_ += format("    {} {}[{}];\n    {}(r{}, rest, {});\n", e_.type(t), run_, s.run.length,
                    run_function("load", t, s.run), n, run_);
  }
  return format("{}[{}]", run_, s.run.nth);
}

void CpuSpan::run_store(const Store& s, const std::string& value) {
  const DType t = e_.p_.buffers[s.buffer].dtype;
  if (s.run.nth == 0) {
    run_ = std::to_string(stores_++);
    add_stream({"w" + run_, e_.dialect_.element_type(t), format("b{} + {}", s.buffer, e_.offset(s.at)),
                spell(*e_.along_x(s.at)), false, true, size_of(t)});
    body_ += format("    {} u{}[{}];\n", e_.type(t), run_, s.run.length);
  }
  body_ += format("    u{}[{}] = {};\n", run_, s.run.nth, value);
  if (s.run.nth == s.run.length - 1)
    body_ += format("    {}(w{}, rest, u{});\n", run_function("store", t, s.run), run_, run_);
}

}  // namespace weft::emit
