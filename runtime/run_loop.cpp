#include "runtime/run_loop.h"

#include <algorithm>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/base/interrupted.h"
#include "runtime/interrupt.h"
#include "runtime/part.h"

namespace weft::runtime {
namespace {

// What kernels may expect of memory.
constexpr int64_t kAlignment = 64;

class Turns {
 public:
  Turns(const LoopProgram& loop, Device& device, std::vector<BufferRef> operands,
        std::span<const char> wanted, const RunBody& run_body, bool may_stop)
      : loop_(loop),
        device_(device),
        run_body_(run_body),
        may_stop_(may_stop),
        wanted_(wanted),
        inputs_(std::move(operands)),
        carries_(static_cast<size_t>(loop.carries)) {}

  std::vector<BufferRef> run() {
    switch (loop_.kind) {
      case LoopProgram::Kind::Scan:
        return scan();
      case LoopProgram::Kind::While:
        return repeat();
      case LoopProgram::Kind::Branch:
        return choose();
    }
    throw InternalError("run_loop: no such loop");
  }

 private:
  std::vector<BufferRef> scan() {
    const LoopProgram::Body& body = loop_.bodies[0];
    const auto sliced = static_cast<size_t>(loop_.sliced);
    whole_.reserve(sliced);
    for (size_t i = 0; i < sliced; ++i) whole_.push_back(inputs_[carries_ + i]);
    std::vector<BufferRef> stacked;
    stacked.reserve(loop_.results.size() - carries_);
    for (size_t i = carries_; i < loop_.results.size(); ++i)
      stacked.push_back(wanted_[i] ? allocate(i) : nullptr);
    for (int64_t k = 0; k < loop_.length; ++k) {
      if (k > 0) ask();
      const int64_t turn = loop_.reverse ? loop_.length - 1 - k : k;
      for (size_t i = 0; i < sliced; ++i) inputs_[carries_ + i] = slice(i, turn);
      std::vector<BufferRef> made = turn_of(body, 0, turn);
      for (size_t i = 0; i < stacked.size(); ++i) {
        if (!stacked[i]) continue;
        const BufferRef& one = made[carries_ + i];
        if (one->bytes() > 0)
          device_.copy(*stacked[i], static_cast<size_t>(turn) * one->bytes(), *one, 0, one->bytes());
      }
      std::move(made.begin(), made.begin() + loop_.carries, inputs_.begin());
    }
    std::vector<BufferRef> results = carried();
    results.insert(results.end(), std::make_move_iterator(stacked.begin()),
                   std::make_move_iterator(stacked.end()));
    return results;
  }

  std::vector<BufferRef> repeat() {
    const Scalar first = Scalar::of(int64_t{0});
    const LoopProgram::Body& condition = loop_.bodies[0];
    BufferRef again;
    if (condition.results[0].output < 0)
      again = inputs_[static_cast<size_t>(condition.results[0].operand)];
    else
      again = run_body_(0, inputs_, {&first, 1}, {})[0];
    for (int64_t turn = 0; is_true(*again); ++turn) {
      if (turn > 0) ask();
      std::vector<BufferRef> made = turn_of(loop_.bodies[1], 1, turn);
      again = std::move(made.back());
      std::move(made.begin(), made.end() - 1, inputs_.begin());
    }
    return carried();
  }

  std::vector<BufferRef> choose() {
    int64_t chosen = 0;
    device_.download(&chosen, *inputs_[0], 0, sizeof chosen);
    const auto last = static_cast<int64_t>(loop_.bodies.size()) - 1;
    const auto number = static_cast<size_t>(std::clamp<int64_t>(chosen, 0, last));
    inputs_.erase(inputs_.begin());
    const LoopProgram::Body& body = loop_.bodies[number];
    std::vector<BufferRef> made;
    if (!body.program.outputs.empty()) made = run_body_(number, inputs_, {}, {});
    std::vector<BufferRef> results;
    results.reserve(body.results.size());
    for (size_t i = 0; i < body.results.size(); ++i)
      results.push_back(wanted_[i] ? own(result_of(body.results[i], made), i) : nullptr);
    return results;
  }

