// The elementwise functions, one for each map of the op table, with their signatures and documentation from
// it. They are objects of a C type, weft.Function: calling one costs as little as a C function,
// inspect.signature() reads the signature at the top of the text, and the package gives the type its methods,
// outer() and the like.
#include "frontend/python/src/operand.h"

#include <structmember.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

#include "compiler/ir/ops/op.h"
#include "frontend/cpp/record/record.h"
#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

using ir::Op;

// What NumPy's elementwise functions take besides their operands.
struct Extras {
  PyObject* out = nullptr;
  PyObject* where = nullptr;
  PyObject* dtype = nullptr;
};

PyObject* call_by_rules = nullptr;                           // the package's, never freed
PyObject *picked_type = nullptr, *call_of_picked = nullptr;  // of weft/_array/picked_later.py, never freed

bool is_picked(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == picked_type; }

PyObject* of_picked(const char* op, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  const nb::object function = nb::module_::import_("weft._core").attr(op);
  const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  nb::list given;
  for (Py_ssize_t i = 0; i < count + named; ++i) given.append(nb::handle(args[i]));
  return nb::handle(call_of_picked)(function, given, named > 0).release().ptr();
}

// Whether the package sees to it: a keyword says how operands and results are converted, or the result goes
// to memory that is not Weft's.
bool asks_for_rules(PyObject* const* args, Py_ssize_t count, int arity, PyObject* keywords) {
  const auto elsewhere = [](PyObject* out) {
    if (PyTuple_Check(out) && PyTuple_GET_SIZE(out) == 1) out = PyTuple_GET_ITEM(out, 0);
    return out != Py_None && !is_array(out);
  };
  if (count == arity + 1 && elsewhere(args[arity])) return true;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, i);
    for (const char* rule : {"casting", "order", "subok", "signature", "sig"}) {
      if (PyUnicode_CompareWithASCIIString(keyword, rule) == 0) return true;
    }
    if (PyUnicode_CompareWithASCIIString(keyword, "out") == 0 && elsewhere(args[count + i])) return true;
  }
  return false;
}

PyObject* by_rules(const char* op, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  nb::list operands;
  for (Py_ssize_t i = 0; i < count; ++i) operands.append(nb::handle(args[i]));
  nb::dict options;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    options[nb::handle(PyTuple_GET_ITEM(keywords, i))] = nb::handle(args[count + i]);
  return nb::handle(call_by_rules)(op, operands, options).release().ptr();
}

// What is computed in Python: of operands that have rules of their own, and by keywords. Nothing where all is plain.
std::optional<PyObject*> by_others(const char* op, int arity, PyObject* const* args, Py_ssize_t count,
                                   PyObject* keywords) {
  if (std::any_of(args, args + arity, is_picked)) return of_picked(op, args, count, keywords);
  if (count == arity && !keywords && std::any_of(args, args + arity, is_given)) {
    nb::object number = of_given(op, args, count);
    if (!number.is(nb::handle(Py_NotImplemented))) return number.release().ptr();
  }
  if (asks_for_rules(args, count, arity, keywords)) return by_rules(op, args, count, keywords);
  return std::nullopt;
}

Extras parse_extras(const char* op, int arity, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  Extras extras;
  const auto given = [&](PyObject*& place, PyObject* value) { place = value == Py_None ? nullptr : value; };
  if (count > arity) given(extras.out, args[arity]);
  if (count > arity + 1) {
    throw TypeError(std::string(op) + ": takes " + std::to_string(arity) + " operands and out: got " +
                    std::to_string(count) + " positional arguments");
  }
  const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    const std::string name = nb::cast<std::string>(nb::str(nb::handle(PyTuple_GET_ITEM(keywords, i))));
    PyObject* value = args[count + i];
    if (name == "out") {
      if (count > arity) throw TypeError(std::string(op) + ": out is given twice");
      given(extras.out, value);
    } else if (name == "where") {
      extras.where = value == Py_True ? nullptr : value;
    } else if (name == "dtype") {
      given(extras.dtype, value);
    } else {
      throw TypeError(std::string(op) +
                      ": takes the keywords out, where, dtype, casting, order, subok and signature: got " +
                      name);
    }
  }
  if (extras.out && PyTuple_Check(extras.out) && PyTuple_GET_SIZE(extras.out) == 1) {
    extras.out = PyTuple_GET_ITEM(extras.out, 0);
  }
  if (extras.out && !is_array(extras.out)) {
    throw TypeError(std::string(op) + ": out must be a weft.Array: got " + Py_TYPE(extras.out)->tp_name);
  }
  return extras;
}

