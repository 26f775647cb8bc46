// What CPU kernels and the runtime say to each other. A kernel describes a stretch of positions and the memory
// along it. weft_walk (runtime/cpu/walk.cpp) calls the kernel's span for runs of whole vectors. A walk is the
// same for every kernel, so it is compiled once, with Weft, and not again in each of them.
//
// The span's state is a struct of the kernel. A `place` is an offset in it, or -1 where it has no such member.
// A span takes `vectors` whole vectors of `lanes` positions each. Of a single one only the first `live` lanes
// may be real: the others repeat the last of them, and what they write is dropped.
//
// WalkPlan: what never changes.
//   limit            the most vectors of one call
//   rows_place       where a span that folds several rows reads how many; -2 where there is one row, whose vectors may
//                    be computed again: a last vector that is not whole then ends where the row does, and begins among
//                    elements that are stored already, unless a stream reads what another one stores. weft_walk's `rows` is
//                    then one more than the positions before `left` that the caller has computed
//   position_place   where it reads the first position of a call; the last one stands in the long behind it
//   aligned          the stream whose vectors are to lie at multiples of 64 bytes, or of their size;
//                    -1 for none, -2 where positions are to be multiples of `lanes`
//
// WalkStream: memory along the positions, `count` neighbouring elements of `bytes` at each.
//   place            where the walk sets the pointer
//   by_place         where it sets the step. Streams share one that are always read and have the same step;
//                    without one the stream is contiguous
//   guards_begin, guards_end
//                    it is read where all tests guards[guards_begin .. guards_end) hold, and is zero elsewhere
//
// WalkMemory: where a stream is.
//   start            the address of position 0, or null where zeros are read
//   by, rows         the elements to the next position and to the next row
//
// WalkTest: holds at position x where 0 <= base + by * x < extent, by != 0. The walk cuts stretches where a
// test changes, and puts the answer, a bool, at `place`. low and high are its own notes.
//
// `pads` is room for `count` vectors of each stream, each from a multiple of 64 bytes.
#pragma once

// WalkPlan::rows_place of one row whose vectors may be computed again.
#define WEFT_CPU_AGAIN -2

// The number in the function's name changes when its meaning does: no kernel that an older cache holds links.
#define WEFT_CPU_WALK                                                                 \
  struct WalkStream {                                                                 \
    int bytes, count, place, by_place, guards_begin, guards_end, in, out;             \
  };                                                                                  \
  struct WalkPlan {                                                                   \
    void (*span)(void* state, long vectors, long live);                               \
    const WalkStream* streams;                                                        \
    const int* guards;                                                                \
    long lanes, limit;                                                                \
    int streams_count, tests_count, rows_place, position_place, aligned;              \
  };                                                                                  \
  struct WalkMemory {                                                                 \
    const void* start;                                                                \
    long by, rows;                                                                    \
  };                                                                                  \
  struct WalkTest {                                                                   \
    long base, by, extent, place, low, high;                                          \
  };                                                                                  \
  extern "C" void weft_walk_3(const WalkPlan* plan, long left, long right, long rows, \
                              const WalkMemory* memory, WalkTest* tests, char* pads, void* state);

// 0 <= base + by * x < extent holds for low <= x < high; by != 0. Divisions are slow, and few steps need any.
#define WEFT_CPU_BOUNDS                                                                                  \
  static inline void weft_bounds(long base, long by, long extent, long& low, long& high) {               \
    const bool down = by < 0;                                                                            \
    const long step = down ? -by : by, from = down ? extent - 1 - base : base, left = extent - 1 - from; \
    low = -(step == 1 ? from : from / step - (from % step < 0));                                         \
    high = (step == 1 ? left : left / step - (left % step < 0)) + 1;                                     \
  }

namespace weft {

#define WEFT_QUOTED(...) #__VA_ARGS__
#define WEFT_TEXT_OF(...) WEFT_QUOTED(__VA_ARGS__)
// These as the text of a kernel has them.
constexpr const char* kCpuWalkText = WEFT_TEXT_OF(WEFT_CPU_WALK);
constexpr const char* kCpuBoundsText = WEFT_TEXT_OF(WEFT_CPU_BOUNDS);
#undef WEFT_TEXT_OF
#undef WEFT_QUOTED

}  // namespace weft
