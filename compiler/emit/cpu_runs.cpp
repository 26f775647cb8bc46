// Accesses to neighbours of which each lane has as many, one after another: as many whole vectors, whose
// elements are dealt to the lanes, or collected from them, in registers.
#include <fmt/format.h>

#include "compiler/emit/cpu_span.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

template <class F>
std::string list(int count, F&& f) {
  std::string out;
  for (int k = 0; k < count; ++k) out += format("{}{}", k ? ", " : "", f(k));
  return out;
}

// The types of a function for runs of `length` elements, `rest` of which are real.
std::string opening(const char* what, const std::string& element, int lanes, int length) {
  return format(
      "  typedef {0} Vectors __attribute__((ext_vector_type({1})));\n"
      "  typedef Vectors Unaligned __attribute__((aligned(1), may_alias));\n"
      "  typedef {0} Item __attribute__((aligned(1), may_alias));\n{2}",
      element, lanes * length, what);
}

std::string load_function(DType dtype, const std::string& element, const std::string& value, int lanes,
                          int length) {
  std::string out = format(
      "static inline __attribute__((always_inline)) void weft_load_run_{0}_{1}(const void* from, long rest, "
      "{2} (&to)[{1}]) {{\n{3}"
      "  if (rest >= L) {{\n    all = *(const Unaligned*)from;\n  }} else {{\n"
      "    {4} items[{1} * L] = {{}};\n"
      "    for (long k = 0; k < {1} * rest; ++k) items[k] = ((const Item*)from)[k];\n"
      "    __builtin_memcpy(&all, items, sizeof all);\n  }}\n",
      suffix(dtype), length, value, opening("  Vectors all;\n", element, lanes, length), element);
  for (int k = 0; k < length; ++k)
    out += format("  to[{}] = weft_unpack_{}(__builtin_shufflevector(all, all, {}));\n", k, suffix(dtype),
                  list(lanes, [&](int lane) { return lane * length + k; }));
  return out + "}\n";
}

std::string store_function(DType dtype, const std::string& element, const std::string& value, int lanes,
                           int length) {
  std::string out = format(
      "static inline __attribute__((always_inline)) void weft_store_run_{0}_{1}(void* to, long rest, "
      "const {2} (&from)[{1}]) {{\n{3}",
      suffix(dtype), length, value, opening("", element, lanes, length));
  std::vector<std::string> joined;
  joined.reserve(static_cast<size_t>(length));
  for (int k = 0; k < length; ++k) joined.push_back(format("weft_pack_{}(from[{}])", suffix(dtype), k));
  // Pairs of vectors, pairs of those, ...; where one is left over, only its own half matters.
  int names = 0;
  for (int width = lanes; joined.size() > 1; width *= 2) {
    std::vector<std::string> wider;
    for (size_t k = 0; k < joined.size(); k += 2) {
      const bool pair = k + 1 < joined.size();
      out += format("  const auto j{} = {};\n", names, joined[k]);
      if (pair) out += format("  const auto j{} = {};\n", names + 1, joined[k + 1]);
      wider.push_back(format("__builtin_shufflevector(j{}, j{}, {})", names, names + (pair ? 1 : 0),
                             list(2 * width, [&](int e) { return pair || e < width ? e : -1; })));
      names += 2;
    }
    joined = std::move(wider);
  }
  out +=
      format("  const auto lined = {0};\n  const Vectors all = __builtin_shufflevector(lined, lined, {1});\n",
             joined[0], list(lanes * length, [&](int e) { return e % length * lanes + e / length; }));
  return out + format(
                   "  if (rest >= L) {{\n    *(Unaligned*)to = all;\n    return;\n  }}\n"
                   "  {0} items[{1} * L];\n  __builtin_memcpy(items, &all, sizeof all);\n"
                   "  for (long k = 0; k < {1} * rest; ++k) ((Item*)to)[k] = items[k];\n}}\n",
                   element, length);
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
    streams_.push_back({"r" + n, e_.dialect_.element_type(t), format("b{} + {}", s.buffer, e_.offset(s.at)),
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
    streams_.push_back({"w" + run_, e_.dialect_.element_type(t),
                        format("b{} + {}", s.buffer, e_.offset(s.at)), spell(*e_.along_x(s.at)), false, true,
                        size_of(t)});
    body_ += format("    {} u{}[{}];\n", e_.type(t), run_, s.run.length);
  }
  body_ += format("    u{}[{}] = {};\n", run_, s.run.nth, value);
  if (s.run.nth == s.run.length - 1)
    body_ += format("    {}(w{}, rest, u{});\n", run_function("store", t, s.run), run_, run_);
}

}  // namespace weft::emit
