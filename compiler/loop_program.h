// The programs of a loop: its bodies, compiled.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "compiler/ir/loop.h"
#include "compiler/program/program.h"

namespace weft {

// Compiles a graph that may write into these inputs.
using CompileBody = std::function<Program(const ir::Graph& body, std::vector<int> donated)>;

std::shared_ptr<const LoopProgram> loop_program(const ir::Loop& loop, const CompileBody& compile_body);

}  // namespace weft
