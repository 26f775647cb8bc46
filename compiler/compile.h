// Graph -> Program: the whole compiler, read top to bottom. Pure: the same graph, target and options give the
// same program.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/ir/group.h"
#include "compiler/ir/node.h"
#include "compiler/options.h"
#include "compiler/program.h"

namespace weft {

Program compile(const ir::Graph& graph, const Target& target, const Options& options = {});

// The graph that compile() hands to fusion: every pass over graphs has run. For tools that show it.
ir::Graph prepare(const ir::Graph& graph, const Target& target, const Options& options = {});

// The passes over graphs, in order: what Options::without_passes may name.
std::vector<std::string_view> pass_names();

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

// Whether a constant stays in the graph because the passes, or the compiler of the kernel, make more of
// `user` when they know this operand: a factor 1, a square, a remainder of a division by 2. Every other
// constant is better given as a scalar, so that another value needs no other program.
bool is_special(const Scalar& value, const ir::Node& user, size_t operand);

}  // namespace weft
