// While one lives, the thread is in work that may take long: compiling, running, waiting. A fork of the
// process waits for such work of other threads, so that the child finds no lock taken and nothing half done.
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

// Makes forks of this process safe; to be called before the first work.
void watch_forks();

}  // namespace weft::detail
