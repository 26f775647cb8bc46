// What fusion decided, as text for people.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/group.h"
#include "compiler/program/program.h"

namespace weft {

// The nodes that the steps write to memory.
std::unordered_set<const ir::Node*> stored_nodes(const ir::Partition& partition);

// The ops that a step computes from what others have `stored`, eight at most, and the source lines they come from.
Origin origin_of(const ir::Step& step, const std::unordered_set<const ir::Node*>& stored);

// "softmax.cpp:12: max, exp, sum, divide".
std::string to_string(const Origin& origin);

// "add : f32(3, 4) at model.py:42"; the second node of which this is to be said is "… (2)".
class Titles {
 public:
  const std::string& operator()(const ir::Node& node);

 private:
  std::unordered_map<const ir::Node*, std::string> titles_;
  std::unordered_map<std::string, int> uses_;
};

// A paragraph: what the step computes, writes and keeps.
std::string describe(const ir::Step& step, const std::unordered_set<const ir::Node*>& stored, Titles& titles);

// A line for each value that one step computes and another reads, and for each that was fused, with the
// reason.
std::string explain_decisions(const ir::Partition& partition, Titles& titles);

// A line for values that several kernels compute, each for itself.
std::string explain_repeated_work(const ir::Partition& partition,
                                  const std::unordered_set<const ir::Node*>& stored);

// The paragraphs of all steps, numbered, then the decisions and the work that is repeated.
std::string explain(const ir::Partition& partition);

}  // namespace weft
