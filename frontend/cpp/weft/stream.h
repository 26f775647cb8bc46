// Streams: orders of work on a device, which may run beside each other. What is computed or copied while a
// StreamScope lives goes to its stream, whenever it was recorded; arrays may be used from any stream, since
// Weft makes one wait for the other where they share memory. On the CPU work is done when the call that gave
// it returns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace weft {

namespace runtime {
class Event;
class Stream;
class StreamScope;
}  // namespace runtime

// A point in a stream's work.
class Event {
 public:
  explicit Event(std::shared_ptr<runtime::Event> event) : event_(std::move(event)) {}
  // Whether the work before it is done; to wait until it is.
  bool done() const;
  void synchronize() const;
  // Time on the device between two events of it, both done.
  double milliseconds_since(const Event& earlier) const;

 private:
  friend class Stream;
  std::shared_ptr<runtime::Event> event_;
};

class Stream {
 public:
  // A new stream of the device; "" is the default one.
  explicit Stream(const std::string& device = {});
  // The one that takes this thread's work.
  static Stream current(const std::string& device = {});

  std::string device() const;
  uint64_t handle() const;  // CUDA's own; 0 on the CPU
  bool done() const;
  void synchronize() const;
  Event record() const;
  // What the stream is given from now on runs after the event, whose stream may be another.
  void wait(const Event& event) const;

 private:
  friend class StreamScope;
  explicit Stream(std::shared_ptr<runtime::Stream> stream) : stream_(std::move(stream)) {}
  std::shared_ptr<runtime::Stream> stream_;
};

// While it lives, this thread's work for the stream's device goes to the stream. Scopes nest.
class StreamScope {
 public:
  explicit StreamScope(const Stream& stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;

 private:
  std::unique_ptr<runtime::StreamScope> scope_;
};

}  // namespace weft
