// Loops and choices, whose functions weft._derive.loops takes apart.
#include "frontend/cpp/weft/loops.h"

#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

std::vector<Array> each_of(nb::handle sequence) {
  std::vector<Array> arrays;
  for (const nb::handle one : sequence) arrays.push_back(nb::cast<Array>(one));
  return arrays;
}

nb::list listed(std::span<const Array> arrays) {
  nb::list list;
  for (const Array& x : arrays) list.append(nb::steal(wrap(x)));
  return list;
}

ArrayFunction body_of(const nb::object& f) {
  return [f](std::span<const Array> given) { return each_of(f(listed(given))); };
}

}  // namespace

void bind_loops(nb::module_& m) {
  m.def(
      "scan",
      [](const nb::object& f, const nb::list& init, const nb::list& xs, std::optional<int64_t> length,
         bool reverse) {
        const PythonLine line;
        const auto body = [&](std::span<const Array> carry, std::span<const Array> x) -> Scanned {
          const auto made = nb::cast<nb::tuple>(f(listed(carry), listed(x)));
          return {each_of(made[0]), each_of(made[1])};
        };
        const Scanned made = scan(body, each_of(init), each_of(xs), {length, reverse});
        return nb::make_tuple(listed(made.carry), listed(made.ys));
      },
      "f"_a, "init"_a, "xs"_a, "length"_a.none(), "reverse"_a);
  m.def(
      "while_loop",
      [](const nb::object& condition, const nb::object& body, const nb::list& init) {
        const PythonLine line;
        const auto again = [&](std::span<const Array> carry) {
          return nb::cast<Array>(condition(listed(carry)));
        };
        return listed(while_loop(again, body_of(body), each_of(init)));
      },
      "condition"_a, "body"_a, "init"_a);
  m.def(
      "fori_loop",
      [](const nb::object& lower, const nb::object& upper, const nb::object& body, const nb::list& init) {
        const PythonLine line;
        const auto turn = [&](const Array& i, std::span<const Array> carry) {
          return each_of(body(nb::steal(wrap(i)), listed(carry)));
        };
        const std::vector<Array> carried = each_of(init);
        int64_t first = 0, last = 0;
        if (nb::try_cast(lower, first) && nb::try_cast(upper, last))
          return listed(fori_loop(first, last, turn, carried));
        return listed(fori_loop(nb::cast<Array>(lower), nb::cast<Array>(upper), turn, carried));
      },
      "lower"_a, "upper"_a, "body"_a, "init"_a, "The bounds are two integers, or two arrays.");
  m.def(
      "cond",
      [](const Array& predicate, const nb::object& if_true, const nb::object& if_false,
         const nb::list& operands) {
        const PythonLine line;
        return listed(cond(predicate, body_of(if_true), body_of(if_false), each_of(operands)));
      },
      "predicate"_a, "if_true"_a, "if_false"_a, "operands"_a);
  m.def(
      "switch",
      [](const Array& index, const nb::list& branches, const nb::list& operands) {
        const PythonLine line;
        std::vector<ArrayFunction> functions;
        functions.reserve(branches.size());
        for (const nb::handle one : branches) functions.push_back(body_of(nb::borrow(one)));
        return listed(switch_to(index, functions, each_of(operands)));
      },
      "index"_a, "branches"_a, "operands"_a);
}

}  // namespace weft::python
