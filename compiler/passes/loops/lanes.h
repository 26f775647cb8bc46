// Graphs of maps as instructions of a scalar function: what one element, a lane, computes. Views of what a lane reads
// become places: for each axis of a value, the lane's axis that it follows, or a fixed position.
//
//   graph      %2 = slice %x : f64[1, 8]   %3 = reshape %2 : f64[8]   %4 = multiply %3, %y
//   lane i     %4 = multiply %x[0, i], %y[i]
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/function.h"
#include "compiler/ir/loop_kernel.h"
#include "compiler/ir/node.h"
#include "compiler/ir/node_tables.h"

namespace weft::passes {

using ir::Along;
using ir::Place;

// A lane's own element of an array that has the lanes' shape.
Place own_place(size_t rank);

class Lanes {
 public:
  // What an input of the body is, at a place: a value of the function, or -1 after refuse().
  using Input = std::function<int(const ir::Node& input, const Place& at)>;

  Lanes(Shape lanes, Input input) : lanes_(std::move(lanes)), input_(std::move(input)) {}

  // The value's number in the function. -1 where a lane cannot compute it by itself; why_not() then says why.
  int value(const ir::NodeRef& node, const Place& at);
  // The array, of the graph around the loop, at that place of each lane: an argument of the function.
  int argument(const ir::NodeRef& array, const Place& at);
  int constant(Scalar value);
  int map(ir::Op op, std::vector<int> args, DType result);
  // The element of a series at a turn, read or set.
  int read(size_t series, int turn);
  void write(size_t series, int turn, int value);
  int refuse(std::string why);

  // Instructions that follow go to this block, constants always to the function's own; null: that, too.
  void into(ir::Block* block) { into_ = block; }
  int fresh(DType t);
  void append(ir::Instruction i) { (into_ ? *into_ : function_.block).body.push_back(std::move(i)); }
  // Stands for inputs that do not change from turn to turn, and for what is computed from these alone.
  void set_outside(const ir::NodeRef& input, ir::NodeRef array) { outside_[input.get()] = std::move(array); }
  // Places at which a node has been asked for.
  std::vector<Place> places_of(const ir::Node& node) const;

  const std::string& why_not() const { return why_not_; }
  const Shape& shape() const { return lanes_; }
  const std::vector<ir::NodeRef>& operands() const { return operands_; }
  ir::Function& function() { return function_; }

 private:
  int computed(const ir::NodeRef& node, const Place& at);
  int seen_through(const ir::NodeRef& view, const Place& at);
  int reshaped(const ir::NodeRef& view, const Place& at);
  int part_of_concat(const ir::NodeRef& concat, const Place& at);
  int updated(const ir::NodeRef& update, const Place& at);
  int applied(const ir::Node& node, const std::vector<int>& args);
  void copy(const ir::Block& from, ir::Block& to, const ir::Function& of, std::vector<int>& now);
  int crosses(const ir::Node& node);
  // The same value outside of the loop; null where it is none.
  ir::NodeRef outside(const ir::NodeRef& node);

  Shape lanes_;
  Input input_;
  ir::Function function_;
  ir::Block* into_ = nullptr;  // null: the function's own
  std::vector<ir::NodeRef> operands_;
  std::map<std::pair<const ir::Node*, Place>, int> known_, arguments_;
  // Results of functions, each with what it was applied to.
  std::vector<std::pair<std::pair<Hash, std::vector<int>>, std::vector<int>>> applied_;
  std::unordered_map<const ir::Node*, ir::NodeRef> outside_;
  ir::NodeSet inside_;  // what differs from turn to turn
  std::string why_not_;
};

}  // namespace weft::passes
