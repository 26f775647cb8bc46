#include "frontend/python/src/line.h"

#include <frameobject.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <string>
#include <unordered_map>

#include "compiler/base/error.h"
#include "frontend/cpp/session/env.h"

namespace weft::python {
namespace {

namespace nb = nanobind;

// A place in a code object, by the instruction that runs there.
struct Place {
  PyCodeObject* code = nullptr;  // held, so that no other code object gets its address
  int instruction = -1;
  bool inside = false;   // of the package
  bool library = false;  // of another one, or of Python's own
  ir::SourceLine line;
  const char* function = nullptr;  // "eval()"
};

constexpr size_t kPlaces = 1 << 13;
Place places[kPlaces];  // used with the interpreter's lock held
std::string *package_folder, *python_folder;
bool callers_are_noted = false;  // used with the interpreter's lock held

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

bool is_of_library(const char* file) {
  return std::strstr(file, "/site-packages/") || std::strstr(file, "/dist-packages/") ||
         std::strncmp(file, "<frozen ", std::strlen("<frozen ")) == 0 ||
         (python_folder && std::strncmp(file, python_folder->c_str(), python_folder->size()) == 0);
}

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
  place.library = is_of_library(place.line.file);
  const Place& result = place;
  Py_XDECREF(old);
  return result;
}

LineScope scope_of(const ir::SourceLine& line) { return {line.file, line.line, line.callers}; }

}  // namespace

namespace {

// The user's line, and the package's function that it called; null where it called none of Python's.
struct Called {
  ir::SourceLine line;
  const char* function = nullptr;
};

// The number of the lines that called the frame's function: up to the package, which calls what it compiles, and to
// where a library calls the user's code, as a notebook does.
uint32_t callers_of_frame(PyFrameObject* frame, bool is_users) {
  constexpr size_t kMost = 4;
  std::array<ir::SourceLine, kMost> lines;
  size_t count = 0;
  PyFrameObject* back = PyFrame_GetBack(frame);
  while (back) {
    const Place& place = place_of(back);
    const bool ends = place.inside || (is_users && place.library) || count == kMost;
    if (!ends) lines[count++] = place.line;
    is_users |= !place.library;
    PyFrameObject* next = ends ? nullptr : PyFrame_GetBack(back);
    Py_DECREF(back);
    back = next;
  }
  uint32_t callers = 0;
  while (count > 0) {
    lines[--count].callers = callers;
    callers = number_of_caller(lines[count]);
  }
  return callers;
}

ir::SourceLine line_of(PyFrameObject* frame, const Place& place) {
  if (!callers_are_noted) return place.line;
  ir::SourceLine line = place.line;  // the place may give its room to another
  line.callers = callers_of_frame(frame, !place.library);
  return line;
}

Called called_now(PyFrameObject* frame) {
  const Place* user = &place_of(frame);
  if (!user->inside) return {line_of(frame, *user), nullptr};
  const char* function = nullptr;
  PyFrameObject* back = PyFrame_GetBack(frame);
  if (!back) return {user->line, nullptr};
  for (;;) {
    function = user->function;
    user = &place_of(back);
    PyFrameObject* next = user->inside ? PyFrame_GetBack(back) : nullptr;
    if (!next) break;
    Py_DECREF(back);
    back = next;
  }
  const Called out{line_of(back, *user), function};
  Py_DECREF(back);
  return out;
}

detail::Asked asked_for(const char* by) {
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return {by, {}};
  const Called called = called_now(frame);
  return {called.function ? called.function : by, called.line};
}

}  // namespace

ir::SourceLine python_line() {
  PyFrameObject* frame = PyEval_GetFrame();
  // The package's own Python calls: the frame outside of it is the user's.
  return frame ? called_now(frame).line : ir::SourceLine{"<python>", 0};
}

PythonLine::PythonLine() : scope_(scope_of(python_line())) {}
PythonAsked::PythonAsked(const char* by) : scope_(asked_for(by)) {}

void note_callers(bool note) { callers_are_noted = note; }
bool notes_callers() { return callers_are_noted; }

void bind_lines(nb::module_& m) {
  try {
    note_callers(detail::notes_callers());
  } catch (const Error&) {  // the package warns of a value that means nothing
    note_callers(false);
  }
  m.def(
      "pass_over",
      [](const char* folder, const char* python) {
        package_folder = new std::string(folder);
        python_folder = new std::string(python);
      },
      nb::arg("folder"), nb::arg("python"),
      "Takes lines of files in the first folder for the package's own, never the user's, and of those in the "
      "other for Python's.");
  m.def("callers", &notes_callers);
  m.def("set_callers", &note_callers, nb::arg("note"));
}

}  // namespace weft::python