  // What the body gives in a turn.
  std::vector<BufferRef> turn_of(const LoopProgram::Body& body, size_t number, int64_t turn) {
    given_.clear();
    for (const int i : body.given) {
      BufferRef& carried = inputs_[static_cast<size_t>(i)];
      if (!is_ours(carried) && body.writes_given) carried = copy_of(carried);
      if (is_ours(carried)) given_.push_back(i);
    }
    const Scalar at = Scalar::of(turn);
    std::vector<BufferRef> made;
    if (!body.program.outputs.empty()) made = run_body_(number, inputs_, {&at, 1}, given_);
    std::vector<BufferRef> results;
    results.reserve(body.results.size());
    for (const LoopProgram::Source& source : body.results) results.push_back(result_of(source, made));
    return results;
  }

  BufferRef result_of(const LoopProgram::Source& source, std::span<const BufferRef> made) const {
    return source.output >= 0 ? made[static_cast<size_t>(source.output)]
                              : inputs_[static_cast<size_t>(source.operand)];
  }

  static bool is_ours(const BufferRef& buffer) { return buffer.use_count() == 1 && buffer->writable(); }

  std::vector<BufferRef> carried() {
    std::vector<BufferRef> results(inputs_.begin(), inputs_.begin() + loop_.carries);
    std::fill_n(inputs_.begin(), carries_, nullptr);
    for (size_t i = 0; i < carries_; ++i) results[i] = wanted_[i] ? own(std::move(results[i]), i) : nullptr;
    return results;
  }

  BufferRef own(BufferRef buffer, size_t result) const {
    if (is_ours(buffer)) return buffer;
    BufferRef made = allocate(result);
    device_.copy(*made, 0, *buffer, 0, static_cast<size_t>(loop_.results[result].bytes));
    return made;
  }

  BufferRef allocate(size_t result) const {
    const BufferSpec& spec = loop_.results[result];
    try {
      return device_.allocate(static_cast<size_t>(spec.bytes));
    } catch (const OutOfMemory& e) {
      throw OutOfMemory(spec.what + ": " + e.what());
    }
  }

  BufferRef copy_of(const BufferRef& buffer) const {
    BufferRef made = device_.allocate(buffer->bytes());
    device_.copy(*made, 0, *buffer, 0, buffer->bytes());
    return made;
  }

  // Where a slice lies as kernels need it, it is read where it lies.
  BufferRef slice(size_t i, int64_t turn) const {
    const int64_t bytes = loop_.slice_bytes[carries_ + i];
    if (device_.host_visible() && bytes % kAlignment == 0 && is_aligned(*whole_[i]))
      return std::make_shared<Part>(whole_[i], turn * bytes, bytes);
    BufferRef made = device_.allocate(static_cast<size_t>(bytes));
    if (bytes > 0)
      device_.copy(*made, 0, *whole_[i], static_cast<size_t>(turn * bytes), static_cast<size_t>(bytes));
    return made;
  }
  static bool is_aligned(const Buffer& buffer) {
    return reinterpret_cast<uintptr_t>(buffer.data()) % uintptr_t{kAlignment} == 0;
  }

  bool is_true(const Buffer& flag) const {
    unsigned char value = 0;
    device_.download(&value, flag, 0, 1);
    return value != 0;
  }

  void ask() const {
    if (may_stop_ && interrupted()) throw Interrupted();
  }

  const LoopProgram& loop_;
  Device& device_;
  const RunBody& run_body_;
  const bool may_stop_;
  std::span<const char> wanted_;
  std::vector<BufferRef> inputs_;  // of the next turn
  std::vector<BufferRef> whole_;   // of what is sliced
  std::vector<int> given_;
  size_t carries_;
};

}  // namespace

std::vector<BufferRef> run_loop(const LoopProgram& loop, Device& device, std::vector<BufferRef> operands,
                                std::span<const char> wanted, const RunBody& run_body, bool may_stop) {
  return Turns(loop, device, std::move(operands), wanted, run_body, may_stop).run();
}

}  // namespace weft::runtime
