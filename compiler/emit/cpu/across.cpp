#include <fmt/format.h>

#include "compiler/emit/cpu/cpu_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// A task adds its rows up in an array of its own, in the dtype of a span, since a task has few rows. These
// arrays lie one after another in `partials`; NAME_finish joins them in the dtype of totals, and runs what
// comes after all points.

void CpuEmitter::place_across() {
  const int64_t points = p_.outer_count(), parts = (points + d_.points - 1) / d_.points;
  const int64_t chunk = (kFinishedTogether + s_.lanes - 1) / s_.lanes * s_.lanes,
                chunks = (lane_extent() + chunk - 1) / chunk;
  finish_tasks_ = chunks * (array_elements(true) / padded_lane_extent());
  across_names_ = {extra(array_elements(true)), extra(parts), extra(chunk), extra(chunks)};
  if (pad_.empty()) pad_ = extra(padded_lane_extent());
  across_.resize(p_.accumulators.size());
  totals_.resize(p_.accumulators.size());
  positions_.resize(p_.accumulators.size());
  partials_.resize(2 * p_.accumulators.size());
  for (size_t a = 0; a < p_.accumulators.size(); ++a) {
    const Accumulator& acc = p_.accumulators[a];
    if (!acc.is_over_points()) continue;
    const DType t = span_dtype(acc);
    partials_[2 * a] = extra(partial_bytes_);
    across_[a] = {format("(({}*)(partials + {}) + t * {})", dialect_.element_type(t), partials_[2 * a],
                         across_names_.elements),
                  t, true};
    totals_[a] = add_array(total_dtype(acc));
    const int64_t bytes = parts * array_elements(true) * static_cast<int64_t>(size_of(span_dtype(acc)));
    partial_bytes_ += (bytes + 63) / 64 * 64;
  }
}

std::string CpuEmitter::clear_across() const {
  std::string out;
  for (size_t a = 0; a < across_.size(); ++a) {
    if (across_[a].pointer.empty()) continue;
    const DType t = across_[a].dtype;
    out += format("    for (long k = 0; k < {}; k += L)\n      weft_store_{}({} + k, {});\n",
                  across_names_.elements, suffix(t), across_[a].pointer, identity(p_.accumulators[a], t));
  }
  return out;
}

std::string CpuEmitter::across_entry() {
  const auto& [elements, parts, chunk, chunks] = across_names_;
  bounds_.clear();
  std::string body = "  for (long t = begin; t < end; ++t) {\n";
  body += format("      const long line = t / {0}, left = t % {0} * {1};\n", chunks, chunk);
  body += format("      const long right = weft_least(left + {}, {});\n", chunk, spell(extent(x_)));
  if (p_.row.size() > 1) body += "      long rest = line;\n";
  for (int a = outer_rank() + static_cast<int>(p_.row.size()); a-- > outer_rank();)
    if (a != x_)
      body += format("      const long a{0} = rest % {1};\n      rest /= {1};\n", a, spell(extent(a)));
  for (size_t a = 0; a < across_.size(); ++a) {
    if (across_[a].pointer.empty()) continue;
    const Accumulator& acc = p_.accumulators[a];
    const DType total = totals_[a].dtype, span = across_[a].dtype;
    const std::string to = format("({}*){} + k", dialect_.element_type(total), totals_[a].pointer);
    const std::string from = format("({}*)(partials + {}) + q * {} + line * {} + left + k",
                                    dialect_.element_type(span), partials_[2 * a], elements, pad_);
    body += "      for (long k = 0; k < right - left; k += L) {\n";
    body += format("        {} x = {};\n", type(total), identity(acc, total));
    body += format(
        "        for (long q = 0; q < {}; ++q)\n          x = {};\n", parts,
        combine(acc.op, total, "x", convert(span, total, format("weft_load_{}({})", suffix(span), from))));
    body += format("        weft_store_{}({}, x);\n      }}\n", suffix(total), to);
  }
  body += block(p_.after) + "  }\n";
  std::string head = unpack();
  return signature("_finish") + head + kArguments + find_bounds() + body + "}\n";
}

}  // namespace weft::emit
