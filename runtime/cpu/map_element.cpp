#include "runtime/cpu/map_element.h"

#include "compiler/base/error.h"

namespace weft::runtime {

bool map_element(const BlockLoops& loops, int number, std::span<const Scalar> operands, Scalar& result) {
  constexpr size_t kOperands = 4, kLanes = 16, kWidest = 16;  // at most: of a vector, and bytes of a lane
  BlockLoop* const loop = loops.loops[number];
  if (!loop) return false;
  if (operands.size() > kOperands) throw InternalError("map_element: more operands than a map has");
  const DType dtype = operands[0].dtype;
  const size_t bytes = size_of(dtype);
  alignas(64) char lanes[kOperands][kLanes * kWidest];
  alignas(64) char out[kLanes * kWidest];
  const char* in[kOperands];
  constexpr long kSteps[kOperands] = {};
  for (size_t k = 0; k < operands.size(); ++k) {
    for (int lane = 0; lane < loops.lanes; ++lane)
      operands[k].store(lanes[k] + static_cast<size_t>(lane) * bytes);
    in[k] = lanes[k];
  }
  loop(out, in, kSteps, 1);
  result = Scalar::load(dtype, out);
  return true;
}

}  // namespace weft::runtime
