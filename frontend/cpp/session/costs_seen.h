// Avoidable costs that were seen in programs while a profile ran; each is said once.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/source_line.h"

namespace weft::detail {

// `cause` is a word that programs may ask for; `lines` asked for it; `text` says what it costs and what to write.
struct CostSeen {
  std::string cause;
  std::vector<SourceLine> lines;
  std::string text;
  std::string instead = {};  // what to write, where the text does not say it
  // A value that the text names by its op: so, and what may stand for that where the user's line has another word.
  struct Named {
    std::string op, as, plainly;
    SourceLine line;
    friend bool operator==(const Named&, const Named&) = default;
  };
  Named named = {};
  friend bool operator==(const CostSeen&, const CostSeen&) = default;
};

// The cause of what is no cost by itself: the arguments that a function was recorded for again.
constexpr std::string_view kRecordedFor = "recorded for";

// Of the lines that make floats too small for the usual form, and of those that read them.
constexpr const char* kDenormals = "denormals";
// A cost is a second launch, and not all of the kernel.
constexpr const char* kSplitReduction = "split reduction";

class CostsSeen {
 public:
  void add(CostSeen cost) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(seen_, cost) == seen_.end()) seen_.push_back(std::move(cost));
  }
  std::vector<CostSeen> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<CostSeen> seen_;
};

}  // namespace weft::detail
