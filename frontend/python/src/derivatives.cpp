// Derivations, which weft._derive makes grad() and its kin of.
#include "frontend/cpp/weft/derivatives.h"

#include <algorithm>

#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/derivatives/look.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

// None stands for zeros.
std::vector<Array> arrays_of(nb::handle sequence) {
  std::vector<Array> arrays;
  for (const nb::handle one : sequence) arrays.push_back(one.is_none() ? Array() : nb::cast<Array>(one));
  return arrays;
}

nb::list list_of(std::span<const Array> arrays) {
  nb::list list;
  for (const Array& x : arrays) list.append(x.has_value() ? nb::steal(wrap(x)) : nb::none());
  return list;
}

CustomDerivative::Map map_of(const nb::object& f) {
  if (f.is_none()) return {};
  return [f](std::span<const Array> given) { return arrays_of(f(list_of(given))); };
}

std::vector<ir::NodeRef> nodes_of(const nb::list& arrays) {
  std::vector<ir::NodeRef> all;
  all.reserve(arrays.size());
  for (const Array& x : arrays_of(arrays)) all.push_back(detail::read(x, {}));
  return all;
}

// Whether derivatives of the values are wanted by another way than through the inputs.
bool derived_besides(const nb::list& values, const nb::list& inputs) {
  return detail::has_past_besides(nodes_of(values), nodes_of(inputs));
}

}  // namespace

void bind_derivatives(nb::module_& m) {
  nb::class_<Derivation>(m, "Derivation")
      .def(nb::init<>())
      .def(
          "leaf", [](Derivation& self, const Valued& x) { return Valued{self.leaf(x.array), x.is_value}; },
          "x"_a)
      .def(
          "finish", [](Derivation& self, const nb::list& outputs) { self.finish(arrays_of(outputs)); },
          "outputs"_a)
      .def("abandon", &Derivation::abandon)
      .def("has_customs", &Derivation::has_customs)
      .def(
          "vjp",
          [](const Derivation& self, const nb::list& cotangents) {
            return list_of(self.vjp(arrays_of(cotangents)));
          },
          "cotangents"_a)
      .def(
          "jvp",
          [](const Derivation& self, const nb::list& tangents) {
            return list_of(self.jvp(arrays_of(tangents)));
          },
          "tangents"_a);
  m.def("derives", [] { return detail::keeps_past(); }, "Whether this thread derives a function.");
  def(m, "is_derived", [](const Array& x) { return is_derived(x); }, "x"_a);
  m.def("derived_besides", derived_besides, "values"_a, "inputs"_a);
  def(m, "forgotten", [](const Array& x) { return detail::forgotten(x); }, "x"_a);
  def(m, "stop_gradient", [](const Array& x) { return stop_gradient(x); }, "x"_a);
  def(m, "gradient_seed", [](const Array& loss) { return detail::seed_of(loss); }, "loss"_a);
  m.def(
      "show_elements", [] { detail::innermost_derivation()->shows_elements = true; },
      "From now on one element may be looked at of what is derived by the innermost derivation alone.");
  m.def(
      "become",
      [](nb::handle x, const Array& leaf) {
        ir::NodeRef value = detail::Access::cell(leaf)->memory();
        detail::Access::cell(array_of(x.ptr()))->modify(detail::kInMemory, [&](const ir::NodeRef&) {
          return value;
        });
      },
      "x"_a, "leaf"_a, "The array x, and all its views, has the leaf's value, and is that leaf.");
  m.def(
      "is_leaf",
      [](nb::handle x) {
        const detail::Past* past = detail::innermost_derivation();
        if (!past) return false;
        const ir::NodeRef value = detail::Access::cell(array_of(x.ptr()))->memory();
        return std::find(past->leaves.begin(), past->leaves.end(), value) != past->leaves.end();
      },
      "x"_a, "Whether the innermost derivation derives by the array as it is now.");
  m.def(
      "is_view",
      [](nb::handle x) {
        const Array& array = array_of(x.ptr());
        const detail::Ref<const detail::View>& view = detail::Access::view(array);
        return view && view->type != detail::Access::cell(array)->type;
      },
      "x"_a, "Whether the array shows another one, or a part of one.");
  nb::class_<detail::NoDerivatives>(m, "NoDerivatives").def(nb::init<>());
  m.def(
      "vmap",
      [](const nb::object& f, const nb::list& arguments, const std::vector<std::optional<int64_t>>& axes) {
        const PythonLine line;
        const std::vector<Array> given = arrays_of(arguments);
        return list_of(
            vmap([&](std::span<const Array> parts) { return arrays_of(f(list_of(parts))); }, given, axes));
      },
      "f"_a, "arguments"_a, "axes"_a);
  m.def(
      "with_derivative",
      [](const nb::list& outputs, const nb::list& inputs, const std::string& name, const nb::object& back,
         const nb::object& forward) {
        const std::vector<Array> of = arrays_of(outputs), by = arrays_of(inputs);
        return list_of(with_derivative(of, by, {name, map_of(back), map_of(forward)}));
      },
      "outputs"_a, "inputs"_a, "name"_a, "vjp"_a.none(), "jvp"_a.none());
}

}  // namespace weft::python
