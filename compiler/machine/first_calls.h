// The rows of the tuning table that first calls are decided by. They stand apart from tuning.h, of which they are a
// part, since few files read them.
#pragma once

#include <cstdint>

// clang-format off
#define WEFT_TUNING_OF_FIRST_CALLS(X)                                                                          \
  X(kTimeOfCompile, double, 7e6, "ns", "2026-11-24", "of the smallest kernel's compilation", "compiler's time")                   \
  X(kTimeOfText, double, 900, "ns", "2026-11-24", "more for a byte of its text", "compiler's time")                               \
  X(kTimeOfLoad, double, 4e5, "ns", "2026-11-24", "that a kernel which lies on disk takes until it can run", "time of a first call")   \
  X(kTimeOfSource, double, 4e4, "ns", "2026-11-24", "to make a kernel's text, by which it is found where it is known", "time of a first call") \
  X(kLateText, int64_t, 6000, "bytes", "2026-11-24", "of the text of a kernel that is late, for the estimate", "compiler's time") \
  X(kTimeOfBlocks, double, 3000, "ns", "2026-11-24", "of a launch in blocks, whatever it computes", "time of a first call")            \
  X(kTimeOfLoop, double, 20, "ns", "2026-11-24", "of one statement on one block, whatever it computes", "time of a first call")        \
  X(kTimeOfWork, double, 0.08, "ns", "2026-11-24", "of a multiply-add of an element of 4 bytes, in blocks", "time of a first call")    \
  X(kTimeOfStatement, double, 0.06, "ns", "2026-11-24", "more for the statement: it reads and writes the first-level cache", "time of a first call") \
  X(kTimeOfPlace, double, 2, "ns", "2026-11-24", "of an element that a statement gathers or scatters", "gather")         \
  X(kBlockElements, int64_t, 512, "elements", "2026-11-24", "of a block, for the estimate", "first-level cache")                    \
  X(kWorthCompiling, double, 0.25, "of its compilation", "2026-11-24", "spent in blocks, after which a kernel is compiled behind", "compiler's time") \
  X(kCallsInBlocks, int32_t, 4, "calls", "2026-11-24", "in blocks, after which a kernel is compiled behind", "compiler's time")
// clang-format on

namespace weft::tuning {

#define WEFT_TUNED(name, type, value, unit, since, what, from) inline constexpr type name = value;
WEFT_TUNING_OF_FIRST_CALLS(WEFT_TUNED)
#undef WEFT_TUNED

}  // namespace weft::tuning
