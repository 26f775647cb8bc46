// Kernels of a user's own text, in C++ for the CPU and in CUDA C++ for GPUs. They are launched as they stand: lazily, in
// order with all else, under their name in profiles. docs/your_code.md tells how they are written.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

// A result whose elements the kernel sets, for a parameter that is an address: "float* r".
struct KernelOutput {
  Shape shape;
  DType dtype = DType::F32;
};
// A result that has this array's elements at first. The array itself stays as it is.
struct KernelInOut {
  Operand value;
};
// What is given for a parameter: an array for a "const float* x", a number for a "float a".
using KernelArgument = std::variant<Operand, KernelOutput, KernelInOut>;

// Along up to three axes: {1000}, {32, 8}.
struct KernelExtents {
  int64_t x = 1, y = 1, z = 1;
  constexpr int64_t operator[](size_t axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
};

// How a kernel is started. The CPU calls it for parts of the range from 0 to grid.x, of `grain` at least, on as many
// threads as it has; CUDA starts a grid of blocks.
struct KernelLaunch {
  KernelExtents grid, block;
  int64_t grain = 1024;
  int64_t shared_bytes = 0;  // CUDA: of extern __shared__
  int64_t cluster = 1;       // CUDA: blocks of a cluster, along the first axis
  // CUDA: the elements of each __constant__ array that the text declares without any.
  std::vector<std::pair<std::string, Operand>> constants = {};
};

// What launches in blocks of one size take of a GPU.
struct KernelOccupancy {
  int blocks = 0;    // that a multiprocessor runs at once
  double share = 0;  // of the threads that a multiprocessor runs at most
  int multiprocessors = 0;
  int registers = 0, spilled_bytes = 0;  // of a thread
  int shared_bytes = 0;                  // of a block, without extern __shared__
  int64_t most_shared_bytes = 0;         // of a block, with it
};

class TextKernel {
 public:
  // A parameter: its type without const, and its name.
  struct Parameter {
    std::string type, name;
    bool is_pointer = false, is_const = false;
  };
  const std::string& name() const;
  std::vector<Parameter> parameters() const;
  // The results that KernelOutput and KernelInOut ask for, in their order. Error where an argument does not fit its
  // parameter, where the kernel does not compile, or where the arrays lie on a device of the other kind.
  std::vector<Array> operator()(const KernelLaunch& launch, std::span<const KernelArgument> arguments) const;
  std::vector<Array> operator()(const KernelLaunch& launch,
                                std::initializer_list<KernelArgument> arguments) const {
    return (*this)(launch, std::span(arguments.begin(), arguments.size()));
  }
  // Compiles the text for blocks of this size, which a kernel for the CPU has none of, and launches nothing. A kernel for CUDA takes NVRTC,
  // and no GPU. Error where the text does not compile.
  void check(const KernelExtents& block = {256}) const;
  // Of a kernel for CUDA, which is compiled for these blocks. Error where the device is no GPU.
  KernelOccupancy occupancy(const KernelExtents& block, int64_t shared_bytes = 0,
                            const std::string& device = "cuda") const;

 private:
  struct State;
  friend TextKernel define_cpu_kernel(const std::string&, const std::string&);
  friend TextKernel define_cuda_kernel(const std::string&, const std::string&);
  explicit TextKernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// A function of C++ that computes a part of a range: void saxpy(long begin, long end, float a, const float* x, float* r).
TextKernel define_cpu_kernel(const std::string& source, const std::string& name);
// A __global__ function of CUDA C++. The name of a template's says its types: "saxpy<float>".
TextKernel define_cuda_kernel(const std::string& source, const std::string& name);
// Whether a text may have #include <header> without a file of this name: of "cmath" and its kind Weft has what is named.
bool is_known_kernel_header(const std::string& header);

}  // namespace weft
