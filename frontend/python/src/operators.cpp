// Array's operators. Each answers NotImplemented for what is no operand, so that Python asks the other side.
#include "frontend/cpp/record/record.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/operand.h"

namespace weft::python {
namespace {

using ir::Op;

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

template <class F>
PyObject* binary(Op op, PyObject* a, PyObject* b, F&& f) {
  return guarded([&]() -> PyObject* {
    Argument x, y;
    if (!x.parse_beside(a, b, op) || !y.parse_beside(b, a, op)) return not_implemented();
    const PythonLine line;
    return wrap(f(x.operand(), y.operand()));
  });
}

// Python would join bytes with the array's memory, and repeat text as often as the array says.
bool is_text(PyObject* object) {
  return PyBytes_Check(object) || PyByteArray_Check(object) || PyUnicode_Check(object);
}

template <Op op>
PyObject* map2(PyObject* a, PyObject* b) {
  if (const auto result = computed_now<2>(op, {a, b})) return *result;
  if constexpr (op == Op::add || op == Op::multiply) {
    if (is_text(a) || is_text(b)) {
      constexpr const char* kText = op == Op::add ? "add: takes arrays and numbers: got %s"
                                                  : "multiply: takes arrays and numbers: got %s";
      PyErr_Format(PyExc_TypeError, kText, Py_TYPE(is_text(a) ? a : b)->tp_name);
      return nullptr;
    }
  }
  return binary(op, a, b, [](const Operand& x, const Operand& y) { return detail::map(op, x, y); });
}

template <Op op>
PyObject* map1(PyObject* a) {
  if (const auto result = computed_now<1>(op, {a})) return *result;
  return guarded([&] {
    const PythonLine line;
    return wrap(detail::map(op, array_of(a)));
  });
}

template <Op op>
PyObject* in_place(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    if (is_value(a)) return not_implemented();  // `x += 1` gives another
    Argument y;
    if (!y.parse_beside(b, a, op)) return not_implemented();
    const PythonLine line;
    detail::in_place(op, array_of(a), y.operand());
    return Py_NewRef(a);
  });
}

// `z ** 2` is a square, as in NumPy, whose power() of complex numbers differs from it in the signs of zeros
// and has another dtype for arrays of bools.
bool squares(PyObject* a, PyObject* b, bool in_place = false) {
  int overflow = 0;
  if (!PyLong_CheckExact(b) || PyLong_AsLongAndOverflow(b, &overflow) != 2 || !is_array(a)) return false;
  const DType dtype = array_of(a).dtype();
  return is_complex(dtype) || (dtype == DType::Bool && !is_value(a) && !in_place);
}

// A function of the exponent that decides what is recorded, where it is a number that the function takes.
template <class F>
PyObject* with_exponent(PyObject* b, F&& f) {
  if (!is_given(b)) return f(b);
  return guarded([&] { return f(nb::object(nb::handle(b).attr("known")()).ptr()); });
}

// As map2 and in_place; a modulus, the third argument of Python's pow(), is for integers only.
PyObject* power(PyObject* a, PyObject* given, PyObject* modulus) {
  if (modulus != Py_None) return not_implemented();
  return with_exponent(
      given, [&](PyObject* b) { return squares(a, b) ? map1<Op::square>(a) : map2<Op::pow>(a, b); });
}
PyObject* power_in_place(PyObject* a, PyObject* given, PyObject* modulus) {
  if (modulus != Py_None) return not_implemented();
  return with_exponent(given, [&](PyObject* b) {
    return squares(a, b, true) ? in_place<Op::multiply>(a, a) : in_place<Op::pow>(a, b);
  });
}

bool is_sequence_of_python(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object) ||
         PyByteArray_Check(object);
}

