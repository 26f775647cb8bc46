// What a root computes: its nodes, down to the arrays that it reads and to other roots. `fuse` decides by
// expressions alone, so every question about readings is answered here, in one walk over positions.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/fusion/can_fuse.h"
#include "compiler/ir/node.h"
#include "compiler/ir/node_tables.h"

namespace weft::fusion {

struct Expression {
  std::vector<std::pair<const ir::Node*, Reading>>
      readings;                          // of other roots, in the order in which they are met
  ir::NodeMap<int> times;                // each node computed, and at how many accesses
  std::vector<const ir::Node*> inputs;   // arrays read
  std::vector<const ir::Node*> scalars;  // numbers given to the kernel
  // Values of few elements that are each computed many times along the root's last axis.
  ir::NodeSet spread;
  int compile_cost = 0;
  // Some array as large as the root's space is read side by side along another axis than the last.
  bool turned = false;
  bool glanced = false;       // only what is next to the root
  ir::NodeMap<size_t> place;  // of each root in `readings`

  // How it reads another root, or null.
  const Reading* reading(const ir::Node* producer) const {
    auto it = place.find(producer);
    return it == place.end() ? nullptr : &readings[it->second].second;
  }
};

using Expressions = std::unordered_map<const ir::Node*, Expression>;  // of roots

// The expression of `root`. Where a stencil reads another one, and so on, positions multiply with each: if
// `may_glance`, a very long one ends after the nodes next to the root, which is all that it takes to tell
// what to store.
Expression analyze(const ir::Node* root, const ir::NodeSet& roots, bool may_glance);

// Where expressions end whatever it costs: reductions, scans, what libraries compute and what is written in
// place.
ir::NodeSet lasting_roots(const std::vector<const ir::Node*>& order);

// What a node costs the backend's compiler, in real additions: a sine inlines its whole polynomial, a complex
// op several real ones, and a chain of updates nests its guards.
int compile_cost(const ir::Node& n);

// Whether the node is a step of its own whose operands lie in memory: a product, which a library computes,
// a scatter, or a loop.
bool runs_alone(const ir::Node& n);
// Why nothing fuses with such a step: it reads memory, and its result lies there.
std::string because_it_reads(const ir::Node& alone);
std::string because_it_computes(const ir::Node& alone);

}  // namespace weft::fusion
