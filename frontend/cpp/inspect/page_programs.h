// What a profile's page shows of a program: its graph before and after each pass, the steps, and the texts of its kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/node.h"
#include "compiler/program/options.h"
#include "frontend/cpp/session/session_state.h"
#include "runtime/device.h"

namespace weft::detail {

struct PageProgram {
  ir::Graph graph;
  Target target;
  Options options;
  runtime::Device* device = nullptr;  // makes assembly of kernels; null: none is shown
  std::string device_name;
  double memory_speed = 0;  // bytes a second; 0: not known
  int64_t runs = 1;
};

// JSON: `explain` (as explain's, of one program), `runs`, `graph`, `kernels`. Compiles the graph again, for its texts.
std::string json_of(const PageProgram& program);
// JSON: lines of each program that the session planned lately, and the reason.
std::string planned_json(const SessionState& session);
// JSON: for each file that these programs and lines name the text of the lines around, as far as they can be read.
std::string sources_of(const std::vector<SourceLine>& lines);

}  // namespace weft::detail
