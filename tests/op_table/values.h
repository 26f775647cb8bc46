// Arguments for generated tests: the values of a dtype where kernels go wrong, in all pairs, and draws from
// the domains that the op table states.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/ops/op.h"

namespace weft::test {

// Every dtype, in the order of its enumerators.
std::vector<DType> all_dtypes();

// Floats: zeros, ones, halves, infinities of both signs, NaN, the smallest and largest subnormal, normal and
// finite numbers; integers: small ones, the width, the limits; complex: pairs of a few parts.
std::vector<Scalar> edge_values(DType dtype);

// One column for each argument, all of the same odd length: every pair of edge values (the further
// arguments run through them too), then draws from every domain of the table.
using Columns = std::array<std::vector<Scalar>, ir::kMostOperands>;
const Columns& argument_columns(DType dtype);

// The whole column, or `count` elements picked from it; the same seed picks the same ones.
ir::HostTensor tensor_of(const std::vector<Scalar>& column);
ir::HostTensor tensor_from(const std::vector<Scalar>& column, const Shape& shape, uint64_t seed);

Scalar element(const ir::HostTensor& tensor, int64_t at);

// The same value: the same bits, or both NaN, in each part.
bool same_value(const Scalar& a, const Scalar& b);

// Where two tensors of one type differ first; empty when nowhere.
std::string first_difference(const ir::HostTensor& got, const ir::HostTensor& want);

std::string show(const Scalar& value);

}  // namespace weft::test
