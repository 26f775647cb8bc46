// All that nodes ask of loops, functions and kernels: whether another does the same. make_loop.cpp, function.cpp and
// user_kernel.cpp answer.
#pragma once

#include "compiler/base/hash.h"

namespace weft::ir {

struct Loop;
const Hash& hash_of(const Loop& loop);
struct Function;
const Hash& hash_of(const Function& function);
struct UserKernel;
const Hash& hash_of(const UserKernel& kernel);

}  // namespace weft::ir
