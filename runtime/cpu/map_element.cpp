#include "runtime/cpu/map_element.h"

#include <cstring>

#include "compiler/base/error.h"

namespace weft::runtime {
namespace {

constexpr size_t kOperands = 4, kLanes = 16, kWidest = 16;  // at most: of a vector, and bytes of a lane
constexpr long kSteps[kOperands] = {};

// A vector of each operand, and of the result.
struct alignas(64) Lanes {
  char in[kOperands][kLanes * kWidest] = {};
  char out[kLanes * kWidest];
};

void check_count(size_t operands) {
  if (operands > kOperands) throw InternalError("map_element: more operands than a map has");
}

}  // namespace

bool map_element(const BlockLoops& loops, int number, std::span<const Scalar> operands, Scalar& result) {
  BlockLoop* const loop = loops.loops[number];
  if (!loop) return false;
  check_count(operands.size());
  const DType dtype = operands[0].dtype;
  const size_t bytes = size_of(dtype);
  Lanes lanes;
  const char* in[kOperands];
  for (size_t k = 0; k < operands.size(); ++k) {
    for (int lane = 0; lane < loops.lanes; ++lane)
      operands[k].store(lanes.in[k] + static_cast<size_t>(lane) * bytes);
    in[k] = lanes.in[k];
  }
  loop(lanes.out, in, kSteps, 1);
  result = Scalar::load(dtype, lanes.out);
  return true;
}

bool map_elements(const BlockLoops& loops, int number, std::span<const MapOperand> operands, MapResult result,
                  int64_t count) {
  BlockLoop* const loop = loops.loops[number];
  if (!loop) return false;
  check_count(operands.size());
  const int64_t whole = count / loops.lanes, rest = count % loops.lanes;
  Lanes lanes;
  const char* in[kOperands] = {};
  long steps[kOperands] = {};
  for (size_t k = 0; k < operands.size(); ++k) {
    const MapOperand& x = operands[k];
    const auto item = static_cast<size_t>(x.item);
    steps[k] = x.same ? 0 : static_cast<long>(loops.lanes * x.item);
    in[k] = x.same ? lanes.in[k] : reinterpret_cast<const char*>(x.data);
    if (x.same)
      for (int lane = 0; lane < loops.lanes; ++lane)
        std::memcpy(lanes.in[k] + static_cast<size_t>(lane) * item, x.data, item);
  }
  auto* const out = reinterpret_cast<char*>(result.data);
  if (whole > 0) loop(out, in, steps, whole);
  if (rest == 0) return true;
  // What fills no vector is copied, as nothing may be read or written behind the last element.
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].same) continue;
    std::memcpy(lanes.in[k], in[k] + whole * steps[k], static_cast<size_t>(rest * operands[k].item));
    in[k] = lanes.in[k];
  }
  loop(lanes.out, in, kSteps, 1);
  std::memcpy(out + whole * loops.lanes * result.item, lanes.out, static_cast<size_t>(rest * result.item));
  return true;
}

}  // namespace weft::runtime
