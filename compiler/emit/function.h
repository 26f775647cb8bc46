// Scalar functions as functions of a kernel. On the CPU an argument is a vector, and lanes part by masks: a branch
// that no lane takes is left out, a loop runs until no lane is left. On CUDA branches are branches.
#pragma once

#include <functional>
#include <string>

#include "compiler/emit/function_name.h"
#include "compiler/emit/spell.h"
#include "compiler/plan/plan.h"

namespace weft::emit {

// The function, which takes a mask of the lanes that count and the arguments, and gives a struct of r0, r1, ….
std::string write_for_cpu(const ir::Function& function);
std::string write_for_cuda(const ir::Function& function);

// What a call says of a series, whose elements of turn 0 lie at the position that is this value.
using NameOfSeries = std::function<std::string(const plan::Series& series, plan::Value at)>;

// The call for an `apply`, whose operands beyond the function's are bools that have to hold, too.
std::string call_of(const plan::Let& let, const std::string& mask, const Names& names,
                    const NameOfSeries& series);

}  // namespace weft::emit
