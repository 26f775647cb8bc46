// What a caller may choose about compiling, and what the compiler needs to know of a device. Plain data,
// passed in.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/choice.h"

namespace weft {

enum class TargetKind { Cpu, Cuda };

// The machine that kernels are made for.
struct Target {
  TargetKind kind = TargetKind::Cpu;
  int threads = 1;                 // CPU: worker threads; CUDA: multiprocessors
  int vector_bytes = 32;           // CPU: width of a vector register; CUDA: 16, its widest access
  size_t cache_bytes = 32u << 20;  // CPU: last-level cache; CUDA: L2
  size_t shared_bytes = 0;         // CUDA: most shared memory of one block

  // CPU: whether loads and stores take masks, which came with so wide vectors.
  bool has_masks() const { return vector_bytes >= 64; }
  // CPU: whether these are so few columns that each is reduced with lanes of its own.
  bool unrolls_columns(int64_t columns) const { return has_masks() && columns < kFewColumns; }
  static constexpr int64_t kFewColumns = 8;
  // CUDA: elements of a column that a cluster's shared memory keeps.
  static constexpr int64_t kLongestColumn = 16384;
  // CUDA: sections of a row that the threads of a block share out, and blocks of a cluster that share them
  // out.
  static constexpr int64_t kSectionsOfBlock = 16, kBlocksOfSections = 8;
  // CUDA: whether blocks form clusters, which came with so much shared memory.
  bool has_clusters() const { return shared_bytes >= size_t{200} << 10; }
  // CUDA: whether these are so few rows that several multiprocessors had better share each.
  bool has_few(int64_t rows) const { return rows * 4 <= threads; }
};

// strict: every op rounds as the reference does, no contraction. standard: contraction allowed. fast:
// approximations too.
enum class Numerics { Strict, Standard, Fast };

// Receives the text of every stage that changed something: the stage's name and the text.
using DumpSink = std::function<void(std::string_view stage, std::string_view text)>;

struct Options {
  Numerics numerics = Numerics::Standard;
  bool fuse = true;                         // false: a kernel for each op, to compare with
  std::vector<std::string> without_passes;  // names of passes to leave out, to bisect
  // What the ops of a kernel may cost to compile, in real additions; larger groups are cut. Compiling 3000
  // takes Clang about half a second.
  int max_kernel_cost = 3000;
  int max_kernel_words = 480;  // arguments of one kernel, in 8-byte words
  // Inputs (numbered among input nodes) whose memory nobody else needs afterwards: updates may write into it.
  std::vector<int> donated;
  Choose choose;  // schedules other than the rules' own; empty: none
  DumpSink dump;  // empty: none
};

}  // namespace weft
