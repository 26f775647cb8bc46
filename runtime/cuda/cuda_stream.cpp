#include "runtime/cuda/cuda_stream.h"

#include <fmt/format.h>

#include "compiler/base/error.h"

namespace weft::runtime::cuda {

namespace {
constexpr CUresult kNotReady = 600;
}

CudaEvent::CudaEvent(std::shared_ptr<Context> context, CUstream stream) : context_(std::move(context)) {
  Context::Scope scope(*context_);
  const DriverApi& driver = context_->driver();
  context_->check(driver.cuEventCreate(&event_, 0), "cuEventCreate");
  const CUresult result = driver.cuEventRecord(event_, stream);
  if (result == kCudaSuccess) return;
  driver.cuEventDestroy(event_);
  context_->fail(result, "cuEventRecord");
}

CudaEvent::~CudaEvent() {
  Context::Scope scope(*context_);
  if (scope.entered()) context_->driver().cuEventDestroy(event_);
}

bool CudaEvent::done() {
  Context::Scope scope(*context_);
  const CUresult result = context_->driver().cuEventQuery(event_);
  if (result != kNotReady) context_->check(result, "cuEventQuery");
  return result == kCudaSuccess;
}

void CudaEvent::synchronize() {
  Context::Scope scope(*context_);
  context_->check(context_->driver().cuEventSynchronize(event_), "cuEventSynchronize");
}

double CudaEvent::milliseconds_since(const Event& earlier) {
  const auto* other = dynamic_cast<const CudaEvent*>(&earlier);
  if (!other || other->context_ != context_)
    throw Error(fmt::format("{}: milliseconds_since: takes an event of the same device", context_->name()));
  Context::Scope scope(*context_);
  float elapsed = 0;
  const CUresult result = context_->driver().cuEventElapsedTime(&elapsed, other->event_, event_);
  if (result == kNotReady)
    throw Error(fmt::format("{}: milliseconds_since: both events must be done: synchronize() first",
                            context_->name()));
  context_->check(result, "cuEventElapsedTime");
  return static_cast<double>(elapsed);
}

void CudaEvent::make_wait(Queue& queue) const {
  Context::Scope scope(*context_);
  context_->check(context_->driver().cuStreamWaitEvent(queue.handle(), event_, 0), "cuStreamWaitEvent");
  queue.gave();
}

bool CudaStream::done() {
  Context::Scope scope(*context_);
  const CUresult result = context_->driver().cuStreamQuery(queue_.handle());
  if (result != kNotReady) context_->check(result, "cuStreamQuery");
  return result == kCudaSuccess;
}

void CudaStream::synchronize() {
  Context::Scope scope(*context_);
  const uint64_t given = queue_.given();
  context_->check(context_->driver().cuStreamSynchronize(queue_.handle()), "cuStreamSynchronize");
  queue_.known_done(given);
}

std::shared_ptr<Event> CudaStream::record() { return std::make_shared<CudaEvent>(context_, queue_.handle()); }

void CudaStream::wait(const Event& event) {
  const auto* recorded = dynamic_cast<const CudaEvent*>(&event);
  if (!recorded) throw Error(fmt::format("{}: wait: takes an event of a CUDA device", context_->name()));
  Context::Scope scope(*context_);
  recorded->make_wait(queue_);
}

Queue& queue_of_thread(const Context& context) {
  const std::shared_ptr<Stream>* chosen = StreamScope::chosen(&context);
  return chosen ? static_cast<const CudaStream&>(**chosen).queue() : context.first_queue();
}

}  // namespace weft::runtime::cuda
