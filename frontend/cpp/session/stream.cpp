#include "frontend/cpp/weft/stream.h"

#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/session/session_state.h"

namespace weft {

bool Event::done() const { return event_->done(); }
void Event::synchronize() const {
  const detail::LongWork work;
  event_->synchronize();
}
double Event::milliseconds_since(const Event& earlier) const {
  return event_->milliseconds_since(*earlier.event_);
}

Stream::Stream(const std::string& device)
    : stream_(detail::current_session().device(device).device->make_stream()) {}
Stream Stream::current(const std::string& device) {
  return Stream(detail::current_session().device(device).device->stream());
}
std::string Stream::device() const { return stream_->device()->info().name; }
uint64_t Stream::handle() const { return stream_->handle(); }
bool Stream::done() const { return stream_->done(); }
void Stream::synchronize() const {
  const detail::LongWork work;
  stream_->synchronize();
}
Event Stream::record() const { return Event(stream_->record()); }
void Stream::wait(const Event& event) const { stream_->wait(*event.event_); }

StreamScope::StreamScope(const Stream& stream)
    : scope_(std::make_unique<runtime::StreamScope>(stream.stream_)) {}
StreamScope::~StreamScope() = default;

}  // namespace weft
