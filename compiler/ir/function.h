// What an `apply` node does to each element: a function of scalars in SSA form, with structured branches and loops. An
// `apply` of a function with several results is as many nodes on the same operands, as loops are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/hash.h"
#include "compiler/ir/node.h"

namespace weft::ir {

struct Instruction;

// A value is a number, counted in the order of the text. A block sees the values of those around it.
struct Block {
  std::vector<int> params;  // what it is given
  std::vector<Instruction> body;
  std::vector<int> gives;
};

struct Instruction {
  enum class Kind : uint8_t {
    Map,       // out = op(args), a map but `apply`
    Constant,  // out = value
    If,        // outs = what one of two blocks gives, by args[0]
    While,  // args are carried: the first block takes them and gives a bool, the second gives the next ones
    Read,   // out = the element of a series at turn args[0]
    Write,  // the element of a series at turn args[0] becomes args[1]
  } kind = Kind::Map;
  Op op = Op::positive;
  std::vector<int> args, outs;
  Scalar value = {};
  std::vector<Block> blocks;  // the second one of a While also sees the first one's values
  size_t series = 0;          // of Read and Write
};

// Memory of a loop that one kernel runs (loop_kernel.h): an element for each turn. No function of a graph has any.
struct Series {
  DType dtype = DType::F64;
  bool written = false;
};

// How far a result may be from its reference where nobody says it.
inline constexpr double kUlps = 4;

struct Function {
  std::string name;  // for text alone
  // Where its author says them, on the same arguments.
  std::shared_ptr<const Function> derivative;  // gives what derive::partials() does
  std::shared_ptr<const Function> on_cuda;     // what CUDA computes in its place
  // What its results are compared with by whoever verifies: of widened() arguments. No part of the hash.
  std::shared_ptr<const Function> reference;
  double ulps = kUlps;        // how far they may be from it, in units of the last place
  std::vector<DType> values;  // the dtype of each
  Block block;                // takes the arguments, gives the results
  std::vector<Series> series;
  // Made by checked().
  Hash hash;       // equal for functions that do the same
  float cost = 0;  // as of an op; turns of a loop count as some
  bool loops = false;

  DType argument(size_t i) const { return values[static_cast<size_t>(block.params[i])]; }
  DType result(size_t i) const { return values[static_cast<size_t>(block.gives[i])]; }
};
using FunctionRef = std::shared_ptr<const Function>;

// The dtype of a reference's argument: f64 for floats, c128 for complex numbers, else the same.
constexpr DType widened(DType t) { return is_float(t) ? DType::F64 : is_complex(t) ? DType::C128 : t; }

// The function with what follows from its instructions. Error where an instruction breaks a rule.
FunctionRef checked(Function function);
// The dtype of a map's result on operands of these dtypes; `stated` is that of a cast. Error where it takes no such.
DType map_result(Op op, std::span<const DType> operands, DType stated);

inline bool is_apply(const Node& node) { return node.op == Op::apply; }
inline const FunctionRef& function_of(const Node& node) { return node.as<ApplyAttr>().function; }
// The name of its function, or of its op.
inline std::string_view called(const Node& node) {
  return is_apply(node) ? std::string_view(function_of(node)->name) : name(node.op);
}
// What computing the node costs an element, as OpInfo::cost.
float cost_of(const Node& node);

}  // namespace weft::ir
