#include <array>

#include "compiler/builder/steps.h"
#include "compiler/emit/user_kernel.h"
#include "compiler/ir/node_tables.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/user_source.h"

namespace weft {

using ir::Node;
using ir::NodeRef;
using ir::Op;

void add_user_kernel(Building& b, const ir::Step& step) {
  using Argument = ir::UserKernel::Argument;
  const Node& n = *step.library;
  if (b.done.contains(&n)) return;
  const ir::UserKernel& kernel = *ir::user_kernel_of(n);
  check_target(kernel, b.target, b.target.kind == TargetKind::Cuda ? "cuda" : "cpu");
  check_launch(kernel, b.target);
  const Results nodes = results_of(b, kernel.results.size(), [&](const Node& other) {
    return ir::same_user_kernel(n, other) ? other.as<ir::KernelAttr>().result : -1;
  });
  std::vector<int> results;
  results.reserve(nodes.first.size());
  for (const Node* node : nodes.first) results.push_back(node ? b.buffer_of.at(node) : -1);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] < 0)
      results[i] = b.add_temporary(kernel.results[i], "a result of " + kernel.title + " that nobody reads");
    if (kernel.starts_as[i] < 0) continue;
    const NodeRef& from = n.inputs[static_cast<size_t>(kernel.starts_as[i])];
    if (const Node* base = b.whole_buffer(from.get()))
      b.add_step(
          CopyStep{b.buffer_of.at(base), results[i]},
          "copy of " + b.title(*from) + ", which " + kernel.title + " changes, unless nothing else needs it");
    else
      b.add_copy(from, results[i], "which " + kernel.title + " changes");
  }
  KernelStep k;
  std::vector<emit::UserWord> words(kernel.arguments.size());
  std::vector<size_t> numbers, scalars;  // of the arguments
  ir::NodeMap<int> known;
  for (size_t i = 0; i < words.size(); ++i) {
    const Argument& one = kernel.arguments[i];
    const bool result = one.kind == Argument::Kind::Result, value = one.kind == Argument::Kind::Value;
    const NodeRef in = result ? NodeRef() : n.inputs[one.number];
    if (value && (in->op == Op::constant || in->op == Op::scalar)) {
      (in->op == Op::constant ? numbers : scalars).push_back(i);
      continue;
    }
    if (in && !known.contains(in.get())) known.emplace(in.get(), b.operand(in));
    words[i] = {value ? emit::UserWord::Holds::AddressOfNumber : emit::UserWord::Holds::Address,
                k.buffers.size()};
    k.buffers.push_back(result ? results[one.number] : known.at(in.get()));
    (result ? k.bytes_written : k.bytes_read) +=
        b.program.buffers[static_cast<size_t>(k.buffers.back())].bytes;
  }
  size_t next = k.buffers.size();
  const auto put = [&](size_t i, DType t) {
    words[i] = {emit::UserWord::Holds::Number, next};
    next += t == DType::C128 ? 2 : 1;
  };
  for (const size_t i : numbers) {
    const Scalar& value = n.inputs[kernel.arguments[i].number]->as<ir::ConstantAttr>().value;
    std::array<int64_t, 2> bits{};
    value.store(bits.data());
    put(i, value.dtype);
    k.params.insert(k.params.end(), bits.begin(), bits.begin() + (value.dtype == DType::C128 ? 2 : 1));
  }
  for (const size_t i : scalars) {
    const Node* scalar = n.inputs[kernel.arguments[i].number].get();
    put(i, scalar->dtype());
    k.scalars.push_back(b.scalar_of.at(scalar));
  }
  k.params.insert(k.params.end(), kernel.numbers.begin(), kernel.numbers.end());
  emit::Emitted out = emit::emit_user_kernel(kernel, words, next);
  if (b.options.dump && !kernel.library)
    b.options.dump(b.target.kind == TargetKind::Cuda ? "cuda" : "cpp", out.source.text);
  k.key = KernelMaker::key_of(out);
  k.launch = out.launch;
  k.kernel = b.kernels.number_of(std::move(out.source));
  k.origin = origin_of(step, b.stored);
  b.kernels.set_lines(k, k.origin.lines);
  b.add_step(std::move(k), explain(step, b.stored, b.title));
  copy_again(b, nodes, b.title(n));
}

}  // namespace weft
