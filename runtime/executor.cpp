#include "runtime/executor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

#include "compiler/base/error.h"
#include "compiler/base/hash.h"
#include "compiler/base/interrupted.h"
#include "compiler/base/short_list.h"
#include "compiler/program/blocks.h"
#include "runtime/interrupt.h"
#include "runtime/memory_trace.h"
#include "runtime/progress.h"
#include "runtime/ranges.h"
#include "runtime/run_loop.h"
#include "runtime/timed_on_device.h"

namespace weft::runtime {

namespace {

// Of most programs and kernels; their lists take no memory of the heap.
constexpr size_t kFewBuffers = 8, kFewWords = 24;

template <class F>
void for_each_buffer(const ProgramStep& step, F&& f) {
  if (auto* k = std::get_if<KernelStep>(&step)) {
    for (int b : k->buffers) f(b);
  } else if (auto* d = std::get_if<DotStep>(&step)) {
    f(d->a), f(d->b), f(d->c);
  } else if (auto* l = std::get_if<LoopStep>(&step)) {
    for (int b : l->operands) f(b);
    for (int b : l->results)
      if (b >= 0) f(b);
  } else {
    auto& c = std::get<CopyStep>(step);
    f(c.from), f(c.to);
  }
}

// Nanoseconds until the kernel could run.
double wait_for(Device& device, const KernelSource& source, const BlockEstimate& estimate) {
  switch (device.known(source)) {
    case Device::Known::Loaded:
      return 0;
    case Device::Known::OnDisk:
      return estimate.load;
    case Device::Known::Nothing:
      break;
  }
  return estimate.compile;
}

// Compiling is the slow part, and no kernel waits for another.
void load_all(Device& device, const std::vector<KernelSource>& sources, const std::vector<char>& needed,
              const std::vector<std::shared_ptr<LateKernel>>& kernels) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto count = static_cast<size_t>(std::ranges::count(needed, 1));
  Progress progress("compiling kernels", static_cast<int64_t>(count));
  auto work = [&] {
    for (size_t k = next++; k < sources.size(); k = next++) {
      try {
        if (!needed[k]) continue;
        kernels[k]->put(device.load(kernels[k]->source_or(sources[k])));
        progress.add();
      } catch (...) {
        std::lock_guard lock(mutex);
        failure = std::current_exception();
        next.store(sources.size());
      }
    }
  };
  {
    const size_t threads = std::min<size_t>(device.threads(), std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    try {
      while (helpers.size() + 1 < std::min(threads, count)) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // The system grants no more threads; those that are there do the work.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

// Whether a kernel is compiled at once, or may be missing for a while.
struct Need {
  bool at_once = false;
  double wait = 0;                          // nanoseconds, until it could run
  const BlockEstimate* estimate = nullptr;  // of what runs meanwhile
};

// Whether the kernel's text is made when it is asked for.
bool is_late(const Program& program, size_t kernel) {
  return kernel < program.late.size() && static_cast<bool>(program.late[kernel]);
}

std::vector<Need> needs_of(const Program& program, Device& device, bool queue) {
  std::vector<Need> needs(program.kernels.size());
  std::vector<double> run(program.kernels.size(), 0);
  for (auto& step : program.steps) {
    const auto* k = std::get_if<KernelStep>(&step);
    if (!k || k->kernel < 0) continue;
    const auto kernel = static_cast<size_t>(k->kernel);
    if (!queue || !k->blocks) {
      needs[kernel].at_once = true;
      continue;
    }
    needs[kernel].estimate = &k->blocks->estimate;
    run[kernel] += k->blocks->estimate.run;
  }
  for (size_t k = 0; k < needs.size(); ++k) {
    if (needs[k].at_once || !needs[k].estimate) continue;
    needs[k].wait = is_late(program, k) ? needs[k].estimate->compile
                                        : wait_for(device, program.kernels[k], *needs[k].estimate);
    needs[k].at_once = needs[k].wait < run[k];
  }
  return needs;
}

template <class IsThere>
std::vector<std::optional<Way>> ways_of(const Program& program, IsThere&& is_there) {
  std::vector<std::optional<Way>> ways;
  for (auto& step : program.steps) {
    const auto* k = std::get_if<KernelStep>(&step);
    if (!k)
      ways.emplace_back();
    else if (k->kernel < 0)
      ways.emplace_back(Way::Blocks);
    else
      ways.emplace_back(is_there(static_cast<size_t>(k->kernel)) ? Way::Kernel : Way::BlocksForNow);
  }
  return ways;
}

// Of all that a trace says of a kernel's step under the program's own lines, but for the kind of its work.
uint64_t number_of(const ProgramStep& step) {
  const auto* k = std::get_if<KernelStep>(&step);
  if (!k) return 0;
  const std::array<int64_t, 2> bytes{k->bytes_read, k->bytes_written};
  uint64_t hash = hash_bytes(bytes.data(), sizeof bytes).low;
  for (const SourceLine& line : k->origin.lines) {
    const std::array<uint64_t, 3> one{reinterpret_cast<uintptr_t>(line.file), line.line, line.callers};
    hash = hash_bytes(one.data(), sizeof one, hash).low;
  }
  return hash_bytes(k->origin.ops.data(), k->origin.ops.size(), hash).low;
}

}  // namespace

std::vector<std::optional<Way>> Executable::ways() const {
  return ways_of(program_, [this](size_t kernel) { return kernels_[kernel]->get() != nullptr; });
}

std::vector<std::optional<Way>> first_ways(const Program& program, Device& device, bool queue) {
  const std::vector<Need> needs = needs_of(program, device, queue);
  return ways_of(program, [&](size_t kernel) { return needs[kernel].at_once != 0; });
}

Executable::Executable(Program program, std::shared_ptr<Device> device, Counters& counters,
                       CompileQueue* queue)
    : program_(std::move(program)), device_(std::move(device)), counters_(counters), queue_(queue) {
  const std::vector<Need> needs = needs_of(program_, *device_, queue_ != nullptr);
  std::vector<char> at_once;
  for (size_t k = 0; k < needs.size(); ++k) {
    at_once.push_back(needs[k].at_once);
    kernels_.push_back(late_kernel(k, needs[k].at_once ? 0 : needs[k].wait, needs[k].estimate));
  }
  load_all(*device_, program_.kernels, at_once, kernels_);
  load_bodies();
  numbers_.reserve(program_.steps.size());
  for (const ProgramStep& step : program_.steps) numbers_.push_back(number_of(step));
  std::vector<int> last(program_.buffers.size(), -1);
  for (size_t s = 0; s < program_.steps.size(); ++s)
    for_each_buffer(program_.steps[s], [&](int b) { last[b] = static_cast<int>(s); });
  dead_after_.resize(program_.steps.size());
  for (size_t b = 0; b < last.size(); ++b)
    if (program_.buffers[b].role == BufferSpec::Role::Temporary && last[b] >= 0)
      dead_after_[last[b]].push_back(static_cast<int>(b));
  find_memory_to_take_over(last);
  uses_.assign(program_.buffers.size(), Device::Use::Read);
  for (int b : program_.outputs) uses_[b] = Device::Use::Write;
}

std::shared_ptr<LateKernel> Executable::late_kernel(size_t number, double wait,
                                                    const BlockEstimate* estimate) const {
  const bool waits = estimate && wait > 0;
  const double most = waits ? wait * estimate->worth : 0;
  if (waits && !is_late(program_, number))
    return queue_->late(*device_, program_.kernels[number].hash, most, estimate->calls);
  auto late = std::make_shared<LateKernel>();
  if (is_late(program_, number)) late->make_source_by(program_.late[number]);
  if (waits) late->allow(most, estimate->calls);
  return late;
}

void Executable::load_bodies() {
  bodies_.resize(program_.steps.size());
  looped_.assign(program_.buffers.size(), 0);
  for (size_t s = 0; s < program_.steps.size(); ++s) {
    const auto* l = std::get_if<LoopStep>(&program_.steps[s]);
    if (!l) continue;
    for (const LoopProgram::Body& body : l->loop->bodies)
      bodies_[s].push_back(std::make_unique<const Executable>(body.program, device_, counters_, queue_));
    for (int b : l->results)
      if (b >= 0) looped_[static_cast<size_t>(b)] = true;
  }
}

std::vector<BufferRef> Executable::looped(size_t step, std::vector<BufferRef> operands, bool may_stop,
                                          const LinesNow* lines) const {
  const auto& l = std::get<LoopStep>(program_.steps[step]);
  std::vector<char> wanted;
  wanted.reserve(l.results.size());
  for (int b : l.results) wanted.push_back(b >= 0);
  const RunBody run_body = [&](size_t body, std::span<const BufferRef> inputs,
                               std::span<const Scalar> scalars, std::span<const int> given) {
    return bodies_[step][body]->run_steps(inputs, scalars, given, may_stop ? Stops::Always : Stops::Never,
                                          lines);
  };
  try {
    return run_loop(*l.loop, *device_, std::move(operands), wanted, run_body, may_stop);
  } catch (const BufferRefused& e) {
    throw OutOfMemory(e.what());  // its number is that of a body's buffer
  }
}

// `last`: the last step that uses each buffer.
void Executable::find_memory_to_take_over(const std::vector<int>& last) {
  using Role = BufferSpec::Role;
  taken_from_.assign(program_.buffers.size(), -1);
  std::vector<char> used(program_.buffers.size()), taken(program_.buffers.size());
  // An input that was written over is lost, so nothing may fail for want of memory afterwards: what later
  // steps ask for is allocated before, as long as that takes no more than a copy of the input would.
  std::vector<int64_t> fresh(program_.steps.size()), asked_for_after(program_.steps.size());
  first_.assign(program_.buffers.size(), -1);
  for (size_t s = 0; s < program_.steps.size(); ++s)
    for_each_buffer(program_.steps[s], [&](int b) {
      if (first_[b] >= 0) return;
      first_[b] = static_cast<int>(s);
      if (program_.buffers[b].role == Role::Temporary) fresh[s] += program_.buffers[b].bytes;
    });
  // A product asks for memory that nobody knows here.
  constexpr int64_t kNotKnown = std::numeric_limits<int64_t>::max();
  int64_t later = 0;
  for (size_t s = program_.steps.size(); s-- > 0;) {
    asked_for_after[s] = later;
    const bool known = later != kNotKnown && !std::holds_alternative<DotStep>(program_.steps[s]) &&
                       !std::holds_alternative<LoopStep>(program_.steps[s]);
    later = known ? later + fresh[s] : kNotKnown;
  }
  const auto offer = [&](size_t s, int written, int read, bool copies) {
    const BufferSpec &to = program_.buffers[written], &from = program_.buffers[read];
    if (used[written] || last[read] != static_cast<int>(s) || to.role == Role::Input ||
        to.bytes != from.bytes || taken_from_[written] >= 0 || taken[read] ||
        std::ranges::count(program_.outputs, read) > 0)
      return;
    if (from.role == Role::Temporary) {
      taken_from_[written] = read;
      taken[read] = true;
    } else if (from.role == Role::Input && asked_for_after[s] <= from.bytes) {
      of_inputs_.push_back({written, read});
      most_taken_ = std::max(most_taken_, from.bytes);
      saves_a_copy_ |= copies;
    }
  };
  for (size_t s = 0; s < program_.steps.size(); ++s) {
    if (auto* k = std::get_if<KernelStep>(&program_.steps[s]))
      for (auto [written, read] : k->overwrites) offer(s, written, read, false);
    if (auto* c = std::get_if<CopyStep>(&program_.steps[s])) offer(s, c->to, c->from, true);
    for_each_buffer(program_.steps[s], [&](int b) { used[b] = true; });
  }
}

void Executable::finish_kernels() const {
  if (!queue_) return;
  std::vector<char> missing(program_.kernels.size(), 0);
  for (auto& step : program_.steps)
    if (const auto* k = std::get_if<KernelStep>(&step))
      if (k->kernel >= 0)
        missing[static_cast<size_t>(k->kernel)] = !kernels_[static_cast<size_t>(k->kernel)]->get();
  load_all(*device_, program_.kernels, missing, kernels_);
  for (auto& loop : bodies_)
    for (auto& body : loop) body->finish_kernels();
}

const Kernel* Executable::kernel_now(int number) const {
  LateKernel& late = *kernels_[static_cast<size_t>(number)];
  if (const Kernel* const kernel = late.get()) return kernel;
  if (!queue_ || !late.overdue()) return nullptr;
  try {
    late.put(device_->load(late.source_or(program_.kernels[static_cast<size_t>(number)])));
  } catch (const CompileError&) {
    late.fail();
  }
  return late.get();
}

void Executable::run_without(const KernelStep& step, std::span<const uint64_t> buffers,
                             std::span<const uint64_t> scalars) const {
  using Clock = std::chrono::steady_clock;
  Launch how;
  how.tasks = step.blocks->tasks, how.finish_tasks = step.blocks->finish_tasks, how.grain = step.launch.grain;
  const bool counts = step.kernel >= 0;
  const Clock::time_point start = counts ? Clock::now() : Clock::time_point();
  device_->launch_blocks(*step.blocks, how, buffers, scalars);
  if (!counts) return;
  const auto kernel = static_cast<size_t>(step.kernel);
  const std::shared_ptr<LateKernel>& late = kernels_[kernel];
  const int64_t ns = std::chrono::nanoseconds(Clock::now() - start).count();
  if (late->ran_without(ns)) queue_->add(device_, program_.kernels[kernel], late);
}

BufferRef Executable::allocate(int buffer) const {
  const BufferSpec& spec = program_.buffers[buffer];
  try {
    BufferRef memory = device_->allocate(static_cast<size_t>(spec.bytes));
    if (memory_trace.on()) memory_trace.name(memory->data(), spec.what);
    return memory;
  } catch (const OutOfMemory& e) {
    throw BufferRefused(buffer, spec.what, e.what());
  }
}

// One run of the program: the memory of its buffers, and how far it is.
class Executable::Run {
 public:
  Run(const Executable& of, std::span<const BufferRef> inputs, std::span<const Scalar> scalars,
      std::span<const int> given, Stops stops, const LinesNow* lines)
      : of_(of),
        program_(of.program_),
        device_(*of.device_),
        inputs_(inputs),
        scalars_(scalars),
        again_(stops == Stops::UntilWritten),
        may_stop_(stops != Stops::Never),
        lines_(lines),
        count_(static_cast<int>(program_.buffers.size())),
        buffers_(count_),
        held_(count_) {
    if (!given.empty()) take_over(given);
  }

  std::vector<BufferRef> run() {
    std::optional<BatchScope> batch;
    if (!of_.counters_.trace.on()) batch.emplace(device_);
    ask_for_outputs();
    for (; s_ < program_.steps.size(); ++s_) {
      std::visit([this](const auto& step) { start(step); }, program_.steps[s_]);
      drop_dead();
      if (may_stop_ && s_ + 1 < program_.steps.size() && interrupted()) {
        batch.reset();
        note_uses();
        throw Interrupted();
      }
    }
    std::vector<BufferRef> out;
    out.reserve(program_.outputs.size());
    for (int b : program_.outputs) {
      get(b);
      out.push_back(ref(b));
    }
    if (batch) batch->close();
    note_uses();
    return out;
  }

 private:
  using Role = BufferSpec::Role;

  TimedOnDevice timed() { return {of_.counters_.trace, device_}; }
  TraceEvent event(Work work, const Origin& origin, int64_t bytes_read, int64_t bytes_written) const {
    TraceEvent event;
    event.work = work, event.what = origin.ops;
    event.lines = lines_ ? (*lines_)(origin.lines) : origin.lines;
    event.bytes_read = bytes_read, event.bytes_written = bytes_written;
    return event;
  }

  // "exp, multiply at blur.py:12"
  std::string named(const Origin& origin) const {
    const std::string where = to_string(lines_ ? (*lines_)(origin.lines) : origin.lines);
    return where.empty() ? origin.ops : origin.ops + " at " + where;
  }

  // Decides which inputs that are given away become outputs.
  void take_over(std::span<const int> given) {
    for (auto [written, read] : of_.of_inputs_) {
      const BufferSpec& from = program_.buffers[read];
      if (of_given_.empty()) {
        of_given_ = of_.taken_from_, uses_of_given_ = of_.uses_;
        taken_from_ = &of_given_, uses_ = &uses_of_given_;
      }
      if (std::ranges::find(given, from.index) == given.end() || of_given_[written] >= 0 ||
          std::ranges::count(of_given_, read) > 0 ||
          inputs_[from.index]->bytes() != static_cast<size_t>(from.bytes))
        continue;
      of_given_[written] = read;
      uses_of_given_[read] = Device::Use::Write;
    }
  }

  int taken_from(int b) const { return (*taken_from_)[b]; }
  bool has_own_memory(int b) const { return taken_from(b) < 0 && !of_.looped_[static_cast<size_t>(b)]; }

  void hold(int b, BufferRef buffer) {
    buffers_[b] = buffer.get();
    held_[b] = std::move(buffer);
  }
  BufferRef ref(int b) {
    const BufferSpec& spec = program_.buffers[b];
    return spec.role == Role::Input ? inputs_[spec.index] : held_[b];
  }
  void drop_dead() {
    for (int b : of_.dead_after_[s_]) hold(b, nullptr);
  }

  void ask_for_outputs() {
    for (int b = 0; b < count_; ++b) {
      const BufferSpec& spec = program_.buffers[b];
      if (spec.role == Role::Input) {
        buffers_[b] = inputs_[spec.index].get();
        device_.before(*buffers_[b], (*uses_)[b]);
      }
      if (spec.role == Role::Output && has_own_memory(b)) hold(b, of_.allocate(b));
    }
  }
  // Before an input is written to: from then on nothing may fail for want of memory.
  void ask_for_all_after() {
    for (int b = 0; b < count_; ++b)
      if (of_.first_[b] > static_cast<int>(s_) && !buffers_[b] && has_own_memory(b)) hold(b, of_.allocate(b));
  }

  Buffer& get(int b) {
    may_stop_ &= !again_ || program_.buffers[b].role != Role::Input || of_.uses_[b] != Device::Use::Write;
    if (!buffers_[b]) {
      const int from = taken_from(b);
      const bool of_input = from >= 0 && program_.buffers[from].role == Role::Input;
      if (of_input) ask_for_all_after();
      may_stop_ &= !of_input || !again_;
      hold(b, from >= 0 ? ref(from) : of_.allocate(b));
    }
    return *buffers_[b];
  }
  const void* element(int b, int64_t offset, DType dtype) {
    return static_cast<char*>(get(b).data()) + offset * static_cast<int64_t>(size_of(dtype));
  }

  // Temporaries belong to this stream anyway.
  void note_uses() {
    for (int b = 0; b < count_; ++b)
      if (buffers_[b] && program_.buffers[b].role != Role::Temporary)
        device_.after(*buffers_[b], (*uses_)[b]);
  }

  void start(const KernelStep& k) {
    const Kernel* const kernel = k.kernel < 0 ? nullptr : of_.kernel_now(k.kernel);
    const LateSource* const late =
        kernel ? of_.kernels_[static_cast<size_t>(k.kernel)]->late_source() : nullptr;
    const std::vector<int64_t>& params = late ? late->params : k.params;
    ShortList<uint64_t, kFewWords> args(k.buffers.size() + params.size() + 2 * k.scalars.size());
    uint64_t* next = args.begin();
    for (int b : k.buffers) *next++ = reinterpret_cast<uint64_t>(get(b).data());
    if (kernel)
      for (int64_t p : params) *next++ = static_cast<uint64_t>(p);
    uint64_t* const first_scalar = next;
    for (int number : k.scalars) {
      scalars_[number].store(next);
      next += program_.scalars[number] == DType::C128 ? 2 : 1;
    }
    const StopScope scope(may_stop_);
    const RangeScope range([&] { return named(k.origin); });
    auto timed = this->timed();
    if (kernel)
      device_.launch(*kernel, late ? late->launch : k.launch, {args.begin(), next});
    else
      of_.run_without(k, {args.begin(), first_scalar}, {first_scalar, next});
    const bool is_library = k.kernel >= 0 && program_.kernels[static_cast<size_t>(k.kernel)].linked.entry;
    const Work work = is_library ? Work::Library : kernel ? Work::Kernel : Work::Blocks;
    const auto describe = [&] { return event(work, k.origin, k.bytes_read, k.bytes_written); };
    if (timed)
      timed.end_short(of_.numbers_[s_] + static_cast<uint64_t>(work) + (lines_ ? lines_->number : 0),
                      describe);
    of_.counters_.bytes_read.fetch_add(k.bytes_read, std::memory_order_relaxed);
    of_.counters_.bytes_written.fetch_add(k.bytes_written, std::memory_order_relaxed);
  }

  void start(const DotStep& d) {
    const DType t = d.dot.dtype;
    void* const c = get(d.c).data();
    const void *a = element(d.a, d.offset_a, t), *b = element(d.b, d.offset_b, t);
    const StopScope scope(may_stop_);
    const RangeScope range([&] { return named(d.origin); });
    auto timed = this->timed();
    device_.dot(d.dot, c, a, b);
    timed.end([&] {
      const auto item = static_cast<int64_t>(size_of(t));
      const auto& [dtype, batch, m, n, k] = std::tie(d.dot.dtype, d.dot.batch, d.dot.m, d.dot.n, d.dot.k);
      TraceEvent done = event(Work::Library, d.origin, batch * (m * k + k * n) * item, batch * m * n * item);
      done.operations = (is_complex(dtype) ? 8 : 2) * batch * m * n * k;
      return done;
    });
  }

  void start(const LoopStep& l) {
    std::vector<BufferRef> operands;
    operands.reserve(l.operands.size());
    for (int b : l.operands) get(b), operands.push_back(ref(b));
    drop_dead();  // so that the loop may have it
    std::vector<BufferRef> results = of_.looped(s_, std::move(operands), may_stop_, lines_);
    for (size_t i = 0; i < results.size(); ++i)
      if (l.results[i] >= 0) hold(l.results[i], std::move(results[i]));
  }

  void start(const CopyStep& c) {
    if (get(c.to).data() == get(c.from).data()) return;
    auto timed = this->timed();
    const BufferSpec& spec = program_.buffers[c.to];
    device_.copy(get(c.to), 0, get(c.from), 0, static_cast<size_t>(spec.bytes));
    timed.end([&] { return event(Work::Copy, {"copy to " + spec.what, {}}, spec.bytes, spec.bytes); });
  }

  const Executable& of_;
  const Program& program_;
  Device& device_;
  std::span<const BufferRef> inputs_;
  std::span<const Scalar> scalars_;
  // Whether what an input's memory held would have to be computed again, and whether work may be given up.
  bool again_, may_stop_;
  const LinesNow* lines_;
  int count_;
  size_t s_ = 0;  // the step
  ShortList<Buffer*, kFewBuffers> buffers_;
  ShortList<BufferRef, kFewBuffers> held_;  // all but the inputs, which the caller holds
  // The executable's, or with inputs that are given away.
  const std::vector<int>* taken_from_ = &of_.taken_from_;
  const std::vector<Device::Use>* uses_ = &of_.uses_;
  std::vector<int> of_given_;
  std::vector<Device::Use> uses_of_given_;
};

std::vector<BufferRef> Executable::run(std::span<const BufferRef> inputs, std::span<const Scalar> scalars,
                                       std::span<const int> given, const LinesNow* lines) const {
  return run_steps(inputs, scalars, given, Stops::UntilWritten, lines);
}

std::vector<BufferRef> Executable::run_steps(std::span<const BufferRef> inputs,
                                             std::span<const Scalar> scalars, std::span<const int> given,
                                             Stops stops, const LinesNow* lines) const {
  return Run(*this, inputs, scalars, given, stops, lines).run();
}

}  // namespace weft::runtime
