#include "compiler/plan/facts/made_for.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <vector>

namespace weft::plan {

namespace {

std::string lengths_of(const std::vector<Num>& axes) {
  std::vector<int64_t> lengths;
  lengths.reserve(axes.size());
  for (const Num& axis : axes) lengths.push_back(axis.value);
  return lengths.empty() ? "none" : fmt::format("{}", fmt::join(lengths, ", "));
}

// How far apart the elements lie along each axis, of each way in which an array is accessed.
std::map<int, std::vector<std::string>> steps_of(const RowProgram& p) {
  std::map<int, std::vector<std::string>> steps;
  const int axes = static_cast<int>(p.outer.size() + p.row.size());
  for_each_stmt(p, [&](const Stmt& s) {
    const auto* load = std::get_if<Load>(&s);
    const auto* store = std::get_if<Store>(&s);
    if (!load && !store) return;
    const Index& at = load ? load->at : store->at;
    std::vector<int64_t> along;
    along.reserve(static_cast<size_t>(axes));
    for (int axis = 0; axis < axes; ++axis) along.push_back(stride_along(at, axis));
    std::string text = along.empty() ? "one element" : fmt::format("{}", fmt::join(along, ", "));
    if (!at.values.empty()) text += " from positions that are computed";
    std::vector<std::string>& known = steps[load ? load->buffer : store->buffer];
    if (std::ranges::find(known, text) == known.end()) known.push_back(std::move(text));
  });
  return steps;
}

}  // namespace

std::string made_for(const RowProgram& p, const Schedule& schedule) {
  std::string out;
  const auto steps = steps_of(p);
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    const BufferUse& use = p.buffers[b];
    const std::string array = fmt::format("array {} ({})", b, use.written ? "written" : "read");
    fmt::format_to(std::back_inserter(out), "{}, dtype: {}\n", array, name(use.dtype));
    if (const auto found = steps.find(static_cast<int>(b)); found != steps.end())
      fmt::format_to(std::back_inserter(out), "{}, steps along the axes: {}\n", array,
                     fmt::join(found->second, "; "));
  }
  for (size_t k = 0; k < p.scalars.size(); ++k)
    fmt::format_to(std::back_inserter(out), "number {}, dtype: {}\n", k, name(p.scalars[k]));
  fmt::format_to(std::back_inserter(out), "axes: {} and {} of the row\n", p.outer.size(), p.row.size());
  fmt::format_to(std::back_inserter(out), "lengths of the axes: {}\n", lengths_of(p.outer));
  fmt::format_to(std::back_inserter(out), "lengths of the row: {}\n", lengths_of(p.row));
  const std::string& reason = reason_of(schedule);
  return out + "schedule: " + text_of(schedule) + (reason.empty() ? "" : " (" + reason + ")");
}

}  // namespace weft::plan
