#include "frontend/cpp/array/same_value.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/node.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/read.h"

namespace weft::detail {
namespace {

constexpr int kMostNodes = 64;

bool same(const ir::NodeRef& x, const ir::NodeRef& y, int& left) {
  if (x == y) return true;
  if (--left < 0 || x->op != y->op || x->type != y->type || x->inputs.size() != y->inputs.size())
    return false;
  if (x->op == ir::Op::input) return false;
  for (size_t i = 0; i < x->inputs.size(); ++i)
    if (!same(x->inputs[i], y->inputs[i], left)) return false;
  ir::Inputs inputs(y->inputs.size());
  std::copy(y->inputs.begin(), y->inputs.end(), inputs.begin());
  const ir::NodeRef of_ys(new ir::Node(x->op, x->type, std::move(inputs), x->attr, {}));
  return ir::same_but_lines(*of_ys, *y);
}

}  // namespace

bool same_value(const Array& x, const Array& y) {
  int left = kMostNodes;
  return same(read(x, {}), read(y, {}), left);
}

}  // namespace weft::detail
