// What the program's exit status says, for scripts.
#pragma once

#include <stdexcept>

namespace weft::cli {

enum ExitCode {
  kOk = 0,
  kUserError = 1,
  kUsage = 2,
  kWrongResults = 3,
  kNothingCompared = 4,
  kInternal = 70
};

// What was computed is not what is right: said by commands that look for it, when they have printed what they found.
class WrongResults : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// No result is wrong, and some tell nothing, as every element is NaN.
class NothingCompared : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weft::cli
