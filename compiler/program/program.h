// What compiling gives and the runtime runs: kernels, the steps that use them, and the buffers between. Plain
// data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/hash.h"
#include "compiler/base/shape.h"
#include "compiler/base/source_line.h"
#include "compiler/program/choice.h"

namespace weft {

struct BlockProgram;

// Where the code of a kernel lies that is linked into the user's program.
struct LinkedKernel {
  void* entry = nullptr;
  void* finish = nullptr;  // of NAME_finish; null: there is none
};

// A generated source. `name` is the entry's symbol; `hash` covers the text.
struct KernelSource {
  std::string name;
  std::string text;
  Hash hash;
  std::string ops = {};  // what it computes, for people: "exp, multiply (2), sum"; no part of its identity
  std::string facts =
      {};  // what it was made for: lines of "array 0 (read), dtype: f32"; no part of its identity
  std::vector<SourceLine> lines = {};  // of the first step that it computes
  LinkedKernel linked = {};            // an exported kernel, which is neither compiled nor looked up
};

// What a step computes, for people: its ops, and the user's lines that asked for them.
struct Origin {
  std::string ops;
  std::vector<SourceLine> lines;
};
// "softmax.cpp:12: max, exp, sum, divide"
inline std::string to_string(const Origin& origin) {
  const std::string where = to_string(std::span<const SourceLine>(origin.lines));
  return where.empty() ? origin.ops : where + ": " + origin.ops;
}

// Of a __constant__ array of a kernel's text: what it has while the kernel runs.
struct KernelConstant {
  std::string name;
  uint32_t argument = 0;  // that is the address of the elements
  size_t bytes = 0;
  bool operator==(const KernelConstant&) const = default;
};

// How a kernel is started. The CPU runs `tasks` calls spread over its threads, CUDA as many blocks.
struct Launch {
  int64_t tasks = 1;
  int64_t grain = 1;         // CPU: fewest tasks worth a thread of their own
  size_t scratch_bytes = 0;  // CPU: private memory for each thread, 64-byte aligned
  int64_t finish_tasks =
      0;                 // tasks of the entry NAME_finish, run after all others are done; 0: there is none
  uint32_t threads = 1;  // CUDA: threads of a block
  // CUDA: the second and third extent of a grid and of a block, of which `tasks` and `threads` are the first.
  uint32_t tasks_y = 1, tasks_z = 1, threads_y = 1, threads_z = 1;
  uint32_t finish_threads = 1;  // CUDA: threads of a block of NAME_finish
  uint32_t shared_bytes = 0;    // CUDA: dynamic shared memory of a block
  uint32_t cluster = 1;         // CUDA: blocks of a cluster
  // CUDA: blocks of a cooperative launch that wait for each other, neighbours; above 1 all run at once.
  uint32_t cooperating = 1;
  // CUDA: bytes of memory, given by the argument `zeroed`, that have to be 0 when the kernel starts.
  size_t zeroed_bytes = 0;
  uint32_t zeroed = 0;
  // CUDA: words that are 0 when the kernel starts and that it leaves so. Their address goes into the argument
  // `counting`.
  uint32_t counters = 0;
  uint32_t counting = 0;
  // CUDA: of a kernel of the user's; null where it has none.
  std::shared_ptr<const std::vector<KernelConstant>> constants = {};
  bool operator==(const Launch&) const = default;
};

// A kernel whose text is made when somebody asks for it, with what the text decides of how it is started.
struct LateSource {
  KernelSource source;
  Launch launch;
  std::vector<int64_t> params;
};
// Gives the same every time, on any thread.
using MakeSource = std::function<LateSource()>;

// C = A @ B for each of `batch` matrices: A is m×k, B is k×n, C is m×n, row-major. A leading dimension counts
// elements between rows (between columns when that operand is transposed); a batch stride of 0 repeats the
// operand.
struct Dot {
  DType dtype = DType::F32;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  int64_t lda = 0, ldb = 0, ldc = 0;
  int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  bool operator==(const Dot&) const = default;
};

// A block of memory that steps read and write. Inputs and outputs are the caller's, in the graph's order.
struct BufferSpec {
  enum class Role { Input, Output, Temporary } role = Role::Temporary;
  int index = 0;  // of the input (among input nodes) or output
  DType dtype = DType::F32;
  Shape shape;
  int64_t bytes = 0;  // to allocate, for outputs and temporaries
  std::string what;   // "exp : f32[4, 5] at blur.cpp:12", for errors
};

// args = pointers of `buffers`, then `params`, then `scalars` (numbers of the program's scalar inputs; each
// takes one word, c128 two).
struct KernelStep {
  // Buffers of which the kernel writes one where the other lay, given that nobody needs that afterwards.
  struct Overwrite {
    int written = 0, read = 0;
  };

