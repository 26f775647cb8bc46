// Programs of CUDA where there is no GPU: what NVRTC takes of them, and what their kernels give on the host.
#pragma once

#include <span>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"

namespace weft::test {

// Each kernel of the graphs' programs for this GPU, those of loops' bodies too, is one that NVRTC compiles. Skips
// the test where there is no NVRTC.
void expect_taken_by_nvrtc(std::span<const ir::Graph> graphs, const Target& target);
// The graphs' programs for this GPU, emulated on the host, give what the interpreter does.
void expect_emulated_to_agree(std::span<const ir::Graph> graphs, const Target& target);

}  // namespace weft::test