// The result, or `out` with it; 0 is left out without `out`, where NumPy has whatever its memory held.
PyObject* finish(const char* op, const Extras& extras, const Array& result) {
  if (!extras.out && !extras.where) return wrap(result);
  Argument mask;
  if (extras.where) parse_mask(mask, op, extras.where);
  if (!extras.out) {
    return wrap(where(mask.operand(), result, result.dtype() == DType::Bool ? Number(false) : Number(0)));
  }
  Array out = target(op, {array_of(extras.out), is_value(extras.out)});
  detail::check_same_kind(op, out.dtype(), result.dtype());
  if (!extras.where) {
    if (result.ndim() > out.ndim() || broadcast_shapes(op, result.shape(), out.shape()) != out.shape()) {
      throw Error(std::string(op) + ": out must have the result's shape " + to_string(result.shape()) +
                  ": got " + to_string(out.shape()));
    }
    out.assign(result);
  } else {
    // In the dtype of `out`: one that held both would change what the mask leaves alone.
    out.assign(where(mask.operand(), result.astype(out.dtype()), out));
  }
  return Py_NewRef(extras.out);
}

// Python's number of the operator that the op is; -1 for no comparison.
constexpr int comparison(Op op) {
  switch (op) {
    case Op::less:
      return Py_LT;
    case Op::less_equal:
      return Py_LE;
    case Op::equal:
      return Py_EQ;
    case Op::not_equal:
      return Py_NE;
    case Op::greater:
      return Py_GT;
    case Op::greater_equal:
      return Py_GE;
    default:
      return -1;
  }
}

// The exponents with 1 for those that the mask leaves out: integers are looked at, and these do not count.
Array picked_exponents(const char* op, const Extras& extras, const Array& exponents) {
  if (!extras.where || kind(exponents.dtype()) != DTypeKind::Signed) return exponents;
  Argument mask;
  parse_mask(mask, op, extras.where);
  return where(mask.operand(), exponents, Number(1));
}

// Where derivatives are wanted: 0 times an infinite one is NaN, so that what the mask leaves out is a number at which most
// functions have a finite one.
void take_inside(const char* op, const Extras& extras, std::span<Argument> given) {
  constexpr double kInside = 0.6180339887;  // in the domain of most functions, and no zero of them
  const auto derived = [](const Argument& x) { return x.array() && is_derived(*x.array()); };
  if (!extras.where || std::ranges::none_of(given, derived)) return;
  Argument mask;
  parse_mask(mask, op, extras.where);
  for (Argument& x : given) {
    if (!x.array() || !(is_float(x.array()->dtype()) || is_complex(x.array()->dtype()))) continue;
    x.take_array(where(mask.operand(), *x.array(), Number(kInside)));
  }
}

// Operands are converted to the dtype asked for as results are that are stored in place.
void check_input(const char* op, DType dtype, const Operand& x) {
  const DType given = x.array() ? x.array()->dtype() : detail::default_dtype(x.number());
  if (!x.array() && !x.number().is_typed()) {
    detail::weak_dtype(op, dtype, x.number());
    if (is_integer(given) && kind(dtype) == DTypeKind::Unsigned) return;
  }
  if (promote(given, dtype) == dtype) return;
  try {
    detail::check_same_kind(op, dtype, given);
  } catch (const TypeError&) {
    throw TypeError(std::string(op) + ": operands cannot be converted to " + std::string(name(dtype)) +
                    ": got " + std::string(name(given)));
  }
}

