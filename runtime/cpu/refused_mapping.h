// Why the system refuses a process more memory that it has: its limits on address space and on mappings.
#pragma once

#include <string>

namespace weft::runtime {

// To be called after a refusal: "the address space that `ulimit -v` leaves, 12 of 4096 bytes".
std::string refused_mapping();

}  // namespace weft::runtime
