// Programs of CUDA, compiled by NVRTC and not run: what holds on a machine without a GPU.
#pragma once

#include <span>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::test {

// Each kernel of the graphs' programs for this GPU, those of loops' bodies too, is one that NVRTC compiles. Skips
// the test where there is no NVRTC.
void expect_taken_by_nvrtc(std::span<const ir::Graph> graphs, const Target& target);

}  // namespace weft::test
