// Makes nodes. Each function checks its arguments, infers the type and throws Error (naming the op, the rule
// and what was got) on the line that records. An op whose inputs are all constants is folded at once by the
// reference evaluation.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/node.h"

namespace weft::ir {

// ---- sources
NodeRef input(const TensorType& type, InputAttr attr, const Lines& lines = {});
NodeRef scalar(const TensorType& type, std::string name, const Lines& lines = {});
// `value` is converted to the type's dtype.
NodeRef constant(const TensorType& type, const Scalar& value, const Lines& lines = {});
NodeRef iota(const TensorType& type, int64_t axis, const Lines& lines = {});

// ---- maps. Strict: the inputs have the same shape and (but for select's condition) the same dtype, which
// the op accepts.
NodeRef map(Op op, Inputs&& inputs, const Lines& lines = {});
NodeRef cast(const NodeRef& x, DType to, const Lines& lines = {});  // x itself when the dtype is the same
NodeRef bitcast(const NodeRef& x, DType to, const Lines& lines = {});
// As NumPy: broadcasts the shapes, promotes the dtypes, integers to floats where the op takes floats only.
NodeRef elementwise(Op op, Inputs&& inputs, const Lines& lines = {});

// ---- views; each returns x itself when there is nothing to do
NodeRef broadcast(const NodeRef& x, const Shape& shape, const Lines& lines = {});
NodeRef permute(const NodeRef& x, const Dims& axes, const Lines& lines = {});
NodeRef slice(const NodeRef& x, const Dims& starts, const Dims& extents, const Dims& steps,
              const Lines& lines = {});
NodeRef reshape(const NodeRef& x, const Shape& shape, const Lines& lines = {});
NodeRef pad(const NodeRef& x, const NodeRef& fill, const Dims& before, const Dims& after,
            const Lines& lines = {});
NodeRef concat(std::span<const NodeRef> xs, int64_t axis, const Lines& lines = {});

// ---- reductions; the reduced axes disappear (a reshape brings them back for keepdims). The dtype is not
// widened.
NodeRef reduce(Op op, const NodeRef& x, const Dims& axes, const Lines& lines = {});

// ---- scans; x itself where the axis has one element
NodeRef scan(Op op, const NodeRef& x, int64_t axis, const Lines& lines = {});

// ---- indexed access: `index` is i64 and, but for `axis`, broadcasts against x's shape to give the result's
NodeRef gather(const NodeRef& x, const NodeRef& index, int64_t axis, const Lines& lines = {});
NodeRef scatter(Op op, const NodeRef& x, const NodeRef& index, const NodeRef& values, int64_t axis,
                const Lines& lines = {});
NodeRef update(const NodeRef& base, const NodeRef& value, const Dims& starts, const Dims& steps,
               const Lines& lines = {});
NodeRef dot(const NodeRef& a, const NodeRef& b, const Lines& lines = {});

// The general form behind all of these: checks and infers, then makes the node; folds nothing. Sources state
// their type; `stated` is also the dtype of casts and the shape of broadcast, reshape and slice, and is
// ignored elsewhere.
NodeRef make(Op op, Inputs&& inputs, Attr attr, const TensorType& stated, const Lines& lines = {});
// A broadcast to the same shape, which broadcast() and simplify leave out: the value in memory of its own.
NodeRef copy(const NodeRef& x, const Lines& lines = {});
bool is_copy(const Node& node);

// `node` with other inputs of the same types; folds and drops views that do nothing, as the functions above.
NodeRef with_inputs(const Node& node, std::span<const NodeRef> inputs);

}  // namespace weft::ir
