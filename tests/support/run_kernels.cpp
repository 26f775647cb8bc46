#include "tests/support/run_kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include "compiler/blocks/prepare.h"
#include "compiler/emit/cpu/emit_cpu.h"
#include "compiler/fusion/fuse.h"
#include "compiler/ir/analysis/in_place.h"
#include "compiler/plan/lower/lower.h"
#include "compiler/plan/schedule/schedule.h"
#include "runtime/blocks/run_blocks.h"
#include "runtime/cpu/clang_jit.h"

namespace weft::test {

namespace {

using ir::HostTensor;
using ir::Node;
using plan::CpuSchedule;
using plan::Order;
using plan::RowProgram;
using runtime::ClangJit;

constexpr size_t kMargin = 256;
constexpr std::byte kUntouched{0xa5};

// Aligned as the runtime's buffers are.
class Block {
 public:
  explicit Block(size_t bytes) : memory_(bytes + 3 * kMargin, kUntouched), bytes_(bytes) {
    auto at = reinterpret_cast<uintptr_t>(memory_.data()) + kMargin;
    start_ = (at + kMargin - 1) / kMargin * kMargin - reinterpret_cast<uintptr_t>(memory_.data());
  }
  std::byte* data() { return memory_.data() + start_; }
  size_t bytes() const { return bytes_; }
  bool margins_untouched() const {
    auto untouched = [](std::byte b) { return b == kUntouched; };
    auto first = memory_.begin() + static_cast<int64_t>(start_);
    return std::all_of(memory_.begin(), first, untouched) &&
           std::all_of(first + static_cast<int64_t>(bytes_), memory_.end(), untouched);
  }

 private:
  std::vector<std::byte> memory_;
  size_t bytes_, start_ = 0;
};

// The same beside pages that are not mapped.
class LonelyBlock {
 public:
  LonelyBlock(size_t bytes, Placed placed) : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = std::max<size_t>((bytes + page_ - 1) / page_, 1) * page_;
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(memory_ + page_, size_, PROT_READ | PROT_WRITE), 0);
    std::fill_n(memory_ + page_, size_, kUntouched);
    start_ = page_ + (placed == Placed::LastOfPages ? size_ - bytes : 0), bytes_ = bytes;
  }
  LonelyBlock(const LonelyBlock&) = delete;
  LonelyBlock& operator=(const LonelyBlock&) = delete;
  ~LonelyBlock() { munmap(memory_, size_ + 2 * page_); }
  std::byte* data() { return memory_ + start_; }
  bool margins_untouched() const {
    auto untouched = [](std::byte b) { return b == kUntouched; };
    return std::all_of(memory_ + page_, memory_ + start_, untouched) &&
           std::all_of(memory_ + start_ + bytes_, memory_ + page_ + size_, untouched);
  }

 private:
  size_t page_, size_ = 0, start_ = 0, bytes_ = 0;
  std::byte* memory_ = nullptr;
};

// Memory of an array.
class Memory {
 public:
  Memory(size_t bytes, Placed placed) : bytes_(bytes) {
    if (placed == Placed::Anywhere)
      plain_ = std::make_unique<Block>(bytes);
    else
      lonely_ = std::make_unique<LonelyBlock>(bytes, placed);
  }
  std::byte* data() { return plain_ ? plain_->data() : lonely_->data(); }
  size_t bytes() const { return bytes_; }
  bool margins_untouched() const {
    return plain_ ? plain_->margins_untouched() : lonely_->margins_untouched();
  }

 private:
  size_t bytes_;
  std::unique_ptr<Block> plain_;
  std::unique_ptr<LonelyBlock> lonely_;
};

// A kernel whose masked loads read the first and the last byte that they ask for.
std::string probing(std::string text) {
  const std::string opening = "(const void* p, boolv mask) {\n", start = "weft_load_masked_";
  for (size_t at = 0; (at = text.find(opening, at)) != std::string::npos; at += opening.size()) {
    const size_t line = text.rfind('\n', at) + 1, named = text.find(start, line);
    if (named == std::string::npos || named > at) continue;
    const std::string dtype = text.substr(named + start.size(), at - named - start.size());
    DType t{};
    for (int k = 0; k < kDTypeCount; ++k)
      if (dtype == weft::name(static_cast<DType>(k))) t = static_cast<DType>(k);
    text.insert(at + opening.size(), fmt::format("  const long asked = L * {0} < 16 ? 16 : L * {0};\n"
                                                 "  (void)*(const volatile char*)p;\n"
                                                 "  (void)*((const volatile char*)p + asked - 1);\n",
                                                 size_of(t)));
  }
  return text;
}

// Runs what may touch memory that is not mapped.
sigjmp_buf before_fault;
bool faults(const std::function<void()>& run) {
  struct sigaction jump = {}, old = {};
  jump.sa_handler = [](int) { siglongjmp(before_fault, 1); };
  sigaction(SIGSEGV, &jump, &old);
  const bool faulted = sigsetjmp(before_fault, 1) != 0;
  if (!faulted) run();
  sigaction(SIGSEGV, &old, nullptr);
  return faulted;
}

