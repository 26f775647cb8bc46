// Derivatives of functions of arrays: whatever a function does with its arguments, writes through views and
// in place included. It is called as it stands; it gets copies of what is derived by, so its writes to them
// stay inside.
//
//   auto slope = weft::grad([](const Array& x) { return sum(sin(x)); });
//   Array cosine = slope(x);
//
// There is no backward() of arrays: a Derivation is the tape, and its scope says what is remembered.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

// Remembers what this thread computes, until finish() or its end. They nest, and end in reverse order.
class Derivation {
 public:
  Derivation();
  ~Derivation();
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;

  // The array as something to derive by. TypeError unless its dtype is of floats or complex numbers.
  Array leaf(const Array& x);
  // These are what is derived; nothing is remembered any more.
  void finish(std::span<const Array> outputs);
  // Nothing is remembered any more, and nothing is derived; for who cannot wait for the end.
  void abandon();
  // The leaves' cotangents for those of the outputs; after finish(). An array without a value stands for
  // zeros.
  std::vector<Array> vjp(std::span<const Array> cotangents) const;
  // The outputs' tangents for those of the leaves; no value for an output of integers.
  std::vector<Array> jvp(std::span<const Array> tangents) const;
  // Whether there are derivatives that somebody gave, as with_derivative() takes them, which may look at values.
  bool has_customs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Whether the array has derivatives by what this thread derives by.
bool is_derived(const Array& x);
// The same values, which have no derivatives.
Array stop_gradient(const Array& x);

// What a function's derivatives are, whatever it computed. Cotangents and tangents are of the types of their
// values; none has a value where it is zero.
struct CustomDerivative {
  using Map = std::function<std::vector<Array>(std::span<const Array>)>;
  std::string name;
  Map vjp;  // the inputs' cotangents of the outputs'
  Map jvp;  // the outputs' tangents of the inputs'; may be empty, as may vjp
};
// The outputs, with these derivatives by the inputs and no others.
std::vector<Array> with_derivative(std::span<const Array> outputs, std::span<const Array> inputs,
                                   CustomDerivative derivative);

namespace detail {

// One, of the loss's type. Error unless it is one real number of a float dtype.
Array seed_of(const Array& loss);

template <size_t... Wrt>
struct Chosen {
  static constexpr size_t kCount = sizeof...(Wrt);
  static constexpr std::array<size_t, kCount> kPlaces{Wrt...};
};
template <>
struct Chosen<> : Chosen<0> {};

template <class C, class F, class... Args>
auto value_and_grad_of(const F& f, const Args&... args) {
  std::array<Array, sizeof...(Args)> given{args...};
  Derivation derivation;
  for (const size_t place : C::kPlaces) given.at(place) = derivation.leaf(given.at(place));
  const Array value = std::apply(f, given);
  derivation.finish({&value, 1});
  const Array seed = seed_of(value);
  std::vector<Array> found = derivation.vjp({&seed, 1});
  std::array<Array, C::kCount> grads;
  std::move(found.begin(), found.end(), grads.begin());
  return std::pair(value, std::move(grads));
}

}  // namespace detail

// A function that gives f's value and its gradient by the arguments at these places, the first unless told:
// an array, or an array of them for several places. f gives one real number.
template <size_t... Wrt, class F>
auto value_and_grad(F f) {
  return [f = std::move(f)](const auto&... args) {
    auto [value, grads] = detail::value_and_grad_of<detail::Chosen<Wrt...>>(f, Array(args)...);
    if constexpr (sizeof...(Wrt) < 2)
      return std::pair(value, std::move(grads[0]));
    else
      return std::pair(value, std::move(grads));
  };
}
// The gradient alone.
template <size_t... Wrt, class F>
auto grad(F f) {
  return [both = value_and_grad<Wrt...>(std::move(f))](const auto&... args) { return both(args...).second; };
}

using ArrayFunction = std::function<std::vector<Array>(std::span<const Array>)>;

struct Pullback {
  std::vector<Array> values;
  ArrayFunction vjp;  // the arguments' cotangents of the values'
};
// f's values, and what takes cotangents back.
Pullback vjp(const ArrayFunction& f, std::span<const Array> arguments);
// f's values and their tangents.
std::pair<std::vector<Array>, std::vector<Array>> jvp(const ArrayFunction& f,
                                                      std::span<const Array> arguments,
                                                      std::span<const Array> tangents);

}  // namespace weft
