// Elements in random order and draws from among them, as functions of a key (random.h): what NumPy's
// Generator has as permutation, shuffle and choice. Orders and draws by probability are found on the host
// when they are asked for; taking the elements is recorded like every other operation.
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/cpp/weft/create.h"

namespace weft::random {

// 0 … count - 1 in random order, as i64. Error when count is negative.
Array permutation(const Operand& key, int64_t count, const Make& make = {});
// The elements along an axis in random order; x itself of rank 0.
Array permutation(const Operand& key, const Array& x, int64_t axis = 0);
// Writes the elements along an axis back in random order; every array that shares x's memory sees it.
void shuffle(const Operand& key, Array x, int64_t axis = 0);

struct Choice {
  bool replace = true;          // an element may be drawn again
  std::optional<Array> p = {};  // the probability of each element: none is negative, their sum is 1
};
// Drawn numbers from 0 to count - 1, as i64. Error where there are fewer to draw than are asked for, and for
// probabilities that are none.
Array choice(const Operand& key, int64_t count, const Shape& shape, const Choice& how = {},
             const Make& make = {});
// Elements drawn along an axis of x, for which the axes of `shape` stand in the result.
Array choice(const Operand& key, const Array& x, const Shape& shape, const Choice& how = {},
             int64_t axis = 0);

}  // namespace weft::random
