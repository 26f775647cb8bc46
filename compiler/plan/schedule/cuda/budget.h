// What a CUDA device and a bias leave a schedule to spend: processors, registers, statements.
#pragma once

#include <cstdint>

#include "compiler/base/integers.h"
#include "compiler/machine/machine.h"
#include "compiler/plan/plan.h"
#include "compiler/program/options.h"

namespace weft::plan::cuda {

struct Budget {
  const Target* target = nullptr;
  Bias bias;
  bool contract = true;       // sums may round otherwise than op by op
  int64_t processors = 1;     // multiprocessors
  int64_t fill = 1;           // threads that keep all of them busy
  int64_t kept_bytes = 0;     // of a row that a thread keeps in registers, at most
  int64_t most_unrolled = 0;  // statements of an unrolled body, at most
  int64_t statements = 0;     // of the whole program
  bool large = false;         // it has more bytes than the cache holds
  int outer = 0;              // its outer axes

  Budget() = default;
  Budget(const RowProgram& program, const Target& device, const Bias& departure, bool may_contract);
  bool has_clusters() const { return machine::has_clusters(*target); }
};

inline int64_t power_of_two_up(int64_t n) {
  int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

}  // namespace weft::plan::cuda
