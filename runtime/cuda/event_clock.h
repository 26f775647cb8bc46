// The time that a GPU takes for what a stream is given between start and stop: two events of its own tell it.
// The stream waits at the first one until the second is there too, so that the time of giving the work is no part of it.
#pragma once

#include <memory>

#include "runtime/cuda/context.h"
#include "runtime/cuda/cuda_stream.h"
#include "runtime/stream.h"

namespace weft::runtime::cuda {

class EventClock final : public DeviceClock {
 public:
  // The stream has nothing left to do. `overhead`: nanoseconds that are no part of the work.
  EventClock(std::shared_ptr<Context> context, CUstream stream, int64_t overhead);
  // Lets the stream go on, whether or not it was stopped.
  ~EventClock() override;
  int64_t stop() override;

  // What two events around a piece of work tell beyond its time. `memory`: a byte that may be written to.
  static int64_t overhead(const std::shared_ptr<Context>& context, CUstream stream, CUdeviceptr memory);

 private:
  struct Gate;

  std::shared_ptr<Context> context_;
  CUstream stream_;
  int64_t overhead_;
  std::shared_ptr<Gate> gate_;
  std::unique_ptr<CudaEvent> start_;
};

}  // namespace weft::runtime::cuda
