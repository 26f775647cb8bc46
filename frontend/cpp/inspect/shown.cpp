#include "frontend/cpp/inspect/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "frontend/cpp/inspect/assembly_lines.h"
#include "frontend/cpp/inspect/memory_speed.h"
#include "frontend/cpp/inspect/picture.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

namespace {

// The stages of this kind of machine.
std::vector<Stage> stages_of(TargetKind kind) {
  std::vector<Stage> stages;
  for (const Stage& s : kStages)
    if (!s.target || s.target == kind) stages.push_back(s);
  return stages;
}

// The text of kernels is asked for, whatever runs.
Target compiling(const DeviceSlot& device) {
  Target target = device.target;
  target.compiles = true;
  return target;
}

}  // namespace

bool is_drawn(const std::string& stage) { return stage == kDrawing || stage == kPicture; }

void check_stage(const DeviceSlot& device, const std::string& stage) {
  const std::vector<Stage> stages = stages_of(device.target.kind);
  if (stage.empty() || is_drawn(stage)) return;
  if (std::ranges::any_of(stages, [&](const Stage& s) { return s.name == stage; })) return;
  std::string known;
  for (const Stage& s : stages) known.append(s.name).append(", ");
  throw Error("show: takes one of " + known + kDrawing + " or " + kPicture + ": got '" + stage + "'");
}

std::string nothing_to_show(const std::string& stage) {
  constexpr const char* kText = "the value lies in memory: nothing to compute";
  if (!is_drawn(stage)) return std::string(kText) + "\n";
  const std::string drawing = fmt::format("digraph {{\n  nothing [shape=note, label=\"{}\"]\n}}\n", kText);
  return stage == kPicture ? svg_of(drawing) : drawing;
}

std::string drawn_part(DeviceSlot& device, const ir::Graph& graph, const DrawnPart& part) {
  return draw_kernels(graph, compiling(device), device.compile_options(),
                      memory_speed(device.device, device.session.cache.get()), part);
}

std::string shown_graph(DeviceSlot& device, const ir::Graph& graph, const std::string& stage) {
  const Target target = compiling(device);
  if (is_drawn(stage)) {
    const std::string drawing = draw_kernels(graph, target, device.compile_options(),
                                             memory_speed(device.device, device.session.cache.get()));
    return stage == kPicture ? svg_of(drawing) : drawing;
  }
  std::map<std::string, std::string, std::less<>> texts;
  Options options = device.compile_options();
  options.dump = [&](std::string_view name, std::string_view text) {
    if (is_pass(name)) {
      texts["simplified"].append("# after ").append(name).append("\n").append(text);
      return;
    }
    std::string& known = texts[std::string(name)];
    if (!known.empty()) known += '\n';
    known += text;
  };
  const Program program = compile(graph, target, options);
  if (texts["simplified"].empty()) texts["simplified"] = "# no pass changed the graph\n" + texts["graph"];
  const std::vector<Stage> stages = stages_of(target.kind);
  if (std::ranges::any_of(stages, [&](const Stage& s) { return s.name == stage && s.by_device; })) {
    std::string text;
    for (const KernelSource& kernel : program.kernels)
      if (!kernel.linked.entry) text += assembly_lines(device.device->assembly(kernel)).text;
    return text;
  }
  if (!stage.empty()) return texts[stage];
  std::string all;
  for (const Stage& s : stages) {
    if (s.by_device) continue;
    const std::string& text = texts[std::string(s.name)];
    all.append("== ").append(s.name).append("\n").append(text).append(text.ends_with('\n') ? "" : "\n");
  }
  return all;
}

}  // namespace weft::detail
