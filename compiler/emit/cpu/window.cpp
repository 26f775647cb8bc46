// What masked loads may ask for. A processor looks up the page of lanes that a mask leaves out, too, and
// takes hundreds of nanoseconds where it is not mapped. So a row whose window, all that its vectors cover, is
// not within the memory of its array is read from a copy, and one that a guard shuts off from a row of zeros.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/cpu/span.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// Elements behind a row that its last vector may ask for: the smallest masked load is of 16 bytes.
int64_t slack(int lanes, size_t bytes) {
  return std::max<int64_t>(lanes, 16 / static_cast<int64_t>(std::min<size_t>(bytes, 16)));
}

}  // namespace

void CpuEmitter::find_windows() {
  if (!d_.masked()) return;
  int64_t zeros = 0;
  for_each_stmt(p_, [&](const Stmt& stmt) {
    const auto* load = std::get_if<Load>(&stmt);
    const Num* by = load ? along_x(load->at) : nullptr;
    if (!by || by->param >= 0 || values_vary(load->at)) return;
    const bool apart = by->param == kLiteral;
    if (!apart && (by->value != 1 || load->guards.empty())) return;
    const size_t size = size_of(p_.buffers[load->buffer].dtype);
    const int64_t most = d_.order == Order::Rows ? lane_extent() : std::min(d_.chunk, lane_extent());
    const int64_t bytes = (most + slack(s_.lanes, size)) * by->value * static_cast<int64_t>(size);
    if (bytes > kMostWindow) return;
    windows_[load->out] = format("(scratch + {})", extra(scratch_bytes_));
    scratch_bytes_ += (bytes + 63) / 64 * 64;
    if (std::ranges::any_of(load->guards, [&](Value g) { return !varies_[g]; }))
      zeros = std::max(zeros, bytes);
  });
  if (zeros == 0) return;
  zeros_ = format("(scratch + {})", extra(scratch_bytes_)), zeros_bytes_ = extra(zeros);
  scratch_bytes_ += (zeros + 63) / 64 * 64;
}

std::string CpuEmitter::first_of(int buffer) {
  const std::string name = format("first{}", buffer);
  std::string& text = bounds_[name];
  if (text.empty())
    text = format("  const char* const {} = (const char*)((long)(b{} + {}) & -4096);\n", name, buffer,
                  extra(p_.buffers[buffer].first));
  return name;
}

std::string CpuEmitter::past_of(int buffer) {
  const std::string name = format("past{}", buffer);
  std::string& text = bounds_[name];
  if (text.empty())
    text = format("  const char* const {} = (const char*)(((long)(b{} + {}) + 4095) & -4096);\n", name,
                  buffer, extra(p_.buffers[buffer].past));
  return name;
}

std::string CpuEmitter::find_bounds() const {
  std::string out;
  for (auto& [name, text] : bounds_) out += text;
  if (!zeros_.empty()) out += format("  __builtin_memset({}, 0, {});\n", zeros_, zeros_bytes_);
  return out;
}

// Of a row in state `s`: where the load reads it.
std::string CpuSpan::window(const Load& s, const std::string& n, const std::string& low,
                            const std::string& high) {
  const size_t size = size_of(e_.p_.buffers[s.buffer].dtype);
  const std::string element = e_.dialect_.element_type(e_.p_.buffers[s.buffer].dtype);
  const int64_t by = e_.along_x(s.at)->value;
  auto times = [&](const std::string& x) { return by == 1 ? x : format("({}) * {}", x, by); };
  const std::string count = times(format("right - left + {}", slack(e_.s_.lanes, size)));
  const std::string only_if = e_.guard(s.guards);
  return format(
      "      const {0}* at{1} = b{2} + {3} + {4};\n"
      "      s.r{1} = {5}(const char*)at{1} >= {6} && (const char*)(at{1} + {7}) <= {8} ? at{1}\n"
      "               : (const {0}*)weft_aside(at{1}, {9}, {10}, {7}, {11}, {12});\n",
      element, n, s.buffer, e_.offset(s.at), times("left"),
      only_if.empty() ? "" : format("!({}) ? (const {}*){} : ", only_if, element, e_.zeros_),
      e_.first_of(s.buffer), count, e_.past_of(s.buffer), times(low),
      by == 1 ? high : format("(({}) - 1) * {} + 1", high, by), size, e_.windows_.at(s.out));
}

}  // namespace weft::emit
