// What a caller may choose about compiling, and what the compiler needs to know of a device. Plain data,
// passed in.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/program/choice.h"
#include "compiler/program/numerics.h"

namespace weft {

namespace ir {
class Node;
struct Graph;
}  // namespace ir

enum class TargetKind { Cpu, Cuda };

// The machine that kernels are made for.
struct Target {
  TargetKind kind = TargetKind::Cpu;
  int threads = 1;                 // CPU: worker threads; CUDA: multiprocessors
  int vector_bytes = 32;           // CPU: width of a vector register; CUDA: 16, its widest access
  size_t cache_bytes = 32u << 20;  // CPU: last-level cache; CUDA: L2
  size_t shared_bytes = 0;         // CUDA: most shared memory of one block
  bool compiles = true;            // CPU: false where no kernel can be compiled; all programs run in blocks
  int resident_threads = 2048;     // CUDA: that a multiprocessor runs at once
};

// Receives the text of every stage that changed something: the stage's name and the text.
using DumpSink = std::function<void(std::string_view stage, std::string_view text)>;

// Block programs, which run without a kernel, and where they stand. A CPU that compiles nothing has them in any case; on a
// GPU there are none.
enum class Blocks {
  None,     // every step has a kernel
  Instead,  // in the place of kernels, of which not even the text is made
  Beside,   // beside kernels, of the same schedules: either gives the same bits
  BesideLate,  // the same; where blocks take less time than a kernel's text, that is made when somebody asks for it
};

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
  Blocks blocks = Blocks::None;
  Choose
      choose;  // schedules other than the rules' own; empty: none. Not asked for blocks alone, nor for late kernels
  DumpSink dump;  // empty: none
  // For the search for what is wrong. `apart`: whether a node of a prepared graph is a kernel of its own, which reads
  // its operands from memory. `after_pass` may replace what a pass gave. Empty: none.
  std::function<bool(const ir::Node&)> apart;
  std::function<void(std::string_view pass, ir::Graph& graph)> after_pass;
};

}  // namespace weft
