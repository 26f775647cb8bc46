// What fusion decided, as data and as text for people.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/group.h"
#include "compiler/ir/loop_kernel.h"
#include "compiler/ir/node_tables.h"
#include "compiler/program/explanation.h"
#include "compiler/program/options.h"

namespace weft {

// What the recorded graph takes where each op is a kernel: so NumPy computes it. Bodies of loops are left out.
struct OpByOp {
  int ops = 0;        // but for views
  int64_t bytes = 0;  // that they read and write
};
OpByOp op_by_op(const ir::Graph& graph);

// A program, and what was decided about it as data. Program::explanation is the latter's text.
struct Explained {
  Program program;
  Explanation explanation;
  OpByOp op_by_op;
};
Explained compile_explained(const ir::Graph& graph, const Target& target, const Options& options);

// The nodes that the steps write to memory.
ir::NodeSet stored_nodes(const ir::Partition& partition);

// The ops that a step computes from what others have `stored`, eight at most, and the source lines they come from.
Origin origin_of(const ir::Step& step, const ir::NodeSet& stored);

// "add : f32(3, 4) at model.py:42"; the second value of which this is to be said is "… (2)".
std::string to_string(const Explanation::Value& value);

// The values of an explanation, each numbered when it is first named.
class Titles {
 public:
  int number(const ir::Node& node);
  std::string operator()(const ir::Node& node) {
    return to_string(values_[static_cast<size_t>(number(node))]);
  }
  std::vector<Explanation::Value> take() { return std::move(values_); }

 private:
  std::vector<Explanation::Value> values_;
  ir::NodeMap<int> numbers_;
  std::unordered_map<std::string, int> uses_;
};

// What the step computes, writes and keeps.
Explanation::Step explain(const ir::Step& step, const ir::NodeSet& stored, Titles& titles);

// The same of a loop's kernel, whose results are these nodes, by number.
Explanation::Step explain_loop(const ir::LoopKernel& kernel, const Origin& origin,
                               const std::vector<const ir::Node*>& results, Titles& titles);

// For each value that one step computes and another reads, and for each that was fused, the reason.
std::vector<Explanation::Edge> explain_decisions(const ir::Partition& partition, const ir::NodeSet& stored,
                                                 Titles& titles);

// What several kernels compute, each for itself.
std::vector<Explanation::Repeated> explain_repeated_work(const ir::Partition& partition,
                                                         const ir::NodeSet& stored);

Explanation explain(const ir::Partition& partition);

// The steps' paragraphs, numbered.
std::string text_of_steps(const Explanation& explanation);
// A line for each edge, and one for work that is repeated.
std::string text_of_reasons(const Explanation& explanation);
// Both.
std::string to_string(const Explanation& explanation);

}  // namespace weft
