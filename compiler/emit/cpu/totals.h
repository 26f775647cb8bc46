// Totals: of rows in variables of the entry, of columns in arrays of the task's scratch memory; and how the
// parts of a split row are joined.
#pragma once

#include <string>

#include "compiler/emit/cpu/entry.h"
#include "compiler/emit/reduction.h"

namespace weft::emit::cpu {

inline std::string identity(const Entry& e, const plan::Accumulator& acc, DType t) {
  return identity_of(acc, t, e.dialect);
}

// ---- rows

std::string total_type(const Entry& entry, int a);
std::string declare_total(const Entry& entry, int a);
// `total` joined with a vector of its dtype.
std::string add_to_total(const Entry& entry, int a, const std::string& total, const std::string& value);
// Defines the result, once a row is over.
std::string finish_total(const Entry& entry, int a);

// ---- columns

std::string clear_total(const Entry& entry, int a);

// ---- parts of rows and columns

std::string store_partials(const Entry& entry);
// The accumulators' results, joined from all parts.
std::string load_partials(const Entry& entry);
// The total of an accumulator over the first `count` parts.
std::string join_partials(const Entry& entry, int a, const std::string& count);

}  // namespace weft::emit::cpu
