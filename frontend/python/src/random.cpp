// Random numbers as functions of keys; weft.random has the names.
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

Make make(const std::optional<DType>& dtype, const std::string& device) {
  Make m;
  m.dtype = dtype;
  m.device = device;
  return m;
}

}  // namespace

void bind_random(nb::module_& m) {
  nb::module_ r = m.def_submodule("random");
  using MaybeDType = std::optional<DType>;
  r.def(
      "key",
      [](uint64_t seed, const std::string& device) {
        const PythonLine line;
        return random::key(seed, make({}, device));
      },
      "seed"_a, "device"_a);
  r.def(
      "split",
      [](const Argument& key, int64_t count) {
        const PythonLine line;
        return random::split(key.operand("split"), count);
      },
      "key"_a, "count"_a);
  r.def(
      "fold_in",
      [](const Argument& key, const Argument& data) {
        const PythonLine line;
        return random::fold_in(key.operand("fold_in"), data.operand("fold_in"));
      },
      "key"_a, "data"_a);
  const auto add = [&](const char* name, Array (*f)(const Operand&, const Shape&, const Make&)) {
    r.def(
        name,
        [f, name](const Argument& key, const Integers& shape, const MaybeDType& dtype,
                  const std::string& device) {
          const PythonLine line;
          return f(key.operand(name), shape.all(name, "a shape"), make(dtype, device));
        },
        "key"_a, "shape"_a, "dtype"_a.none(), "device"_a);
  };
  add("bits", random::bits);
  add("uniform", random::uniform);
  add("normal", random::normal);
  add("exponential", random::exponential);
  r.def(
      "integers",
      [](const Argument& key, const Integers& shape, const Number& low, const Number& high,
         const MaybeDType& dtype, const std::string& device) {
        const PythonLine line;
        return random::integers(key.operand("integers"), shape.all("integers", "a shape"), low, high,
                                make(dtype, device));
      },
      "key"_a, "shape"_a, "low"_a, "high"_a, "dtype"_a.none(), "device"_a);
}

}  // namespace weft::python
