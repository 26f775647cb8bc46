// Loops that are not unrolled, and choices between functions. A body is called once, with arrays that have no values;
// what it computes is compiled once and runs for every turn. What it uses from outside, it finds as it was when the
// loop was called. It can be derived, and done for many values at once.
//
// What is carried from turn to turn keeps its dtypes and shapes: Error where the body gives others. Looking at a value
// inside is an Error. Positions out of range are clamped inside.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "frontend/cpp/weft/derivatives.h"

namespace weft {

// What is carried, and values that are stacked along a new first axis.
struct Scanned {
  std::vector<Array> carry, ys;
};
using ScanBody = std::function<Scanned(std::span<const Array> carry, std::span<const Array> x)>;
struct ScanOptions {
  std::optional<int64_t> length = {};  // of turns; needed where nothing is scanned
  bool reverse = false;                // from the last slices to the first
};

// Calls body(carry, slices of xs along their first axis) for each position of that axis.
Scanned scan(const ScanBody& body, std::span<const Array> init, std::span<const Array> xs,
             const ScanOptions& options = {}, Where at = Where::current());

// body(carry) for as long as condition(carry), one bool, holds. It has no derivatives back, only forward.
using Condition = std::function<Array(std::span<const Array>)>;
std::vector<Array> while_loop(const Condition& condition, const ArrayFunction& body,
                              std::span<const Array> init, Where at = Where::current());

// body(i, carry) for each i from lower up to, and without, upper. Of bounds that are arrays it is a while_loop.
using ForBody = std::function<std::vector<Array>(const Array& i, std::span<const Array> carry)>;
std::vector<Array> fori_loop(int64_t lower, int64_t upper, const ForBody& body, std::span<const Array> init,
                             Where at = Where::current());
std::vector<Array> fori_loop(const Array& lower, const Array& upper, const ForBody& body,
                             std::span<const Array> init, Where at = Where::current());

// One of two functions of the operands, whose results have the same dtypes and shapes. The predicate is one number.
std::vector<Array> cond(const Array& predicate, const ArrayFunction& if_true, const ArrayFunction& if_false,
                        std::span<const Array> operands, Where at = Where::current());
// The function of that number, which is clamped to those there are.
std::vector<Array> switch_to(const Array& index, std::span<const ArrayFunction> branches,
                             std::span<const Array> operands, Where at = Where::current());

}  // namespace weft
