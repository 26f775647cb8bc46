// A kernel whose text is the user's: it is launched as it stands. Its results are made at once; each node is one of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/hash.h"
#include "compiler/base/library_function.h"
#include "compiler/ir/node.h"

namespace weft::ir {

// A text with its hash, which is made once however often the kernel is called.
struct UserText {
  explicit UserText(std::string of) : text(std::move(of)), hash(hash_text(text)) {}
  std::string text;
  Hash hash;
};

struct UserKernel {
  enum class Target : uint8_t { Cpu, Cuda };
  // What the entry takes: the memory of an operand or of a result, or an operand of one element by its value. A
  // constant is an operand whose elements a __constant__ array of the text has while the kernel runs.
  struct Argument {
    enum class Kind : uint8_t { Operand, Result, Value, Constant };
    Kind kind = Kind::Operand;
    size_t number = 0;  // of the operand or result
    std::string type;   // as the text says it: "const float*"
    std::string name = {};
  };
  Target target = Target::Cpu;
  std::string name;   // what is called: "saxpy", or "saxpy<float>" of a template
  std::string title;  // of errors, profiles and explanations
  std::shared_ptr<const UserText> text;
  std::vector<Argument> arguments;
  std::vector<TensorType> operands, results;
  std::vector<int> starts_as;  // of each result the operand whose elements it has before; -1: it has none
  // The CPU calls it for parts of the range from 0 to grid[0], of `grain` at least. CUDA starts a grid of blocks.
  std::array<int64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  int64_t grain = 1;
  int64_t shared_bytes = 0, cluster = 1;
  // Instead of a text; of leading axes, whose rows make up the range.
  const LibraryFunction* library = nullptr;
  std::vector<int64_t> numbers;  // that it is given
  bool checks = false;           // CPU: whether its loads and stores are held to its arrays
  // Made by checked().
  Hash hash;  // equal for kernels that do the same
};
using UserKernelRef = std::shared_ptr<const UserKernel>;

// With its hash.
UserKernelRef checked(UserKernel kernel);
// A call of a function of the library, with its hash. Throws Error for a call that would leave its arrays.
UserKernelRef library_kernel(const LibraryFunction& function, std::vector<TensorType> operands,
                             std::vector<TensorType> results, int64_t range, std::vector<int64_t> numbers,
                             int64_t grain);
// The same for `size` times the rows, which a new leading axis counts.
UserKernelRef with_leading_axis(const UserKernel& kernel, int64_t size);

inline bool is_user_kernel(const Node& node) { return node.op == Op::kernel; }
inline const UserKernelRef& user_kernel_of(const Node& node) { return node.as<KernelAttr>().kernel; }
// A node's op as people read it: of a kernel its title, of a function of the library its name without the dtype.
std::string_view title_of(const Node& node);
// Whether its text is the user's: decompositions and Fourier transforms are kernels of a library's functions.
inline bool has_users_text(const Node& node) {
  return is_user_kernel(node) && !user_kernel_of(node)->library;
}
// Whether the two are results of one kernel on the same operands.
inline bool same_user_kernel(const Node& a, const Node& b) {
  return is_user_kernel(a) && is_user_kernel(b) && user_kernel_of(a)->hash == user_kernel_of(b)->hash &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end());
}

}  // namespace weft::ir
