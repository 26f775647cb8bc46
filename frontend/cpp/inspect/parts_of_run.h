// What a call of a function computes in parts, as it looks at values on the way: each part with what caused it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/base/hash.h"
#include "frontend/cpp/evaluate/parts_seen.h"
#include "frontend/cpp/inspect/explain_graph.h"
#include "frontend/cpp/weft/array.h"

namespace weft::detail {

// Explains what its thread computes while it lives, each part before it runs. Equal parts of one cause are one.
class PartsOfRun final : public PartsSeen {
 public:
  explicit PartsOfRun(ExplainDetail detail) : detail_(detail) {}

  void flush(DeviceSlot& device, std::span<const ir::NodeRef> nodes) override;
  void call(DeviceSlot& device, const ir::Graph& graph) override;
  void answer(const std::string& function, const SourceLine& line) override;

  // What the call left to be computed, which nobody looked at.
  void add_rest(std::span<const Array> results);
  std::string text() const;
  std::string json() const;

 private:
  // Parts that differ: more are counted alone.
  static constexpr size_t kMost = 200;

  // Whether it is to be explained: it is neither known nor one too many. Then it is the last one.
  bool is_fresh(const Hash& what, RanPart part);
  void add_program(ExplainedGraph program);

  ExplainDetail detail_;
  std::vector<RanPart> parts_;
  std::vector<ExplainedGraph> programs_;
  std::map<std::tuple<uint64_t, uint64_t, std::string, std::string, uint32_t>, size_t> known_;
  int64_t more_ = 0;
};

}  // namespace weft::detail
