// Which program computed the latest results, for explain(): what lies in memory has no graph any more.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
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
  // Loops: the library's own, op by op. Host: a function of the front end's host, as NumPy's. Order: a sort.
  enum class How : uint8_t { Program, Interpreter, Loops, Host, Order };
  How how = How::Program;
  std::weak_ptr<const runtime::Executable> program = {};
  Asked asked = {};           // what looked at it
  std::string function = {};  // of the host: "numpy.interp"; "sort"
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
    add(buffer, std::make_shared<const std::string>(std::move(text)));
  }
  // Empty where nothing is said.
  std::string find(const runtime::Buffer& buffer) const {
    const Said* said = said_of(buffer);
    return said ? *said->text : std::string();
  }
  // The same is to be said of a copy, as of a part of it.
  void copied(const runtime::Buffer& from, const runtime::BufferRef& to) {
    if (const Said* said = said_of(from)) add(to, std::shared_ptr(said->text));
  }

 private:
  struct Said {
    std::weak_ptr<runtime::Buffer> of;
    std::shared_ptr<const std::string> text;
  };

  void add(const runtime::BufferRef& buffer, std::shared_ptr<const std::string> text) {
    if (said_.size() >= most_) {
      std::erase_if(said_, [](const auto& one) { return one.second.of.expired(); });
      most_ = std::max<size_t>(2 * said_.size(), kAtLeast);
    }
    said_[buffer.get()] = {buffer, std::move(text)};
  }
  const Said* said_of(const runtime::Buffer& buffer) const {
    if (said_.empty()) return nullptr;
    const auto found = said_.find(&buffer);
    return found == said_.end() || found->second.of.expired() ? nullptr : &found->second;
  }

  static constexpr size_t kAtLeast = 64;  // that are kept before those whose memory is gone are looked for
  std::unordered_map<const runtime::Buffer*, Said> said_;
  size_t most_ = kAtLeast;
};

inline SaidOfMemory& said_of_memory() { return PerThread<SaidOfMemory>::get(); }
inline MadeBy& made_lately() { return PerThread<MadeBy>::get(); }

}  // namespace weft::detail