// `[0] * n` repeats the list for a value n, as for NumPy's scalars.
PyObject* times(PyObject* a, PyObject* b) {
  const auto repeats = [](PyObject* n, PyObject* sequence) {
    return is_array(n) && is_value(n) && is_sequence_of_python(sequence);
  };
  if (!repeats(a, b) && !repeats(b, a)) return map2<Op::multiply>(a, b);
  PyObject* const sequence = repeats(a, b) ? b : a;
  const Py_ssize_t count = PyNumber_AsSsize_t(sequence == a ? b : a, PyExc_OverflowError);
  return count == -1 && PyErr_Occurred() ? nullptr : PySequence_Repeat(sequence, count);
}

PyObject* product(PyObject* a, PyObject* b) {
  return binary(Op::dot, a, b, [](const Operand& x, const Operand& y) { return matmul(x, y); });
}
PyObject* product_in_place(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    if (is_value(a)) return not_implemented();
    Argument y;
    if (!y.parse(b)) return not_implemented();
    const PythonLine line;
    const Array result = matmul(array_of(a), y.operand());
    if (result.dtype() != array_of(a).dtype()) {
      throw TypeError("matmul: the result cannot be stored in place as " +
                      std::string(name(array_of(a).dtype())) + ": got " + std::string(name(result.dtype())));
    }
    if (result.shape() != array_of(a).shape()) {
      throw Error("matmul: the result cannot be stored in place in shape " + to_string(array_of(a).shape()) +
                  ": got " + to_string(result.shape()));
    }
    array_of(a).assign(result);
    return Py_NewRef(a);
  });
}

PyObject* quotient_and_remainder(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    Argument x, y;
    if (!x.parse(a) || !y.parse(b)) return not_implemented();
    const PythonLine line;
    const nb::object quotient = nb::steal(wrap(floor_divide(x.operand(), y.operand())));
    const nb::object rest = nb::steal(wrap(remainder(x.operand(), y.operand())));
    return nb::make_tuple(quotient, rest).release().ptr();
  });
}

// Whether no element equals the object, whatever the elements are: None, text, Python's containers that are no
// sequences, and what says nothing of equality itself.
bool equals_nothing(PyObject* object) {
  return Py_IsNone(object) || PyUnicode_Check(object) || PyBytes_Check(object) || PyAnySet_Check(object) ||
         PyDict_Check(object) || PySlice_Check(object) ||
         Py_TYPE(object)->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}

PyObject* compare_numbers = nullptr;  // the package's, never freed

// Whether it is a number that no array holds, as a fraction or a decimal is.
bool is_other_number(PyObject* object) {
  static PyObject* const number = nb::module_::import_("numbers").attr("Number").ptr();
  const int is = PyObject_IsInstance(object, number);
  if (is < 0) throw nb::python_error();
  return is == 1;
}

PyObject* compare_arrays(PyObject* a, PyObject* b, int how);

// Whether it failed for NumPy's values of a dtype that no array holds, as text and dates are.
bool failed_for_dtype(PyObject* result, PyObject* b, int how) {
  if (result || (how != Py_EQ && how != Py_NE) || !PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);  // which a look at the attribute may clear
  const bool failed =
      !is_array(b) && PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(b)), "__array_interface__");
  PyErr_Restore(type, value, trace);
  return failed;
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  static constexpr Op kOps[] = {Op::less,      Op::less_equal, Op::equal,
                                Op::not_equal, Op::greater,    Op::greater_equal};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  if (const auto of_numbers = computed_now<2>(kOps[how], {a, b})) return *of_numbers;
  PyObject* result = compare_arrays(a, b, how);
  if (failed_for_dtype(result, b, how)) {
    PyErr_Clear();
    return guarded(
        [&] { return nb::handle(compare_numbers)(nb::handle(a), nb::handle(b), how).release().ptr(); });
  }
  if (result != Py_NotImplemented) return result;
  return guarded([&]() -> PyObject* {
    if (!is_other_number(b)) return result;
    Py_DECREF(result);
    return nb::handle(compare_numbers)(nb::handle(a), nb::handle(b), how).release().ptr();
  });
}

