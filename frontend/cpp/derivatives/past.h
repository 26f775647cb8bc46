// What this thread derives at the moment. Meanwhile cells keep the nodes that their values were computed from,
// so that a function may look at numbers, and be as long as it likes, and still has derivatives.
#pragma once

#include <memory>
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
  // Of this one and of those around it, for as long as anything may be derived by them.
  const std::shared_ptr<derive::Customs>& customs() const { return customs_; }

 private:
  friend bool keeps_past();
  friend bool is_derived(const ir::NodeRef& value);
  friend std::shared_ptr<derive::Customs> customs_here();
  Past* outer_;
  std::shared_ptr<derive::Customs> customs_;
};

bool keeps_past();
// Whether the value has derivatives by a leaf of this thread.
bool is_derived(const ir::NodeRef& value);
// The value without derivatives, for results that change with it by rounding alone; itself where nothing is
// derived.
ir::NodeRef stopped(const ir::NodeRef& value);
// Null where nothing is derived.
std::shared_ptr<derive::Customs> customs_here();

}  // namespace weft::detail
