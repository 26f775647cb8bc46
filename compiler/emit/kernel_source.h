// A kernel's text under a name that is made of it, and what it computes in words.
#pragma once

#include <string>

#include "compiler/plan/plan.h"
#include "compiler/program/program.h"

namespace weft::emit {

// "greater, exp (2), where, sum": maps and totals in the order in which the kernel comes to them. A function of the
// user's has its own name.
std::string ops_of(const plan::RowProgram& program);

// Where the text says WEFT_NAME, its name will stand.
KernelSource named(std::string text, const plan::RowProgram& program);

}  // namespace weft::emit
