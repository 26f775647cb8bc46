// Memory shared with others without copies: arrays over memory that somebody else owns, and the memory in
// which an array lies. Shared memory holds the values of one moment: Weft never writes to it, and neither may
// anyone else while it is shared.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "frontend/cpp/weft/array.h"

namespace weft {

// A row-major array over foreign memory of the device. `release` runs on any thread once nobody reads it any
// more.
Array borrow(const void* data, DType dtype, const Shape& shape, std::function<void()> release,
             const std::string& device = {});

// Where an array's elements lie, computed first: element (i, j, …) at data + itemsize * (i * strides[0] + …).
struct Lent {
  const void* data;
  Dims strides;                 // of elements
  std::shared_ptr<void> owner;  // keeps the memory and what it holds
};
Lent lend(const Array& x);

// What a front end does before and after work that may take long, such as letting go of an interpreter's
// lock: `leave` gets what `enter` gave. Set once, before the first array.
void on_long_work(void* (*enter)(), void (*leave)(void*));

}  // namespace weft
