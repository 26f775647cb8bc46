// Puts the prelude into a kernel: only the functions that its text uses, and what those need.
// The texts are rows of sections; `//@ NAME` opens a section that holds exactly one function, type or table
// NAME.
// `//@ NAME : dtypes` or `//@ NAME : dtypes -> dtypes` opens a family, written once and made for every dtype
// (or pair): in it $T is the dtype's name, $V its value type on the target; prelude.cpp lists the other
// placeholders.
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
