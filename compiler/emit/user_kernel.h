// The text of a kernel that the user wrote, with an entry as the runtime calls it. Places in errors are the user's.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/ir/user_kernel.h"

namespace weft::emit {

// Where an argument of the kernel stands among the words of the entry: an address; a number; or the address of one.
struct UserWord {
  enum class Holds : uint8_t { Address, Number, AddressOfNumber } holds = Holds::Address;
  size_t word = 0;
};

// `words`: of each argument. `count`: of all words.
Emitted emit_user_kernel(const ir::UserKernel& kernel, const std::vector<UserWord>& words, size_t count);
// The words of a kernel whose numbers all follow the addresses.
Emitted emit_user_kernel(const ir::UserKernel& kernel);

}  // namespace weft::emit
