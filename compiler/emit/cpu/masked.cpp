// Masked spans: a row, at most some thousand elements, is one call. Where the row ends and where its guards
// hold are lanes that loads and stores leave out, found from the first and last position once a row.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/cpu/span.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

bool CpuSpan::has_bounds(Value v) const {
  auto* t =
      masked() && own_.contains(v) && e_.definition_[v] ? std::get_if<Test>(e_.definition_[v]) : nullptr;
  return t && e_.varies_[v] && !e_.values_vary(t->at);
}

std::string CpuSpan::both(const std::string& mask, const std::string& test) {
  const auto [known, added] = masks_.try_emplace(mask + " & " + test, format("m{}", masks_.size()));
  if (added) body_ += format("    const boolv {} = {};\n", known->second, known->first);
  return known->second;
}

std::string CpuSpan::masked_load(const Load& s, const std::string& n) {
  DType t = e_.p_.buffers[s.buffer].dtype;
  std::string element = e_.dialect_.element_type(t), mask = "alive";
  std::string low = "0", high = "right - left", only_if = e_.guard(s.guards);
  bool bounded = true;
  // A window is known where all guards are the same in a row, or hold for one stretch of it.
  const bool windowed = e_.windows_.contains(s.out) && std::ranges::all_of(s.guards, [&](Value g) {
                          return !e_.varies_[g] || has_bounds(g);
                        });
  for (Value g : s.guards) {
    if (!e_.varies_[g] && windowed) continue;
    mask = both(mask, import(g));
    bounded &= has_bounds(g) || !e_.varies_[g];
    if (!has_bounds(g)) continue;
    low = format("weft_most({}, s.low{})", low, g);
    high = format("weft_least({}, s.high{})", high, g);
  }
  std::string start = format("b{} + {}", s.buffer, e_.offset(s.at));
  const Num* by = e_.along_x(s.at);
  if (!by && bounded) {
    // One element for all lanes, if any of them wants it.
    only_if += format("{}{} < {}", only_if.empty() ? "" : " && ", low, high);
    member(format("const {}*", element), "r" + n,
           format("{} ? {} : (const {}*)weft_zeros", only_if, start, element));
    return format("weft_load_one_{}(r{})", suffix(t), n);
  }
  const bool apart = by && by->param == kLiteral;
  if (windowed) {
    add_stream({.name = "r" + n,
                .element = element,
                .start = "",
                .stride = apart ? spell(*by) : "",
                .in = true,
                .out = false,
                .bytes = size_of(t),
                .place = window(s, n, low, high)});
    return apart ? format("weft_load_apart_{}(r{}, {}, {})", suffix(t), n, by->value, mask)
                 : format("weft_load_masked_{}(r{}, {})", suffix(t), n, mask);
  }
  if (by && !apart && by->param < 0 && by->value == 1) {
    add_stream({"r" + n, element, start, "", true, false, size_of(t)});
    if (!s.guards.empty()) return format("weft_load_guarded_{}(r{}, {})", suffix(t), n, mask);
    const std::string past = e_.past_of(s.buffer);
    if (pasts_.insert(s.buffer).second) {
      members_ += format("  const char* {};\n", past);
      locals_ += format("  const char* const {0} = s->{0};\n", past);
      sets_ += format("      s.{0} = {0};\n", past);
    }
    return format("weft_load_first_{}(r{}, alive, rest, {})", suffix(t), n, past);
  }
  std::string stride = by ? spell(*by) : "0";
  const bool whole_rows =
      std::none_of(s.guards.begin(), s.guards.end(), [&](Value g) { return e_.varies_[g]; });
  if (whole_rows && !only_if.empty()) {
    start = format("({} ? {} : (const {}*)weft_zeros)", only_if, start, element);
    stride = format("({} ? {} : 0)", only_if, stride);
  }
  const std::string step = add_stream({"r" + n, element, start, stride, true, false, size_of(t)});
  if (whole_rows) return format("weft_load_strided_first_{}(r{}, {}, rest)", suffix(t), n, step);
  return format("weft_load_strided_masked_{}(r{}, {}, {})", suffix(t), n, step, mask);
}

