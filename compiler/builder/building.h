// A program while it is made of a graph: which value lies in which buffer, and the steps so far.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/builder/kernel_maker.h"
#include "compiler/explain.h"
#include "compiler/ir/node.h"
#include "compiler/ir/node_tables.h"
#include "compiler/loop_program.h"
#include "compiler/plan/lower/lower.h"

namespace weft {

struct Building {
  const ir::Graph& graph;
  const Target& target;
  const Options& options;
  const Bodies& bodies;
  Explanation& explanation;

  int add_buffer(BufferSpec::Role role, int index, const ir::TensorType& type, std::string what);
  int add_temporary(const ir::TensorType& type, std::string what);
  // The node whose buffer holds the elements of `n`, row-major, and no others; null where there is none.
  const ir::Node* whole_buffer(const ir::Node* n) const;
  // The buffer of a value that is read as a whole: of a copy, where it does not lie there as it is.
  int operand(const ir::NodeRef& n);

  // The explanation lists every step that runs.
  void add_step(ProgramStep step, Explanation::Step explanation);
  void add_step(CopyStep step, const std::string& text);
  // `zeroed`: what has to be 0 when the kernel starts.
  void add_kernel(plan::Lowered lowered, Origin origin, Explanation::Step explanation,
                  const ir::Node* zeroed = nullptr);
  // Writes the elements of `n`, row-major, to a buffer.
  void add_copy(const ir::NodeRef& n, int buffer, const std::string& why);

  Program program;
  KernelMaker kernels{target, options, program};
  Titles title;
  ir::NodeMap<int> buffer_of, scalar_of;
  ir::NodeSet stored;
  std::vector<ir::NodeRef> own;  // nodes that no graph holds
  ir::NodeSet done;              // results of loops and of the user's kernels that have their step
  // A GPU divides as fast as it counts, and its threads walk one long axis best.
  const plan::Cuts cuts = target.kind == TargetKind::Cpu ? plan::Cuts::Loops : plan::Cuts::Statements;
  const std::function<bool(const ir::Node*)> in_memory = [this](const ir::Node* n) {
    return buffer_of.contains(n);
  };
};

// What a step says of itself.
inline Explanation::Step said(const char* kind, std::string text) { return {kind, std::move(text)}; }

// The nodes that are results of one step, by number; null: nobody wants it. Of several that are the same result, the others:
// from the first to each.
struct Results {
  std::vector<const ir::Node*> first;
  std::vector<std::pair<const ir::Node*, const ir::Node*>> again;
};
// `number(node)`: which result of the step the node is, or -1. They are done then.
Results results_of(Building& b, size_t count, const std::function<int(const ir::Node&)>& number);
void copy_again(Building& b, const Results& results, const std::string& what);

}  // namespace weft
