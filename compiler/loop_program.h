// The programs of a loop: its bodies, compiled.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "compiler/ir/loop.h"
#include "compiler/program/explanation.h"
#include "compiler/program/program.h"

namespace weft {

// Compiles a graph that may write into these inputs.
using CompileBody = std::function<Program(const ir::Graph& body, std::vector<int> donated)>;

// How bodies of loops are compiled, and where compiling them leaves what is to be said of them.
struct Bodies {
  const CompileBody& compile;
  std::vector<Explanation>& explanations;
};

std::shared_ptr<const LoopProgram> loop_program(const ir::Loop& loop, const CompileBody& compile_body);

}  // namespace weft