template <Op op, int arity>
PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  if (count == arity && !keywords) {
    std::array<PyObject*, arity> operands;
    std::copy_n(args, arity, operands.begin());
    if (const auto result = computed_now(op, operands)) return *result;
  }
  return guarded([&]() -> PyObject* {
    const char* const op_name = ir::info(op).name.data();
    if (count < arity) {
      throw TypeError(std::string(op_name) + ": takes " + std::to_string(arity) + " operands: got " +
                      std::to_string(count));
    }
    if (const auto result = by_others(op_name, arity, args, count, keywords)) return *result;
    if constexpr (comparison(op) >= 0) {
      const nb::object compared = nb::steal(compared_with_object(args[0], args[1], comparison(op)));
      if (!compared) throw nb::python_error();
      if (!compared.is(nb::handle(Py_NotImplemented))) {
        const Extras extras = parse_extras(op_name, arity, args, count, keywords);
        return finish(op_name, extras, array_of(compared.ptr()));
      }
    }
    Argument given[arity];
    for (int i = 0; i < arity; ++i) {
      if (arity == 2 && (PyLong_CheckExact(args[i]) || is_given(args[i]))) {
        given[i].parse_beside(args[i], args[1 - i], op);
      } else {
        parse_argument(given[i], op_name, args[i]);
      }
    }
    const PythonLine line;
    const auto apply = [&] {
      if constexpr (arity == 1) return detail::map(op, given[0].operand());
      if constexpr (arity == 2) return detail::map(op, given[0].operand(), given[1].operand());
      if constexpr (arity == 3)
        return detail::map(op, given[0].operand(), given[1].operand(), given[2].operand());
      if constexpr (arity == 4)
        return detail::map(op, given[0].operand(), given[1].operand(), given[2].operand(),
                           given[3].operand());
    };
    if (count == arity && !keywords) return wrap(apply());
    const Extras extras = parse_extras(op_name, arity, args, count, keywords);
    take_inside(op_name, extras, given);
    if (extras.dtype) {
      // As NumPy: computed in that dtype, which what tells truths has no choice of.
      const DType dtype = dtype_from(extras.dtype);
      if (dtype == DType::Bool) {
        const Array truths = apply();
        if (truths.dtype() == dtype) return finish(op_name, extras, truths);
      }
      Array converted[arity];
      for (int i = 0; i < arity; ++i) {
        check_input(op_name, dtype, given[i].operand());
        if (given[i].array()) {
          converted[i] = given[i].array()->astype(dtype);
        } else {
          converted[i] = scalar(given[i].number(), dtype);
        }
      }
      if constexpr (op == Op::pow) converted[1] = picked_exponents(op_name, extras, converted[1]);
      Array result;
      if constexpr (arity == 1) result = detail::map(op, converted[0]);
      if constexpr (arity == 2) result = detail::map(op, converted[0], converted[1]);
      if constexpr (arity == 3) result = detail::map(op, converted[0], converted[1], converted[2]);
      if constexpr (arity == 4)
        result = detail::map(op, converted[0], converted[1], converted[2], converted[3]);
      if (result.dtype() != dtype) {
        throw TypeError(std::string(op_name) + ": is not computed in " + std::string(name(dtype)) +
                        ": gives " + std::string(name(result.dtype())));
      }
      return finish(op_name, extras, result);
    }
    if constexpr (op == Op::pow) {
      if (given[1].array()) {
        const Array exponents = picked_exponents(op_name, extras, *given[1].array());
        return finish(op_name, extras, detail::map(op, given[0].operand(), exponents));
      }
    }
    return finish(op_name, extras, apply());
  });
}

constexpr const char* kKeywords =
    "/, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None";

std::string documentation(const ir::OpInfo& info, int arity) {
  std::string operands;
  for (int i = 1; i <= arity; ++i) operands += arity == 1 ? "x, " : "x" + std::to_string(i) + ", ";
  std::string text(info.doc);
  // The table speaks of x, y, z.
  return std::string(info.name) + "(" + operands + kKeywords + ")\n--\n\n" + text +
         (arity > 1 ? ".\n\nx and y are x1 and x2; shapes broadcast and dtypes promote." : ".");
}

struct Function {
  PyObject_HEAD vectorcallfunc call;
  const ir::OpInfo* info;
  std::string text;
  PyObject* help;  // what takes the place of the text's documentation, or null
  _PyCFunctionFastWithKeywords function;
};

Function& function_of(PyObject* self) { return *reinterpret_cast<Function*>(self); }

PyObject* call_function(PyObject* self, PyObject* const* args, size_t count, PyObject* keywords) {
  return function_of(self).function(nullptr, args, PyVectorcall_NARGS(count), keywords);
}

