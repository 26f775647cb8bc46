// Host copies through page-locked memory, so that they run in stream order beside the host. Small copies, and
// the pieces of large ones, take a slot of a ring each. A slot is used again when the stream has passed its
// last copy. Safe from any thread; the context must be current.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/cuda/context.h"

namespace weft::runtime::cuda {

class PinnedRing {
 public:
  PinnedRing(std::shared_ptr<Context> context, size_t slot_bytes, size_t slots)
      : context_(std::move(context)), slot_bytes_(slot_bytes), slots_(slots) {}
  ~PinnedRing();
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  // One thread's use of a slot; given back at its end.
  class Lease {
   public:
    Lease(PinnedRing& ring, size_t slot) : ring_(&ring), slot_(slot) {}
    Lease(Lease&& other) noexcept : ring_(std::exchange(other.ring_, nullptr)), slot_(other.slot_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (ring_) ring_->give_back(slot_);
    }
    char* host() const { return ring_->memory_ + slot_ * ring_->slot_bytes_; }
    // To be called after a copy was put on the stream; `wait` returns when that copy is done.
    void mark();
    void wait();

   private:
    PinnedRing* ring_;
    size_t slot_;
  };

  // Waits until no other thread holds every slot. A thread that holds a lease takes more only by
  // `try_acquire`: two that waited for each other would never end.
  Lease acquire();
  std::optional<Lease> try_acquire();
  size_t slot_bytes() const { return slot_bytes_; }

 private:
  struct Slot {
    CUevent event = nullptr;
    bool held = false;
    bool in_flight = false;
  };
  std::optional<size_t> take_locked();
  void prepare_locked();
  void give_back(size_t slot);

  std::shared_ptr<Context> context_;
  size_t slot_bytes_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Slot> slots_;
  size_t next_ = 0;
  char* memory_ = nullptr;  // made at the first use: page-locking takes milliseconds
};

class Staging {
 public:
  explicit Staging(const std::shared_ptr<Context>& context);
  // Returns when `host` may be changed; the last pieces may still be on their way.
  void upload(CUdeviceptr to, const void* host, size_t bytes);
  // Returns when `host` holds the bytes.
  void download(void* host, CUdeviceptr from, size_t bytes);

 private:
  std::shared_ptr<Context> context_;
  PinnedRing small_, large_;
};

}  // namespace weft::runtime::cuda
