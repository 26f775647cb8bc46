// A block of elements: where it lies in memory, and its statements one after another.
#include "runtime/blocks/run.h"

#include <algorithm>
#include <cstring>

namespace weft::runtime {

namespace {

int64_t clamp(int64_t at, int64_t extent) {
  if (at < 0) at += extent;
  return std::max<int64_t>(std::min(at, extent - 1), 0);
}
bool within(int64_t at, int64_t extent) { return static_cast<uint64_t>(at) < static_cast<uint64_t>(extent); }
bool has_values(const BlockAccess& a) { return a.values_begin != a.values_end; }

}  // namespace

int64_t Run::start(const BlockAccess& a) const {
  int64_t at = a.offset;
  for (int32_t k = a.axes_begin; k < a.axes_end; ++k) {
    const BlockTerm& t = p_.terms[static_cast<size_t>(k)];
    at += position_[t.of] * t.by;
  }
  for (int32_t k = a.same_begin; k < a.same_end; ++k) {
    const BlockTerm& t = p_.terms[static_cast<size_t>(k)];
    at += number(t.of) * t.by;
  }
  return at;
}

void Run::loop(const BlockInstruction& i, long vectors) {
  const char* in[4];
  long steps[4];
  for (int k = 0; k < i.arity; ++k) in[k] = where(i.in[k]), steps[k] = steps_[i.in[k]];
  loops_.loops[i.loop](where(i.out), in, steps, vectors);
}

void Run::same(const BlockInstruction& i) {
  const BlockAccess* a = i.access < 0 ? nullptr : &access(i.access);
  switch (i.kind) {
    case Kind::Loop:
      return loop(i, kMostBlockLanes / loops_.lanes);
    case Kind::Load: {
      bool reads = true;
      for (int32_t k = a->guards_begin; k < a->guards_end; ++k)
        reads &= *where(p_.guards[static_cast<size_t>(k)]) != 0;
      static constexpr char kNone[16] = {};
      return put(i.out, reads ? buffer(*a) + start(*a) * a->bytes : kNone);
    }
    case Kind::Position: {
      const int64_t at = start(*a);
      return put(i.out, reinterpret_cast<const char*>(&at));
    }
    case Kind::Test: {
      const char holds = within(start(*a), i.number);
      return put(i.out, &holds);
    }
    case Kind::Clamp: {
      const int64_t at = clamp(number(i.in[0]), i.number);
      return put(i.out, reinterpret_cast<const char*>(&at));
    }
    case Kind::Store:
      std::memcpy(buffer(*a) + start(*a) * a->bytes, where(i.in[0]), a->bytes);
      return;
    case Kind::Fold:
    case Kind::Scan:
      return;
  }
}

void Run::walk(const BlockList& list, int64_t from, int64_t to) {
  if (list.each.empty()) return;
  for (at_ = from; at_ < to; at_ += count_) {
    count_ = std::min(p_.block, to - at_);
    // What is less than a vector comes last, and is copied: nothing beyond an array is touched.
    partial_ = count_ < unit_;
    if (!partial_) count_ -= count_ % unit_;
    vectors_ = (count_ + loops_.lanes - 1) / loops_.lanes;
    for (int32_t slot : p_.kept) {
      const BlockSlot& s = p_.slots[static_cast<size_t>(slot)];
      where_[slot] = own(slot) + ((s.rows ? line_ * p_.walk.kept_width : 0) + at_ - kept_from_) * s.bytes;
    }
    for (auto& i : list.written) aim(i.in[0], access(i.access));
    for (auto& i : list.each) each(i);
    if (partial_)
      for (auto& i : list.written) {
        const BlockAccess& a = access(i.access);
        std::memcpy(lies(a), where(i.in[0]), static_cast<size_t>(count_ * a.bytes));
      }
  }
}

// Calls f(element of the block, how many, index of the first, how far apart) for each run of a block.
template <class F>
void Run::each_run(const BlockAccess& a, F&& f) const {
  const BlockStride* strides = p_.strides.data() + a.strides_begin;
  const int rank = a.strides_end - a.strides_begin;
  int64_t index = start(a);
  if (rank == 0) return f(int64_t{0}, count_, index, int64_t{0});
  int64_t rest = at_;
  for (int k = 0; k < rank; ++k) {
    const int64_t next = k + 1 < rank ? rest / strides[k].extent : 0;
    run_[k] = k + 1 < rank ? rest % strides[k].extent : rest;
    index += run_[k] * strides[k].by;
    rest = next;
  }
  for (int64_t done = 0;;) {
    const int64_t run = std::min(strides[0].extent - run_[0], count_ - done);
    f(done, run, index, strides[0].by);
    done += run;
    if (done == count_) return;
    index -= run_[0] * strides[0].by;
    run_[0] = 0;
    for (int k = 1; k < rank; ++k) {
      index += strides[k].by;
      if (++run_[k] < strides[k].extent) break;
      index -= strides[k].extent * strides[k].by;
      run_[k] = 0;
    }
  }
}

void Run::numbers(const BlockAccess& a, char* to) const {
  const Elements<int64_t> out{to};
  each_run(a, [&](int64_t first, int64_t count, int64_t index, int64_t by) {
    for (int64_t k = 0; k < count; ++k) out.put(first + k, index + k * by);
  });
  for (int32_t t = a.values_begin; t < a.values_end; ++t) {
    const BlockTerm& term = p_.terms[static_cast<size_t>(t)];
    const Elements<int64_t> value{where(term.of)};
    for (int64_t k = 0; k < count_; ++k) out.put(k, out[k] + value[k] * term.by);
  }
}

// The mask of a load; null: all elements are read. `none`: not one.
const char* Run::mask_of(const BlockAccess& a, bool& none) const {
  const char* mask = nullptr;
  none = false;
  for (int32_t k = a.guards_begin; k < a.guards_end; ++k) {
    const int32_t slot = p_.guards[static_cast<size_t>(k)];
    const char* guard = where(slot);
    if (steps_[slot] == 0) {
      none |= *guard == 0;
      continue;
    }
    if (!mask) {
      mask = guard;
      continue;
    }
    char* both = where(p_.mask);
    for (int64_t j = 0; j < count_; ++j) both[j] = static_cast<char>(mask[j] & guard[j]);
    mask = both;
  }
  return mask;
}

void Run::load(const BlockInstruction& i, const BlockAccess& a) {
  if (p_.slots[static_cast<size_t>(i.out)].kind == BlockSlot::Kind::Memory) {
    aim(i.out, a);
    if (partial_) std::memcpy(where(i.out), lies(a), static_cast<size_t>(count_ * a.bytes));
    return;
  }
  bool none = false;
  const char* mask = mask_of(a, none);
  char* to = where(i.out);
  if (none) {
    std::memset(to, 0, static_cast<size_t>(count_ * a.bytes));
    return;
  }
  const char* from = buffer(a);
  if (!has_values(a)) {
    each_run(a, [&](int64_t first, int64_t count, int64_t index, int64_t by) {
      char* at = to + first * a.bytes;
      if (mask)
        deal_in_masked(at, from + index * a.bytes, by, mask + first, count, a.bytes);
      else
        deal_in(at, from + index * a.bytes, by, count, a.bytes);
    });
    return;
  }
  numbers(a, where(p_.numbers));
  const Elements<int64_t> at{where(p_.numbers)};
  with_element(a.bytes, [&](auto element) {
    using T = decltype(element);
    const Elements<T> out{to};
    for (int64_t k = 0; k < count_; ++k)
      out.put(k, !mask || mask[k] ? read<T>(from + at[k] * int64_t{sizeof(T)}) : T{});
  });
}

void Run::store(const BlockInstruction& i, const BlockAccess& a) {
  const char* from = where(i.in[0]);
  const bool repeats = steps_[i.in[0]] == 0;
  if (!has_values(a)) {
    each_run(a, [&](int64_t first, int64_t count, int64_t index, int64_t by) {
      char* to = buffer(a) + index * a.bytes;
      if (!repeats)
        deal_out(to, from + first * a.bytes, by, count, a.bytes);
      else if (by == 1)
        repeat(to, from, a.bytes, count);
      else
        for (int64_t k = 0; k < count; ++k)
          std::memcpy(to + k * by * a.bytes, from, static_cast<size_t>(a.bytes));
    });
    return;
  }
  numbers(a, where(p_.numbers));
  const Elements<int64_t> at{where(p_.numbers)};
  for (int64_t k = 0; k < count_; ++k)
    std::memcpy(buffer(a) + at[k] * a.bytes, from + (repeats ? 0 : k * a.bytes), a.bytes);
}

void Run::test(const BlockInstruction& i, const BlockAccess& a) {
  char* to = where(i.out);
  if (has_values(a)) {
    numbers(a, where(p_.numbers));
    const Elements<int64_t> at{where(p_.numbers)};
    for (int64_t k = 0; k < count_; ++k) to[k] = within(at[k], i.number);
    return;
  }
  each_run(a, [&](int64_t first, int64_t count, int64_t index, int64_t by) {
    if (by == 0) {
      std::memset(to + first, within(index, i.number), static_cast<size_t>(count));
      return;
    }
    for (int64_t k = 0; k < count; ++k) to[first + k] = within(index + k * by, i.number);
  });
}

void Run::each(const BlockInstruction& i) {
  const BlockAccess* a = i.access < 0 ? nullptr : &access(i.access);
  switch (i.kind) {
    case Kind::Loop:
      return loop(i, vectors_);
    case Kind::Load:
      return load(i, *a);
    case Kind::Position:
      return numbers(*a, where(i.out));
    case Kind::Test:
      return test(i, *a);
    case Kind::Clamp: {
      const Elements<int64_t> from{where(i.in[0])}, to{where(i.out)};
      for (int64_t k = 0; k < count_; ++k) to.put(k, clamp(from[k], i.number));
      return;
    }
    case Kind::Store:
      return store(i, *a);
    case Kind::Fold:
      if (total(i.out).how == How::Across) return fold_across(i);
      return p_.shape == BlockProgram::Shape::Rows ? fold(i) : fold_columns(i);
    case Kind::Scan:
      return p_.shape == BlockProgram::Shape::Rows ? scan(i) : scan_columns(i);
  }
}

}  // namespace weft::runtime