PyObject* text_of(const std::string_view text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* name_of(PyObject* self, void*) { return text_of(function_of(self).info->name); }
PyObject* module_of(PyObject*, void*) { return text_of("weft"); }
PyObject* doc_of(PyObject* self, void*) {
  if (function_of(self).help) return Py_NewRef(function_of(self).help);
  const std::string& text = function_of(self).text;
  return text_of(std::string_view(text).substr(text.find("\n\n") + 2));
}
int set_doc(PyObject* self, PyObject* text, void*) {
  Py_XINCREF(text);
  Py_XSETREF(function_of(self).help, text);
  return 0;
}
PyObject* signature_of(PyObject* self, void*) {
  const std::string& text = function_of(self).text;
  const size_t from = text.find('(');
  return text_of(std::string_view(text).substr(from, text.find("\n--") - from));
}
PyObject* operands_of(PyObject* self, void*) { return PyLong_FromLong(function_of(self).info->arity); }

PyObject* describe(PyObject* self) {
  const std::string name(function_of(self).info->name);
  return PyUnicode_FromFormat("<function %s of weft>", name.c_str());
}
// Not bound to what it is an attribute of, as C functions are not. inspect takes what has this for a
// function.
PyObject* get(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }
PyObject* reduce(PyObject* self, PyObject*) { return name_of(self, nullptr); }

PyTypeObject* make_function_type() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY, nullptr}, {}};
  static PyGetSetDef properties[] = {{"__name__", name_of, nullptr, nullptr, nullptr},
                                     {"__qualname__", name_of, nullptr, nullptr, nullptr},
                                     {"__module__", module_of, nullptr, nullptr, nullptr},
                                     {"__doc__", doc_of, set_doc, nullptr, nullptr},
                                     {"__text_signature__", signature_of, nullptr, nullptr, nullptr},
                                     {"nin", operands_of, nullptr, "How many operands it takes.", nullptr},
                                     {}};
  static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};
  const auto as_slot = [](auto* what) { return reinterpret_cast<void*>(what); };
  PyType_Slot slots[] = {{Py_tp_call, as_slot(PyVectorcall_Call)},
                         {Py_tp_repr, as_slot(describe)},
                         {Py_tp_descr_get, as_slot(get)},
                         {Py_tp_members, members},
                         {Py_tp_getset, properties},
                         {Py_tp_methods, methods},
                         {}};
  PyType_Spec spec = {"weft.Function", sizeof(Function), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

// Lives as long as the process.
void add(nb::module_& m, nb::list& names, PyTypeObject* type, Op op, int arity,
         _PyCFunctionFastWithKeywords function) {
  auto* object = PyObject_New(Function, type);
  if (!object) throw nb::python_error();
  object->call = call_function;
  object->info = &ir::info(op);
  object->function = function;
  object->help = nullptr;
  new (&object->text) std::string(documentation(*object->info, arity));
  m.attr(object->info->name.data()) = nb::steal(reinterpret_cast<PyObject*>(object));
  Py_INCREF(object);
  names.append(object->info->name.data());
}

}  // namespace

void bind_map_functions(nb::module_& m) {
  nb::list names;
  PyTypeObject* type = make_function_type();
  m.attr("Function") = nb::borrow(reinterpret_cast<PyObject*>(type));
#define WEFT_MAP1(name, ...) add(m, names, type, Op::name, 1, call<Op::name, 1>);
#define WEFT_MAP2(name, ...) add(m, names, type, Op::name, 2, call<Op::name, 2>);
#define WEFT_MAP3(name, ...) add(m, names, type, Op::name, 3, call<Op::name, 3>);
#define WEFT_MAP4(name, ...) add(m, names, type, Op::name, 4, call<Op::name, 4>);
#include "compiler/ir/ops/op_table.inc"
  m.attr("map_names") = nb::tuple(names);
  m.def(
      "convert_by_rules_with", [](nb::object function) { call_by_rules = function.release().ptr(); },
      nb::arg("function"),
      "Sets what elementwise functions call for keywords that say how operands and results are converted.");
  m.def(
      "compute_picked_with",
      [](nb::object picked, nb::object function) {
        picked_type = picked.release().ptr();
        call_of_picked = function.release().ptr();
      },
      nb::arg("picked"), nb::arg("function"),
      "Sets the type of what a mask picks while a function is recorded, and what computes elementwise "
      "functions of it.");
}

}  // namespace weft::python
