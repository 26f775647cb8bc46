// The derivatives that the op table writes as formulas: one for each operand of a map, separated by
// semicolons, of the operands x, y, z, w, the result r and the tangent t. Each is linear in t, so that the
// same formula takes a tangent forward and a cotangent back.
//
//   t * y; x * t                      multiply
//   select(x > 0, t, 0)               relu
//
// A formula has numbers, + - * /, comparisons, and calls of the maps of the op table and of digamma().
// Halves are computed in f32 and rounded once.
#pragma once

#include "compiler/ir/node.h"

namespace weft::derive {

// The operand's formula of the node's op, with this for t; null where it is 0.
ir::NodeRef by_formula(const ir::Node& node, size_t operand, const ir::NodeRef& t);

// How many formulas the text has; InternalError where one of them cannot be read.
size_t formula_count(std::string_view derivative);

}  // namespace weft::derive
