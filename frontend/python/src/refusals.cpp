#include "frontend/python/src/refusals.h"

#include "frontend/python/src/errors.h"

#include <array>
#include <string>
#include <string_view>

namespace nb = nanobind;

namespace weft::python {
namespace {

constexpr std::string_view kMark = "(): incompatible function arguments.";

std::string type_name(PyObject* object) {
  return Py_IsNone(object) ? "None" : nb::cast<std::string>(nb::handle(Py_TYPE(object)).attr("__name__"));
}

void remove_all(std::string& text, std::string_view what) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

// `    1. name(x: …, y: …) -> …` for each overload: what stands in the parentheses, joined.
std::string signatures(const std::string& text, const std::string& name) {
  std::string out;
  for (size_t at = text.find(". " + name + "("); at != std::string::npos;
       at = text.find(". " + name + "(", at + 1)) {
    const size_t open = at + 2 + name.size(), line = std::min(text.find('\n', at), text.size());
    const size_t arrow = text.rfind(") ->", line);
    if (arrow == std::string::npos || arrow < open) continue;
    std::string one = text.substr(open, arrow + 1 - open);
    if (one.starts_with("(self, ")) one.erase(1, 6);
    if (one == "(self)") one = "()";
    (out += out.empty() ? "" : " or ") += one;
  }
  remove_all(out, "weft._core.");
  remove_all(out, "weft.");
  return out;
}

// Null: every integer fits in 64 bits, with or without a sign.
PyObject* too_large(PyObject* const* args, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!PyLong_Check(args[i])) continue;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(args[i], &overflow);
    if (value == -1 && overflow == 0) PyErr_Clear();
    if (overflow < 0) return args[i];
    if (overflow > 0 && PyLong_AsUnsignedLongLong(args[i]) == ~0ULL && PyErr_Occurred()) {
      PyErr_Clear();
      return args[i];
    }
  }
  return nullptr;
}

void reword(PyObject* function, PyObject* const* args, size_t count, PyObject* keywords) {
  nb::python_error error;
  if (set_error_before_refusal()) return;
  const std::string text = nb::cast<std::string>(nb::str(error.value()));
  const size_t mark = text.find(kMark);
  if (mark == std::string::npos || text.find('\n') < mark) return error.restore();
  const std::string name = text.substr(0, mark);
  const bool method = std::string_view(Py_TYPE(function)->tp_name).ends_with("nb_method");
  const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  if (PyObject* integer = too_large(args, count + static_cast<size_t>(named))) {
    const std::string got = nb::cast<std::string>(nb::str(nb::handle(integer)));
    PyErr_SetString(PyExc_OverflowError, (name + ": takes integers of at most 64 bits: got " + got).c_str());
    return;
  }
  std::string got;
  const auto add = [&](const std::string& one) { (got += got.empty() ? "" : ", ") += one; };
  for (size_t i = method ? 1 : 0; i < count; ++i) add(type_name(args[i]));
  for (Py_ssize_t i = 0; i < named; ++i) {
    add(nb::cast<std::string>(nb::handle(PyTuple_GET_ITEM(keywords, i))) + "=" +
        type_name(args[count + static_cast<size_t>(i)]));
  }
  PyErr_SetString(PyExc_TypeError,
                  (name + ": takes " + signatures(text, name) + ": got (" + got + ")").c_str());
}

// nanobind calls a function in one of a few ways, by how many arguments it has; each gets a way around it.
constexpr size_t kWays = 8;
std::array<vectorcallfunc, kWays> ways = {};

template <size_t way>
PyObject* call(PyObject* function, PyObject* const* args, size_t count, PyObject* keywords) {
  PyObject* result = ways[way](function, args, count, keywords);
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) {
    reword(function, args, static_cast<size_t>(PyVectorcall_NARGS(count)), keywords);
  }
  return result;
}

template <size_t... way>
constexpr std::array<vectorcallfunc, kWays> around(std::index_sequence<way...>) {
  return {call<way>...};
}
constexpr std::array<vectorcallfunc, kWays> kAround = around(std::make_index_sequence<kWays>());

void word(PyObject* function) {
  auto& own = *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) +
                                                 Py_TYPE(function)->tp_vectorcall_offset);
  for (size_t way = 0; way < kWays; ++way) {
    if (own == kAround[way]) return;
    if (ways[way] && ways[way] != own) continue;
    ways[way] = own;
    own = kAround[way];
    return;
  }
}

void word_all(nb::handle names) {
  for (nb::handle value : names.attr("values")()) {
    const std::string_view type = Py_TYPE(value.ptr())->tp_name;
    if (type.ends_with("nb_func") || type.ends_with("nb_method")) word(value.ptr());
    if (PyModule_Check(value.ptr()) || PyType_Check(value.ptr())) {
      const auto owner =
          nb::getattr(value, PyModule_Check(value.ptr()) ? "__name__" : "__module__", nb::str(""));
      if (nb::cast<std::string>(nb::str(owner)).starts_with("weft")) word_all(value.attr("__dict__"));
    }
  }
}

}  // namespace

void word_refusals(nb::module_& m) { word_all(m.attr("__dict__")); }

}  // namespace weft::python
