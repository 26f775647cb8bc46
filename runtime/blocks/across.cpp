// Totals across the points: a task adds its rows up in an array of its own, and the second launch joins these.
#include <algorithm>

#include "runtime/blocks/run.h"

namespace weft::runtime {

char* Run::array_of(const BlockTotal& t, int64_t task) const {
  return parts(t.partials) + task * p_.walk.across_elements * static_cast<int64_t>(size_of(t.span));
}

void Run::clear_across(int64_t task) {
  for (const BlockTotal& t : p_.totals)
    if (t.how == How::Across) fill(array_of(t, task), t.none_of_span, t.span, p_.walk.across_elements);
}

void Run::fold_across(const BlockInstruction& i) {
  const BlockTotal& t = total(i.out);
  const int64_t width = loops_.wide.width, bytes = static_cast<int64_t>(size_of(t.span)),
                value_bytes = static_cast<int64_t>(size_of(t.value));
  BlockFold* const f = loops_.wide.folds[i.arity == 2 ? t.fold_product : t.fold];
  char* const to = array_of(t, task_) + (line_ * p_.walk.across_line + at_) * bytes;
  const char* in[2] = {};
  long steps[2] = {};
  for (int k = 0; k < i.arity; ++k)
    in[k] = where(i.in[k]), steps[k] = steps_[i.in[k]] == 0 ? 0 : width * value_bytes;
  const int64_t whole = count_ / width * width, rest = count_ - whole;
  if (whole > 0) f(to, nullptr, in, steps, whole, 1);
  if (rest == 0) return;
  // What fills no vector is copied: the array's next line begins behind it.
  alignas(64) char pads[3][kMostBlockLanes * sizeof(Bytes16)] = {};
  for (int k = 0; k < i.arity; ++k) {
    in[k] += whole / width * steps[k];
    deal_in(pads[k], in[k], steps[k] == 0 ? 0 : 1, rest, static_cast<int>(value_bytes));
    in[k] = pads[k], steps[k] = width * value_bytes;
  }
  std::memcpy(pads[2], to + whole * bytes, static_cast<size_t>(rest * bytes));
  f(pads[2], nullptr, in, steps, width, 1);
  std::memcpy(to + whole * bytes, pads[2], static_cast<size_t>(rest * bytes));
}

void Run::finish_across(int64_t task) {
  const int lane = p_.walk.lane_axis, outer = p_.walk.outer;
  const int64_t chunk = p_.walk.finish_chunk, chunks = (extent(lane) + chunk - 1) / chunk,
                left = task % chunks * chunk, right = std::min(left + chunk, extent(lane)),
                width = loops_.wide.width, line = task / chunks;
  int64_t rest = line;
  for (int a = static_cast<int>(p_.walk.extents.size()); a-- > outer;) {
    if (a == lane) continue;
    position_[a] = rest % extent(a);
    rest /= extent(a);
  }
  for (int64_t from = left, to; from < right; from = to) {
    to = std::min(from + p_.block, right);
    kept_from_ = from;
    for (const BlockTotal& t : p_.totals) {
      if (t.how != How::Across) continue;
      const int64_t bytes = static_cast<int64_t>(size_of(t.span)), count = to - from;
      start_columns(t, count);
      for (int64_t q = 0; q < p_.walk.across_parts; ++q) {
        std::memcpy(lanes(t), array_of(t, q) + (line * p_.walk.across_line + from) * bytes,
                    static_cast<size_t>(count * bytes));
        const char* in = lanes(t);
        long step = static_cast<long>(width * bytes);
        add_columns(t, sums(t), nullptr, &in, &step, (count + width - 1) / width * width, false, t.widen);
      }
      finish_columns(t, count);
    }
    same(p_.after);
    walk(p_.after, from, to);
  }
}

}  // namespace weft::runtime
