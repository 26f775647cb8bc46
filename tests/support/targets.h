// Machines for which tests compile, whatever the one that they run on.
#pragma once

#include "compiler/program/options.h"

namespace weft::test {

// Two threads, vectors of 32 bytes.
inline Target cpu() { return {TargetKind::Cpu, 2, 32, size_t{32} << 20, 0}; }

inline Target h200() { return {TargetKind::Cuda, 132, 16, size_t{50} << 20, size_t{227} << 10}; }

// A GPU so small that little arrays are split and pass its cache by.
inline Target tiny() { return {TargetKind::Cuda, 1, 16, 0, size_t{48} << 10}; }

}  // namespace weft::test
