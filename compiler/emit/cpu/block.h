// A list of statements: those that are the same in every lane, then a span of the others.
#pragma once

#include <string>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

std::string write_block(Entry& entry, const BlockLayout& block);

}  // namespace weft::emit::cpu
