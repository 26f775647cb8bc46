// Shapes and axis lists as Python has them: an integer or a sequence of integers, and tuples.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "compiler/base/shape.h"

namespace weft::python {

nanobind::object tuple_of(const Dims& dims);
// What an op was given for integers: an axis, axes, counts, a shape. They are read where the op is known, so
// that the TypeError for what is none names it.
class Integers {
 public:
  explicit Integers(nanobind::handle given = {}) : given_(given) {}
  bool is_none() const { return given_.is_none(); }
  bool is_one() const { return PyIndex_Check(given_.ptr()) != 0; }
  int64_t one(const char* op, const char* what = "axis") const;
  Dims all(const char* op, const char* what = "axis") const;
  // As all(), of an integer or a tuple alone: what NumPy's reductions take.
  Dims axes(const char* op) const;
  std::optional<int64_t> one_or_none(const char* op) const {
    return is_none() ? std::nullopt : std::optional(one(op));
  }
  std::optional<Dims> axes_or_none(const char* op) const {
    return is_none() ? std::nullopt : std::optional(axes(op));
  }
  std::optional<Dims> all_or_none(const char* op) const {
    return is_none() ? std::nullopt : std::optional(all(op));
  }

 private:
  nanobind::handle given_;
};

// What an op was given for True or False.
class Flag {
 public:
  explicit Flag(nanobind::handle given = {}) : given_(given) {}
  bool is(const char* op, const char* what = "keepdims") const;

 private:
  nanobind::handle given_;
};

}  // namespace weft::python

namespace nanobind::detail {

// Takes everything.
template <>
struct type_caster<weft::python::Integers> {
  NB_TYPE_CASTER(weft::python::Integers, const_name("int | tuple[int, ...] | None"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value = weft::python::Integers(source);
    return true;
  }
  static handle from_cpp(const weft::python::Integers&, rv_policy, cleanup_list*) = delete;
};

// Takes everything.
template <>
struct type_caster<weft::python::Flag> {
  NB_TYPE_CASTER(weft::python::Flag, const_name("bool"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    value = weft::python::Flag(source);
    return true;
  }
  static handle from_cpp(const weft::python::Flag&, rv_policy, cleanup_list*) = delete;
};

template <>
struct type_caster<weft::Dims> {
  NB_TYPE_CASTER(weft::Dims, const_name("int | tuple[int, ...]"))
  bool from_python(handle source, uint32_t, cleanup_list*) noexcept;
  static handle from_cpp(const weft::Dims& dims, rv_policy, cleanup_list*) noexcept;
};

}  // namespace nanobind::detail
