// A device's streams and events, for those who choose between them, and what a thread's work goes to.
#pragma once

#include "runtime/cuda/block.h"
#include "runtime/cuda/context.h"
#include "runtime/stream.h"

namespace weft::runtime::cuda {

class CudaEvent final : public Event {
 public:
  // Recorded on the stream, ours or another library's, now.
  CudaEvent(std::shared_ptr<Context> context, CUstream stream);
  ~CudaEvent() override;
  bool done() override;
  void synchronize() override;
  double milliseconds_since(const Event& earlier) override;
  void make_wait(Queue& queue) const;
  CUevent handle() const { return event_; }

 private:
  std::shared_ptr<Context> context_;
  CUevent event_ = nullptr;
};

class CudaStream final : public Stream {
 public:
  // Gives the queue back at its end when it was `taken`.
  CudaStream(std::shared_ptr<Device> device, std::shared_ptr<Context> context, Queue& queue, bool taken)
      : Stream(std::move(device), context.get()),
        context_(std::move(context)),
        queue_(queue),
        taken_(taken) {}
  ~CudaStream() override {
    if (taken_) context_->give_back(queue_);
  }
  Queue& queue() const { return queue_; }

  uint64_t handle() const override { return reinterpret_cast<uint64_t>(queue_.handle()); }
  bool done() override;
  void synchronize() override;
  std::shared_ptr<Event> record() override;
  void wait(const Event& event) override;

 private:
  std::shared_ptr<Context> context_;
  Queue& queue_;
  bool taken_;
};

// What this thread's work goes to: the queue of the stream that it chose for this context, else the first
// one.
Queue& queue_of_thread(const Context& context);

// While it lives, what this thread starts on the context's device is captured. What was captured goes on using
// the memory that it freed.
class CaptureScope final : public BlockKeeper {
 public:
  CaptureScope(const Context& context, CUstream stream) : context_(context), stream_(stream) {
    keep_from_now_on(&context);
    of_thread_ = this;
  }
  ~CaptureScope() override {
    of_thread_ = nullptr;
    keep_no_longer();
  }

  static const CaptureScope* of_thread(const Context& context) {
    return of_thread_ && &of_thread_->context_ == &context ? of_thread_ : nullptr;
  }
  CUstream stream() const { return stream_; }

  bool keeps() const override { return true; }
  bool prefers_smaller() const override { return false; }
  void has_none() override {}

 private:
  const Context& context_;
  CUstream stream_;
  static inline thread_local const CaptureScope* of_thread_ = nullptr;
};

inline CUstream stream_of_thread(const Context& context) {
  const CaptureScope* const captured = CaptureScope::of_thread(context);
  return captured ? captured->stream() : queue_of_thread(context).handle();
}

}  // namespace weft::runtime::cuda
