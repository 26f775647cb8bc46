// Derivatives of scalar functions by forward mode: beside each float its derivatives by the arguments are computed, with
// the derivatives that the op table and the rules give for its ops.
#pragma once

#include "compiler/ir/function.h"

namespace weft::derive {

// Of the same arguments, for each float result and then for each float argument, the derivative of the one by the other.
// Error where an op has no derivative.
ir::FunctionRef partials(const ir::FunctionRef& function);

// The place of a derivative among the partials' results; -1 where it is zero, as a result or an argument is no float.
int partial_number(const ir::Function& function, size_t result, size_t argument);

}  // namespace weft::derive
