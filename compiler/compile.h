// Graph -> Program: the whole compiler, read top to bottom. Pure: the same graph, target and options give the
// same program.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/ir/group.h"
#include "compiler/ir/node.h"
#include "compiler/program/explanation.h"
#include "compiler/program/options.h"
#include "compiler/program/program.h"

namespace weft {

Program compile(const ir::Graph& graph, const Target& target, const Options& options = {});

// The graph that compile() hands to fusion: every pass over graphs has run. For tools that show it.
ir::Graph prepare(const ir::Graph& graph, const Target& target, const Options& options = {});

// What compile() makes of what prepare() gave.
Program compile_prepared(const ir::Graph& prepared, const Target& target, const Options& options = {});
// The same of what fusion made of that, and what was decided about it.
Program compile_fused(const ir::Graph& prepared, const ir::Partition& partition, const Target& target,
                      const Options& options, Explanation& explanation);

// What one pass makes of a graph, verified; the graph itself where that is the same. Error where no pass has the name.
ir::Graph run_pass(std::string_view name, const ir::Graph& graph, const Target& target,
                   const Options& options);
// Those that prepare() runs, in order.
std::vector<std::string_view> passes_of(const Options& options);

// The passes over graphs, in order, that Options::without_passes may name. Options::dump gets what any pass
// changed under the pass's name.
std::vector<std::string_view> optional_passes();
bool is_pass(std::string_view name);

// A text of a graph on its way to machine code, under the name by which people ask for it. Options::dump
// receives them but for `simplified`, which joins what the passes dump, and those that a device makes of a
// kernel's source.
struct Stage {
  std::string_view name;
  std::optional<TargetKind> target;  // none: any
  bool by_device = false;
};
inline constexpr Stage kStages[] = {{"graph", {}},
                                    {"simplified", {}},
                                    {"fused", {}},
                                    {"plan", {}},
                                    {"cpp", TargetKind::Cpu},
                                    {"cuda", TargetKind::Cuda},
                                    {"asm", TargetKind::Cpu, true},
                                    {"ptx", TargetKind::Cuda, true}};

}  // namespace weft
