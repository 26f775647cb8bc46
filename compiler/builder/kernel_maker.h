// From a row program to what runs it: a kernel's text, blocks in its place, or both.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/emit/cpu/layout.h"
#include "compiler/emit/emit.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/schedule.h"
#include "compiler/program/explanation.h"
#include "compiler/program/options.h"
#include "compiler/program/program.h"

namespace weft {

class KernelMaker {
 public:
  // Texts go to `program`, each once.
  KernelMaker(const Target& target, const Options& options, Program& program)
      : target_(target), options_(options), program_(program) {}
  KernelMaker(const KernelMaker&) = delete;

  struct Made {
    KernelStep step;  // without its buffers and numbers
    plan::Schedule schedule;
    int64_t partial_bytes = 0;
    bool late = false;  // the text is made when somebody asks for it
  };
  // `p` becomes what was scheduled. `explanation` is told what there is to say.
  Made make(plan::RowProgram& p, Explanation::Step& explanation);
  // How the text of the last kernel is made, which is late.
  void set_late(plan::RowProgram p, const Made& made, const std::vector<SourceLine>& lines);
  // The number of a text in the program. Its first user's lines are the text's.
  int number_of(KernelSource source);
  void set_lines(const KernelStep& step, const std::vector<SourceLine>& lines);
  static KernelKey key_of(const emit::Emitted& out);

 private:
  plan::CpuSchedule schedule_for_cpu(plan::RowProgram& p, const Bias& bias) const;
  bool make_blocks(Made& made, plan::RowProgram& p) const;
  bool make_late(Made& made, plan::RowProgram& p);
  void make_text(Made& made, plan::RowProgram& p, Explanation::Step& explanation);
  void make_blocks_beside(KernelStep& k, const plan::RowProgram& p, const plan::Schedule& schedule,
                          const emit::cpu::CpuLayout& layout, const emit::Emitted& out) const;

  const Target& target_;
  const Options& options_;
  Program& program_;
};

}  // namespace weft
