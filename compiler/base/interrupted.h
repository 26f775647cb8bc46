// Work that was given up between two kernels because somebody asked for it.
#pragma once

#include <stdexcept>

namespace weft {

// What was not computed is still to be computed.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted: what was not computed yet can still be") {}
};

}  // namespace weft
