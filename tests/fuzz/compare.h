// Results against the reference: exact for what is exact, within a bound for the rest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"

namespace weft::test {

struct Tolerance {
  double relative32 = 1e-4, relative64 = 1e-10;  // of the largest magnitude nearby
  bool exact = false;
};

// Empty when `got` agrees with `want`; else what differs first. Elements in which one of `nudged`, the
// reference with other roundings, differs from `want` by as much have no digits to compare.
std::string difference(const ir::HostTensor& got, const ir::HostTensor& want, const Tolerance& tolerance,
                       std::span<const ir::HostTensor* const> nudged = {});

// The outputs when every float that is given or computed is some roundings larger or smaller than the
// reference has it, at random, and every NaN of either sign. Seeds 0 and 1 change the signs of NaNs alone:
// all are positive, or all negative.
std::vector<ir::HostTensor> interpret_nudged(const ir::Graph& graph,
                                             const std::vector<ir::HostTensor>& inputs, uint64_t seed);

}  // namespace weft::test
