#include "frontend/cpp/inspect/parts_of_run.h"

#include <fmt/format.h>

#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/inspect/explain_now.h"
#include "frontend/cpp/session/asked.h"

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

void PartsOfRun::add_program(ExplainedGraph program) {
  parts_.back().program = static_cast<int>(programs_.size());
  programs_.push_back(std::move(program));
}

void PartsOfRun::flush(DeviceSlot& device, std::span<const ir::NodeRef> nodes) {
  Canonical graph;
  prepare(device, nodes, graph, false);
  if (graph.order.size() == 1 && !graph.buffers.empty()) return;  // computed for another array
  if (is_fresh(graph.key(device.key), asked_part(RanPart::Kind::Flush)))
    add_program(explained_nodes(device, nodes, detail_));
}

void PartsOfRun::call(DeviceSlot& device, const ir::Graph& graph) {
  Canonical canonical;
  canonicalize(graph.outputs, canonical);
  if (is_fresh(canonical.key(device.key), asked_part(RanPart::Kind::Call)))
    add_program(explained_recorded(device, graph, detail_));
}

void PartsOfRun::answer(const std::string& function, const SourceLine& line) {
  is_fresh({}, {RanPart::Kind::Host, function, line});
}

void PartsOfRun::add_rest(std::span<const Array> results) {
  for (ExplainedGraph& program : explained_pending(results, detail_)) {
    parts_.push_back({RanPart::Kind::Rest, "", {}});
    add_program(std::move(program));
  }
}

std::string PartsOfRun::text() const {
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
    const RanPart& part = parts_[i];
    out += fmt::format("\npart {}{}: {}\n", i + 1,
                       part.times > 1 ? fmt::format(", {} times", part.times) : "", cause_of(part));
    if (part.program >= 0) out += text_of(programs_[static_cast<size_t>(part.program)], detail_);
  }
  return out;
}

std::string PartsOfRun::json() const { return json_of(programs_, {}, &parts_); }

}  // namespace weft::detail
