#include "runtime/cpu/walk.h"

#if __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/blocks/elements.h"
#include "runtime/interrupt.h"

namespace weft::runtime {
namespace {

// What streams read where a guard fails or nothing is there: a vector of the most lanes and largest elements.
alignas(64) constexpr char kZeros[64 * sizeof(Bytes16)] = {};

// A row may be all that a kernel does. Between so many vectors somebody may give it up: what follows computes
// with whatever is there, in the same memory, and is thrown away.
constexpr long kVectorsBetweenLooks = 1 << 13;

class Looks {
 public:
  bool leave_rest(long vectors) {
    done_ += vectors;
    if (done_ < kVectorsBetweenLooks) return false;
    done_ = 0;
    return PartOf::leave_rest();
  }

 private:
  long done_ = 0;
};

WEFT_CPU_BOUNDS

template <class T>
void put(char* state, long place, T value) {
  std::memcpy(state + place, static_cast<const void*>(&value), sizeof value);
}

// `count` elements of each lane, of which `live` lie at `from`; the others repeat the last of them.
template <class T>
void pad(char* to, const char* from, long by, long live, long lanes, long count) {
  constexpr long kBytes = sizeof(T);
  for (long k = 0; k < lanes; ++k)
    for (long c = 0; c < count; ++c)
      std::memcpy(to + (k * count + c) * kBytes, from + (std::min(k, live - 1) * by + c) * kBytes, kBytes);
}

template <class T>
void unpad(char* to, long by, const char* from, long live, long count) {
  constexpr long kBytes = sizeof(T);
  for (long k = 0; k < live; ++k)
    for (long c = 0; c < count; ++c)
      std::memcpy(to + (k * by + c) * kBytes, from + (k * count + c) * kBytes, kBytes);
}

// The same for contiguous elements: short rows are walked in a few of these each.
template <class T>
void pad_contiguous(char* to, const char* from, long live, long lanes) {
  std::memcpy(to, from, static_cast<size_t>(live) * sizeof(T));
  std::fill_n(reinterpret_cast<T*>(to) + live, lanes - live, read<T>(from + (live - 1) * long{sizeof(T)}));
}

void unpad_contiguous(char* to, const char* from, long bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

#if __x86_64__
// And with masks.
const bool kMasks = __builtin_cpu_supports("avx512bw") != 0;

[[gnu::target("avx512bw")]] __mmask64 first_bytes(long bytes) {
  return bytes >= 64 ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1;
}

template <class T>
[[gnu::target("avx512bw")]] void pad_masked(char* to, const char* from, long live, long lanes) {
  const char* last = from + (live - 1) * long{sizeof(T)};
  // A load that reaches into a page that is not mapped is slow, even where its mask leaves that out.
  const auto page_of = [](const char* at) { return reinterpret_cast<uintptr_t>(at) / 4096; };
  const char* asked = from + ((live * long{sizeof(T)} + 63) & ~63L);
  if (page_of(asked - 1) != page_of(last + sizeof(T) - 1)) return pad_contiguous<T>(to, from, live, lanes);
  __m512i fill;
  if constexpr (sizeof(T) == 1) fill = _mm512_set1_epi8(*last);
  if constexpr (sizeof(T) == 2) fill = _mm512_set1_epi16(read<short>(last));
  if constexpr (sizeof(T) == 4) fill = _mm512_set1_epi32(read<int>(last));
  if constexpr (sizeof(T) == 8) fill = _mm512_set1_epi64(read<long long>(last));
  if constexpr (sizeof(T) == 16) {
    const auto low = read<long long>(last), high = read<long long>(last + 8);
    fill = _mm512_set_epi64(high, low, high, low, high, low, high, low);
  }
  long left = live * long{sizeof(T)};
  for (long k = 0; k < lanes * long{sizeof(T)}; k += 64, left -= 64)
    _mm512_storeu_si512(to + k, left > 0 ? _mm512_mask_loadu_epi8(fill, first_bytes(left), from + k) : fill);
}

[[gnu::target("avx512bw")]] void unpad_masked(char* to, const char* from, long bytes) {
  for (long k = 0; k < bytes; k += 64)
    _mm512_mask_storeu_epi8(to + k, first_bytes(bytes - k), _mm512_loadu_si512(from + k));
}
#else
constexpr bool kMasks = false;
template <class T>
void pad_masked(char*, const char*, long, long) {}
void unpad_masked(char*, const char*, long) {}
#endif

// A walk at a position and a row.
struct Place {
  const WalkPlan& plan;
  const WalkMemory* memory;
  const WalkTest* tests;
  char* pads;
  char* state;
  long position, row;

  bool reads(int k) const {
    if (!memory[k].start) return false;
    for (int g = plan.streams[k].guards_begin; g < plan.streams[k].guards_end; ++g)
      if (!state[tests[plan.guards[g]].place]) return false;
    return true;
  }
  char* address(int k) const {
    return static_cast<char*>(const_cast<void*>(memory[k].start)) +
           (position * memory[k].by + row * memory[k].rows) * plan.streams[k].bytes;
  }
  long pad_bytes(int k) const {
    return (plan.lanes * plan.streams[k].count * plan.streams[k].bytes + 63) & ~63L;
  }
};

// How many positions are left before vectors can be aligned.
long head(const Place& at) {
  const WalkPlan& plan = at.plan;
  if (plan.aligned == -2) return -at.position & (plan.lanes - 1);
  const long bytes = plan.streams[plan.aligned].bytes, unit = std::min(plan.lanes * bytes, 64L);
  return (-static_cast<long>(reinterpret_cast<uintptr_t>(at.address(plan.aligned))) & (unit - 1)) / bytes;
}

// Points each stream at its memory.
void aim(const Place& at) {
  for (int k = 0; k < at.plan.streams_count; ++k) {
    const WalkStream& stream = at.plan.streams[k];
    const bool reads = at.reads(k);
    put(at.state, stream.place, reads ? at.address(k) : kZeros);
    if (stream.by_place >= 0) put(at.state, stream.by_place, reads ? at.memory[k].by : 0L);
  }
}

// A stretch of whole vectors that no test cuts: what most rows are, and where short ones cannot wait.
void walk_plainly(const Place& at, long vectors) {
  const WalkPlan& plan = at.plan;
  for (int k = 0; k < plan.streams_count; ++k) {
    const WalkStream& stream = plan.streams[k];
    const WalkMemory& memory = at.memory[k];
    const long step = memory.start ? memory.by : 0;
    put(at.state, stream.place,
        memory.start ? static_cast<const char*>(memory.start) + at.position * step * stream.bytes : kZeros);
    if (stream.by_place >= 0) put(at.state, stream.by_place, step);
  }
  plan.span(at.state, vectors, plan.lanes);
}

// Points each stream at its pad, which for those that are read holds what is there. Zeros and one value for
// all positions are as good where they lie.
void aim_at_pads(const Place& at, long live) {
  char* to = at.pads;
  for (int k = 0; k < at.plan.streams_count; ++k) {
    const WalkStream& stream = at.plan.streams[k];
    const bool reads = stream.in && at.reads(k);
    if (!stream.out && (!reads || (stream.by_place >= 0 && at.memory[k].by == 0))) {
      put(at.state, stream.place, reads ? at.address(k) : kZeros);
      if (stream.by_place >= 0) put(at.state, stream.by_place, 0L);
      to += at.pad_bytes(k);
      continue;
    }
    if (stream.in) {
      const char* from = reads ? at.address(k) : kZeros;
      with_element(stream.bytes, [&](auto element) {
        const long by = reads ? at.memory[k].by : 0;
        if (by == 1 && stream.count == 1)
          (kMasks ? pad_masked<decltype(element)> : pad_contiguous<decltype(element)>)(to, from, live,
                                                                                       at.plan.lanes);
        else
          pad<decltype(element)>(to, from, by, live, at.plan.lanes, stream.count);
      });
    }
    put(at.state, stream.place, to);
    if (stream.by_place >= 0) put(at.state, stream.by_place, long{stream.count});
    to += at.pad_bytes(k);
  }
}

void copy_from_pads(const Place& at, long live) {
  const char* from = at.pads;
  for (int k = 0; k < at.plan.streams_count; ++k) {
    const WalkStream& stream = at.plan.streams[k];
    if (stream.out)
      with_element(stream.bytes, [&](auto element) {
        if (at.memory[k].by == 1 && stream.count == 1)
          (kMasks ? unpad_masked : unpad_contiguous)(at.address(k), from, live * stream.bytes);
        else
          unpad<decltype(element)>(at.address(k), at.memory[k].by, from, live, stream.count);
      });
    from += at.pad_bytes(k);
  }
}

// Whether no stream reads what another one stores, or itself does, so that vectors may be computed again.
bool stores_apart(const WalkPlan& plan, const WalkMemory* memory, long left, long right) {
  const auto range = [&](int k) {
    const long bytes = plan.streams[k].bytes, step = memory[k].by * bytes;
    const auto start = reinterpret_cast<uintptr_t>(memory[k].start);
    const uintptr_t one = start + static_cast<uintptr_t>(left * step),
                    other = start + static_cast<uintptr_t>((right - 1) * step);
    return std::pair{std::min(one, other),
                     std::max(one, other) + static_cast<uintptr_t>(plan.streams[k].count * bytes)};
  };
  for (int out = 0; out < plan.streams_count; ++out) {
    if (!plan.streams[out].out) continue;
    const auto [low, high] = range(out);
    for (int in = 0; in < plan.streams_count; ++in) {
      if (!plan.streams[in].in || !memory[in].start) continue;
      const auto [first, last] = range(in);
      if (first < high && low < last) return false;
    }
  }
  return true;
}

// One vector of which `live` positions are real.
[[gnu::noinline]] void walk_partly(const Place& at, long live) {
  aim_at_pads(at, live);
  at.plan.span(at.state, 1, live);
  copy_from_pads(at, live);
}

}  // namespace

void weft_walk_3(const WalkPlan* plan_of_kernel, long left, long right, long rows, const WalkMemory* memory,
                 WalkTest* tests, char* pads, void* state_of_span) {
  const WalkPlan& plan = *plan_of_kernel;
  char* state = static_cast<char*>(state_of_span);
  const int shift =
      std::countr_zero(static_cast<unsigned long>(plan.lanes));  // a power of two; divisions are slow
  const long limit = std::min(plan.limit, kVectorsBetweenLooks);
  Looks looks;
  Place at{plan, memory, tests, pads, state, left, 0};
  long begin = left;  // of the stretch that no test cuts
  bool again = false;
  if (plan.rows_place == WEFT_CPU_AGAIN) {
    begin -= rows - 1;
    rows = 1;
    again = right - begin >= plan.lanes && ((right - left) & (plan.lanes - 1) || tests) &&
            stores_apart(plan, memory, begin, right);
  }
  if (plan.tests_count == 0 && plan.aligned == -1 && plan.position_place < 0 && plan.rows_place < 0) {
    for (long vectors; (vectors = std::min((right - at.position) >> shift, limit)) > 0;
         at.position += vectors << shift) {
      walk_plainly(at, vectors);
      if (looks.leave_rest(vectors)) return;
    }
    const long live = right - at.position;
    if (live > 0 && again) {
      at.position = right - plan.lanes;
      walk_plainly(at, 1);
    } else if (live > 0) {
      walk_partly(at, live);
    }
    return;
  }
  for (WalkTest* test = tests; test < tests + plan.tests_count; ++test)
    weft_bounds(test->base, test->by, test->extent, test->low, test->high);
  long end = left;
  for (long count; at.position < right; at.position += count) {
    long c = at.position;
    count = right - c;
    for (int k = 0; k < plan.tests_count; ++k) {
      const WalkTest& test = tests[k];
      put(state, test.place, c >= test.low && c < test.high);
      count = std::min(count, (c < test.low ? test.low : c < test.high ? test.high : right) - c);
    }
    if (c >= end) {
      if (end > left) begin = c;
      end = c + count;
    }
    at.row = 0;
    if (plan.aligned != -1)
      if (const long before = head(at)) count = std::min(count, before);
    if (again && count < plan.lanes && c + count - begin >= plan.lanes) {
      c = at.position = c + count - plan.lanes;
      count = plan.lanes;
    }
    // A stretch ends in a vector that is only partly live, and so does what lies before aligned ones.
    const bool partial = count < plan.lanes;
    const long vectors = partial ? 1 : std::min(count >> shift, limit);
    if (!partial) count = vectors * plan.lanes;
    if (plan.position_place >= 0) {
      put(state, plan.position_place, c);
      put(state, plan.position_place + static_cast<long>(sizeof(long)), c + count - 1);
    }
    // Pads hold one row.
    const long rows_at_once = partial ? 1 : rows;
    if (plan.rows_place >= 0) put(state, plan.rows_place, rows_at_once);
    if (looks.leave_rest(vectors * rows)) return;
    for (; at.row < rows; at.row += rows_at_once) {
      if (partial) {
        walk_partly(at, count);
      } else {
        aim(at);
        plan.span(state, vectors, plan.lanes);
      }
    }
  }
}

extern "C" long weft_leave_rest() { return PartOf::leave_rest() ? 1 : 0; }

}  // namespace weft::runtime
