#include "compiler/loop_program.h"

#include <algorithm>

#include "compiler/ir/build.h"
#include "compiler/ir/make_loop.h"
#include "compiler/ir/text/print.h"

namespace weft {
namespace {

using ir::Node;
using ir::NodeRef;

int64_t bytes_of(const ir::TensorType& type) {
  return element_count(type.shape) * static_cast<int64_t>(size_of(type.dtype));
}

// Whether a body may write into what it carries. Otherwise nothing has to be copied before the first turn.
bool writes_parts(const ir::Graph& body) {
  return std::ranges::any_of(topological_order(body.outputs), [](const Node* n) {
    return kind(n->op) == ir::OpKind::Update || kind(n->op) == ir::OpKind::Scatter;
  });
}

LoopProgram::Body body_program(const ir::Graph& body, size_t carries, const CompileBody& compile_body) {
  LoopProgram::Body made;
  ir::Graph computed{body.inputs, {}};
  for (const NodeRef& output : body.outputs) {
    LoopProgram::Source source;
    const auto input = std::ranges::find(body.inputs, output);
    if (input != body.inputs.end() && output->op == ir::Op::input) {
      source.operand = static_cast<int>(input - body.inputs.begin());
    } else {
      source.output = static_cast<int>(computed.outputs.size());
      computed.outputs.push_back(output);
    }
    made.results.push_back(source);
  }
  if (computed.outputs.empty()) return made;
  for (int i = 0; i < static_cast<int>(carries); ++i)
    if (std::ranges::none_of(made.results, [&](const LoopProgram::Source& s) { return s.operand == i; }))
      made.given.push_back(i);
  made.writes_given = writes_parts(computed);
  made.program = compile_body(computed, made.writes_given ? made.given : std::vector<int>{});
  return made;
}

// The body, and whether another turn follows.
ir::Graph with_condition(const ir::Loop& loop) {
  const ir::Graph &condition = loop.bodies[0], &body = loop.bodies[1];
  ir::Graph both = body;
  std::vector<NodeRef> inputs = body.inputs;
  std::copy_n(body.outputs.begin(), loop.carries, inputs.begin());
  const NodeRef& turn = body.inputs.back();
  inputs.back() = ir::map(ir::Op::add, {turn, ir::constant(turn->type, Scalar::of(int64_t{1}))});
  both.outputs.push_back(ir::inlined(condition, inputs)[0]);
  return both;
}

}  // namespace

std::shared_ptr<const LoopProgram> loop_program(const ir::Loop& loop, const CompileBody& compile_body) {
  using Kind = LoopProgram::Kind;
  auto made = std::make_shared<LoopProgram>();
  made->kind = loop.op == ir::Op::scan         ? Kind::Scan
               : loop.op == ir::Op::while_loop ? Kind::While
                                               : Kind::Branch;
  made->carries = static_cast<int>(loop.carries);
  made->sliced = static_cast<int>(loop.sliced);
  made->length = loop.length;
  made->reverse = loop.reverse;
  if (made->kind == Kind::While) {
    made->bodies.push_back(body_program(loop.bodies[0], 0, compile_body));
    made->bodies.push_back(body_program(with_condition(loop), loop.carries, compile_body));
  } else {
    for (const ir::Graph& body : loop.bodies)
      made->bodies.push_back(body_program(body, loop.carries, compile_body));
  }
  for (size_t i = 0; i < loop.results.size(); ++i) {
    const ir::TensorType& type = loop.results[i];
    made->results.push_back(
        {BufferSpec::Role::Temporary, 0, type.dtype, type.shape, bytes_of(type),
         std::string(name(loop.op)) + " result " + std::to_string(i) + " : " + to_string(type)});
  }
  for (size_t i = 0; i < loop.operands.size(); ++i) {
    const bool sliced = i >= loop.carries && i < loop.carries + loop.sliced;
    made->slice_bytes.push_back(sliced ? bytes_of(loop.bodies[0].inputs[i]->type) : 0);
  }
  return made;
}

}  // namespace weft
