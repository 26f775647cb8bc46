// Accesses to neighbours of which each lane has as many. One lane's after another's: as many whole vectors,
// whose elements are dealt to the lanes, or collected from them, in registers. Apart: a vector of each
// lane's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>

#include "compiler/emit/cpu/span.h"
#include "compiler/plan/facts/deal.h"

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

// The pieces of a deal whose lanes are apart, in the order of the lanes.
std::vector<size_t> by_lane(const Deal& deal) {
  std::vector<size_t> order(deal.pieces.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](size_t k) { return deal.pieces[k].at; });
  return order;
}

// Whose elements Clang has plain vectors of, in registers as in memory.
bool deals(DType t) { return !is_complex(t) && (size_of(t) == 4 || size_of(t) == 8); }

bool same_but_for_offset(const Index& a, const Index& b) {
  const auto same_axis = [](const AxisTerm& x, const AxisTerm& y) {
    return x.axis == y.axis && x.by == y.by;
  };
  const auto same_value = [](const ValueTerm& x, const ValueTerm& y) {
    return x.value == y.value && x.by == y.by;
  };
  return std::ranges::equal(a.axes, b.axes, same_axis) && std::ranges::equal(a.values, b.values, same_value);
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

std::string near_load_function(DType dtype, const std::string& element, const std::string& value, int lanes,
                               int length) {
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

std::string near_store_function(DType dtype, const std::string& element, const std::string& value, int lanes,
                                int length) {
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

}  // namespace

// Elements of one buffer that every lane has at the same distances, and that no guard leaves out. Reading
// sooner and writing later than the program does changes nothing: what it reads is what was there before.
void CpuSpan::find_neighbours() {
  if (masked() || many_rows() || e_.p_.ordered) return;
  struct Family {
    bool written;
    int buffer;
    std::vector<const Index*> members;
  };
  std::vector<Family> families;
  for (auto* stmt : stmts_) {
    auto* load = std::get_if<Load>(stmt);
    auto* store = std::get_if<Store>(stmt);
    if (!load && !store) continue;
    const Index& at = *index_of(*stmt);
    const int buffer = load ? load->buffer : store->buffer;
    const Num* by = e_.along_x(at);
    if (!by || std::abs(by->value) < 2 || e_.values_vary(at) || !deals(e_.p_.buffers[buffer].dtype)) continue;
    if (load && (!load->guards.empty() || e_.transposed(*load))) continue;
    auto family = std::ranges::find_if(families, [&](const Family& f) {
      return f.written == (store != nullptr) && f.buffer == buffer && same_but_for_offset(*f.members[0], at);
    });
    if (family == families.end()) family = families.insert(family, {store != nullptr, buffer, {}});
    family->members.push_back(&at);
  }
  for (auto& [written, buffer, members] : families) {
    std::ranges::stable_sort(members, {}, [](const Index* at) { return at->offset.value; });
    // Lanes must not write to the same elements.
    const int64_t apart = std::abs(e_.along_x(*members[0])->value);
    const auto most = static_cast<size_t>(
        std::min<int64_t>({kMostNeighbours, e_.s_.lanes, written ? apart : kMostNeighbours}));
    for (size_t k = 0, next = 0; k < members.size(); k = next) {
      for (next = k + 1; next < members.size() && next - k < most &&
                         members[next]->offset.value == members[next - 1]->offset.value + 1;)
        ++next;
      next = k + std::bit_floor(next - k);
      if (next - k == 1) continue;
      for (size_t n = k; n < next; ++n) near_[members[n]] = {neighbours_.size(), n - k};
      neighbours_.push_back({members[k], next - k, next - k});
    }
  }
}

std::string CpuSpan::near_function(const char* what, DType t, size_t length) {
  const std::string name = format("weft_{}_near_{}_{}", what, suffix(t), length);
  if (e_.run_functions_.insert(name).second) {
    auto* write = *what == 'l' ? near_load_function : near_store_function;
    e_.functions_ += write(t, e_.dialect_.element_type(t), e_.type(t), e_.s_.lanes, static_cast<int>(length));
  }
  return name;
}

std::string CpuSpan::near_load(const Load& s, const std::string& n) {
  const auto [which, nth] = near_.at(&s.at);
  Neighbours& all = neighbours_[which];
  if (all.left-- == all.length) {
    const DType t = e_.p_.buffers[s.buffer].dtype;
    all.name = "q" + n;
    const std::string step = add_stream({.name = "r" + n,
                                         .element = e_.dialect_.element_type(t),
                                         .start = format("b{} + {}", s.buffer, e_.offset(*all.first)),
                                         .stride = spell(*e_.along_x(s.at)),
                                         .in = true,
                                         .out = false,
                                         .bytes = size_of(t),
                                         .count = static_cast<int>(all.length)});
    body_ += format("    {} {}[{}];\n    {}(r{}, {}, {});\n", e_.type(t), all.name, all.length,
                    near_function("load", t, all.length), n, step, all.name);
  }
  return format("{}[{}]", all.name, nth);
}

void CpuSpan::near_store(const Store& s, const std::string& value) {
  const auto [which, nth] = near_.at(&s.at);
  Neighbours& all = neighbours_[which];
  const DType t = e_.p_.buffers[s.buffer].dtype;
  if (all.left == all.length) {
    all.name = std::to_string(stores_++);
    body_ += format("    {} u{}[{}];\n", e_.type(t), all.name, all.length);
  }
  body_ += format("    u{}[{}] = {};\n", all.name, nth, value);
  if (--all.left > 0) return;
  const std::string step = add_stream({.name = "w" + all.name,
                                       .element = e_.dialect_.element_type(t),
                                       .start = format("b{} + {}", s.buffer, e_.offset(*all.first)),
                                       .stride = spell(*e_.along_x(s.at)),
                                       .in = false,
                                       .out = true,
                                       .bytes = size_of(t),
                                       .count = static_cast<int>(all.length)});
  body_ += format("    {}(w{}, {}, u{});\n", near_function("store", t, all.length), all.name, step, all.name);
}

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
