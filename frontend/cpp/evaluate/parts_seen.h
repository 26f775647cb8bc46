// Who is told of each part of a thread's work as it is computed: explain() lists what a call ran, and why.
#pragma once

#include <span>
#include <string>

#include "compiler/base/source_line.h"
#include "compiler/ir/node.h"

namespace weft::detail {

struct DeviceSlot;

// Hears of what its thread computes for as long as it lives; they do not nest.
class PartsSeen {
 public:
  PartsSeen();
  virtual ~PartsSeen();
  PartsSeen(const PartsSeen&) = delete;
  PartsSeen& operator=(const PartsSeen&) = delete;

  // Before recorded values are computed; asked_now() says what for.
  virtual void flush(DeviceSlot& device, std::span<const ir::NodeRef> nodes) = 0;
  // Before a recorded function's program runs.
  virtual void call(DeviceSlot& device, const ir::Graph& graph) = 0;
  // After the front end's host answered.
  virtual void answer(const std::string& function, const SourceLine& line) = 0;
};

// The thread's; null where nobody listens.
PartsSeen* parts_seen();

}  // namespace weft::detail