using Entry = void (*)(const uint64_t*, int64_t, int64_t, char*);

struct Loaded {
  std::shared_ptr<ClangJit::Code> code;
  Entry run, finish;
};

const Loaded& load(const KernelSource& source, const std::string& processor, bool probes) {
  static std::map<std::string, ClangJit> jits;
  static std::map<std::tuple<std::string, std::string, bool>, Loaded> loaded;
  auto it = loaded.find({source.name, processor, probes});
  if (it != loaded.end()) return it->second;
  const ClangJit& jit = jits.try_emplace(processor, processor).first->second;
  std::vector<std::string> symbols = {source.name, source.name + "_finish"};
  Loaded l;
  l.code = jit.load(jit.compile(probes ? probing(source.text) : source.text, source.name), symbols);
  l.run = reinterpret_cast<Entry>(l.code->address(symbols[0]));
  l.finish = reinterpret_cast<Entry>(l.code->address(symbols[1]));
  return loaded.emplace(std::tuple(source.name, processor, probes), l).first->second;
}

CpuSchedule schedule(RowProgram& p, const Target& target, const Forced& forced) {
  RowProgram lowered = p;
  CpuSchedule s = schedule_cpu(p, target, forced.bias);
  if (!forced.change) return s;
  forced.change(s, lowered);
  p = std::move(lowered);
  const bool columns = division_of(s).order == Order::Columns;
  float cost = columns                  ? std::numeric_limits<float>::infinity()
               : forced.repeat_cost < 0 ? 6
                                        : forced.repeat_cost;
  repeat_cheap_values(p, true, cost, columns ? -1 : s.lane_axis);
  std::visit(
      [&](auto& shape) {
        if constexpr (requires { shape.scratch; }) shape.scratch = !crossing_values(p).empty();
      },
      s.shape);
  return s;
}

class Run {
 public:
  Run(const ir::Graph& graph, const Target& target, const Forced& forced)
      : graph_(graph), target_(target), forced_(forced) {}

  std::vector<HostTensor> operator()(const std::vector<HostTensor>& inputs) {
    ir::Partition partition = fusion::fuse(graph_, target_, Options());
    for (size_t k = 0; k < inputs.size(); ++k) {
      const Node* n = graph_.inputs[k].get();
      if (n->op == ir::Op::scalar) {
        scalars_[n] = Scalar::load(n->dtype(), inputs[k].data.data());
        continue;
      }
      add(n, n->type, forced_.placed);
      std::memcpy(blocks_.at(n).data(), inputs[k].data.data(), inputs[k].data.size());
    }
    for (auto& step : partition.steps)
      for (auto& root : step.group.roots)
        if (root.stored)
          add(root.node.get(), root.node->type,
              forced_.placed == Placed::Anywhere ? Placed::Anywhere : Placed::FirstOfPages);
    for (auto& step : partition.steps) kernel(step.group);
    std::vector<HostTensor> out;
    for (auto& o : graph_.outputs) {
      Memory& b = blocks_.at(ir::written_into(o.get()));
      out.push_back({o->type, std::vector<std::byte>(b.data(), b.data() + b.bytes())});
    }
    for (auto& [node, block] : blocks_) EXPECT_TRUE(block.margins_untouched()) << "wrote beyond a buffer";
    return out;
  }

