// Runs programs on a device: kernels loaded once, argument blocks prepared, temporaries taken from the pool
// for as long as they live.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/program/blocks.h"
#include "compiler/program/program.h"
#include "runtime/compile_queue.h"
#include "runtime/counters.h"
#include "runtime/device.h"

namespace weft::runtime {

// There is no memory for a buffer of the program.
class BufferRefused : public OutOfMemory {
 public:
  BufferRefused(int number, const std::string& what_for, const std::string& why)
      : OutOfMemory(what_for + ": " + why), buffer(number), reason(why) {}
  int buffer;
  std::string reason;
};

// The lines of a run that stand where a program has the lines that it was compiled for.
struct LinesNow {
  std::function<std::vector<SourceLine>(const std::vector<SourceLine>&)> of;
  uint64_t number = 0;  // stands for them
  explicit operator bool() const { return static_cast<bool>(of); }
  std::vector<SourceLine> operator()(const std::vector<SourceLine>& lines) const { return of(lines); }
};

// How a kernel's step runs: as its kernel, in blocks alone, or in blocks until its kernel is there.
enum class Way : uint8_t { Kernel, Blocks, BlocksForNow };
// How the first call of a program does each step, if it were loaded now; none of what is no kernel's. `queue`: as
// the constructor of Executable has it.
std::vector<std::optional<Way>> first_ways(const Program& program, Device& device, bool queue);

// A program whose kernels are loaded on one device, or will be. Immutable but for that: any number of threads may
// run it.
class Executable {
 public:
  // Compiles what the device does not have yet, several kernels at a time. Throws CompileError. With a queue,
  // which outlives the program, kernels whose steps have blocks beside them are put off where running these takes
  // less time.
  Executable(Program program, std::shared_ptr<Device> device, Counters& counters,
             CompileQueue* queue = nullptr);

  const Program& program() const { return program_; }
  // Of the program's kernels; null while steps of it run in blocks instead.
  KernelRef kernel(int number) const { return kernels_[static_cast<size_t>(number)]->ref(); }
  // How the next call does each step; none of what is no kernel's.
  std::vector<std::optional<Way>> ways() const;
  // Calls f for this program and for those of its loops' bodies.
  template <class F>
  void for_each_part(F&& f) const {
    f(*this);
    for (auto& loop : bodies_)
      for (auto& body : loop) body->for_each_part(f);
  }
  // Compiles the kernels that were put off; those that are under way as well. Throws CompileError.
  void finish_kernels() const;

  // The program's outputs, in order. `inputs` and `scalars` follow the graph's; scalars have the program's
  // dtypes. Work is started in stream order; on asynchronous devices it may still run when this returns.
  // Inputs that nobody needs afterwards, listed in `given`, may become outputs.
  // `lines` gives the lines of this run for those of the program, for traces.
  std::vector<BufferRef> run(std::span<const BufferRef> inputs, std::span<const Scalar> scalars,
                             std::span<const int> given = {}, const LinesNow* lines = nullptr) const;
  // Bytes of the largest input that an output may take the place of.
  int64_t most_taken() const { return most_taken_; }
  // Whether an output that takes an input's place spares the copy of it.
  bool saves_a_copy() const { return saves_a_copy_; }

 private:
  // When work may be given up: until an input's memory is written to, always as somebody throws all away, never.
  enum class Stops : uint8_t { UntilWritten, Always, Never };
  class Run;
  std::vector<BufferRef> run_steps(std::span<const BufferRef> inputs, std::span<const Scalar> scalars,
                                   std::span<const int> given, Stops stops, const LinesNow* lines) const;
  std::shared_ptr<LateKernel> late_kernel(size_t number, double wait, const BlockEstimate* estimate) const;
  void load_bodies();
  std::vector<BufferRef> looped(size_t step, std::vector<BufferRef> operands, bool may_stop,
                                const LinesNow* lines) const;
  BufferRef allocate(int buffer) const;
  void find_memory_to_take_over(const std::vector<int>& last);
  const Kernel* kernel_now(int number) const;
  void run_without(const KernelStep& step, std::span<const uint64_t> buffers,
                   std::span<const uint64_t> scalars) const;

  Program program_;
  std::shared_ptr<Device> device_;
  Counters& counters_;
  CompileQueue* queue_ = nullptr;  // null where nothing is put off for a while
  std::vector<std::shared_ptr<LateKernel>> kernels_;
  std::vector<std::vector<std::unique_ptr<const Executable>>>
      bodies_;                                // of each step that is a loop, else none
  std::vector<char> looped_;                  // of each buffer whether a loop gives its memory
  std::vector<uint64_t> numbers_;             // of each step what its work is called by, for traces
  std::vector<std::vector<int>> dead_after_;  // temporaries that no step after this one uses
  // Of each buffer the temporary whose memory it takes over; -1: none. What may take over an input's.
  std::vector<int> taken_from_;
  std::vector<KernelStep::Overwrite> of_inputs_;
  int64_t most_taken_ = 0;
  bool saves_a_copy_ = false;
  std::vector<int> first_;         // of each buffer the step that uses it first; -1: none
  std::vector<Device::Use> uses_;  // of each buffer: outputs and what is given away are written
};

}  // namespace weft::runtime
