// Named ranges of time that NVIDIA's tools show (NVTX): each kernel and library call under its ops and the user's line.
#pragma once

#include <string>

namespace weft::runtime {

// Off unless open() was called, which is done before anything runs.
class Ranges {
 public:
  // Returns why there can be none. `injected`: a tool has told where its library is (NVTX_INJECTION64_PATH), which NVTX's
  // headers of version 3 load, where this was built with them; else libnvToolsExt.so is loaded.
  std::string open(bool injected);
  bool on() const { return push_ != nullptr; }
  void push(const std::string& name) const { push_(name.c_str()); }
  void pop() const { pop_(); }

 private:
  int (*push_)(const char*) = nullptr;
  int (*pop_)() = nullptr;
};

// The tool watches the process, not a session.
inline Ranges ranges;

// A range from here to the end of the scope. `name` is called where there are ranges.
class RangeScope {
 public:
  template <class Name>
  explicit RangeScope(const Name& name) {
    if (ranges.on()) ranges.push(name());
  }
  ~RangeScope() {
    if (ranges.on()) ranges.pop();
  }
  RangeScope(const RangeScope&) = delete;
  RangeScope& operator=(const RangeScope&) = delete;
};

}  // namespace weft::runtime
