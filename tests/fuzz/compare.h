// Results against the reference: exact for what is exact, within a bound for the rest.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/interpret.h"

namespace weft::test {

struct Tolerance {
  double relative32 = 1e-4, relative64 = 1e-10;  // of the largest magnitude nearby
  bool exact = false;
};

// Empty when `got` agrees with `want`; else what differs first. Elements in which `nudged`, the reference of
// slightly other inputs, differs from `want` by as much have no digits to compare.
std::string difference(const ir::HostTensor& got, const ir::HostTensor& want, const Tolerance& tolerance,
                       const ir::HostTensor* nudged = nullptr);

// The inputs with every float some roundings larger or smaller.
std::vector<ir::HostTensor> nudged(std::vector<ir::HostTensor> inputs);

}  // namespace weft::test
