// Recording one operation: its operands as nodes of one device, numbers in the dtype that the arrays leave
// them, and the result as a new array.
#pragma once

#include <initializer_list>
#include <string_view>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

class Recording {
 public:
  // Write: what is recorded goes into an array that there is already.
  enum class Result : uint8_t { New, Write };
  Recording(std::string_view op, Where at, Result result = Result::New)
      : op_(op), lines_(lines_at(at)), result_(result) {}
  Recording(std::string_view op, const Operand& x, Result result = Result::New)
      : Recording(op, x.at(), result) {}

  // The array's node. Error when it lies on another device than the arrays before it.
  ir::NodeRef node(const Array& x);
  // As `node`; a number becomes an array of rank 0 of its kind's default dtype.
  ir::NodeRef node(const Operand& x);
  // The nodes of operands that share a dtype: numbers take the arrays' unless their kind exceeds it. Sets
  // out[0 … n). With `spread`, numbers have the shape of an array beside them, which saves a broadcast.
  // Integers that the arrays' integer dtype does not hold are `beyond`, or keep their own dtype if that is
  // one of integers; they are an error without.
  void nodes(std::span<const Operand* const> operands, ir::NodeRef* out, bool spread = false,
             std::optional<DType> beyond = {});
  // A number as a constant of the type. Error where the session watches for the infinity that it becomes.
  ir::NodeRef constant(const ir::TensorType& type, const Scalar& value) const;
  // `made`, by the op of these operands. Error where it is a constant that the session watches for, and made of others.
  ir::NodeRef looked_at(ir::Op op, std::span<const ir::NodeRef> operands, ir::NodeRef made) const;
  // A constant of x's dtype and shape.
  ir::NodeRef like(const ir::NodeRef& x, double value) const;

  Array finish(ir::NodeRef result, uint32_t added = 2);

  const ir::Lines& lines() const { return lines_; }
  std::string_view op() const { return op_; }
  DeviceSlot& device() const;
  // The age of the operands' oldest pending node, and the operand that has it; kInMemory, null.
  Age since() const { return since_; }
  const Cell* oldest() const { return oldest_; }
  // Counts nodes that were recorded on the operands; returns the age of what they belong to.
  Age count(uint32_t nodes) const;
  // Makes numbers and new arrays belong to this device.
  void on(DeviceSlot& device) { device_ = &device; }

 private:
  std::string_view op_;
  ir::Lines lines_;
  Result result_;
  DeviceSlot* device_ = nullptr;
  Age since_ = kInMemory;
  const Cell* oldest_ = nullptr;
  uint32_t steps_ = 0;  // of the operands' views
};

// Throws the error that is being handled as one of `op`, which the caller knows; what ran out of memory stays
// as it is.
[[noreturn]] void throw_as(std::string_view op);
// f(), whose errors are those of `op`.
template <class F>
auto named(std::string_view op, F&& f) {
  try {
    return f();
  } catch (const Error&) {
    throw_as(op);
  }
}

// The dtype of a number among arrays of dtype `strong`. OverflowError when it is an integer that does not
// fit.
DType weak_dtype(std::string_view op, DType strong, const Number& number);
DType default_dtype(const Number& number);
// Whether a cast of the value to `to` keeps it but for fractions and rounding: integers stay in range, what
// is finite stays finite, and no imaginary part is lost. Bool holds everything.
bool holds(DType to, const Scalar& value);
// OverflowError where it cannot.
void check_held(std::string_view op, DType dtype, const Scalar& value);
// Error when the number is to be stored as an integer and is none that the dtype holds: too large, NaN or
// infinite; fractions are cut off. TypeError when it is complex and the dtype is not.
void check_stored(std::string_view op, DType dtype, const Number& number);
// The same for what may be an array, of which only the dtype is looked at.
void check_stored(std::string_view op, DType dtype, const Operand& value);

// Error for a read-only view.
void check_writable(std::string_view op, const Array& x);
// Error when a result of this dtype is to be stored in place in another kind's: NumPy's rule is within a
// kind, or up from bool, unsigned, signed, float to complex.
void check_same_kind(std::string_view op, DType to, DType from);
// Whether the kind of `to` (bool, unsigned, signed, float, complex) holds that of `from`.
bool is_same_kind(DType from, DType to);
// Error when whole numbers are raised to a negative whole one, whose dtype is `taken_as`.
void check_power(DType base, const Operand& exponent, DType taken_as);
// x = op(x, value) in x's own dtype, written through its view.
void in_place(ir::Op op, const Array& x, const Operand& value);

// An operand that is one value which is known: that of an array, or a number whose dtype gives way.
struct Known {
  Scalar value;
  bool gives_way = false;
};
// The map of such operands, of which one at least is an array's on the device, with the bits of what would be
// recorded. False for what is to be recorded.
bool map_known(DeviceSlot& device, ir::Op op, std::span<const Known> operands, Scalar& out);

Array map(ir::Op op, const Operand& x);
Array map(ir::Op op, const Operand& x, const Operand& y);
Array map(ir::Op op, const Operand& x, const Operand& y, const Operand& z);
Array map(ir::Op op, const Operand& x, const Operand& y, const Operand& z, const Operand& w);

}  // namespace weft::detail
