#include "runtime/blocks/run_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>

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

class Run {
 public:
  Run(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments, char* memory)
      : p_(program),
        loops_(loops),
        arguments_(arguments),
        memory_(memory),
        where_(reinterpret_cast<char**>(memory + p_.memory_bytes)),
        steps_(reinterpret_cast<long*>(where_ + p_.slots.size())) {
    for (size_t k = 0; k < p_.slots.size(); ++k) {
      const BlockSlot& slot = p_.slots[k];
      where_[k] = memory + slot.offset;
      steps_[k] = slot.kind == BlockSlot::Kind::Same ? 0 : long{slot.bytes} * loops.lanes;
    }
    for (auto& c : p_.constants) put(c.slot, reinterpret_cast<const char*>(c.words));
    for (auto& a : p_.arguments) put(a.slot, reinterpret_cast<const char*>(arguments.scalars + a.word));
    for (auto& i : p_.once) once(i);
  }

  // Elements [from, to).
  void operator()(int64_t from, int64_t to) {
    for (at_ = from; at_ < to; at_ += count_) {
      count_ = std::min(p_.block, to - at_);
      // What is less than a vector comes last, and is copied: nothing beyond an array is touched.
      partial_ = count_ < loops_.lanes;
      if (!partial_) count_ -= count_ % loops_.lanes;
      vectors_ = partial_ ? 1 : count_ / loops_.lanes;
      for (auto& i : p_.written) aim(i.in[0], p_.accesses[static_cast<size_t>(i.access)]);
      for (auto& i : p_.body) body(i);
      if (partial_)
        for (auto& i : p_.written) {
          const BlockAccess& a = p_.accesses[static_cast<size_t>(i.access)];
          std::memcpy(lies(a), where(i.in[0]), static_cast<size_t>(count_ * a.bytes));
        }
    }
  }

 private:
  using Kind = BlockInstruction::Kind;

  char* where(int32_t slot) const { return where_[slot]; }
  char* own(int32_t slot) const { return memory_ + p_.slots[static_cast<size_t>(slot)].offset; }

  void put(int32_t slot, const char* element) {
    repeat(where(slot), element, p_.slots[static_cast<size_t>(slot)].bytes, loops_.lanes);
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

  void once(const BlockInstruction& i) {
    const BlockAccess* a = i.access < 0 ? nullptr : &p_.accesses[static_cast<size_t>(i.access)];
    switch (i.kind) {
      case Kind::Loop:
        return loop(i, 1);
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
        return;
    }
  }

  // ---- blocks

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

  void body(const BlockInstruction& i) {
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
    }
  }

  const BlockProgram& p_;
  const BlockLoops& loops_;
  const BlockArguments arguments_;
  char* const memory_;
  char** const where_;
  long* const steps_;
  int64_t at_ = 0, count_ = 0, vectors_ = 0;
  bool partial_ = false;
};

}  // namespace

size_t block_memory(const BlockProgram& p) {
  return static_cast<size_t>(p.memory_bytes) + p.slots.size() * (sizeof(char*) + sizeof(long));
}

int64_t block_tasks(const BlockProgram& p) { return (p.elements + p.task - 1) / p.task; }

void run_blocks(const BlockProgram& program, const BlockLoops& loops, const BlockArguments& arguments,
                int64_t begin, int64_t end, char* memory) {
  Run run(program, loops, arguments, memory);
  run(begin * program.task, std::min(end * program.task, program.elements));
}

}  // namespace weft::runtime