float CpuSpan::work() const {
  float cost = 0;
  for (auto* s : stmts_)
    if (auto* let = std::get_if<Let>(s)) cost += info(let->op).cost;
  return cost;
}

bool CpuSpan::is_heavy() const { return work() > kWorkOfMasks; }

std::string CpuSpan::aligned_store() const {
  if (!masked() || !e_.d_.aligned() || folds_ || scans_ || is_heavy()) return "";
  std::string first;
  for (auto& q : streams_) {
    if (q.out && q.scratch) return "";
    if (first.empty() && q.out && !q.has_step()) first = q.name;
  }
  return first;
}

bool CpuSpan::counts_vectors() const {
  const int64_t elements = e_.lane_extent(), whole = elements / e_.s_.lanes;
  const int64_t rows = e_.x_ < e_.outer_rank() ? e_.p_.outer_count() / elements : e_.p_.outer_count();
  return aligned_store().empty() && !is_heavy() && rows > 1 && whole <= kCountedVectors &&
         static_cast<float>(whole) * work() <= kCountedWork &&
         elements <=
             (e_.d_.order == Order::Rows ? kFinishedTogether : std::min(e_.d_.chunk, kFinishedTogether));
}

// Whole vectors first: in those, masks are constants that fold away. What is heavy does not feel its masks,
// and is not compiled twice.
void CpuSpan::write_masked_function(const std::string& pointers) {
  e_.functions_ +=
      format("static inline __attribute__((always_inline)) void span{0}(S{0}* s, long live) {{\n{1}{2}{3}",
             id_, locals_, pointers, before_);
  const std::string store = aligned_store(), some = "step(weft_first(rest), rest);\n";
  if (bounded_) {
    e_.functions_ += "  i32v lane = __builtin_convertvector(weft_lanes_i64(), i32v);\n";
    body_ += format("    lane += (i32v)({});\n", store.empty() ? "L" : "(int)rest");
  }
  std::string calls;
  if (!store.empty())
    calls = format(
        "  if (const long rest = weft_least(weft_to_aligned({0}_row, sizeof *{0}_row), live)) {{\n"
        "    live -= rest;\n    {1}  }}\n",
        store, some);
  if (is_heavy()) {
    calls += "  for (long rest = live; rest > 0; rest -= L) {\n    " + some + widen_ + "  }\n";
  } else if (counts_vectors()) {
    const int64_t whole = e_.lane_extent() / e_.s_.lanes;
    if (whole > 0) calls = format("  for (long k = 0; k < {}; ++k) step(weft_splat_bool(-1), L);\n", whole);
    if (e_.lane_extent() % e_.s_.lanes != 0) calls += "  const long rest = live % L;\n  " + some;
  } else {
    calls +=
        loop("live / L", "step(weft_splat_bool(-1), L);") + "  if (const long rest = live % L)\n    " + some;
  }
  e_.functions_ += format(
      "  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {{\n{}  "
      "}};\n{}{}}}\n",
      body_, calls, after_);
}

// The row at once: where it ends and where guards hold is known from the state.
std::string CpuSpan::masked_call() {
  std::string out = format("      {{\n      S{} s;\n{}", id_, sets_);
  for (auto& q : streams_) {
    if (!q.place.empty()) {
      out += q.place;
      if (q.owns_step()) out += format("      s.{} = {};\n", q.step, q.stride);
      continue;
    }
    const std::string by = q.stride.empty() ? "" : format(" * {}", q.stride);
    out += format("      s.{} = {} + left{};\n", q.name, q.start, by);
    if (q.owns_step()) out += format("      s.{} = {};\n", q.step, q.stride);
  }
  if (uses_positions_) out += "      s.i = left;\n      s.final = right - 1;\n";
  return out + format("      span{}(&s, right - left);\n{}      }}\n", id_, gather_);
}

}  // namespace weft::emit
