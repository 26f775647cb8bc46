// Memory shared with others without copies: arrays over memory that somebody else owns, and the memory in
// which an array lies. Shared memory holds the values of one moment: Weft never writes to it, and neither may
// anyone else while it is shared, but for what lend_to_write() gives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frontend/cpp/weft/array.h"

namespace weft {

// A row-major array over foreign memory of the device. `release` runs on any thread once nobody reads it any
// more. On a GPU, what the foreign `stream` (CUDA's name of it; 0: none) was given so far comes first.
Array borrow(const void* data, DType dtype, const Shape& shape, std::function<void()> release,
             const std::string& device = {}, uint64_t stream = 0);
// As `borrow`, of memory where element (i, j, …) lies at data + itemsize * (i * strides[0] + …). Without gaps
// and repetitions, in any order of the axes, it is used where it lies; else its elements are copied on the
// device, before this returns, unless they shall not be: then there is no array, and `release` is not called.
struct Borrowed {
  std::optional<Array> array;
  bool copied = false;
};
Borrowed borrow_strided(const void* data, DType dtype, const Shape& shape, const Dims& strides,
                        std::function<void()> release, const std::string& device, uint64_t stream,
                        bool may_copy);
// Gives borrowed host memory back before its time, `owner` being that of lend(): arrays that read it read a
// copy from now on, and `release` has run. False where somebody uses the memory at the moment, or was lent
// it.
bool give_back(const std::weak_ptr<void>& owner);
// The GPU in whose memory a pointer lies; Error where it lies in none.
std::string device_of(const void* pointer);

// Where an array's elements lie, computed first: element (i, j, …) at data + itemsize * (i * strides[0] + …).
struct Lent {
  const void* data;
  Dims strides;                 // of elements
  std::shared_ptr<void> owner;  // keeps the memory and what it holds
};
Lent lend(const Array& x);
// As lend(), of host memory that the taker may write to for as long as he keeps `owner`. What he writes is
// the array's value, and that of its views, until it is written to here: then it gets memory of its own and
// leaves this to him. What was computed or copied of it before keeps its values: memory that other values
// need is copied first.
Lent lend_to_write(const Array& x);
// As lend(), but lent memory itself: for a look that is over when `owner` is let go.
Lent look(const Array& x);
// Its `strides`, which are known before anything is computed.
Dims strides(const Array& x);
// On a GPU: makes a foreign stream wait for what was written there; and what Weft does with the memory later
// wait for what the foreign stream was given. Streams by CUDA's names: 1 is the legacy default stream.
// `stream_of` names the stream of Weft that writes there.
void lend_to(const Lent& lent, uint64_t stream);
void take_back(const Lent& lent, uint64_t stream);
uint64_t stream_of(const Lent& lent);

// The array in memory of its own, computed and copied at once (Array::copy shares values until one is
// written).
Array duplicate(const Array& x);

// Page-locked host memory, which the GPU copies from and to beside its other work.
std::shared_ptr<void> pinned(size_t bytes, const std::string& device = "cuda:0");
// As from_bytes and Array::copy_to, but the copy may still run when they return: until the thread's stream
// has passed it, `data` is left alone and `out` not read. In pageable memory they work too, without running
// beside anything.
Array start_from(const void* data, DType dtype, const Shape& shape, const std::string& device = {});
void start_copy_to(const Array& x, void* out);

// What a front end does before and after work that may take long, such as letting go of an interpreter's
// lock: `leave` gets what `enter` gave. Set once, before the first array.
void on_long_work(void* (*enter)(), void (*leave)(void*));

}  // namespace weft
