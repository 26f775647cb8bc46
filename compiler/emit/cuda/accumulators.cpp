// The few texts that every writer of accumulators needs.
#include "compiler/emit/cuda/accumulators.h"

#include "compiler/emit/reduction.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

std::string joined(const Accumulator& acc, DType t, const std::string& a, const std::string& b) {
  if (is_integer(t) && adds_up(acc))
    return CudaDialect().wrap(t, std::string(info(*info(acc.op).joined_by).code), a, b);
  return combine(acc.op, t, a, b);
}

std::string total_text(const Entry& e, size_t sweep, int accumulator) {
  return format("s{}{}.t{}", sweep, e.each(), accumulator);
}

std::string run_text(const Entry& e, int accumulator) { return format("r{}{}", accumulator, e.each()); }

std::string columns_of_thread(const Entry& e) {
  return e.layout.columns() ? format("[{}]", e.own.lanes) : "";
}

std::string start_text(const Entry& e, int accumulator) {
  return identity_of(e.program.accumulators[accumulator], e.layout.totals[accumulator].dtype, e.dialect);
}

}  // namespace weft::emit
