#include <fmt/format.h>

#include "compiler/emit/cpu/cpu_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

int CpuEmitter::accumulator_of(Value v) const {
  for (size_t a = 0; a < p_.accumulators.size(); ++a)
    if (p_.accumulators[a].out == v) return static_cast<int>(a);
  return -1;
}

std::string CpuEmitter::add_to_total(int a, const std::string& total, const std::string& value) const {
  const Accumulator& acc = p_.accumulators[a];
  DType t = total_dtype(acc);
  return combine(
      acc.op, t, total,
      scalar_total(acc) ? format("weft_join_{}_{}({})[0]", ir::name(acc.op), suffix(t), value) : value);
}

bool CpuEmitter::few_vectors(const Accumulator& acc) const {
  return d_.masked() && !columns_ && acc.op == ir::Op::sum && span_dtype(acc) == DType::F32 &&
         lane_extent() <= kNarrowTerms * s_.lanes;
}

bool CpuEmitter::widens(const Accumulator& acc) const {
  return !columns_ && span_dtype(acc) != total_dtype(acc) && lane_extent() > kNarrowTerms * s_.lanes;
}

DType CpuEmitter::row_total_dtype(const Accumulator& acc) const {
  const bool once = few_vectors(acc) && scalar_total(acc) && !acc.is_over_points() && p_.row.size() == 1;
  return once ? span_dtype(acc) : total_dtype(acc);
}

bool CpuEmitter::counts_nans(const Accumulator& acc) const {
  return !columns_ && !acc.is_running() && !acc.is_over_points() &&
         (acc.op == ir::Op::max || acc.op == ir::Op::min) && is_float(total_dtype(acc));
}

std::string CpuEmitter::total_type(const Accumulator& acc) const {
  const DType t = row_total_dtype(acc);
  return scalar_total(acc) ? dialect_.element_type(t) : type(t);
}

std::string CpuEmitter::total_value(int a) const {
  const Accumulator& acc = p_.accumulators[a];
  DType t = row_total_dtype(acc);
  return scalar_total(acc) ? dialect_.splat(t, format("T{}", a))
                           : format("weft_join_{}_{}(T{})", ir::name(acc.op), suffix(t), a);
}

std::string CpuEmitter::declare_total(int a) const {
  const Accumulator& acc = p_.accumulators[a];
  DType t = row_total_dtype(acc);
  if (scalar_total(acc))
    return format("      {} T{} = {};\n", dialect_.element_type(t), a, literal(identity_of(acc, t)));
  std::string out = format("      {} T{} = {};\n", type(t), a, identity(acc, t));
  if (ir::gives_index(acc.op)) out += format("      i64v J{} = (i64v)(0x7fffffffffffffffL);\n", a);
  return out;
}

std::string CpuEmitter::clear_total(int a) const {
  const Accumulator& acc = p_.accumulators[a];
  DType t = total_dtype(acc);
  std::string out = format("      for (long k = 0; k < {}; k += L) {{\n", names_.chunk);
  out += format("        weft_store_{0}(({1}*){2} + k, {3});\n", suffix(t), dialect_.element_type(t),
                totals_[a].pointer, identity(acc, t));
  if (ir::gives_index(acc.op))
    out += format("        weft_store_i64((long*){} + k, (i64v)(0x7fffffffffffffffL));\n",
                  positions_[a].pointer);
  return out + "      }\n";
}

std::string CpuEmitter::finish_total(int a) const {
  const Accumulator& acc = p_.accumulators[a];
  DType t = row_total_dtype(acc);
  if (ir::gives_index(acc.op))
    return format("      weft_join_{0}_{1}(T{2}, J{2});\n      {3}\n", ir::name(acc.op), suffix(t), a,
                  define_uniform(acc.out, format("J{}", a)));
  return "      " + define_total(acc, t, total_value(a)) + "\n";
}

std::string CpuEmitter::define_total(const Accumulator& acc, DType total, const std::string& value) const {
  return keeps_unrounded(acc.out) ? define_rounded(acc.out, value)
                                  : define_uniform(acc.out, convert(total, p_.values[acc.out].dtype, value));
}

std::string CpuEmitter::convert(DType from, DType to, const std::string& x) const {
  return from == to ? x : format("weft_cast_{}_{}({})", suffix(from), suffix(to), x);
}

