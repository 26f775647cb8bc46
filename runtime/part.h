// A part of a buffer of the host's memory, which keeps the whole alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/device.h"

namespace weft::runtime {

class Part : public Buffer {
 public:
  Part(BufferRef whole, int64_t offset, int64_t bytes, Writable writable = Writable::Never)
      : Buffer(whole->device(), static_cast<char*>(whole->data()) + offset, static_cast<size_t>(bytes),
               writable),
        whole_(std::move(whole)) {}

 private:
  BufferRef whole_;
};

}  // namespace weft::runtime