  int kernel = 0;  // -1: runs in blocks
  Launch launch;
  std::vector<int> buffers;  // of the program
  std::vector<Overwrite> overwrites;
  std::vector<int64_t> params;
  std::vector<int> scalars;
  int64_t bytes_read = 0, bytes_written = 0;
  KernelKey key;  // under which another schedule is asked for
  Bias bias;      // of the schedule that it has
  // What runs in the kernel's place (`kernel` is -1), or beside it: the runtime then decides which. Null: the kernel alone.
  std::shared_ptr<const BlockProgram> blocks = nullptr;
  Origin origin = {};
};

struct DotStep {
  Dot dot;
  int a = 0, b = 0, c = 0;             // buffers of the program
  int64_t offset_a = 0, offset_b = 0;  // elements
  Origin origin = {};
};

// Copies the whole of one buffer to another: an input that is itself an output, or what a scatter changes.
// Where nobody needs the first afterwards, the second may lie in its place.
struct CopyStep {
  int from = 0, to = 0;
};

// A loop or a choice between programs, which the host runs.
struct LoopProgram;
struct LoopStep {
  std::shared_ptr<const LoopProgram> loop;
  std::vector<int> operands;  // buffers of the program
  std::vector<int> results;   // the same; -1: nobody wants it
  Origin origin = {};
};

using ProgramStep = std::variant<KernelStep, DotStep, CopyStep, LoopStep>;

struct Program {
  std::vector<KernelSource> kernels;
  // Of each kernel what makes it, where it is late: of what runs in blocks in less time than its text takes. None: it
  // is there. There may be fewer than kernels. A late kernel's steps have launch and params of blocks alone.
  std::vector<MakeSource> late;
  std::vector<BufferSpec> buffers;
  std::vector<ProgramStep> steps;
  std::vector<DType> scalars;  // scalar inputs, in the graph's order
  int inputs = 0;              // input nodes of the graph, in order
  std::vector<int> outputs;    // the buffer of each output of the graph; two may be the same
  std::string explanation;     // for each kernel what it holds, and for each edge why it was fused or not
  int ops_before = 0;          // op nodes of the recorded graph that would each be a kernel
  // The recorded nodes' lines, in the order in which programs are looked up. Another graph that the program serves has
  // its own at the same places.
  std::vector<SourceLine> recorded = {};
};

// The programs of a LoopStep. Each takes all operands, or what stands in their places in a turn, and but for those of
// branches the number of the turn, an i64, as its only scalar.
struct LoopProgram {
  enum class Kind : uint8_t { Scan, While, Branch };
  // What a body gives: an output of its program, or an operand as it came.
  struct Source {
    int output = -1, operand = -1;
  };
  // Scan: the body. While: the condition, and the body with the condition on what it gives as its last result. Branch:
  // the branches, whose operands follow the first, which chooses.
  struct Body {
    Program program;
    std::vector<Source> results;
    std::vector<int> given;     // what is carried and is no result as it came: its memory may be written over
    bool writes_given = false;  // the program takes it for granted that it may
  };
  Kind kind = Kind::Scan;
  std::vector<Body> bodies;
  int carries = 0,
      sliced = 0;        // of the operands: first what is carried, then what is sliced along its first axis
  int64_t length = 0;    // turns of a scan
  bool reverse = false;  // a scan's turns go from the last to the first
  std::vector<BufferSpec> results;   // what each result is, to be allocated
  std::vector<int64_t> slice_bytes;  // of each operand, where it is sliced
};

}  // namespace weft
