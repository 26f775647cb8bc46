#include "compiler/passes/rewritten.h"

#include <algorithm>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"

namespace weft::passes {

void Rewritten::set(const ir::Node* was, ir::NodeRef now) {
  if (number_.insert(was, static_cast<int32_t>(now_.size())))
    now_.push_back(std::move(now));
  else
    now_[static_cast<size_t>(number_.find(was))] = std::move(now);
}

const ir::NodeRef& Rewritten::at(const ir::Node* was) const {
  const int32_t number = number_.find(was);
  if (number < 0) throw InternalError("a pass asked what a node became that it has not come to");
  return now_[static_cast<size_t>(number)];
}

ir::NodeRef Rewritten::with_new_inputs(const ir::Node& was) const {
  if (std::ranges::all_of(was.inputs, [&](const ir::NodeRef& in) { return at(in.get()) == in; }))
    return ir::NodeRef(&was);
  ir::Inputs inputs(was.inputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) inputs[k] = at(was.inputs[k].get());
  return ir::with_inputs(was, {inputs.begin(), inputs.end()});
}

ir::Graph Rewritten::graph(const ir::Graph& was) const {
  ir::Graph out{was.inputs, {}};
  for (const ir::NodeRef& output : was.outputs) out.outputs.push_back(at(output.get()));
  return out;
}

}  // namespace weft::passes
