#include "compiler/plan/schedule/cuda/strips.h"

#include <numeric>

namespace weft::plan::cuda {

Strips share_out(int64_t strips, int64_t blocks, int64_t steps) {
  Strips s;
  s.steps = steps;
  s.whole = strips / blocks * blocks;
  const int64_t left = strips - s.whole;
  if (left == 0) {
    s.tasks = s.whole;
    s.periods = 0;
    return s;
  }
  s.periods = std::gcd(left, blocks);
  s.strips = left / s.periods;
  s.shares = blocks / s.periods;
  while (s.strips * s.inverse % s.shares != 1 % s.shares) ++s.inverse;
  s.tasks = s.whole + blocks + s.periods * (s.strips - 1);
  s.parts = (s.shares + s.strips - 1) / s.strips + 1;
  return s;
}

}  // namespace weft::plan::cuda
