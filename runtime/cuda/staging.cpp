#include "runtime/cuda/staging.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>

#include "compiler/base/error.h"
#include "runtime/cuda/cuda_stream.h"
#include "runtime/progress.h"

namespace weft::runtime::cuda {

namespace {

int64_t megabytes(size_t bytes) { return static_cast<int64_t>(bytes / 1'000'000); }

}  // namespace

PinnedRing::~PinnedRing() {
  Context::Scope scope(*context_);
  if (!scope.entered()) return;
  const DriverApi& driver = context_->driver();
  for (const Slot& slot : slots_) {
    if (slot.in_flight) driver.cuEventSynchronize(slot.event);
    if (slot.event) driver.cuEventDestroy(slot.event);
  }
  if (memory_) driver.cuMemFreeHost(memory_);
}

void PinnedRing::prepare_locked() {
  if (memory_) return;
  const DriverApi& driver = context_->driver();
  for (Slot& slot : slots_)
    if (!slot.event) context_->check(driver.cuEventCreate(&slot.event, kEventDisableTiming), "cuEventCreate");
  void* memory = nullptr;
  CUresult result = driver.cuMemHostAlloc(&memory, slot_bytes_ * slots_.size(), 0);
  if (result == kCudaOutOfMemory)
    throw OutOfMemory(fmt::format("{}: no {} bytes of page-locked host memory for copies", context_->name(),
                                  slot_bytes_ * slots_.size()));
  context_->check(result, "cuMemHostAlloc");
  memory_ = static_cast<char*>(memory);
}

std::optional<size_t> PinnedRing::take_locked() {
  for (size_t tried = 0; tried < slots_.size(); ++tried) {
    size_t slot = next_;
    next_ = (next_ + 1) % slots_.size();
    if (slots_[slot].held) continue;
    slots_[slot].held = true;
    return slot;
  }
  return std::nullopt;
}

PinnedRing::Lease PinnedRing::acquire() {
  std::unique_lock lock(mutex_);
  prepare_locked();
  std::optional<size_t> slot;
  returned_.wait(lock, [&] { return (slot = take_locked()).has_value(); });
  lock.unlock();
  Lease lease(*this, *slot);
  lease.wait();
  return lease;
}

std::optional<PinnedRing::Lease> PinnedRing::try_acquire() {
  std::unique_lock lock(mutex_);
  std::optional<size_t> slot = take_locked();
  lock.unlock();
  if (!slot) return std::nullopt;
  Lease lease(*this, *slot);
  lease.wait();
  return lease;
}

void PinnedRing::give_back(size_t slot) {
  {
    std::lock_guard lock(mutex_);
    slots_[slot].held = false;
  }
  returned_.notify_one();
}

// A slot's flag and event belong to the thread that holds it.
void PinnedRing::Lease::mark() {
  Slot& slot = ring_->slots_[slot_];
  const Context& context = *ring_->context_;
  context.check(context.driver().cuEventRecord(slot.event, stream_of_thread(context)), "cuEventRecord");
  slot.in_flight = true;
}

void PinnedRing::Lease::wait() {
  Slot& slot = ring_->slots_[slot_];
  if (!slot.in_flight) return;
  const Context& context = *ring_->context_;
  context.check(context.driver().cuEventSynchronize(slot.event), "waiting for a copy");
  slot.in_flight = false;
}

// The many small slots are for scalars and shapes: a program may send dozens before the stream gets to the
// first.
Staging::Staging(const std::shared_ptr<Context>& context)
    : context_(context), small_(context, size_t{64} << 10, 64), large_(context, size_t{4} << 20, 4) {}

void Staging::upload(CUdeviceptr to, const void* host, size_t bytes) {
  PinnedRing& ring = bytes <= small_.slot_bytes() ? small_ : large_;
  const char* from = static_cast<const char*>(host);
  Progress progress("copying to the GPU", megabytes(bytes), " MB");
  for (size_t done = 0; done < bytes;) {
    size_t piece = std::min(ring.slot_bytes(), bytes - done);
    PinnedRing::Lease lease = ring.acquire();
    std::memcpy(lease.host(), from + done, piece);
    context_->check(
        context_->driver().cuMemcpyHtoDAsync(to + done, lease.host(), piece, stream_of_thread(*context_)),
        "upload");
    lease.mark();
    done += piece;
    progress.reach(megabytes(done));
  }
}

void Staging::download(void* host, CUdeviceptr from, size_t bytes) {
  PinnedRing& ring = bytes <= small_.slot_bytes() ? small_ : large_;
  struct Piece {
    PinnedRing::Lease lease;
    size_t offset, bytes;
  };
  std::deque<Piece> underway;
  Progress progress("copying from the GPU", megabytes(bytes), " MB");
  size_t sent = 0, received = 0;
  auto send = [&](PinnedRing::Lease lease) {
    size_t piece = std::min(ring.slot_bytes(), bytes - sent);
    context_->check(
        context_->driver().cuMemcpyDtoHAsync(lease.host(), from + sent, piece, stream_of_thread(*context_)),
        "download");
    lease.mark();
    underway.push_back({std::move(lease), sent, piece});
    sent += piece;
  };
  while (received < bytes) {
    if (underway.empty()) send(ring.acquire());
    while (sent < bytes) {
      std::optional<PinnedRing::Lease> more = ring.try_acquire();
      if (!more) break;
      send(std::move(*more));
    }
    Piece& piece = underway.front();
    piece.lease.wait();
    std::memcpy(static_cast<char*>(host) + piece.offset, piece.lease.host(), piece.bytes);
    received += piece.bytes;
    progress.reach(megabytes(received));
    underway.pop_front();
  }
}

}  // namespace weft::runtime::cuda
