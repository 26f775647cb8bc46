// Runs a graph's CPU kernels on the host with schedules of the test's choice. Buffers lie between margins
// that nothing may write. They run in blocks, too, and have to give the same bits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/plan/schedule/cpu/cpu_schedule.h"
#include "compiler/program/options.h"

namespace weft::test {

// Where inputs lie. At an end of pages, those beyond cannot be read or written, and results begin their
// pages. There masked loads read first what they would ask the processor for, whatever their mask says: a
// kernel that asks for what is not mapped fails, on any processor.
enum class Placed { Anywhere, FirstOfPages, LastOfPages };

// Changes what schedule_cpu chose; may look at the program, which is the lowered one. What crosses sweeps is
// settled afterwards: `repeat_cost` is that of repeat_cheap_values, negative for the schedule's own.
struct Forced {
  std::function<void(plan::CpuSchedule&, const plan::RowProgram&)> change;
  float repeat_cost = -1;
  Bias bias = {};
  std::string processor = {};  // an older one to compile for
  Placed placed = Placed::Anywhere;
};

// The outputs of a graph without dots and scatters. Sources that were compiled once are kept.
std::vector<ir::HostTensor> run_kernels(const ir::Graph& graph, const std::vector<ir::HostTensor>& inputs,
                                        const Target& target, const Forced& forced = {});

// Whether the stores of a program allow to stream along an axis.
bool can_stream(const plan::RowProgram& program, int lane_axis);

}  // namespace weft::test
