// All that nodes ask of a loop: whether another does the same. make_loop.cpp answers.
#pragma once

#include "compiler/base/hash.h"

namespace weft::ir {

struct Loop;
const Hash& hash_of(const Loop& loop);

}  // namespace weft::ir
