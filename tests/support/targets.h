// Machines for which tests compile, whatever the one that they run on.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/program/options.h"

namespace weft::test {

// Two threads, vectors of 32 bytes.
inline Target cpu() { return {TargetKind::Cpu, 2, 32, size_t{32} << 20, 0}; }

// A GPU so small that little arrays are split and pass its cache by.
inline Target tiny() { return {TargetKind::Cuda, 1, 16, 0, size_t{48} << 10}; }

struct Card {
  const char *name, *architecture;
  Target target;
  bool has_clusters;
};

// What the makers say of six: multiprocessors, L2, shared memory of a block, threads of a multiprocessor. Each has 65,536 registers.
inline std::vector<Card> cards() {
  const auto facts = [](int multiprocessors, size_t cache_mib, size_t shared_kib, int threads) {
    return Target{.kind = TargetKind::Cuda,
                  .threads = multiprocessors,
                  .vector_bytes = 16,
                  .cache_bytes = cache_mib << 20,
                  .shared_bytes = shared_kib << 10,
                  .resident_threads = threads};
  };
  return {{"A100", "sm_80", facts(108, 40, 163, 2048), false},
          {"L4", "sm_89", facts(58, 48, 99, 1536), false},
          {"RTX 4090", "sm_89", facts(128, 72, 99, 1536), false},
          {"H100", "sm_90", facts(132, 50, 227, 2048), true},
          {"H200", "sm_90", facts(132, 50, 227, 2048), true},
          {"B200", "sm_100", facts(148, 126, 227, 2048), true}};
}

inline Target card(std::string_view name) {
  for (const Card& one : cards())
    if (one.name == name) return one.target;
  throw std::invalid_argument("no card " + std::string(name));
}

inline Target h200() { return card("H200"); }

}  // namespace weft::test
