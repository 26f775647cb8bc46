// Objects to an archive that a linker takes.
#pragma once

#include <span>
#include <string>

#include "runtime/jit/library.h"

namespace weft::runtime {

// The same for the same members: it holds no times and no users.
std::string archive_of(std::span<const ArchiveMember> members);

}  // namespace weft::runtime
