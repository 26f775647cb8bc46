// Which schedule a kernel is to have other than what the rules of its target choose: decided when the kernel
// spilled, or found by a search. Plain data; who keeps it is the runtime's business.
#pragma once

#include <functional>
#include <string>
#include <string_view>

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

struct BiasField {
  std::string_view name;
  int Bias::* value;
  int least, most;
};
inline constexpr BiasField kBiasFields[] = {{"frugal ", &Bias::frugal, 0, kMostFrugal},
                                            {", width ", &Bias::width, -8, 8},
                                            {", work ", &Bias::work, -8, 8}};

// "frugal 1, width -1, work 2"
inline std::string to_string(const Bias& b) {
  std::string text;
  for (const BiasField& f : kBiasFields) (text += f.name) += std::to_string(b.*f.value);
  return text;
}

// Names a kernel by what the rules make of it: its source, and that with all extents.
struct KernelKey {
  Hash source, shape;
};

struct TunedBias {
  Bias bias;
  std::string reason;  // for explain; empty where nobody decided
};

using Choose = std::function<TunedBias(const KernelKey&)>;

}  // namespace weft
