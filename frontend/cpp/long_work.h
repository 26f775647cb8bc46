// While one lives, the thread is in work that may take long: compiling, running, waiting.
#pragma once

namespace weft::detail {

class LongWork {
 public:
  LongWork();
  ~LongWork();
  LongWork(const LongWork&) = delete;

 private:
  void* token_;
};

}  // namespace weft::detail
