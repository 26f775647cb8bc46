#include "frontend/cpp/weft/compiled.h"

#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

void bind_compiled(nb::module_& m) {
  nb::class_<Compiled>(m, "Compiled")
      .def(
          "__init__",
          [](Compiled* self, const std::vector<Array>& arguments, const nb::object& f) {
            const PythonLine line;
            new (self) Compiled(arguments, [&](std::span<const Array> places) {
              nb::list given;
              for (const Array& place : places) given.append(place);
              return nb::cast<std::vector<Array>>(f(given));
            });
          },
          "arguments"_a, "f"_a)
      .def("takes",
           [](const Compiled& self, const std::vector<Array>& arguments) { return self.takes(arguments); })
      .def("__call__",
           [](const Compiled& self, const std::vector<Array>& arguments) { return self(arguments); });
}

}  // namespace weft::python
