// What Python code may pass where an operation takes an array: arrays, numbers, NumPy's scalars and arrays,
// lists.
#pragma once

#include <array>
#include <cmath>
#include <exception>
#include <optional>
#include <span>

#include "compiler/ir/ops/op.h"
#include "frontend/cpp/record/record.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/python_array.h"

namespace weft::python {

// An argument for the length of a call: it refers to the Python object.
class Argument {
 public:
  // False when the object is nothing of the kind. Throws when it is, but cannot be converted.
  bool parse(PyObject* object);
  // As parse(); an integer of more than 64 bits is taken beside an array of floats, as one of those, and by
  // comparisons beside one of integers, as infinity.
  bool parse_beside(PyObject* object, PyObject* other, ir::Op op);
  // Takes a number that a function takes which is being recorded, as an array, in the dtype that it has
  // beside one of dtype `strong`, or `stored` in one. False where its value decides what it is.
  bool parse_given(PyObject* object, DType strong, bool stored = false);
  // Takes what is no array and no number as an array, of this dtype if one is given.
  void convert(PyObject* object, std::optional<DType> dtype = {});
  void take_number(const Number& number) { number_ = number; }
  void take_array(const Array& x) {
    converted_ = x;
    array_ = &converted_;
  }
  // As parse(); what cannot be converted is told when the operand is asked for, by an op.
  void take(PyObject* object) noexcept;
  Operand operand() const { return array_ ? Operand(*array_) : Operand(number_); }
  Operand operand(const char* op) const {
    if (refused_) refuse(op);
    return operand();
  }
  const Array* array() const { return array_; }
  const Number& number() const { return number_; }

 private:
  const Array* array_ = nullptr;
  Array converted_;
  Number number_ = 0;
  PyObject* refused_ = nullptr;
  std::exception_ptr why_;  // what converting it threw

  [[noreturn]] void refuse(const char* op) const;
};

// Whether it is NumPy's scalar of that very type.
bool is_numpy_float64(PyObject* object);

// The number that a scalar of NumPy's is, with its dtype; none for everything else.
std::optional<Scalar> numpy_scalar(PyObject* object);

// False, with an error set, where the session looks for NaN or infinities, and the op made this one of such numbers.
bool may_make(detail::DeviceSlot& device, ir::Op op, std::span<const detail::Known> operands,
              const Scalar& value) noexcept;

// What a map of numbers is computed of at once, as NumPy's scalars are.
template <size_t count>
class KnownOperands {
 public:
  // Whether all are numbers of one device, Python's or NumPy's f64, and one at least is of a device.
  bool parse(const std::array<PyObject*, count>& objects) {
    for (size_t k = 0; k < count; ++k)
      if (!add(objects[k], known_[k])) return false;
    return device_ && !detail::records_cells();
  }
  // A new reference, null with an error set; none where it is to be recorded.
  std::optional<PyObject*> map(ir::Op op) const {
    Scalar result;
    if (!detail::map_known(*device_, op, known_, result)) return {};
    const bool is_finite = std::isfinite(result.re) && std::isfinite(result.im);
    if (!is_finite && !may_make(*device_, op, known_, result)) return nullptr;
    return wrap_number(*device_, result);
  }

 private:
  bool add(PyObject* object, detail::Known& known) {
    if (is_array(object)) {
      const Scalar* number = number_of(object);
      if (!number || (device_ && device_ != &device_of_number(object))) return false;
      device_ = &device_of_number(object);
      known = {*number, false};
      return true;
    }
    if (PyFloat_CheckExact(object)) {
      known = {Scalar::of(PyFloat_AS_DOUBLE(object)), true};
      return true;
    }
    if (is_numpy_float64(object)) {
      known = {Scalar::of(PyFloat_AS_DOUBLE(object)), false};
      return true;
    }
    if (PyBool_Check(object)) {
      known = {Scalar::of(object == Py_True), true};
      return true;
    }
    if (!PyLong_CheckExact(object)) {
      const std::optional<Scalar> known_to_numpy = numpy_scalar(object);
      if (known_to_numpy) known = {*known_to_numpy, false};
      return known_to_numpy.has_value();
    }
    int overflow = 0;
    known = {Scalar::of(static_cast<int64_t>(PyLong_AsLongLongAndOverflow(object, &overflow))), true};
    return overflow == 0;
  }

  std::array<detail::Known, count> known_;
  detail::DeviceSlot* device_ = nullptr;
};

// The result of the map where the operands are such; none where it is to be recorded.
template <size_t count>
std::optional<PyObject*> computed_now(ir::Op op, const std::array<PyObject*, count>& operands) noexcept {
  KnownOperands<count> known;
  return known.parse(operands) ? known.map(op) : std::nullopt;
}

// Whether it is a number that a function takes which is being recorded: weft/_base/given.py.
bool is_given(PyObject* object);
// An elementwise function of such numbers, NotImplemented where it is one of their values.
nb::object of_given(const char* op, PyObject* const* operands, Py_ssize_t count);
// The number that a Python or NumPy scalar is; none for everything else. One that is_given() decides then.
std::optional<Number> number_from(PyObject* object);
// As parse(), and takes whatever NumPy makes arrays of; TypeError naming `op` when the object is nothing of
// the kind.
void parse_argument(Argument& out, const char* op, PyObject* object);
// As parse_argument(), of a condition: arrays are of bools, numbers and lists are taken by their truth.
void parse_mask(Argument& out, const char* op, PyObject* object);
// As parse_argument(), of what is stored in this dtype: Python's numbers in lists have to fit it, as NumPy's
// rule is.
void parse_stored(Argument& out, const char* op, PyObject* object, DType dtype);

// The function that makes arrays of foreign ones: the package's asarray.
void bind_operands(nb::module_& m);

}  // namespace weft::python

namespace nanobind::detail {

template <>
struct type_caster<weft::Number> {
  using Value = weft::Number;
  static constexpr auto Name = const_name("complex | float");  // NOLINT(readability-identifier-naming)
  template <typename T_>
  using Cast = movable_cast_t<T_>;
  template <typename T_>
  static constexpr bool can_cast() {
    return true;
  }
  explicit operator Value*() { return &value; }
  explicit operator Value&() { return value; }
  explicit operator Value&&() { return static_cast<Value&&>(value); }
  weft::Number value = 0;
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    try {
      const auto number = weft::python::number_from(source.ptr());
      if (number) value = *number;
      return number.has_value();
    } catch (...) {
      weft::python::drop_error_before_refusal();
      return false;
    }
  }
};

}  // namespace nanobind::detail
