// The elementwise functions, one for each map of the op table, with their signatures and documentation from
// it. They are plain C functions: calling one costs little, and inspect.signature() reads the signature at
// the top of its text.
#include <cctype>
#include <list>
#include <string>

#include "compiler/ir/op.h"
#include "frontend/cpp/record.h"
#include "frontend/python/src/dtypes.h"
#include "frontend/python/src/errors.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/operand.h"

namespace weft::python {
namespace {

using ir::Op;

// What NumPy's elementwise functions take besides their operands.
struct Extras {
  PyObject* out = nullptr;
  PyObject* where = nullptr;
  PyObject* dtype = nullptr;
};

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
      given(extras.out, value);
    } else if (name == "where") {
      given(extras.where, value == Py_True ? Py_None : value);
    } else if (name == "dtype") {
      given(extras.dtype, value);
    } else {
      throw TypeError(std::string(op) + ": takes the keywords out, where and dtype: got " + name);
    }
  }
  if (extras.out && PyTuple_Check(extras.out) && PyTuple_GET_SIZE(extras.out) == 1) {
    extras.out = PyTuple_GET_ITEM(extras.out, 0);
  }
  if (extras.out && !is_array(extras.out)) {
    throw TypeError(std::string(op) + ": out must be a weft.Array: got " + Py_TYPE(extras.out)->tp_name);
  }
  if (extras.where && !extras.out) {
    throw TypeError(std::string(op) + ": where needs out, which holds the elements that are left out");
  }
  return extras;
}

PyObject* store(const char* op, const Extras& extras, const Array& result) {
  Array& out = array_of(extras.out);
  if (!extras.where) {
    if (result.ndim() > out.ndim() || broadcast_shapes(op, result.shape(), out.shape()) != out.shape()) {
      throw Error(std::string(op) + ": out must have the result's shape " + to_string(result.shape()) +
                  ": got " + to_string(out.shape()));
    }
    out.assign(result);
  } else {
    Argument mask;
    parse_argument(mask, op, extras.where);
    out.assign(where(mask.operand(), result, out));
  }
  return Py_NewRef(extras.out);
}

template <Op op, int arity>
PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const char* const op_name = ir::info(op).name.data();
    if (count < arity) {
      throw TypeError(std::string(op_name) + ": takes " + std::to_string(arity) + " operands: got " +
                      std::to_string(count));
    }
    Argument given[arity];
    for (int i = 0; i < arity; ++i) parse_argument(given[i], op_name, args[i]);
    const PythonLine line;
    const auto apply = [&] {
      if constexpr (arity == 1) return detail::map(op, given[0].operand());
      if constexpr (arity == 2) return detail::map(op, given[0].operand(), given[1].operand());
      if constexpr (arity == 3)
        return detail::map(op, given[0].operand(), given[1].operand(), given[2].operand());
    };
    if (count == arity && !keywords) return wrap(apply());
    const Extras extras = parse_extras(op_name, arity, args, count, keywords);
    if (extras.dtype) {
      // As NumPy: computed in that dtype.
      const DType dtype = dtype_from(extras.dtype);
      Array converted[arity];
      for (int i = 0; i < arity; ++i) {
        if (given[i].array()) {
          converted[i] = given[i].array()->astype(dtype);
        } else {
          converted[i] = scalar(given[i].number(), dtype);
        }
      }
      Array result;
      if constexpr (arity == 1) result = detail::map(op, converted[0]);
      if constexpr (arity == 2) result = detail::map(op, converted[0], converted[1]);
      if constexpr (arity == 3) result = detail::map(op, converted[0], converted[1], converted[2]);
      return extras.out ? store(op_name, extras, result) : wrap(std::move(result));
    }
    const Array result = apply();
    return extras.out ? store(op_name, extras, result) : wrap(result);
  });
}

std::string documentation(const ir::OpInfo& info, int arity) {
  std::string operands;
  for (int i = 1; i <= arity; ++i) operands += arity == 1 ? "x, " : "x" + std::to_string(i) + ", ";
  std::string text(info.doc);
  // The table speaks of x, y, z.
  return std::string(info.name) + "(" + operands + "/, out=None, *, where=True, dtype=None)\n--\n\n" + text +
         (arity > 1 ? ".\n\nx and y are x1 and x2; shapes broadcast and dtypes promote." : ".");
}

void add(nb::module_& m, nb::list& names, Op op, int arity, _PyCFunctionFastWithKeywords function) {
  static auto* const texts = new std::list<std::string>;
  static auto* const definitions = new std::list<PyMethodDef>;
  const ir::OpInfo& info = ir::info(op);
  texts->push_back(documentation(info, arity));
  definitions->push_back({info.name.data(),
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
                          METH_FASTCALL | METH_KEYWORDS, texts->back().c_str()});
  static PyObject* const module_name = PyUnicode_InternFromString("weft");
  PyObject* made = PyCFunction_NewEx(&definitions->back(), nullptr, module_name);
  if (!made) throw nb::python_error();
  m.attr(info.name.data()) = nb::steal(made);
  names.append(info.name.data());
}

}  // namespace

void bind_map_functions(nb::module_& m) {
  nb::list names;
#define WEFT_MAP1(name, ...) add(m, names, Op::name, 1, call<Op::name, 1>);
#define WEFT_MAP2(name, ...) add(m, names, Op::name, 2, call<Op::name, 2>);
#define WEFT_MAP3(name, ...) add(m, names, Op::name, 3, call<Op::name, 3>);
#include "compiler/ir/op_table.inc"
  m.attr("map_names") = nb::tuple(names);
}

}  // namespace weft::python
