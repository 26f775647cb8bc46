// Random numbers as functions of keys; weft.random has the names.
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

using MaybeDType = std::optional<DType>;

Make make(const std::optional<DType>& dtype, const std::string& device) {
  Make m;
  m.dtype = dtype;
  m.device = device;
  return m;
}

// The size of a draw; None where the parameters' arrays give it.
random::Size size_of(const char* name, const Integers& size) {
  return size.is_none() ? random::Size() : random::Size(size.all(name, "a shape"));
}

void bind_keys(nb::module_& r) {
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
}

void bind_draws_of_a_shape(nb::module_& r) {
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
  add("standard_cauchy", random::standard_cauchy);
}

// Parameters, as many as the distribution has, then the size.
void bind_distributions(nb::module_& r) {
#define WEFT_BIND1(name, x)                                                                               \
  r.def(                                                                                                  \
      #name,                                                                                              \
      [](const Argument& key, const Argument& a, const Integers& size, const MaybeDType& dtype) {         \
        const PythonLine line;                                                                            \
        return random::name(key.operand(#name), a.operand(#name), size_of(#name, size), make(dtype, "")); \
      },                                                                                                  \
      "key"_a, #x##_a, "size"_a.none(), "dtype"_a.none() = nb::none());
#define WEFT_BIND2(name, x, y)                                                                            \
  r.def(                                                                                                  \
      #name,                                                                                              \
      [](const Argument& key, const Argument& a, const Argument& b, const Integers& size,                 \
         const MaybeDType& dtype) {                                                                       \
        const PythonLine line;                                                                            \
        return random::name(key.operand(#name), a.operand(#name), b.operand(#name), size_of(#name, size), \
                            make(dtype, ""));                                                             \
      },                                                                                                  \
      "key"_a, #x##_a, #y##_a, "size"_a.none(), "dtype"_a.none() = nb::none());
#define WEFT_BIND3(name, x, y, z)                                                                            \
  r.def(                                                                                                     \
      #name,                                                                                                 \
      [](const Argument& key, const Argument& a, const Argument& b, const Argument& c, const Integers& size, \
         const MaybeDType& dtype) {                                                                          \
        const PythonLine line;                                                                               \
        return random::name(key.operand(#name), a.operand(#name), b.operand(#name), c.operand(#name),        \
                            size_of(#name, size), make(dtype, ""));                                          \
      },                                                                                                     \
      "key"_a, #x##_a, #y##_a, #z##_a, "size"_a.none(), "dtype"_a.none() = nb::none());
  WEFT_DISTRIBUTIONS(WEFT_BIND1, WEFT_BIND2, WEFT_BIND3)
}

void bind_draws_of_arrays(nb::module_& r) {
  r.def(
      "bernoulli",
      [](const Argument& key, const Argument& p, const Integers& size) {
        const PythonLine line;
        return random::bernoulli(key.operand("bernoulli"), p.operand("bernoulli"),
                                 size_of("bernoulli", size));
      },
      "key"_a, "p"_a, "size"_a.none());
  r.def(
      "dirichlet",
      [](const Argument& key, const Argument& alpha, const Integers& size) {
        const PythonLine line;
        return random::dirichlet(key.operand("dirichlet"), alpha.operand("dirichlet"),
                                 size.all("dirichlet", "a shape"));
      },
      "key"_a, "alpha"_a, "size"_a);
  r.def(
      "multinomial",
      [](const Argument& key, const Argument& n, const std::vector<double>& pvals, const Integers& size) {
        const PythonLine line;
        return random::multinomial(key.operand("multinomial"), n.operand("multinomial"), pvals,
                                   size_of("multinomial", size));
      },
      "key"_a, "n"_a, "pvals"_a, "size"_a.none());
  r.def(
      "multivariate_hypergeometric",
      [](const Argument& key, const std::vector<int64_t>& colors, const Argument& nsample,
         const Integers& size) {
        const char* const op = "multivariate_hypergeometric";
        const PythonLine line;
        return random::multivariate_hypergeometric(key.operand(op), colors, nsample.operand(op),
                                                   size_of(op, size));
      },
      "key"_a, "colors"_a, "nsample"_a, "size"_a.none());
}

void bind_picking(nb::module_& r) {
  r.def(
      "permutation",
      [](const Argument& key, int64_t count, const std::string& device) {
        const PythonLine line;
        return random::permutation(key.operand("permutation"), count, make({}, device));
      },
      "key"_a, "count"_a, "device"_a);
  r.def(
      "choice",
      [](const Argument& key, int64_t count, const Integers& shape, bool replace,
         const std::optional<Array>& p, const std::string& device) {
        const PythonLine line;
        return random::choice(key.operand("choice"), count, shape.all("choice", "a shape"), {replace, p},
                              make({}, device));
      },
      "key"_a, "count"_a, "shape"_a, "replace"_a, "p"_a.none(), "device"_a);
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

}  // namespace

void bind_random(nb::module_& m) {
  nb::module_ r = m.def_submodule("random");
  bind_keys(r);
  bind_draws_of_a_shape(r);
  bind_distributions(r);
  bind_draws_of_arrays(r);
  bind_picking(r);
}

}  // namespace weft::python
