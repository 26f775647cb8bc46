// Where the elements of a node's inputs come from: index maps as linear expressions over loop variables.
// Fusion asks it whether two nodes line up; lowering asks it for addresses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/ir/node.h"

namespace weft::ir {

// offset + sum of coefficient * variable; terms sorted by variable, coefficients nonzero.
struct Linear {
  std::vector<std::pair<int, int64_t>> terms;
  int64_t offset = 0;

  bool is_constant() const { return terms.empty(); }
  // The variable, when this is exactly one variable with coefficient 1 and no offset.
  std::optional<int> single() const;
  int64_t coefficient(int variable) const;
  friend auto operator<=>(const Linear&, const Linear&) = default;
  friend bool operator==(const Linear&, const Linear&) = default;
};

// One Linear for each axis of a node.
using Access = std::vector<Linear>;

// True where 0 <= at < extent.
struct Condition {
  Linear at;
  int64_t extent = 0;
  friend auto operator<=>(const Condition&, const Condition&) = default;
  friend bool operator==(const Condition&, const Condition&) = default;
};

// Axis: a loop counts it. Quotient, Remainder: of a Linear by a positive number (reshapes that split what no
// loop splits, strided updates). Dynamic: the value of an integer node at an access (gather).
enum class VariableKind { Axis, Quotient, Remainder, Dynamic };

struct Variable {
  VariableKind kind = VariableKind::Axis;
  int64_t low = 0, high = 0;  // inclusive range of values
  Linear of;                  // Quotient, Remainder
  int64_t divisor = 1;
  const Node* node = nullptr;  // Dynamic
  Access at;
  int64_t extent = 0;  // Dynamic: negative values count from here
};

// The variables of one kernel and the arithmetic over them. Equal quotients and remainders are one variable.
class Variables {
 public:
  int add_axis(int64_t extent);
  const Variable& operator[](int v) const { return variables_[v]; }
  int size() const { return static_cast<int>(variables_.size()); }

  Linear constant(int64_t value) const { return {{}, value}; }
  // The variable itself; the constant 0 when it can only be 0.
  Linear of(int variable) const;
  Linear add(const Linear& a, const Linear& b) const;
  Linear scale(const Linear& a, int64_t by) const;
  Linear shift(Linear a, int64_t by) const;
  // Floor quotient and its remainder.
  Linear quotient(const Linear& a, int64_t divisor);
  Linear remainder(const Linear& a, int64_t divisor);
  Linear dynamic(const Node* index, const Access& at, int64_t extent);
  // Smallest and largest value.
  std::pair<int64_t, int64_t> range(const Linear& a) const;
  // Whether `v` is `axis` or is computed from it.
  bool depends_on(int v, int axis) const;
  bool depends_on(const Linear& a, int axis) const;

 private:
  void normalize(Linear& a) const;
  std::vector<Variable> variables_;
  std::map<std::tuple<Linear, int64_t, bool>, int> derived_;
  std::map<std::tuple<const Node*, Access, int64_t>, int> dynamic_;
};

// How a node at `at` reads one of its inputs: at which access, and only where all conditions hold (conditions
// that always hold are left out). `never`: no element is read.
struct InputAccess {
  Access at;
  std::vector<Condition> when;
  bool never = false;
};

// For map, view, gather (input 0) and update nodes. Inputs that are one value for all (pad's fill) get an
// empty access. Gather's index (input 1) is read at the access that gather's own access gives by
// broadcasting.
InputAccess input_access(const Node& node, size_t input, const Access& at, Variables& variables);
// Whether that is the node's own access, and all of it.
bool reads_at_its_own(const Node& node, size_t input);

// Whether a gather takes elements at steps that are known, as windows do: an index map like a view's. Its
// index is not read then.
bool takes_steps(const Node& gather);

// `at` seen from a shape that broadcasts to it: axes of extent 1 read position 0.
Access broadcast_access(const Access& at, const Shape& from);

// Whether two ranges, of these extents, of one array have no element in common. False where that is not
// plain.
bool disjoint(const SliceAttr& a, const Shape& of_a, const SliceAttr& b, const Shape& of_b);

// The element offset of `at` under strides.
Linear address(const Access& at, const Dims& strides, int64_t offset, const Variables& variables);

}  // namespace weft::ir
