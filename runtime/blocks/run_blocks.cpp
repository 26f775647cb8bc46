#include "runtime/blocks/run_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace weft::runtime {
namespace {

struct Bytes16 {
  uint64_t half[2];
};

template <class F>
void with_element(int bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Bytes16{});
  }
}

template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Memory of any alignment, an element at a time.
template <class T>
struct Elements {
  char* at;
  T operator[](int64_t k) const { return read<T>(at + k * int64_t{sizeof(T)}); }
  void put(int64_t k, const T& value) const {
    std::memcpy(at + k * int64_t{sizeof(T)}, &value, sizeof value);
  }
};

void repeat(char* to, const char* from, int bytes, int64_t count) {
  with_element(bytes, [&](auto element) {
    const auto value = read<decltype(element)>(from);
    for (int64_t k = 0; k < count; ++k) std::memcpy(to + k * int64_t{sizeof value}, &value, sizeof value);
  });
}

// `count` elements that lie `by` apart.
void deal_in(char* to, const char* from, int64_t by, int64_t count, int bytes) {
  if (by == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * bytes));
    return;
  }
  if (by == 0) return repeat(to, from, bytes, count);
  with_element(bytes, [&](auto element) {
    using T = decltype(element);
    constexpr int64_t kBytes = sizeof(T);
    for (int64_t k = 0; k < count; ++k) std::memcpy(to + k * kBytes, from + k * by * kBytes, sizeof(T));
  });
}

void deal_out(char* to, const char* from, int64_t by, int64_t count, int bytes) {
  if (by == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * bytes));
    return;
  }
  with_element(bytes, [&](auto element) {
    using T = decltype(element);
    constexpr int64_t kBytes = sizeof(T);
    for (int64_t k = 0; k < count; ++k) std::memcpy(to + k * by * kBytes, from + k * kBytes, sizeof(T));
  });
}

// Elements of which the mask tells whether they are read; others are 0.
void deal_in_masked(char* to, const char* from, int64_t by, const char* mask, int64_t count, int bytes) {
  for (int64_t k = 0; k < count;) {
    const bool reads = mask[k] != 0;
    int64_t end = k + 1;
    while (end < count && (mask[end] != 0) == reads) ++end;
    if (reads)
      deal_in(to + k * bytes, from + k * by * bytes, by, end - k, bytes);
    else
      std::memset(to + k * bytes, 0, static_cast<size_t>((end - k) * bytes));
    k = end;
  }
}

// What is found where nothing was.
constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max();

struct Complex {
  double re, im;
};

// a op b, rounded as the prelude's functions are.
template <class T>
T joined(bool product, T a, T b) {
  if constexpr (std::is_same_v<T, Complex>) {
    if (product) return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return {a.re + b.re, a.im + b.im};
  } else {
    return product ? a * b : a + b;
  }
}

struct SmallComplex {
  float re, im;
};

