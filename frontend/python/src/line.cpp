#include "frontend/python/src/line.h"

#include <frameobject.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <unordered_map>

namespace weft::python {
namespace {

namespace nb = nanobind;

// A place in a code object, by the instruction that runs there.
struct Place {
  PyCodeObject* code = nullptr;  // held, so that no other code object gets its address
  int instruction = -1;
  bool inside = false;  // of the package
  ir::SourceLine line;
  const char* function = nullptr;  // "eval()"
};

constexpr size_t kPlaces = 1 << 13;
Place places[kPlaces];  // used with the interpreter's lock held
std::string* package_folder;

// What IPython calls the cell whose code it compiled under this name, "In[3]"; empty where it did not.
std::string name_of_cell(PyObject* file) {
  try {
    const nb::dict modules = nb::module_::import_("sys").attr("modules");
    if (!modules.contains("IPython")) return {};
    const nb::object shell = modules["IPython"].attr("get_ipython")();
    if (shell.is_none()) return {};
    const nb::object names = shell.attr("compile").attr("format_code_name")(nb::handle(file));
    return names.is_none() ? std::string() : nb::cast<std::string>(names[1]);
  } catch (const nb::python_error&) {  // another version of IPython
    return {};
  } catch (const nb::cast_error&) {
    return {};
  }
}

// File names live as long as the program.
const char* interned(PyObject* name) {
  static auto* const names = new std::unordered_map<std::string, std::string>;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) {
    PyErr_Clear();
    text = "<python>";
  }
  const auto [known, is_new] = names->try_emplace(text, text);
  if (is_new)
    if (std::string cell = name_of_cell(name); !cell.empty()) known->second = std::move(cell);
  return known->second.c_str();
}

// How users call the package's function: special methods by what calls them.
const char* interned_call(PyObject* name) {
  static auto* const calls = new std::unordered_map<std::string, std::string>{
      {"_array", "numpy()"}, {"_repr", "print or repr"}, {"_str", "print or str"}};
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) {
    PyErr_Clear();
    text = "";
  }
  const auto [known, is_new] = calls->try_emplace(text);
  if (is_new) known->second = std::string(text + std::strspn(text, "_")) + "()";
  return known->second.c_str();
}

#if PY_VERSION_HEX < 0x030B0000
int instruction_of(PyFrameObject* frame) { return frame->f_lasti; }
#else
int instruction_of(PyFrameObject* frame) { return PyFrame_GetLasti(frame); }
#endif

const Place& place_of(PyFrameObject* frame) {
  PyCodeObject* code = PyFrame_GetCode(frame);
  const int instruction = instruction_of(frame);
  const size_t mixed = (reinterpret_cast<uintptr_t>(code) >> 4) * 31 + static_cast<size_t>(instruction) / 2;
  Place& place = places[(mixed ^ mixed >> 13) % kPlaces];
  if (place.code == code && place.instruction == instruction) {
    Py_DECREF(code);
    return place;
  }
  PyCodeObject* old = place.code;
  place.code = code;
  place.instruction = instruction;
  place.line = {interned(code->co_filename), static_cast<uint32_t>(PyFrame_GetLineNumber(frame))};
  place.function = interned_call(code->co_name);
  place.inside =
      package_folder && std::strncmp(place.line.file, package_folder->c_str(), package_folder->size()) == 0;
  const Place& result = place;
  Py_XDECREF(old);
  return result;
}

LineScope scope_of(const ir::SourceLine& line) { return {line.file, line.line}; }

}  // namespace

namespace {

// The user's frame, and the package's function that it called; null where it called none of Python's.
struct Called {
  const Place* user = nullptr;
  const char* function = nullptr;
};

Called called_now(PyFrameObject* frame) {
  Called out{&place_of(frame), nullptr};
  if (!out.user->inside) return out;
  PyFrameObject* back = PyFrame_GetBack(frame);
  while (back) {
    out.function = out.user->function;
    out.user = &place_of(back);
    PyFrameObject* next = out.user->inside ? PyFrame_GetBack(back) : nullptr;
    Py_DECREF(back);
    back = next;
  }
  return out;
}

detail::Asked asked_for(const char* by) {
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return {by, {}};
  const Called called = called_now(frame);
  return {called.function ? called.function : by, called.user->line};
}

}  // namespace

ir::SourceLine python_line() {
  PyFrameObject* frame = PyEval_GetFrame();
  // The package's own Python calls: the frame outside of it is the user's.
  return frame ? called_now(frame).user->line : ir::SourceLine{"<python>", 0};
}

PythonLine::PythonLine() : scope_(scope_of(python_line())) {}
PythonAsked::PythonAsked(const char* by) : scope_(asked_for(by)) {}

void bind_lines(nb::module_& m) {
  m.def(
      "pass_over", [](const char* folder) { package_folder = new std::string(folder); }, nb::arg("folder"),
      "Takes lines of files in this folder for the package's own, never the user's.");
}

}  // namespace weft::python
