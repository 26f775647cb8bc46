// Functions as bodies of loops: called once with arrays that have no values, and closed over what they use.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/derive/derive.h"
#include "compiler/derive/traced.h"
#include "compiler/ir/close.h"
#include "compiler/ir/loop.h"
#include "frontend/cpp/array/cell.h"

namespace weft::detail {

// The device of a loop's arrays. Error where they are on several.
DeviceSlot& loop_device(std::string_view op, std::span<const Array> arrays);

// The inputs of bodies, and the bodies so far.
class Bodies {
 public:
  Bodies(std::string_view op, DeviceSlot& device) : op_(op), device_(device) {}

  // The next input, an array without a value.
  void add_place(std::string name, const ir::TensorType& type);
  // The last one, the number of the turn.
  void add_turn();
  // Calls a function of arrays for all inputs, to which it may write, and keeps what it gives.
  void call(const std::function<std::vector<Array>(std::span<const Array> places)>& f);
  ir::Closed close() const;

 private:
  std::vector<ir::NodeRef> inputs() const;  // with the turn
  // Whether the value is the same in every turn.
  bool comes_from_outside(const ir::NodeRef& value) const;
  bool is_traced(const derive::Custom& custom) const;
  // Asks for the derivatives that values of the body have of their own.
  void trace(const derive::Customs& customs, const std::vector<ir::NodeRef>& results);

  std::string_view op_;
  DeviceSlot& device_;
  std::vector<ir::NodeRef> own_;
  ir::NodeRef turn_;
  std::vector<std::vector<ir::NodeRef>> results_;
  std::vector<derive::Traced> traced_;
  std::vector<ir::NodeRef> within_rules_;  // values with derivatives of their own that rules of these compute
};

// Arrays of all results of the loop; computed at once where nothing is recorded.
std::vector<Array> run_loop(DeviceSlot& device, ir::Loop loop, std::span<const ir::NodeRef> operands,
                            const ir::Lines& lines);

}  // namespace weft::detail
