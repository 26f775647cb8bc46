// Which program computed the latest results, for explain(): what lies in memory has no graph any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/per_thread.h"
#include "compiler/base/source_line.h"
#include "frontend/cpp/session/asked.h"
#include "runtime/executor.h"

namespace weft::detail {

// What computed a result. Neither the result nor the program is kept alive by it.
struct MadeResult {
  std::weak_ptr<runtime::Buffer> result;
  SourceLine line;  // that recorded it; none where that is the program's own
  // Loops: the library's own, op by op. Host: a function of the front end's host, as NumPy's.
  enum class How : uint8_t { Program, Interpreter, Loops, Host };
  How how = How::Program;
  std::weak_ptr<const runtime::Executable> program = {};
  Asked asked = {};           // what looked at it
  std::string function = {};  // of the host: "numpy.interp"
};

// The latest results of a thread.
class MadeBy {
 public:
  static constexpr size_t kMost = 256;

  void add(MadeResult made) {
    has_hosts_ |= made.how == MadeResult::How::Host;
    latest_[next_++ % kMost] = std::move(made);
  }
  // A copy of what the host made is made by it, too.
  void copied(const runtime::BufferRef& from, const runtime::BufferRef& to) {
    if (!has_hosts_) return;
    std::optional<MadeResult> made = find(from);
    if (!made || made->how != MadeResult::How::Host) return;
    made->result = to;
    add(*std::move(made));
  }
  // The last that wrote the buffer.
  std::optional<MadeResult> find(const runtime::BufferRef& buffer) const {
    for (size_t back = 1; back <= kMost; ++back) {
      const MadeResult& one = latest_[(next_ - back) % kMost];
      if (!one.result.owner_before(buffer) && !buffer.owner_before(one.result)) return one;
    }
    return std::nullopt;
  }

 private:
  std::array<MadeResult, kMost> latest_;
  size_t next_ = kMost;
  bool has_hosts_ = false;  // or had
};

// What is said of memory that no program filled, as of results that Python computed, for as long as the memory lives.
class SaidOfMemory {
 public:
  void add(const runtime::BufferRef& buffer, std::string text) {
    std::erase_if(said_, [](const auto& one) { return one.first.expired(); });
    said_.emplace_back(buffer, std::move(text));
  }
  // Empty where nothing is said.
  std::string find(const runtime::Buffer& buffer) const {
    for (const auto& [of, text] : said_)
      if (of.lock().get() == &buffer) return text;
    return {};
  }
  // The same is to be said of a copy.
  void copied(const runtime::Buffer& from, const runtime::BufferRef& to) {
    if (std::string text = find(from); !text.empty()) add(to, std::move(text));
  }

 private:
  std::vector<std::pair<std::weak_ptr<runtime::Buffer>, std::string>> said_;
};

inline SaidOfMemory& said_of_memory() { return PerThread<SaidOfMemory>::get(); }
inline MadeBy& made_lately() { return PerThread<MadeBy>::get(); }

}  // namespace weft::detail
