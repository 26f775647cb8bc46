// Streams: orders of work on a device. What one stream is given runs in order; different streams may run
// beside each other, and a device keeps memory that they share in order by itself. Every device has a first
// stream, which takes the work of threads that chose none.
#pragma once

#include <cstdint>
#include <memory>

namespace weft::runtime {

class Device;

// A point in a stream's work.
class Event {
 public:
  virtual ~Event() = default;
  // Whether the work before it is done.
  virtual bool done() = 0;
  // Returns when it is; throws what that work reported.
  virtual void synchronize() = 0;
  // Time on the device from `earlier` to this event, both done.
  virtual double milliseconds_since(const Event& earlier) = 0;
};

// Times what a thread gives to its stream from the clock's making on.
class DeviceClock {
 public:
  virtual ~DeviceClock() = default;
  // Waits for the work, and gives its nanoseconds.
  virtual int64_t stop() = 0;
};

class Stream {
 public:
  // `order`: what the device's back end knows its streams by.
  Stream(std::shared_ptr<Device> device, const void* order) : device_(std::move(device)), order_(order) {}
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const std::shared_ptr<Device>& device() const { return device_; }
  const void* order() const { return order_; }
  // CUDA's own name of the stream; 0 where the device has none.
  virtual uint64_t handle() const = 0;
  virtual bool done() = 0;
  virtual void synchronize() = 0;
  virtual std::shared_ptr<Event> record() = 0;
  // What the stream is given from now on runs after the event, whose stream may be another.
  virtual void wait(const Event& event) = 0;

 private:
  std::shared_ptr<Device> device_;
  const void* order_;
};

// While it lives, what this thread gives to the stream's device goes to the stream. Scopes end in the reverse
// order of their making.
class StreamScope {
 public:
  explicit StreamScope(std::shared_ptr<Stream> stream) : stream_(std::move(stream)), outer_(innermost_) {
    innermost_ = this;
  }
  ~StreamScope() { innermost_ = outer_; }
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

  // The stream of this order that the thread chose; null: none.
  static const std::shared_ptr<Stream>* chosen(const void* order) {
    for (const StreamScope* scope = innermost_; scope; scope = scope->outer_)
      if (scope->stream_->order() == order) return &scope->stream_;
    return nullptr;
  }

 private:
  std::shared_ptr<Stream> stream_;
  StreamScope* outer_;
  static inline thread_local StreamScope* innermost_ = nullptr;
};

}  // namespace weft::runtime
