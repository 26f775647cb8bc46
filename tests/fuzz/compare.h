// Results against the reference: exact for what is exact, within a bound for the rest.
#pragma once

#include <string>

#include "compiler/ir/interpret.h"

namespace weft::test {

struct Tolerance {
  double relative32 = 1e-4, relative64 = 1e-10;  // of the largest magnitude nearby
  bool exact = false;
};

// Empty when `got` agrees with `want`; else what differs first.
std::string difference(const ir::HostTensor& got, const ir::HostTensor& want, const Tolerance& tolerance);

}  // namespace weft::test
