#include "frontend/cpp/inspect/parts_of_run.h"

#include <fmt/format.h>

#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/inspect/explain_now.h"
#include "frontend/cpp/inspect/picture.h"
#include "frontend/cpp/inspect/shown.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

namespace {

RanPart asked_part(RanPart::Kind kind) {
  const Asked& asked = asked_now();
  return {kind, asked.by ? asked.by : "", asked.line};
}

std::string at(const SourceLine& line) {
  return line.file ? " at " + weft::to_string(std::span(&line, 1)) : "";
}

// "as float() at blur.py:12 looked at a value", "numpy.interp at blur.py:13".
std::string cause_of(const RanPart& part) {
  const std::string where = at(part.line);
  switch (part.kind) {
    case RanPart::Kind::Host:
      return fmt::format(
          "{}{}: NumPy answered, on the host: what it takes is computed before, and nothing fuses across it",
          part.by, where);
    case RanPart::Kind::Call:
      return "a call of a recorded function" + (part.by.empty() ? "" : fmt::format(", {}{}", part.by, where));
    case RanPart::Kind::Rest:
      return "what is left to be computed of the results";
    case RanPart::Kind::Flush:
      break;
  }
  if (part.by == kEndOfTurn) return "as this is " + part.by;
  return part.by.empty() ? "as a value was looked at"
                         : fmt::format("as {}{} looked at a value", part.by, where);
}

}  // namespace

bool PartsOfRun::is_fresh(const Hash& what, RanPart part) {
  const auto [known, fresh] = known_.try_emplace(
      {what.low, what.high, part.by, part.line.file ? part.line.file : "", part.line.line}, parts_.size());
  if (!fresh && known->second < parts_.size()) {
    ++parts_[known->second].times;
    return false;
  }
  if (parts_.size() == kMost) {
    known_.erase(known);
    ++more_;
    return false;
  }
  parts_.push_back(std::move(part));
  return true;
}

void PartsOfRun::flush(DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  Canonical graph;
  prepare(device, nodes, graph, false);
  if (graph.order.size() == 1 && !graph.buffers.empty()) return;  // computed for another array
  if (is_fresh(graph.key(device.key), asked_part(RanPart::Kind::Flush)))
    parts_.back().program = of_values(device, nodes);
}

void PartsOfRun::call(DeviceSlot& device, const ir::Graph& graph) {
  Canonical canonical;
  canonicalize(graph.outputs, canonical);
  if (is_fresh(canonical.key(device.key), asked_part(RanPart::Kind::Call)))
    parts_.back().program = of_recorded(device, graph);
}

void PartsOfRun::answer(const std::string& function, const SourceLine& line) {
  is_fresh({}, {RanPart::Kind::Host, function, line});
}

void PartsOfRun::add_rest_as(int program) {
  parts_.push_back({RanPart::Kind::Rest, "", {}});
  parts_.back().program = program;
}

std::string PartsOfRun::title(size_t part) const {
  const RanPart& of = parts_[part];
  return fmt::format("part {}{}: {}", part + 1, of.times > 1 ? fmt::format(", {} times", of.times) : "",
                     cause_of(of));
}

std::string PartsOfRun::text_of_parts(const std::function<std::string(size_t)>& text) const {
  if (parts_.empty()) return "the call computed nothing\n";
  int64_t times = more_;
  for (const RanPart& part : parts_) times += part.times;
  std::string out = fmt::format("the call runs in {} part{}", times,
                                times == 1 ? "" : "s: nothing fuses from one to another");
  if (more_ > 0)
    out += fmt::format("; {} of them are not listed", more_);
  else if (times > static_cast<int64_t>(parts_.size()))
    out += fmt::format("; {} of them differ", parts_.size());
  out += "\n";
  for (size_t i = 0; i < parts_.size(); ++i) {
    out += "\n" + title(i) + "\n";
    if (parts_[i].program >= 0) out += text(static_cast<size_t>(parts_[i].program));
  }
  return out;
}

int ExplainedRun::add(ExplainedGraph program) {
  programs_.push_back(std::move(program));
  return static_cast<int>(programs_.size()) - 1;
}

int ExplainedRun::of_values(DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  return add(explained_nodes(device, nodes, detail_));
}

int ExplainedRun::of_recorded(DeviceSlot& device, const ir::Graph& graph) {
  return add(explained_recorded(device, graph, detail_));
}

void ExplainedRun::add_rest(std::span<const Array> results) {
  for (ExplainedGraph& program : explained_pending(results, detail_)) add_rest_as(add(std::move(program)));
}

std::string ExplainedRun::text() const {
  return text_of_parts([&](size_t program) { return text_of(programs_[program], detail_); });
}

std::string ExplainedRun::json() const { return json_of(programs_, {}, &parts()); }

ShownRun::ShownRun(std::string stage) : stage_(std::move(stage)) {
  check_stage(current_session().device(""), stage_);
}

int ShownRun::add(DeviceSlot& device, const ir::Graph& graph) {
  if (is_drawn(stage_)) {
    drawn_.emplace_back(&device, graph);
    return static_cast<int>(drawn_.size()) - 1;
  }
  check_stage(device, stage_);
  texts_.push_back(shown_graph(device, graph, stage_));
  return static_cast<int>(texts_.size()) - 1;
}

int ShownRun::of_values(DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  return add(device, graph_now(device, nodes));
}

int ShownRun::of_recorded(DeviceSlot& device, const ir::Graph& graph) { return add(device, graph); }

void ShownRun::add_rest(std::span<const Array> results) {
  for (const PendingGraph& rest : pending_graphs(results)) add_rest_as(add(*rest.device, rest.graph));
}

std::string ShownRun::text() const {
  if (!is_drawn(stage_)) return text_of_parts([&](size_t program) { return texts_[program]; });
  if (drawn_.empty()) return nothing_to_show(stage_);
  std::string drawing = "digraph weft {\n";
  for (size_t i = 0; i < parts().size(); ++i) {
    if (parts()[i].program < 0) continue;
    const auto& [device, graph] = drawn_[static_cast<size_t>(parts()[i].program)];
    drawing += drawn_part(*device, graph, {static_cast<int>(i) + 1, title(i)});
  }
  drawing += "}\n";
  return stage_ == kPicture ? svg_of(drawing) : drawing;
}

}  // namespace weft::detail
