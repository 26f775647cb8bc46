// Something that a compiled function may have read besides its arguments, and whether it is still what it
// was: see weft/_compile/guards.py.
#pragma once

#include <optional>
#include <string>

#include "frontend/python/src/operand.h"

namespace weft::python {

// The number that an object is; none, too, of a kind that no array has.
std::optional<Number> number_in(PyObject* object);

// What tells the bytes of an array of NumPy's from others, in few letters: of large ones, of which nobody wants a copy.
std::string digest(PyObject* array);

struct Guard {
  enum class Kind : uint8_t { Held, Cell, Name, Class, Attribute, Slot, List, Items, Parts, Bytes, Digest };
  nb::object holder, key, value;  // no value: there is none
  Kind kind;

  explicit Guard(nb::handle given);
  bool holds() const;
  // The tuple that it was made of.
  nb::object as_given() const;

 private:
  Kind kind_of_name() const;
};

}  // namespace weft::python
