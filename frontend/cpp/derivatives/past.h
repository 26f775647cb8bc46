// What this thread derives at the moment. Meanwhile cells keep the nodes that their values were computed from,
// so that a function may look at numbers, and be as long as it likes, and still has derivatives.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compiler/derive/derive.h"
#include "compiler/ir/node.h"

namespace weft::detail {

// While one lives, its thread derives; they nest.
class Past {
 public:
  Past();
  ~Past();
  Past(const Past&) = delete;
  Past& operator=(const Past&) = delete;

  std::vector<ir::NodeRef> leaves;  // what is derived by
  bool shows_elements = false;      // one element may be looked at, as a loss is that is printed
  // Of this one and of those around it, for as long as anything may be derived by them.
  const std::shared_ptr<derive::Customs>& customs() const { return customs_; }

 private:
  friend bool keeps_past();
  friend bool has_past(const ir::NodeRef& value);
  friend bool has_past_besides(std::span<const ir::NodeRef> values, std::span<const ir::NodeRef> inputs,
                               std::span<const ir::NodeRef> more);
  friend bool may_show(const ir::NodeRef& value);
  friend Past* innermost_derivation();
  friend std::shared_ptr<derive::Customs> customs_here();
  Past* outer_;
  std::shared_ptr<derive::Customs> customs_;
};

bool keeps_past();
// While one lives, these count as leaves where the thread derives: they stand for values that are derived, in a function that
// is called with places without values, as a loop's body is. They nest.
class DerivedPlaces {
 public:
  explicit DerivedPlaces(std::span<const ir::NodeRef> places);
  ~DerivedPlaces();
  DerivedPlaces(const DerivedPlaces&) = delete;
  DerivedPlaces& operator=(const DerivedPlaces&) = delete;

 private:
  friend bool has_past(const ir::NodeRef& value);
  std::vector<ir::NodeRef> places_;
  const DerivedPlaces* outer_;
};
// Whether the value was computed from a leaf of this thread.
bool has_past(const ir::NodeRef& value);
// Whether a value was computed from a leaf, or from one of `more`, by another way than through the inputs.
bool has_past_besides(std::span<const ir::NodeRef> values, std::span<const ir::NodeRef> inputs,
                      std::span<const ir::NodeRef> more = {});
// Whether it is derived by one, too: not where a NoDerivatives lives.
bool is_derived(const ir::NodeRef& value);
// The scope that was begun last, if any.
Past* innermost_derivation();
// Whether the value has no derivatives but by leaves of scopes that show elements.
bool may_show(const ir::NodeRef& value);
// While one lives, its thread derives nothing of what it computes. Cells keep their nodes all the same.
class NoDerivatives {
 public:
  NoDerivatives();
  ~NoDerivatives();
  NoDerivatives(const NoDerivatives&) = delete;
  NoDerivatives& operator=(const NoDerivatives&) = delete;
};
// The value without derivatives, for results that change with it by rounding alone; itself where nothing is
// derived.
ir::NodeRef stopped(const ir::NodeRef& value);
// Null where nothing is derived.
std::shared_ptr<derive::Customs> customs_here();

}  // namespace weft::detail
