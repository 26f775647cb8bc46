// Sets of nodes, and maps from nodes, by address. They lie in one piece of memory: a reference or an iterator into one
// lasts until the next insertion. An iterator gives what a map holds by value().
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace weft::ir {

class Node;

struct HashNode {
  // Addresses differ in their middle bits, and tables take the lowest.
  size_t operator()(const Node* node) const {
    const uint64_t mixed = reinterpret_cast<uintptr_t>(node) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(mixed >> 32);
  }
};

using NodeSet = tsl::robin_set<const Node*, HashNode>;
template <class T>
using NodeMap = tsl::robin_map<const Node*, T, HashNode>;

// How many were erased.
template <class Table, class Which>
size_t erase_if(Table& table, Which&& which) {
  const size_t before = table.size();
  for (auto at = table.begin(); at != table.end();) at = which(*at) ? table.erase(at) : std::next(at);
  return before - table.size();
}

}  // namespace weft::ir
