// Functions of arrays for many values at once, without a loop.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/cpp/weft/derivatives.h"

namespace weft {

// f's results for each part of the arguments along these axes, one axis for each argument, none for an
// argument that all parts take whole; along a new first axis of each result. Within f the parts have no
// values: looking at one is an Error. It can be derived, and so can what f derives inside.
std::vector<Array> vmap(const ArrayFunction& f, std::span<const Array> arguments,
                        std::span<const std::optional<int64_t>> axes);

}  // namespace weft
