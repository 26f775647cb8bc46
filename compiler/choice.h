// Which schedule a kernel is to have other than what the rules of its target choose: decided when the kernel
// spilled, or found by a search. Plain data; who keeps it is the runtime's business.
#pragma once

#include <functional>
#include <string>

#include "compiler/base/hash.h"

namespace weft {

// How a schedule departs from the rules' own. All 0: not at all.
struct Bias {
  int frugal = 0;  // CUDA: steps towards fewer registers of a thread, up to kMostFrugal
  int width = 0;   // steps by the factor 2 in the lanes of a vector
  int work = 0;    // the same in the work of a task (CPU), or in what a thread has in flight (CUDA)
  friend bool operator==(const Bias&, const Bias&) = default;
};
inline constexpr int kMostFrugal = 3;

// "frugal 1, width -1, work 2"
inline std::string to_string(const Bias& b) {
  return "frugal " + std::to_string(b.frugal) + ", width " + std::to_string(b.width) + ", work " +
         std::to_string(b.work);
}

// Names a kernel by what the rules make of it: its source, and that with all extents.
struct KernelKey {
  Hash source, shape;
};

struct Choice {
  Bias bias;
  std::string reason;  // for explain; empty where nobody decided
};

using Choose = std::function<Choice(const KernelKey&)>;

}  // namespace weft