void CpuEmitter::place_partials() {
  if (d_.parts <= 1) return;
  int64_t points = p_.outer_count() * d_.parts;
  for (auto& acc : p_.accumulators) {
    auto place = [&](DType dtype) {
      partials_.push_back(extra(partial_bytes_));
      // Columns are joined in whole vectors, the last of which may reach beyond them.
      const int64_t values = points + (columns_ ? s_.lanes : 0);
      partial_bytes_ += (values * static_cast<int64_t>(size_of(dtype)) + 63) / 64 * 64;
    };
    place(total_dtype(acc));
    if (ir::gives_index(acc.op))
      place(DType::I64);
    else
      partials_.push_back("");
  }
  points_ = extra(p_.outer_count());
}

std::string CpuEmitter::partial_at(int a, bool position, const std::string& part) const {
  DType t = position ? DType::I64 : total_dtype(p_.accumulators[a]);
  return format("(({}*)(partials + {}) + {} * {} + {})", dialect_.element_type(t),
                partials_[2 * a + position], part, points_,
                columns_ ? format("o * {} + left", spell(extent(x_))) : "o");
}

std::string CpuEmitter::store_partials() const {
  std::string out;
  for (int a = 0; a < static_cast<int>(p_.accumulators.size()); ++a) {
    const Accumulator& acc = p_.accumulators[a];
    std::string t = suffix(total_dtype(acc)), e = dialect_.element_type(total_dtype(acc));
    if (columns_) {
      out += format("      __builtin_memcpy({}, {}, (right - left) * sizeof({}));\n",
                    partial_at(a, false, "part"), totals_[a].pointer, e);
      if (ir::gives_index(acc.op))
        out += format("      __builtin_memcpy({}, {}, (right - left) * 8);\n", partial_at(a, true, "part"),
                      positions_[a].pointer);
    } else if (ir::gives_index(acc.op)) {
      out += format("      weft_store_one_{}({}, T{});\n", t, partial_at(a, false, "part"), a);
      out += format("      weft_store_one_i64({}, J{});\n", partial_at(a, true, "part"), a);
    } else {
      out += format("      weft_store_one_{}({}, {});\n", t, partial_at(a, false, "part"), total_value(a));
    }
  }
  return out;
}

std::string CpuEmitter::load_partials() const {
  std::string out;
  for (int a = 0; a < static_cast<int>(p_.accumulators.size()); ++a) {
    const Accumulator& acc = p_.accumulators[a];
    out += (columns_ ? clear_total(a) : declare_total(a)) + join_partials(a, names_.split);
    if (columns_) continue;
    const DType total = total_dtype(acc);
    const std::string joined = scalar_total(acc) ? total_value(a) : format("T{}", a);
    if (ir::gives_index(acc.op))
      out += format("      weft_join_{0}_{1}(T{2}, J{2});\n      {3}\n", ir::name(acc.op), suffix(total), a,
                    define_uniform(acc.out, format("J{}", a)));
    else
      out += "      " + define_total(acc, total, joined) + "\n";
  }
  return out;
}

std::string CpuEmitter::join_partials(int a, const std::string& count) const {
  const Accumulator& acc = p_.accumulators[a];
  DType total = total_dtype(acc);
  std::string t = suffix(total), e = dialect_.element_type(total);
  std::string out = format("      for (long q = 0; q < {}; ++q)", count);
  if (columns_) {
    out += "\n        for (long k = 0; k < right - left; k += L) {\n";
    out += format("          {}* to = ({}*){} + k;\n          {} x = weft_load_{}(to);\n", e, e,
                  totals_[a].pointer, type(total), t);
    out += format("          {} y = weft_load_{}({} + k);\n", type(total), t, partial_at(a, false, "q"));
    if (ir::gives_index(acc.op)) {
      out += format("          long* r = (long*){} + k;\n          i64v i = weft_load_i64(r);\n",
                    positions_[a].pointer);
      out += format("          weft_take_{}_{}(x, i, y, weft_load_i64({} + k));\n", ir::name(acc.op), t,
                    partial_at(a, true, "q"));
      out += "          weft_store_i64(r, i);\n";
    } else {
      out += format("          x = {};\n", combine(acc.op, total, "x", "y"));
    }
    return out + format("          weft_store_{}(to, x);\n        }}\n", t);
  }
  if (ir::gives_index(acc.op))
    return out + format(
                     "\n        weft_take_{0}_{1}(T{2}, J{2}, weft_load_one_{1}({3}), "
                     "weft_load_one_i64({4}));\n",
                     ir::name(acc.op), t, a, partial_at(a, false, "q"), partial_at(a, true, "q"));
  return out +
         format("\n        T{0} = {1};\n", a,
                combine(acc.op, total, format("T{}", a),
                        scalar_total(acc) ? "*" + partial_at(a, false, "q")
                                          : format("weft_load_one_{}({})", t, partial_at(a, false, "q"))));
}

}  // namespace weft::emit
