// Records functions of scalars on operands.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/code/code.h"
#include "compiler/ir/function.h"
#include "frontend/cpp/record/record.h"

namespace weft::detail {

// The function's results on nodes, which are converted and broadcast to each other.
std::vector<Array> applied(Recording& r, const ir::FunctionRef& f, std::vector<ir::NodeRef> nodes);
// The operands as nodes.
std::vector<ir::NodeRef> recorded(Recording& r, std::span<const Operand> operands);
// The number of each element.
ir::NodeRef numbers_of_elements(const Shape& shape, const ir::Lines& lines);
// The function that a text is for these operands. Error where one does not fit its parameter.
ir::FunctionRef function_for(const ir::Code& code, std::span<const Operand> operands,
                             const std::string& called);

}  // namespace weft::detail