 private:
  void add(const Node* n, const ir::TensorType& type, Placed placed) {
    blocks_.try_emplace(ir::written_into(n),
                        static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype), placed);
  }

  void kernel(const ir::Group& group) {
    plan::Lowered lowered =
        plan::lower(group, [&](const Node* n) { return blocks_.contains(ir::written_into(n)); });
    RowProgram& p = lowered.program;
    CpuSchedule s = schedule(p, target_, forced_);
    plan::parameterize(p);
    plan::verify(p);
    SCOPED_TRACE(print(p) + print(s));
    emit::Emitted emitted = emit::emit_cpu(p, s);
    Block partials(static_cast<size_t>(emitted.partial_bytes)), scratch(emitted.launch.scratch_bytes);
    std::vector<uint64_t> args;
    for (const Node* n : lowered.buffers)
      args.push_back(reinterpret_cast<uint64_t>(blocks_.at(ir::written_into(n)).data()));
    if (emitted.partial_bytes > 0) args.push_back(reinterpret_cast<uint64_t>(partials.data()));
    for (int64_t param : emitted.params) args.push_back(static_cast<uint64_t>(param));
    for (const Node* n : lowered.scalars) {
      uint64_t words[2] = {0, 0};
      scalars_.at(n).store(words);
      args.push_back(words[0]);
      if (n->dtype() == DType::C128) args.push_back(words[1]);
    }
    const Loaded& code = load(emitted.source, forced_.processor, forced_.placed != Placed::Anywhere);
    std::map<const Node*, std::vector<std::byte>> before;
    for (size_t b = 0; b < lowered.buffers.size(); ++b)
      if (const Node* n = ir::written_into(lowered.buffers[b]); p.buffers[b].written)
        before[n].assign(blocks_.at(n).data(), blocks_.at(n).data() + blocks_.at(n).bytes());
    // Tasks may run in any order, and several at a time.
    int64_t tasks = emitted.launch.tasks, half = tasks / 2;
    auto* memory = reinterpret_cast<char*>(scratch.data());
    auto run = [&] {
      code.run(args.data(), half, tasks, memory);
      for (int64_t t = 0; t < half; ++t) code.run(args.data(), t, t + 1, memory);
      if (emitted.launch.finish_tasks > 0) code.finish(args.data(), 0, emitted.launch.finish_tasks, memory);
    };
    if (forced_.placed == Placed::Anywhere)
      run();
    else
      EXPECT_FALSE(faults(run)) << "asked for memory that is not mapped";
    EXPECT_TRUE(partials.margins_untouched() && scratch.margins_untouched()) << "wrote beyond scratch";
    if (!forced_.processor.starts_with("x86-64-v"))
      return run_blocks(p, s, lowered, before, partials, args, runtime::block_loops_here());
    if (forced_.processor == "x86-64-v3")
      run_blocks(p, s, lowered, before, partials, args, runtime::block_loops(runtime::Vectors::Bits256));
    run_blocks(p, s, lowered, before, partials, args, runtime::block_loops(runtime::Vectors::Bits128));
  }

  // From the memory that the kernel found.
  void run_blocks(const RowProgram& p, const CpuSchedule& s, const plan::Lowered& lowered,
                  const std::map<const Node*, std::vector<std::byte>>& before, Block& partials,
                  const std::vector<uint64_t>& args, const runtime::BlockLoops& loops) {
    const BlockProgram program = blocks::prepare(p, s);
    std::map<const Node*, std::vector<std::byte>> kernels;
    for (auto& [n, bytes] : before) {
      Memory& memory = blocks_.at(n);
      kernels[n].assign(memory.data(), memory.data() + memory.bytes());
      std::ranges::copy(bytes, memory.data());
    }
    const size_t buffers = lowered.buffers.size() + (partials.bytes() > 0);
    size_t scalars = 0;
    for (const Node* n : lowered.scalars) scalars += n->dtype() == DType::C128 ? 2 : 1;
    const runtime::BlockArguments arguments{args.data(), args.data() + args.size() - scalars};
    ASSERT_TRUE(buffers <= args.size());
    Block memory(runtime::block_memory(program));
    auto* scratch = reinterpret_cast<char*>(memory.data());
    const auto run = [&] {
      const int64_t half = program.tasks / 2;
      runtime::run_blocks(program, loops, arguments, half, program.tasks, false, scratch);
      for (int64_t t = 0; t < half; ++t)
        runtime::run_blocks(program, loops, arguments, t, t + 1, false, scratch);
      runtime::run_blocks(program, loops, arguments, 0, program.finish_tasks, true, scratch);
    };
    if (forced_.placed == Placed::Anywhere)
      run();
    else
      EXPECT_FALSE(faults(run)) << "blocks asked for memory that is not mapped";
    EXPECT_TRUE(memory.margins_untouched() && partials.margins_untouched()) << "blocks wrote beyond scratch";
    for (auto& [n, bytes] : kernels) {
      const auto* got = blocks_.at(n).data();
      const size_t size = size_of(n->dtype());
      for (size_t at = 0; at < bytes.size(); at += size)
        if (!same_or_nan(n->dtype(), got + at, bytes.data() + at)) {
          ADD_FAILURE() << "blocks differ from the kernel, first in element " << at / size;
          break;
        }
    }
  }

  static bool same_or_nan(DType t, const std::byte* a, const std::byte* b) {
    if (std::memcmp(a, b, size_of(t)) == 0) return true;
    const Scalar x = Scalar::load(t, a), y = Scalar::load(t, b);
    const auto part = [](double p, double q) {
      return (std::isnan(p) && std::isnan(q)) || std::memcmp(&p, &q, sizeof p) == 0;
    };
    return (is_float(t) || is_complex(t)) && part(x.re, y.re) && part(x.im, y.im);
  }

  const ir::Graph& graph_;
  const Target& target_;
  const Forced& forced_;
  std::map<const Node*, Memory> blocks_;
  std::map<const Node*, Scalar> scalars_;
};

}  // namespace

std::vector<HostTensor> run_kernels(const ir::Graph& graph, const std::vector<HostTensor>& inputs,
                                    const Target& target, const Forced& forced) {
  return Run(graph, target, forced)(inputs);
}

bool can_stream(const RowProgram& p, int lane_axis) {
  int stores = 0;
  bool contiguous = true, whole = true;
  plan::for_each_stmt(p, [&](const plan::Stmt& stmt) {
    auto* store = std::get_if<plan::Store>(&stmt);
    if (!store) return;
    ++stores;
    bool along = false;
    for (auto& t : store->at.axes) {
      along |= t.axis == lane_axis && t.by.value == 1;
      whole &= t.axis == lane_axis || t.by.value % 64 == 0;
    }
    contiguous &= along && store->at.values.empty();
  });
  return stores > 0 && contiguous && (stores == 1 || whole);
}

}  // namespace weft::test
