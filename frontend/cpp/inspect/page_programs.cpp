#include "frontend/cpp/inspect/page_programs.h"

#include <algorithm>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <variant>

#include "compiler/compile.h"
#include "compiler/draw.h"
#include "frontend/cpp/evaluate/planned.h"
#include "frontend/cpp/inspect/assembly_lines.h"
#include "frontend/cpp/inspect/explain_graph.h"
#include "frontend/cpp/inspect/source_text.h"

namespace weft::detail {

namespace {

using nlohmann::ordered_json;

// A graph of more nodes is not on the page: a browser would be slow to open it.
constexpr size_t kMostPageNodes = 40'000;

ordered_json pairs_of(const std::vector<SourceLine>& lines) {
  ordered_json out = ordered_json::array();
  for (const SourceLine& line : lines) out.push_back({line.file, line.line});
  return out;
}

ordered_json json_of(const GraphStages& graph) {
  if (graph.nodes.size() > kMostPageNodes) return {{"too_many_nodes", graph.nodes.size()}};
  ordered_json nodes = ordered_json::array(), stages = ordered_json::array(), steps = ordered_json::array();
  for (const GraphStages::Node& n : graph.nodes)
    nodes.push_back({n.op, n.type,
                     n.is_given  ? "given"
                     : n.is_view ? "view"
                                 : "op",
                     pairs_of(n.lines), n.inputs});
  for (const GraphStages::Stage& s : graph.stages)
    stages.push_back({{"name", s.name}, {"outputs", s.outputs}});
  for (const GraphStages::Step& s : graph.steps) steps.push_back({{"text", s.text}, {"nodes", s.nodes}});
  return {{"nodes", std::move(nodes)}, {"stages", std::move(stages)}, {"steps", std::move(steps)}};
}

// The texts of a kernel, as they are dumped one after the other.
struct Texts {
  std::string plan, source;
};

ordered_json assembly_of(runtime::Device* device, const KernelSource& source) {
  if (!device) return nullptr;
  try {
    const AssemblyLines read = assembly_lines(device->assembly(source));
    return {{"text", read.text}, {"lines", read.lines}};
  } catch (const std::exception&) {
    return nullptr;  // without a compiler there is none
  }
}

ordered_json kernels_of(const Program& program, const std::vector<Texts>& texts, const PageProgram& of) {
  ordered_json out = ordered_json::array();
  std::map<int, size_t> shown;  // the first step's place in `out`, of each kernel
  for (size_t k = 0; k < program.steps.size(); ++k) {
    const auto* step = std::get_if<KernelStep>(&program.steps[k]);
    if (!step || step->kernel < 0) continue;
    const KernelSource& source = program.kernels[static_cast<size_t>(step->kernel)];
    const auto same = std::ranges::find(texts, source.text, &Texts::source);
    const auto [first, fresh] = shown.try_emplace(step->kernel, out.size());
    out.push_back({{"step", k},
                   {"name", source.name},
                   {"language", of.target.kind == TargetKind::Cuda ? "CUDA" : "C++"},
                   {"plan", same == texts.end() ? ordered_json() : ordered_json(same->plan)},
                   {"text", source.text},
                   {"assembly", fresh ? assembly_of(of.device, source) : ordered_json(first->second)}});
  }
  return out;
}

// Lines that are shown before and after each.
constexpr uint32_t kAround = 3;

// These lines, those around them, and what they are in: above each the lines that stand further to the left.
std::set<uint32_t> lines_to_show(const std::vector<std::string>& all, const std::set<uint32_t>& numbers) {
  const auto indent_of = [&](uint32_t n) { return all[n - 1].find_first_not_of(" \t\r"); };
  const auto count = static_cast<uint32_t>(all.size());
  std::set<uint32_t> out;
  for (const uint32_t line : numbers) {
    if (line == 0 || line > count) continue;
    for (uint32_t n = line - std::min(line - 1, kAround); n <= std::min(count, line + kAround); ++n)
      out.insert(n);
    size_t indent = indent_of(line);
    for (uint32_t n = line; --n > 0 && indent > 0;) {
      const size_t own = indent_of(n);
      if (own >= indent) continue;  // an empty line has the largest
      out.insert(n);
      indent = own;
    }
  }
  return out;
}

}  // namespace

std::string json_of(const PageProgram& of) {
  std::vector<Texts> texts;
  Options options = of.options;
  options.blocks = Blocks::None;  // texts are asked for
  options.dump = [&](std::string_view name, std::string_view text) {
    if (name == "plan") texts.push_back({std::string(text), {}});
    if ((name == "cpp" || name == "cuda") && !texts.empty()) texts.back().source = text;
  };
  Target target = of.target;
  target.compiles = true;
  ExplainedGraph explained = explained_graph(of.graph, compile_explained(of.graph, target, options));
  explained.device = of.device_name;
  explained.memory_speed = of.memory_speed;
  options.dump = {};
  ordered_json kernels = kernels_of(explained.compiled.program, texts, of);
  const ordered_json explain = ordered_json::parse(json_of({std::move(explained)}));
  const ordered_json all = {{"explain", explain["programs"][0]},
                            {"runs", of.runs},
                            {"graph", json_of(graph_stages(of.graph, target, options))},
                            {"kernels", std::move(kernels)}};
  return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string planned_json(const SessionState& session) {
  constexpr size_t kMost = 1000;
  ordered_json out = ordered_json::array();
  for (const Planned& one : last_planned(session, kMost))
    out.push_back({{"lines", pairs_of(one.lines)}, {"reason", one.reason}});
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string sources_of(const std::vector<SourceLine>& lines) {
  constexpr size_t kLongest = 400;
  std::map<std::string, std::set<uint32_t>> wanted;
  for (const SourceLine& line : lines)
    if (line.file) wanted[line.file].insert(line.line);
  ordered_json out = ordered_json::object();
  for (const auto& [name, numbers] : wanted) {
    const std::vector<std::string> all = text_of_file(name, *numbers.rbegin() + kAround);
    ordered_json texts = ordered_json::object();
    for (const uint32_t n : lines_to_show(all, numbers))
      texts[std::to_string(n)] = all[n - 1].substr(0, kLongest);
    if (!texts.empty()) out[name] = std::move(texts);
  }
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace weft::detail
