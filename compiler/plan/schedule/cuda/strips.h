// How strips of equal work are shared out to blocks that run at once, when they fill no wave of them: whole
// strips first, as many as do fill waves; those that are left as equal shares, laid end to end, of which each
// touches two strips at most. What a share has of a second strip is a block of its own, and such blocks come
// last, the longest first, for those that are done first.
#pragma once

#include <cstdint>

namespace weft::plan::cuda {

struct Strips {
  int64_t whole = 0;    // strips that a block takes alone
  int64_t periods = 1;  // the rest repeats itself: `strips` strips in `shares` shares
  int64_t strips = 0, shares = 1;
  int64_t inverse = 0;  // of strips, modulo shares
  int64_t steps = 1;    // of a strip
  int64_t tasks = 0;    // blocks
  int64_t parts = 1;    // of a strip, at most
};

Strips share_out(int64_t strips, int64_t blocks, int64_t steps);

}  // namespace weft::plan::cuda