// As the prelude has it: integers wrap, -0 is less than +0, and NaN stays.
template <class T>
T added(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return {a.re + b.re, a.im + b.im};
  }
}
template <class T>
T multiplied(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
}
template <class T>
T most(T a, T b) {
  if (a != a) return a;
  if constexpr (std::is_floating_point_v<T>)
    if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
T least(T a, T b) {
  if (a != a) return a;
  if constexpr (std::is_floating_point_v<T>)
    if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class Total, class Span>
Total widened(Span x) {
  if constexpr (std::is_same_v<Span, SmallComplex>)
    return {x.re, x.im};
  else
    return x;
}

// Lanes by halves.
template <class T>
T join_lanes(bool product, T* lanes, int64_t count) {
  for (int64_t half = count / 2; half > 0; half /= 2)
    for (int64_t k = 0; k < half; ++k) lanes[k] = joined(product, lanes[k], lanes[k + half]);
  return lanes[0];
}

class Run {
 public:
  Run(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments, char* memory)
      : p_(program),
        loops_(loops),
        arguments_(arguments),
        memory_(memory),
        where_(reinterpret_cast<char**>(memory + p_.memory_bytes)),
        steps_(reinterpret_cast<long*>(where_ + p_.slots.size())),
        position_(reinterpret_cast<int64_t*>(steps_ + p_.slots.size())),
        terms_(position_ + p_.walk.extents.size()),
        unit_(unit(program, loops)) {
    for (size_t k = 0; k < p_.slots.size(); ++k) {
      const BlockSlot& slot = p_.slots[k];
      where_[k] = memory + slot.offset;
      steps_[k] = slot.kind == BlockSlot::Kind::Same ? 0 : long{slot.bytes} * loops.lanes;
    }
    std::fill_n(position_, p_.walk.extents.size(), 0);
    for (auto& c : p_.constants) put(c.slot, reinterpret_cast<const char*>(c.words));
    for (auto& a : p_.arguments) put(a.slot, reinterpret_cast<const char*>(arguments.scalars + a.word));
    for (auto& i : p_.once) same(i);
  }

  void operator()(int64_t begin, int64_t end, bool finishes) {
    if (p_.shape == BlockProgram::Shape::Maps)
      return walk(p_.sweeps[0].body, begin * p_.task, std::min(end * p_.task, p_.elements));
    for (int64_t task = begin; task < end; ++task) run_task(task, finishes);
  }

 private:
  using Kind = BlockInstruction::Kind;

  // Blocks that totals look at are whole vectors of theirs, too.
  static int64_t unit(const BlockProgram& p, const BlockLoops& loops) {
    if (p.shape == BlockProgram::Shape::Maps) return loops.lanes;
    return std::max({loops.lanes, loops.wide.width, p.shape == BlockProgram::Shape::Rows ? p.walk.lanes : 1});
  }

  char* where(int32_t slot) const { return where_[slot]; }
  char* own(int32_t slot) const { return memory_ + p_.slots[static_cast<size_t>(slot)].offset; }

  void put(int32_t slot, const char* element) {
    repeat(where(slot), element, p_.slots[static_cast<size_t>(slot)].bytes, kMostBlockLanes);
  }
  int64_t number(int32_t slot) const { return read<int64_t>(where(slot)); }

  void loop(const BlockInstruction& i, long vectors) {
    const char* in[4];
    long steps[4];
    for (int k = 0; k < i.arity; ++k) in[k] = where(i.in[k]), steps[k] = steps_[i.in[k]];
    loops_.loops[i.loop](where(i.out), in, steps, vectors);
  }

  // ---- what is the same for all elements

  int64_t start(const BlockAccess& a) const {
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
  char* buffer(const BlockAccess& a) const { return reinterpret_cast<char*>(arguments_.buffers[a.buffer]); }
  static int64_t clamp(int64_t at, int64_t extent) {
    if (at < 0) at += extent;
    return std::max<int64_t>(std::min(at, extent - 1), 0);
  }
  static bool within(int64_t at, int64_t extent) {
    return static_cast<uint64_t>(at) < static_cast<uint64_t>(extent);
  }

  void put_number(int32_t slot, int64_t value) { put(slot, reinterpret_cast<const char*>(&value)); }

  void same(const BlockInstruction& i) {
    const BlockAccess* a = i.access < 0 ? nullptr : &p_.accesses[static_cast<size_t>(i.access)];
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
      case Kind::Position:
        return put_number(i.out, start(*a));
      case Kind::Test: {
        const char holds = within(start(*a), i.number);
        return put(i.out, &holds);
      }
      case Kind::Clamp:
        return put_number(i.out, clamp(number(i.in[0]), i.number));
      case Kind::Store:
        std::memcpy(buffer(*a) + start(*a) * a->bytes, where(i.in[0]), a->bytes);
        return;
      case Kind::Fold:
      case Kind::Scan:
        return;
    }
  }
  void same(const BlockList& list) {
    for (auto& i : list.same) same(i);
  }

  // ---- blocks

  // Elements [from, to) of the axis that blocks lie along.
  void walk(const BlockList& list, int64_t from, int64_t to) {
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
      for (auto& i : list.written) aim(i.in[0], p_.accesses[static_cast<size_t>(i.access)]);
      for (auto& i : list.each) each(i);
      if (partial_)
        for (auto& i : list.written) {
          const BlockAccess& a = p_.accesses[static_cast<size_t>(i.access)];
          std::memcpy(lies(a), where(i.in[0]), static_cast<size_t>(count_ * a.bytes));
        }
    }
  }

  // Calls f(element of the block, how many, index of the first, how far apart) for each run of a block.
  template <class F>
  void each_run(const BlockAccess& a, F&& f) const {
    const BlockStride* strides = p_.strides.data() + a.strides_begin;
    const int rank = a.strides_end - a.strides_begin;
    int64_t index = start(a);
    if (rank == 0) return f(int64_t{0}, count_, index, int64_t{0});
    std::array<int64_t, kMostBlockStrides> position;
    int64_t rest = at_;
    for (int k = 0; k < rank; ++k) {
      const int64_t next = k + 1 < rank ? rest / strides[k].extent : 0;
      position[static_cast<size_t>(k)] = k + 1 < rank ? rest % strides[k].extent : rest;
      index += position[static_cast<size_t>(k)] * strides[k].by;
      rest = next;
    }
    for (int64_t done = 0;;) {
      const int64_t run = std::min(strides[0].extent - position[0], count_ - done);
      f(done, run, index, strides[0].by);
      done += run;
      if (done == count_) return;
      index -= position[0] * strides[0].by;
      position[0] = 0;
      for (int k = 1; k < rank; ++k) {
        index += strides[k].by;
        if (++position[static_cast<size_t>(k)] < strides[k].extent) break;
        index -= strides[k].extent * strides[k].by;
        position[static_cast<size_t>(k)] = 0;
      }
    }
  }

  bool has_values(const BlockAccess& a) const { return a.values_begin != a.values_end; }

  // The index of each element of the block.
  void numbers(const BlockAccess& a, char* to) const {
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

  // Where a contiguous access begins.
  char* lies(const BlockAccess& a) const { return buffer(a) + (start(a) + at_) * a.bytes; }

  void aim(int32_t slot, const BlockAccess& a) { where_[slot] = partial_ ? own(slot) : lies(a); }

  // The mask of a load; null: all elements are read. `none`: not one.
  const char* mask_of(const BlockAccess& a, bool& none) const {
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

  void load(const BlockInstruction& i, const BlockAccess& a) {
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

  void store(const BlockInstruction& i, const BlockAccess& a) {
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

  void test(const BlockInstruction& i, const BlockAccess& a) {
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

  void each(const BlockInstruction& i) {
    const BlockAccess* a = i.access < 0 ? nullptr : &p_.accesses[static_cast<size_t>(i.access)];
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
        return p_.shape == BlockProgram::Shape::Rows ? fold(i) : fold_columns(i);
      case Kind::Scan:
        return p_.shape == BlockProgram::Shape::Rows ? scan(i) : scan_columns(i);
    }
  }

  // ---- totals of rows

  using How = BlockTotal::How;

  char* lanes(const BlockTotal& t) const { return memory_ + t.lanes; }
  char* wider(const BlockTotal& t) const { return memory_ + t.wider; }
  char* sums(const BlockTotal& t) const { return memory_ + t.sums; }
  char* positions(const BlockTotal& t) const { return memory_ + t.positions; }
  const BlockTotal& total(int32_t k) const { return p_.totals[static_cast<size_t>(k)]; }

  static void fill(char* to, const uint64_t (&words)[2], DType t, int64_t count) {
    repeat(to, reinterpret_cast<const char*>(words), static_cast<int>(size_of(t)), count);
  }
  static void fill_positions(char* to, int64_t count) {
    repeat(to, reinterpret_cast<const char*>(&kNowhere), 8, count);
  }

  void start_total(const BlockTotal& t) {
    if (t.how == How::Any) {
      fill(lanes(t), t.none_of_span, t.span, loops_.wide.width);
      if (t.finds) fill_positions(positions(t), loops_.wide.width);
    } else if (t.how == How::Running) {
      fill(sums(t), t.none_of_total, t.total, 1);
    } else if (t.kept == t.total) {
      fill(sums(t), t.none_of_total, t.total, p_.walk.lanes);
    } else {
      fill(sums(t), t.none_of_span, t.span, 1);
    }
  }

  // The kernel adds up so many elements, and joins their lanes, before it goes on.
  void start_call(const BlockSweep& sweep) {
    group_ = sweep.group;
    for (int32_t k : sweep.totals) {
      const BlockTotal& t = total(k);
      if (t.how != How::Lanes) continue;
      fill(lanes(t), t.none_of_span, t.span, p_.walk.lanes);
      if (t.widens) fill(wider(t), t.none_of_total, t.total, p_.walk.lanes);
      terms_[k] = 0;
    }
  }

  template <class Span, class Total>
  void widen_as(const BlockTotal& t) {
    auto* to = reinterpret_cast<Total*>(wider(t));
    for (int64_t k = 0; k < p_.walk.lanes; ++k)
      to[k] = joined(t.product, to[k], lane<Span, Total>(lanes(t), k));
  }
  template <class Span, class Total>
  static Total lane(const char* from, int64_t k) {
    if constexpr (std::is_same_v<Total, Complex>) {
      const auto* parts = reinterpret_cast<const Span*>(from) + 2 * k;
      return {parts[0], parts[1]};
    } else {
      return reinterpret_cast<const Span*>(from)[k];
    }
  }
  // The lanes' sums join the wider ones.
  void widen(int32_t k) {
    const BlockTotal& t = total(k);
    if (t.total == DType::C128)
      widen_as<float, Complex>(t);
    else
      widen_as<float, double>(t);
    fill(lanes(t), t.none_of_span, t.span, p_.walk.lanes);
    terms_[k] = 0;
  }

  template <class Span, class Total>
  void join_as(const BlockTotal& t) {
    Total values[kMostKernelLanes];
    const char* from = t.widens ? wider(t) : lanes(t);
    for (int64_t k = 0; k < p_.walk.lanes; ++k)
      values[k] = t.widens ? reinterpret_cast<const Total*>(from)[k] : lane<Span, Total>(from, k);
    auto* to = reinterpret_cast<Total*>(sums(t));
    if constexpr (std::is_same_v<Total, Complex>)
      for (int64_t k = 0; k < p_.walk.lanes; ++k) to[k] = joined(t.product, to[k], values[k]);
    else
      *to = joined(t.product, *to, join_lanes(t.product, values, p_.walk.lanes));
  }
  void end_call(const BlockSweep& sweep) {
    for (int32_t k : sweep.totals) {
      const BlockTotal& t = total(k);
      if (t.how != How::Lanes) continue;
      if (t.widens && terms_[k] > 0) widen(k);
      if (t.narrow) {
        const float sum = join_lanes(false, reinterpret_cast<float*>(lanes(t)), p_.walk.lanes);
        if (t.kept == DType::F32)
          *reinterpret_cast<float*>(sums(t)) += sum;
        else
          *reinterpret_cast<double*>(sums(t)) += static_cast<double>(sum);
      } else if (t.span == DType::C64) {
        join_as<float, Complex>(t);
      } else if (t.span == DType::C128) {
        join_as<double, Complex>(t);
      } else if (t.span == DType::F32) {
        join_as<float, double>(t);
      } else {
        join_as<double, double>(t);
      }
    }
  }

  void fold(const BlockInstruction& i) {
    const BlockTotal& t = total(i.out);
    const bool any = t.how == How::Any;
    const BlockFolds& folds = any || p_.walk.lanes % loops_.wide.width == 0 ? loops_.wide : loops_.narrow;
    const int64_t lanes = any ? folds.width : p_.walk.lanes;
    BlockFold* const f = folds.folds[i.arity == 2 && !t.finds ? t.fold_product : t.fold];
    const int64_t bytes[2] = {int64_t(size_of(t.value)), t.finds ? 8 : int64_t(size_of(t.value))};
    const char* in[2];
    long steps[2];
    for (int k = 0; k < i.arity; ++k)
      in[k] = where(i.in[k]), steps[k] = steps_[i.in[k]] == 0 ? 0 : folds.width * bytes[k];
    for (int64_t left = count_ / lanes; left > 0;) {
      const int64_t n = t.widens ? std::min<int64_t>(left, group_ - terms_[i.out]) : left;
      f(this->lanes(t), positions(t), in, steps, lanes, n);
      for (int k = 0; k < i.arity; ++k) in[k] += n * (lanes / folds.width) * steps[k];
      left -= n;
      if (!t.widens) continue;
      terms_[i.out] += n;
      if (terms_[i.out] == group_) widen(i.out);
    }
    const int64_t rest = count_ % lanes;
    if (rest == 0) return;
    // A vector that is in part beyond the row: what changes nothing fills it.
    if (t.widens && terms_[i.out] > 0) widen(i.out);
    alignas(64) char pads[2][kMostKernelLanes * sizeof(Bytes16)];
    for (int k = 0; k < i.arity; ++k) {
      if (k == 0)
        fill(pads[0], t.none_of_value, t.value, lanes);
      else if (t.finds)
        fill_positions(pads[1], lanes);
      else if (t.value == DType::F32)
        std::fill_n(reinterpret_cast<float*>(pads[1]), lanes, 1.0F);
      else
        std::fill_n(reinterpret_cast<double*>(pads[1]), lanes, 1.0);
      deal_in(pads[k], in[k], steps[k] == 0 ? 0 : 1, rest, static_cast<int>(bytes[k]));
      in[k] = pads[k], steps[k] = folds.width * bytes[k];
    }
    f(this->lanes(t), positions(t), in, steps, lanes, 1);
    if (t.widens) widen(i.out);
  }

  // ---- running values

  // Vectors of the kernel's lanes: the values before each within its vector, then those of the vectors before.
  template <class Span, class Total>
  void scan_as(const BlockTotal& t, const char* from, bool repeats) {
    using Join = BlockTotal::Join;
    const auto run = [&](auto join) {
      const Span none = read<Span>(reinterpret_cast<const char*>(t.none_of_span));
      Total sum = read<Total>(sums(t));
      char* to = where(t.wide);
      Span values[kMostKernelLanes], next[kMostKernelLanes];
      for (int64_t base = 0; base < count_; base += p_.walk.lanes) {
        const int64_t live = std::min<int64_t>(p_.walk.lanes, count_ - base);
        for (int64_t k = 0; k < p_.walk.lanes; ++k)
          values[k] = k < live ? read<Span>(from + (repeats ? 0 : base + k) * int64_t{sizeof(Span)}) : none;
        for (int64_t half = p_.walk.lanes / 2; half > 0; half /= 2) {
          for (int64_t k = 0; k < p_.walk.lanes; ++k)
            next[k] = join(k < half ? none : values[k - half], values[k]);
          std::copy_n(next, p_.walk.lanes, values);
        }
        for (int64_t k = 0; k < live; ++k) {
          const Total value = join(sum, widened<Total>(values[k]));
          std::memcpy(to + (base + k) * int64_t{sizeof(Total)}, &value, sizeof value);
        }
        sum = join(sum, widened<Total>(values[p_.walk.lanes - 1]));
      }
      std::memcpy(sums(t), &sum, sizeof sum);
    };
    switch (t.join_by) {
      case Join::Sum:
        return run([](auto a, auto b) { return added(a, b); });
      case Join::Product:
        return run([](auto a, auto b) { return multiplied(a, b); });
      case Join::Most:
        if constexpr (std::is_arithmetic_v<Span>) run([](auto a, auto b) { return most(a, b); });
        return;
      case Join::Least:
        if constexpr (std::is_arithmetic_v<Span>) run([](auto a, auto b) { return least(a, b); });
        return;
    }
  }

  void scan(const BlockInstruction& i) {
    const BlockTotal& t = total(static_cast<int32_t>(i.number));
    const char* from = where(i.in[0]);
    bool repeats = steps_[i.in[0]] == 0;
    if (t.spread >= 0) {
      loops_.loops[t.spread](where(t.narrow_values), &from, &steps_[i.in[0]], vectors_);
      from = where(t.narrow_values), repeats = false;
    }
    scan_dtype(t, from, repeats);
    const char* sums_of_all = where(t.wide);
    give(t, i.out, sums_of_all);
  }
  void scan_dtype(const BlockTotal& t, const char* from, bool repeats) {
    switch (t.span) {
      case DType::Bool:
      case DType::U8:
        return scan_as<uint8_t, uint8_t>(t, from, repeats);
      case DType::I8:
        return scan_as<int8_t, int8_t>(t, from, repeats);
      case DType::I16:
        return scan_as<int16_t, int16_t>(t, from, repeats);
      case DType::I32:
        return scan_as<int32_t, int32_t>(t, from, repeats);
      case DType::I64:
        return scan_as<int64_t, int64_t>(t, from, repeats);
      case DType::U16:
        return scan_as<uint16_t, uint16_t>(t, from, repeats);
      case DType::U32:
        return scan_as<uint32_t, uint32_t>(t, from, repeats);
      case DType::U64:
        return scan_as<uint64_t, uint64_t>(t, from, repeats);
      case DType::F32:
        return t.total == DType::F64 ? scan_as<float, double>(t, from, repeats)
                                     : scan_as<float, float>(t, from, repeats);
      case DType::F64:
        return scan_as<double, double>(t, from, repeats);
      case DType::C64:
        return scan_as<SmallComplex, Complex>(t, from, repeats);
      case DType::C128:
        return scan_as<Complex, Complex>(t, from, repeats);
      case DType::F16:
      case DType::BF16:
        return;  // spans of halves are of f32
    }
  }
  // Values of a total's dtype as those of the result.
  void give(const BlockTotal& t, int32_t out, const char* from) {
    if (t.finish < 0) {
      std::memcpy(where(out), from, static_cast<size_t>(count_ * p_.slots[static_cast<size_t>(out)].bytes));
      return;
    }
    const long step = static_cast<long>(size_of(t.total)) * loops_.lanes;
    loops_.loops[t.finish](where(out), &from, &step, vectors_);
  }
  void scan_columns(const BlockInstruction& i) {
    BlockInstruction as_fold = i;
    as_fold.out = static_cast<int32_t>(i.number);
    fold_columns(as_fold);
    const BlockTotal& t = total(as_fold.out);
    give(t, i.out, sums(t) + (at_ - kept_from_) * static_cast<int64_t>(size_of(t.total)));
  }

  // The result, of `from` in its dtype.
  void put_result(const BlockTotal& t, char* from) {
    if (t.finish < 0) return put(t.out, from);
    alignas(64) char repeated[kMostBlockLanes * sizeof(Bytes16)];
    const DType dtype = t.finds ? DType::I64 : t.how == How::Any ? t.span : t.kept;
    repeat(repeated, from, static_cast<int>(size_of(dtype)), kMostBlockLanes);
    const char* in = repeated;
    const long step = 0;
    loops_.loops[t.finish](where(t.out), &in, &step, kMostBlockLanes / loops_.lanes);
  }
  // Lanes and positions, or sums, become one.
  void join(const BlockTotal& t) {
    if (t.how == How::Any)
      loops_.wide.joins[t.fold](lanes(t), positions(t));
    else if (t.total == DType::C128)
      join_lanes(t.product, reinterpret_cast<Complex*>(sums(t)), p_.walk.lanes);
  }
  char* result(const BlockTotal& t) const {
    return t.finds ? positions(t) : t.how == How::Any ? lanes(t) : sums(t);
  }
  void finish_total(const BlockTotal& t) {
    join(t);
    put_result(t, result(t));
  }

  // ---- rows and columns

  // The end of a stretch from `from` on for which no test changes.
  int64_t stretch(const BlockSweep& sweep, int64_t from, int64_t right) const {
    int64_t end = right;
    for (auto& cut : sweep.cuts) {
      const BlockAccess& a = p_.accesses[static_cast<size_t>(cut.access)];
      int64_t low = 0, high = 0;
      bounds(start(a), p_.strides[static_cast<size_t>(a.strides_begin)].by, cut.extent, low, high);
      end = std::min(end, from < low ? low : from < high ? high : right);
    }
    return end;
  }
  // 0 <= base + by * x < extent holds for low <= x < high.
  static void bounds(int64_t base, int64_t by, int64_t extent, int64_t& low, int64_t& high) {
    const bool down = by < 0;
    const int64_t step = down ? -by : by, first = down ? extent - 1 - base : base, left = extent - 1 - first;
    const auto floor_of = [](int64_t a, int64_t b) { return a / b - (a % b < 0); };
    low = -floor_of(first, step);
    high = floor_of(left, step) + 1;
  }

  void walk_row(const BlockSweep& sweep, int64_t left, int64_t right) {
    same(sweep.body);
    if (!sweep.folds) return walk(sweep.body, left, right);
    if (p_.walk.masked) {
      start_call(sweep);
      walk(sweep.body, left, right);
      return end_call(sweep);
    }
    for (int64_t at = left; at < right;) {
      const int64_t count = stretch(sweep, at, right) - at, vectors = count / p_.walk.lanes;
      const int64_t end =
          at + (vectors == 0 ? count : std::min<int64_t>(vectors, p_.walk.call_vectors) * p_.walk.lanes);
      start_call(sweep);
      walk(sweep.body, at, end);
      end_call(sweep);
      at = end;
    }
  }

  // Calls f(from, to) for each position on the row's axes but for the lane axis, the last of which moves first;
  // in steps of `many` on the last axis.
  template <class F>
  void each_line(int64_t part, int32_t many_axis, int64_t many, F&& f) {
    const int axes = static_cast<int>(p_.walk.extents.size()), first = p_.walk.outer;
    int64_t low = 0, high = p_.walk.extents[static_cast<size_t>(first)];
    if (p_.walk.split > 1) {
      low = std::min(part * p_.walk.part_length, high);
      high = std::min(low + p_.walk.part_length, high);
    }
    const bool along = p_.walk.lane_axis >= first;
    int64_t left = 0, right = along ? p_.walk.extents[static_cast<size_t>(p_.walk.lane_axis)] : 0;
    if (p_.walk.lane_axis == first) left = low, right = high;
    const auto from = [&](int a) { return a == first ? low : 0; };
    const auto to = [&](int a) { return a == first ? high : p_.walk.extents[static_cast<size_t>(a)]; };
    int64_t lines = 1;
    for (int a = first; a < axes; ++a)
      if (a != p_.walk.lane_axis) position_[a] = from(a), lines *= to(a) - from(a);
    if (lines <= 0) return;
    for (;;) {
      line_ = 0;
      for (int a = first; a < axes; ++a)
        if (a != p_.walk.lane_axis) line_ = line_ * p_.walk.extents[static_cast<size_t>(a)] + position_[a];
      const int64_t rows = many_axis >= 0 ? std::min(many, to(many_axis) - position_[many_axis]) : 1;
      f(left, right, rows);
      int a = axes - 1;
      for (; a >= first; --a) {
        if (a == p_.walk.lane_axis) continue;
        position_[a] += a == many_axis ? rows : 1;
        if (position_[a] < to(a)) break;
        position_[a] = from(a);
      }
      if (a < first) return;
    }
  }

  void run_rows(int64_t point, int64_t part, bool finishes) {
    kept_from_ = 0;
    if (finishes) {
      same(p_.sweeps[0].before);
      for (const BlockTotal& t : p_.totals) join_parts(t, point);
      return same(p_.epilogue);
    }
    for (const BlockSweep& sweep : p_.sweeps) {
      same(sweep.before);
      for (int32_t k : sweep.totals) start_total(total(k));
      each_line(part, -1, 1, [&](int64_t left, int64_t right, int64_t) { walk_row(sweep, left, right); });
      for (int32_t k : sweep.totals)
        if (p_.walk.split == 1 && total(k).how != How::Running) finish_total(total(k));
    }
    if (p_.walk.split == 1) return same(p_.epilogue);
    for (const BlockTotal& t : p_.totals) {
      join(t);
      const int64_t bytes = size_of(t.total), at = part * points() + point;
      std::memcpy(parts(t.partials) + at * bytes, t.how == How::Any ? lanes(t) : sums(t),
                  static_cast<size_t>(bytes));
      if (t.finds) std::memcpy(parts(t.partial_positions) + at * 8, positions(t), 8);
    }
  }

  int64_t points() const {
    return p_.walk.points * (p_.shape == BlockProgram::Shape::Columns
                                 ? p_.walk.extents[static_cast<size_t>(p_.walk.lane_axis)]
                                 : 1);
  }
  char* parts(int64_t first) const {
    return reinterpret_cast<char*>(arguments_.buffers[p_.walk.partials]) + first;
  }

  void join_parts(const BlockTotal& t, int64_t point) {
    start_total(t);
    const int64_t bytes = size_of(t.total);
    for (int64_t q = 0; q < p_.walk.split; ++q) {
      char* part = parts(t.partials) + (q * points() + point) * bytes;
      if (t.how == How::Lanes) {
        if (t.total == DType::C128)
          join_one<Complex>(t, part);
        else
          join_one<double>(t, part);
        continue;
      }
      alignas(64) char values[kMostBlockLanes * sizeof(Bytes16)], at[kMostBlockLanes * 8];
      repeat(values, part, static_cast<int>(bytes), loops_.wide.width);
      if (t.finds) repeat(at, parts(t.partial_positions) + (q * points() + point) * 8, 8, loops_.wide.width);
      const char* in[2] = {values, at};
      const long steps[2] = {0, 0};
      loops_.wide.folds[t.fold_total](lanes(t), positions(t), in, steps, loops_.wide.width, 1);
    }
    put_result(t, result(t));
  }
  template <class T>
  void join_one(const BlockTotal& t, const char* part) {
    auto* to = reinterpret_cast<T*>(sums(t));
    *to = joined(t.product, *to, read<T>(part));
  }

  // ---- columns

  // Totals of `total`, or of `span` while rows are grouped.
  void fold_columns(const BlockInstruction& i) {
    const BlockTotal& t = total(i.out);
    const int width = loops_.wide.width;
    const int64_t count = (count_ + width - 1) / width * width;
    const bool product = i.arity == 2 && !t.finds;
    const char* in[2];
    long steps[2];
    const int64_t bytes[2] = {int64_t(size_of(t.value)), t.finds ? 8 : int64_t(size_of(t.value))};
    for (int k = 0; k < i.arity; ++k)
      in[k] = where(i.in[k]), steps[k] = steps_[i.in[k]] == 0 ? 0 : width * bytes[k];
    alignas(64) char pads[2][kMostKernelLanes * sizeof(Bytes16)];
    if (count != count_)
      // What lies beyond is not looked at; it is only there.
      for (int k = 0; k < i.arity; ++k) {
        if (steps[k] == 0) continue;
        std::memset(pads[k], 0, static_cast<size_t>(count * bytes[k]));
        std::memcpy(pads[k], in[k], static_cast<size_t>(count_ * bytes[k]));
        in[k] = pads[k];
      }
    const int64_t first = at_ - kept_from_;
    if (grouped_)
      return loops_.wide.folds[product ? t.fold_product : t.fold](
          lanes(t) + first * static_cast<int64_t>(size_of(t.span)), positions(t), in, steps, count, 1);
    add_columns(t, first, in, steps, count, product, t.spread);
  }
  // Values become `total` by a cast and join the sums.
  void add_columns(const BlockTotal& t, int64_t first, const char** in, long* steps, int64_t count,
                   bool product, int32_t cast) {
    if (cast >= 0) {
      const long step = steps[0] / loops_.wide.width * loops_.lanes;
      loops_.loops[cast](where(t.wide), in, &step, count / loops_.lanes);
      in[0] = where(t.wide);
      steps[0] = loops_.wide.width * static_cast<long>(size_of(t.total));
    }
    loops_.wide.folds[product ? t.fold_total_product : t.fold_total](
        sums(t) + first * static_cast<int64_t>(size_of(t.total)), positions(t) + first * 8, in, steps, count,
        1);
  }

  static int64_t whole_vectors(int64_t count) {
    return (count + kMostKernelLanes - 1) / kMostKernelLanes * kMostKernelLanes;
  }
  void start_columns(const BlockTotal& t, int64_t count) {
    fill(sums(t), t.none_of_total, t.total, whole_vectors(count));
    if (t.finds) fill_positions(positions(t), whole_vectors(count));
  }
  void finish_columns(const BlockTotal& t, int64_t count) {
    const char* from = t.finds ? positions(t) : sums(t);
    if (t.finish < 0) {
      std::memcpy(own(t.out), from, static_cast<size_t>(count * p_.slots[static_cast<size_t>(t.out)].bytes));
      return;
    }
    const long step = static_cast<long>(t.finds ? 8 : size_of(t.total)) * loops_.lanes;
    loops_.loops[t.finish](own(t.out), &from, &step, (count + loops_.lanes - 1) / loops_.lanes);
  }

  // Columns [from, to), at most a block of them. `whole`: those of the kernel's whole vectors, which add several
  // rows in `span` where others add one.
  void sweep_columns(const BlockSweep& sweep, int64_t part, int64_t from, int64_t to, bool whole) {
    same(sweep.before);
    walk(sweep.before, from, to);
    for (int32_t k : sweep.totals) start_columns(total(k), to - from);
    const bool groups = sweep.rows_axis >= 0;
    each_line(part, sweep.rows_axis, whole ? p_.walk.group_rows : 1, [&](int64_t, int64_t, int64_t rows) {
      if (!groups) {
        same(sweep.body);
        return walk(sweep.body, from, to);
      }
      for (int32_t k : sweep.totals)
        fill(lanes(total(k)), total(k).none_of_span, total(k).span, whole_vectors(to - from));
      grouped_ = true;
      const int64_t first = position_[sweep.rows_axis];
      for (int64_t r = 0; r < rows; ++r) {
        position_[sweep.rows_axis] = first + r;
        same(sweep.body);
        walk(sweep.body, from, to);
      }
      position_[sweep.rows_axis] = first;
      grouped_ = false;
      const int64_t width = loops_.wide.width, count = (to - from + width - 1) / width * width;
      for (int32_t k : sweep.totals) {
        const BlockTotal& t = total(k);
        const char* in = lanes(t);
        long step = static_cast<long>(size_of(t.span)) * width;
        add_columns(t, 0, &in, &step, count, false, t.widen);
      }
    });
  }

  void run_columns(int64_t point, int64_t part, int64_t left, int64_t right, bool finishes) {
    const auto lane_extent = p_.walk.extents[static_cast<size_t>(p_.walk.lane_axis)];
    for (int64_t from = left; from < right;) {
      int64_t to = std::min(from + p_.block, right);
      bool whole = true;
      for (const BlockSweep& sweep : p_.sweeps)
        if (sweep.rows_axis >= 0 && !finishes) to = std::min(to, piece(sweep, left, from, right, whole));
      kept_from_ = from;
      if (finishes) {
        same(p_.sweeps[0].before);
        walk(p_.sweeps[0].before, from, to);
        for (const BlockTotal& t : p_.totals) join_columns(t, point * lane_extent + from, to - from);
      } else {
        for (const BlockSweep& sweep : p_.sweeps) {
          sweep_columns(sweep, part, from, to, whole);
          if (p_.walk.split == 1)
            for (int32_t k : sweep.totals)
              if (total(k).out >= 0) finish_columns(total(k), to - from);
        }
      }
      if (p_.walk.split == 1 || finishes) {
        same(p_.epilogue);
        walk(p_.epilogue, from, to);
      } else {
        const int64_t at = part * points() + point * lane_extent + from;
        for (const BlockTotal& t : p_.totals) {
          const int64_t bytes = size_of(t.total);
          std::memcpy(parts(t.partials) + at * bytes, sums(t), static_cast<size_t>((to - from) * bytes));
          if (t.finds)
            std::memcpy(parts(t.partial_positions) + at * 8, positions(t),
                        static_cast<size_t>((to - from) * 8));
        }
      }
      from = to;
    }
  }
  // The end of the piece at `from`: a stretch has whole vectors, then less than one.
  int64_t piece(const BlockSweep& sweep, int64_t left, int64_t from, int64_t right, bool& whole) const {
    int64_t begin = left, end = stretch(sweep, left, right);
    while (end <= from) begin = end, end = stretch(sweep, begin, right);
    const int64_t vectors_end = begin + (end - begin) / p_.walk.lanes * p_.walk.lanes;
    whole &= from < vectors_end;
    return from < vectors_end ? vectors_end : end;
  }

  void join_columns(const BlockTotal& t, int64_t at, int64_t count) {
    start_columns(t, count);
    const int64_t bytes = size_of(t.total), width = loops_.wide.width,
                  padded = (count + width - 1) / width * width;
    for (int64_t q = 0; q < p_.walk.split; ++q) {
      const int64_t first = q * points() + at;
      std::memcpy(where(t.wide), parts(t.partials) + first * bytes, static_cast<size_t>(count * bytes));
      const char* in[2] = {where(t.wide), nullptr};
      long steps[2] = {width * bytes, width * 8};
      if (t.finds) {
        std::memcpy(lanes(t), parts(t.partial_positions) + first * 8, static_cast<size_t>(count * 8));
        in[1] = lanes(t);
      }
      loops_.wide.folds[t.fold_total](sums(t), positions(t), in, steps, padded, 1);
    }
    finish_columns(t, count);
  }

  // ---- tasks, as the kernel's

  void run_task(int64_t task, bool finishes) {
    const bool columns = p_.shape == BlockProgram::Shape::Columns;
    int64_t block = task, part = 0, left = 0, right = 0;
    if (p_.walk.split > 1 && !finishes) part = block % p_.walk.split, block /= p_.walk.split;
    if (columns) {
      const int64_t lane = p_.walk.extents[static_cast<size_t>(p_.walk.lane_axis)],
                    chunk = finishes ? p_.walk.finish_chunk : p_.walk.chunk,
                    chunks = (lane + chunk - 1) / chunk;
      left = block % chunks * chunk, right = std::min(left + chunk, lane);
      block /= chunks;
    }
    const int64_t first = block * p_.walk.rows_per_task,
                  last = std::min(first + p_.walk.rows_per_task, p_.walk.points);
    for (int64_t point = first; point < last; ++point) {
      int64_t rest = point;
      for (int a = p_.walk.outer; a-- > 0;) {
        if (a == p_.walk.lane_axis) continue;
        position_[a] = rest % p_.walk.extents[static_cast<size_t>(a)];
        rest /= p_.walk.extents[static_cast<size_t>(a)];
      }
      if (columns)
        run_columns(point, part, left, right, finishes);
      else
        run_rows(point, part, finishes);
    }
  }

  const BlockProgram& p_;
  const BlockLoops& loops_;
  const BlockArguments arguments_;
  char* const memory_;
  char** const where_;
  long* const steps_;
  int64_t* const position_;  // on each axis on which a block has one
  int64_t* const terms_;     // of each total, that its lanes have added up
  const int64_t unit_;
  int64_t at_ = 0, count_ = 0, vectors_ = 0;  // the block
  int64_t line_ = 0, kept_from_ = 0;          // of values between lists
  int64_t group_ = 1;
  bool partial_ = false, grouped_ = false;
};

}  // namespace

size_t block_memory(const BlockProgram& p) {
  return static_cast<size_t>(p.memory_bytes) + p.slots.size() * (sizeof(char*) + sizeof(long)) +
         (p.walk.extents.size() + p.totals.size()) * sizeof(int64_t);
}

void run_blocks(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments,
                int64_t begin, int64_t end, bool finishes, char* memory) {
  Run(program, loops, arguments, memory)(begin, end, finishes);
}

}  // namespace weft::runtime
