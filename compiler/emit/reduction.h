// Reductions as both dialects spell them: from which value they start, how two values join.
#pragma once

#include "compiler/emit/spell.h"

namespace weft::emit {

// The value that changes nothing, as a value of dtype `t`.
Scalar identity_of(const plan::Accumulator& acc, DType t);
std::string identity_of(const plan::Accumulator& acc, DType t, const Dialect& dialect);

// The join of values `a` and `b` of dtype `t`; not for argmax and argmin.
std::string combine(ir::Op reduction, DType t, const std::string& a, const std::string& b);

}  // namespace weft::emit
