// The first run of each program, written to a folder where the session dumps (WEFT_DUMP).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/cpp/inspect/dump_graph.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

// Made before a program runs, which may write over what it is given. Does nothing where the session does not dump, or
// has dumped the graph of this key.
class DumpOfRun {
 public:
  // `key` and `graph` are functions that give them, asked where they are needed.
  template <class MakeKey, class MakeGraph>
  DumpOfRun(DeviceSlot& device, MakeKey&& key, MakeGraph&& graph, std::span<const runtime::BufferRef> inputs,
            std::span<const Scalar> scalars)
      : device_(device) {
    if (!device.session.dumps.on()) return;
    key_ = key();
    if (device.session.dumps.is_first(key_)) take(graph(), inputs, scalars);
  }

  // What the program gave. A folder that cannot be written to is warned of, and no more graphs are dumped.
  void write(std::span<const runtime::BufferRef> results);

 private:
  void take(ir::Graph graph, std::span<const runtime::BufferRef> inputs, std::span<const Scalar> scalars);

  DeviceSlot& device_;
  Hash key_;
  std::optional<GraphDump> dump_;
};

}  // namespace weft::detail