PyObject* compare_arrays(PyObject* a, PyObject* b, int how) {
  if ((how == Py_EQ || how == Py_NE) && equals_nothing(b)) {
    return guarded([&] {
      Make like;
      like.device = array_of(a).device();
      return wrap(full(array_of(a).shape(), how == Py_NE, like));
    });
  }
  switch (how) {
    case Py_LT:
      return map2<Op::less>(a, b);
    case Py_LE:
      return map2<Op::less_equal>(a, b);
    case Py_EQ:
      return map2<Op::equal>(a, b);
    case Py_NE:
      return map2<Op::not_equal>(a, b);
    case Py_GT:
      return map2<Op::greater>(a, b);
    default:
      return map2<Op::greater_equal>(a, b);
  }
}

// A value's is that of the Python number it is equal to.
Py_hash_t hash(PyObject* self) {
  if (!is_value(self)) return PyObject_HashNotImplemented(self);
  PyObject* number = PyObject_CallMethod(self, "item", nullptr);
  if (!number) return -1;
  const nb::object held = nb::steal(number);
  return PyObject_Hash(held.ptr());
}

}  // namespace

PyObject* compared_with_object(PyObject* a, PyObject* b, int how) {
  static constexpr int kTurned[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
  if (!is_array(a)) {
    std::swap(a, b);
    how = kTurned[how];
  }
  if (!is_array(a) || is_array(b)) return Py_NewRef(Py_NotImplemented);
  const bool is_text = PyUnicode_Check(b) || PyBytes_Check(b);  // which NumPy's functions refuse
  const bool tells_equality = (how == Py_EQ || how == Py_NE) && !is_text;
  if (!(tells_equality && equals_nothing(b)) && !is_other_number(b)) return Py_NewRef(Py_NotImplemented);
  return compare(a, b, how);
}

void bind_operators(nb::module_& m) {
  m.def(
      "compare_numbers_with", [](nb::object function) { compare_numbers = function.release().ptr(); },
      nb::arg("function"), "Sets what compares arrays with numbers of Python that no array holds.");
}

void add_operators(TypeParts& parts) {
  const auto slot = [&](int id, auto* what) { parts.slots.push_back({id, reinterpret_cast<void*>(what)}); };
#define WEFT_SLOT(name, op)         \
  slot(Py_nb_##name, map2<Op::op>); \
  slot(Py_nb_inplace_##name, in_place<Op::op>)
  WEFT_SLOT(add, add);
  WEFT_SLOT(subtract, subtract);
  slot(Py_nb_multiply, times);
  slot(Py_nb_inplace_multiply, in_place<Op::multiply>);
  WEFT_SLOT(true_divide, divide);
  WEFT_SLOT(floor_divide, floor_divide);
  WEFT_SLOT(remainder, remainder);
  WEFT_SLOT(and, bitwise_and);
  WEFT_SLOT(or, bitwise_or);
  WEFT_SLOT(xor, bitwise_xor);
  WEFT_SLOT(lshift, bitwise_left_shift);
  WEFT_SLOT(rshift, bitwise_right_shift);
#undef WEFT_SLOT
  slot(Py_nb_power, power);
  slot(Py_nb_inplace_power, power_in_place);
  slot(Py_nb_matrix_multiply, product);
  slot(Py_nb_inplace_matrix_multiply, product_in_place);
  slot(Py_nb_divmod, quotient_and_remainder);
  slot(Py_nb_negative, map1<Op::negative>);
  slot(Py_nb_positive, map1<Op::positive>);
  slot(Py_nb_absolute, map1<Op::abs>);
  slot(Py_nb_invert, map1<Op::bitwise_invert>);
  slot(Py_tp_richcompare, compare);
  slot(Py_tp_hash, hash);
}

}  // namespace weft::python
