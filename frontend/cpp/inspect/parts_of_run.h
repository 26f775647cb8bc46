// What a call of a function computes in parts, as it looks at values on the way: each part with what caused it.
#pragma once

#include <functional>
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

// Looks at what its thread computes while it lives, each part before it runs. Equal parts of one cause are one.
class PartsOfRun : public PartsSeen {
 public:
  void flush(DeviceSlot& device, std::span<const ir::NodeRef> nodes) final;
  void call(DeviceSlot& device, const ir::Graph& graph) final;
  void answer(const std::string& function, const SourceLine& line) final;

 protected:
  // The number of what was made of the last part.
  virtual int of_values(DeviceSlot& device, std::span<const ir::NodeRef> nodes) = 0;
  virtual int of_recorded(DeviceSlot& device, const ir::Graph& graph) = 0;

  // What the call left to be computed, which nobody looked at.
  void add_rest_as(int program);
  const std::vector<RanPart>& parts() const { return parts_; }
  // "part 2, 3 times: as float() at blur.py:12 looked at a value".
  std::string title(size_t part) const;
  // How many there are; then each title, with what `text` says of what was made of it.
  std::string text_of_parts(const std::function<std::string(size_t)>& text) const;

 private:
  // Parts that differ: more are counted alone.
  static constexpr size_t kMost = 200;

  // Whether it is to be looked at: it is neither known nor one too many. Then it is the last one.
  bool is_fresh(const Hash& what, RanPart part);

  std::vector<RanPart> parts_;
  std::map<std::tuple<uint64_t, uint64_t, std::string, std::string, uint32_t>, size_t> known_;
  int64_t more_ = 0;
};

// explain() of each part.
class ExplainedRun final : public PartsOfRun {
 public:
  explicit ExplainedRun(ExplainDetail detail) : detail_(detail) {}
  void add_rest(std::span<const Array> results);
  std::string text() const;
  std::string json() const;

 private:
  int of_values(DeviceSlot& device, std::span<const ir::NodeRef> nodes) override;
  int of_recorded(DeviceSlot& device, const ir::Graph& graph) override;
  int add(ExplainedGraph program);

  ExplainDetail detail_;
  std::vector<ExplainedGraph> programs_;
};

// show() of each part: of a drawing, one that has them all.
class ShownRun final : public PartsOfRun {
 public:
  // Error where no device has such a stage.
  explicit ShownRun(std::string stage);
  void add_rest(std::span<const Array> results);
  std::string text() const;

 private:
  int of_values(DeviceSlot& device, std::span<const ir::NodeRef> nodes) override;
  int of_recorded(DeviceSlot& device, const ir::Graph& graph) override;
  int add(DeviceSlot& device, const ir::Graph& graph);

  std::string stage_;
  std::vector<std::pair<DeviceSlot*, ir::Graph>> drawn_;
  std::vector<std::string> texts_;
};

}  // namespace weft::detail
