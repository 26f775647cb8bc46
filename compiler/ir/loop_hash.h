// All that nodes ask of loops and functions: whether another does the same. make_loop.cpp and function.cpp answer.
#pragma once

#include "compiler/base/hash.h"

namespace weft::ir {

struct Loop;
const Hash& hash_of(const Loop& loop);
struct Function;
const Hash& hash_of(const Function& function);

}  // namespace weft::ir
