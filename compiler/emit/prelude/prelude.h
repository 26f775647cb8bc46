// Puts the prelude into a kernel: only the functions that its text uses, and what those need.
// The texts are rows of sections:
//   //@ NAME                      holds exactly one function, type or table, called NAME
//   //@ NAME : dtypes             a family, written once and made for every dtype
//   //@ NAME : dtypes -> dtypes   the same for every pair
// In a family $T is the dtype's name and $V its value type on the target; prelude.cpp lists all placeholders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::emit {

enum class PreludeTarget { Cpu, Cuda };

// The text of every section named in `source` plus all that they need, needed ones first; for the CPU
// preceded by the vector types for `lanes`, a power of two from 4 to 64 (`lanes` means nothing on CUDA).
std::string prelude_for(PreludeTarget target, int lanes, std::string_view source);

// Whether the prelude of the target has a function, type or table of this name.
bool has_prelude(PreludeTarget target, std::string_view name);

// All names, sorted.
std::vector<std::string> prelude_names(PreludeTarget target);

}  // namespace weft::emit
