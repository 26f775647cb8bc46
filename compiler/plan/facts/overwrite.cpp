#include "compiler/plan/facts/overwrite.h"

#include <algorithm>
#include <variant>

namespace weft::plan {

namespace {

bool same_terms(const Index& a, const Index& b) {
  const auto same_axis = [](const AxisTerm& x, const AxisTerm& y) {
    return x.axis == y.axis && x.by.value == y.by.value;
  };
  const auto same_value = [](const ValueTerm& x, const ValueTerm& y) {
    return x.value == y.value && x.by.value == y.by.value;
  };
  return a.offset.value == b.offset.value && std::ranges::equal(a.axes, b.axes, same_axis) &&
         std::ranges::equal(a.values, b.values, same_value);
}

// Where the only store to the buffer is: its sweep, and its place in the body.
struct Place {
  const Store* store = nullptr;
  size_t sweep = 0, statement = 0;
};
Place only_store(const RowProgram& program, int buffer) {
  Place place;
  for (size_t s = 0; s < program.sweeps.size(); ++s) {
    const auto& body = program.sweeps[s].body;
    for (size_t k = 0; k < body.size(); ++k) {
      const auto* store = std::get_if<Store>(&body[k]);
      if (!store || store->buffer != buffer) continue;
      if (place.store) return {};
      place = {store, s, k};
    }
  }
  return place;
}

// CUDA: threads of a row that have no element left take its last one again, where that changes no result: the
// largest of values stays what it is. By then the last one may have been replaced.
bool takes_last_again(const RowProgram& program, const Schedule& schedule, const Sweep& sweep) {
  const auto* cuda = std::get_if<CudaSchedule>(&schedule);
  if (!cuda) return false;
  if (const RowDivision d = division_of(*cuda); d.threads == 1 && d.blocks == 1) return false;
  return std::ranges::any_of(sweep.body, [&](const Stmt& stmt) {
    const auto* fold = std::get_if<Fold>(&stmt);
    return fold && !adds_up(program.accumulators[static_cast<size_t>(fold->accumulator)]);
  });
}

// Whether each row is walked by those who store it, in one entry.
bool is_plain(const auto& schedule) {
  const auto d = division_of(schedule);
  return d.order != Order::Columns && d.parts == 1;
}

}  // namespace

bool may_overwrite(const RowProgram& program, const Schedule& schedule, int read, int written) {
  const BufferUse &from = program.buffers[static_cast<size_t>(read)],
                  &to = program.buffers[static_cast<size_t>(written)];
  if (from.written || !to.written || from.elements != to.elements || size_of(from.dtype) != size_of(to.dtype))
    return false;
  // Split rows are walked by two entries, and what goes across the rows is stored by others than read it.
  const bool plain = std::visit([](const auto& s) { return is_plain(s); }, schedule);
  if (!plain || program.ordered || program.scans() || program.reduces_points()) return false;
  bool walked = false;
  for_each_series(program, [&](const Series& series, const Index&) {
    walked |= series.buffer == read || series.buffer == written;
  });
  if (walked) return false;
  const Place place = only_store(program, written);
  if (!place.store || takes_last_again(program, schedule, program.sweeps[place.sweep])) return false;
  size_t loads = 0;
  for (size_t s = 0; s <= place.sweep; ++s) {
    const auto& body = program.sweeps[s].body;
    for (size_t k = 0; k < (s < place.sweep ? body.size() : place.statement); ++k) {
      const auto* load = std::get_if<Load>(&body[k]);
      if (load && load->buffer == read && same_terms(load->at, place.store->at)) ++loads;
    }
  }
  // No others: shifted, of a whole row at once, or after the store.
  size_t all = 0;
  for_each_stmt(program, [&](const Stmt& stmt) {
    const auto* load = std::get_if<Load>(&stmt);
    all += load && load->buffer == read;
    const auto* store = std::get_if<Store>(&stmt);
    all += store && store->buffer == written && store != place.store;
  });
  return loads == all;
}

}  // namespace weft::plan
