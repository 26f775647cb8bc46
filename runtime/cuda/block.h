// Blocks of device memory, and who keeps those that a thread frees while something that uses them is yet to be
// started.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/cuda/driver_api.h"
#include "runtime/cuda/queue.h"

namespace weft::runtime::cuda {

class Context;

struct Block {
  CUdeviceptr pointer = 0;
  size_t bytes = 0;  // as rounded by the pool
  Uses uses;
};

// Takes what its thread frees, instead of the pool, and gives it to the thread again.
class BlockKeeper {
 public:
  // Of the context's memory.
  explicit BlockKeeper(const Context* of = nullptr) : context_(of) {}
  virtual ~BlockKeeper() = default;
  BlockKeeper(const BlockKeeper&) = delete;
  BlockKeeper& operator=(const BlockKeeper&) = delete;

  // The thread's, where it keeps blocks now; else null.
  static BlockKeeper* of_thread(const Context& context) {
    return current_ && current_->context_ == &context && current_->keeps() ? current_ : nullptr;
  }

  // Freed, the last at the end.
  std::vector<Block> kept;
  virtual bool keeps() const = 0;
  // Whether a block of the pool is used rather than a kept one which is larger.
  virtual bool prefers_smaller() const = 0;
  // Neither it nor the pool has what is asked for.
  virtual void has_none() = 0;

 protected:
  void keep_from_now_on(const Context* of) { context_ = of, outer_ = current_, current_ = this; }
  void keep_no_longer() { current_ = outer_; }

 private:
  const Context* context_;
  BlockKeeper* outer_ = nullptr;
  static inline thread_local BlockKeeper* current_ = nullptr;
};

}  // namespace weft::runtime::cuda
