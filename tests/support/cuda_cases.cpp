#include "tests/support/cuda_cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "compiler/ir/interpret/interpret.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/random_input.h"
#include "tests/support/emulate_cuda.h"

namespace weft::test {

using plan::CudaSchedule;
using plan::RowProgram;

namespace {

CudaKernel make_kernel(const ir::Group& group, const std::function<bool(const ir::Node*)>& in_memory,
                       const Target& target, const Change& change, const Bias& bias) {
  CudaKernel k;
  k.lowered = plan::lower(group, in_memory);
  k.schedule = plan::schedule_cuda(k.lowered.program, target, bias);
  if (change) change(k.schedule, k.lowered.program);
  plan::parameterize(k.lowered.program);
  plan::verify(k.lowered.program);
  k.emitted = emit::emit_cuda(k.lowered.program, k.schedule);
  return k;
}

bool agrees(const ir::HostTensor& got, const ir::HostTensor& want, double tolerance, std::string& what) {
  size_t size = size_of(want.type.dtype);
  double largest = 0;
  auto real = [&](const ir::HostTensor& t, size_t i, int part) {
    Scalar s = Scalar::load(t.type.dtype, t.data.data() + i * size);
    if (!is_float(s.dtype) && !is_complex(s.dtype)) return part ? 0.0 : static_cast<double>(s.i);
    return part ? s.im : s.re;
  };
  size_t n = want.data.size() / size;
  for (size_t i = 0; i < n; ++i)
    for (int part = 0; part < 2; ++part)
      if (std::isfinite(real(want, i, part))) largest = std::max(largest, std::abs(real(want, i, part)));
  bool whole = !is_float(want.type.dtype) && !is_complex(want.type.dtype);
  for (size_t i = 0; i < n; ++i)
    for (int part = 0; part < 2; ++part) {
      double g = real(got, i, part), w = real(want, i, part);
      bool same = std::isnan(w) ? std::isnan(g) : g == w;
      if (tolerance == 0 && w == 0 && !whole) same &= std::signbit(g) == std::signbit(w);
      if (!same && tolerance > 0 && std::isfinite(w))
        same = std::abs(g - w) <= (whole ? 0 : tolerance * std::max(std::abs(w), largest * 0.1));
      if (!same) {
        what = fmt::format("element {} of {}{}: got {}, want {}", i, name(want.type.dtype),
                           to_string(want.type.shape), g, w);
        return false;
      }
    }
  return true;
}

constexpr size_t kMargin = 256;
constexpr std::byte kUntouched{0xa5};

// Memory of a kernel's buffer, aligned as the runtime's, with margins that nothing may write.
struct Buffer {
  std::vector<std::byte> memory;
  size_t bytes = 0;
  explicit Buffer(size_t n) : memory(n + 4 * kMargin, kUntouched), bytes(n) {}
  std::byte* data() {
    auto at = reinterpret_cast<uintptr_t>(memory.data()) + kMargin;
    return memory.data() +
           ((at + kMargin - 1) / kMargin * kMargin - reinterpret_cast<uintptr_t>(memory.data()));
  }
  bool margins_untouched() {
    for (auto& b : memory) {
      bool inside = &b >= data() && &b < data() + bytes;
      if (!inside && b != kUntouched) return false;
    }
    return true;
  }
};

void run_and_check(const EmulatedCuda& emulator, CudaCase& c, uint64_t seed, double tolerance, double edges) {
  std::vector<ir::HostTensor> inputs = random_inputs(c.graph, seed, {-3, 3}, edges);
  ir::Graph everything{c.graph.inputs, {}};
  for (auto* n : c.memory) everything.outputs.push_back(ir::NodeRef(n));
  std::vector<ir::HostTensor> values = ir::interpret(everything, inputs);
  std::map<const ir::Node*, const ir::HostTensor*> value_of;
  for (size_t k = 0; k < c.graph.inputs.size(); ++k) value_of[c.graph.inputs[k].get()] = &inputs[k];
  for (size_t k = 0; k < c.memory.size(); ++k) value_of[c.memory[k]] = &values[k];

  for (auto& kernel : c.kernels) {
    auto& program = kernel.lowered.program;
    std::vector<Buffer> buffers;
    std::vector<uint64_t> words;
    for (size_t b = 0; b < kernel.lowered.buffers.size(); ++b) {
      auto* node = kernel.lowered.buffers[b];
      auto& data = value_of.at(node)->data;
      if (node->op == ir::Op::input && !node->as<ir::InputAttr>().strides.empty()) {
        // The tensor's elements, spread as the input's strides say.
        auto& attr = node->as<ir::InputAttr>();
        size_t size = size_of(node->dtype());
        int64_t count = element_count(node->shape()), reach = attr.offset;
        for (size_t a = 0; a < node->shape().size(); ++a)
          if (attr.strides[a] > 0) reach += (node->shape()[a] - 1) * attr.strides[a];
        buffers.emplace_back(static_cast<size_t>(std::max<int64_t>(reach + 1, 1)) * size);
        for (int64_t i = 0; i < count; ++i) {
          int64_t rest = i, at = attr.offset;
          for (size_t a = node->shape().size(); a-- > 0;) {
            at += rest % node->shape()[a] * attr.strides[a];
            rest /= node->shape()[a];
          }
          std::memcpy(buffers.back().data() + static_cast<size_t>(at) * size,
                      data.data() + static_cast<size_t>(i) * size, size);
        }
        continue;
      }
      buffers.emplace_back(data.size());
      if (!program.buffers[b].written) std::memcpy(buffers.back().data(), data.data(), data.size());
    }
    buffers.emplace_back(static_cast<size_t>(kernel.emitted.partial_bytes));
    size_t given = buffers.size() - (kernel.emitted.partial_bytes == 0);
    for (size_t b = 0; b < given; ++b) words.push_back(reinterpret_cast<uint64_t>(buffers[b].data()));
    for (int64_t p : kernel.emitted.params) words.push_back(static_cast<uint64_t>(p));
    for (auto* n : kernel.lowered.scalars) {
      uint64_t word[2] = {};
      if (n->op == ir::Op::constant)
        n->as<ir::ConstantAttr>().value.store(word);
      else
        std::memcpy(word, value_of.at(n)->data.data(), size_of(n->dtype()));
      words.push_back(word[0]);
      if (n->dtype() == DType::C128) words.push_back(word[1]);
    }
    emulator.run(kernel.emitted, words);
    for (size_t b = 0; b < buffers.size(); ++b)
      ASSERT_TRUE(buffers[b].margins_untouched()) << "buffer " << b << " is written outside of its elements\n"
                                                  << kernel.emitted.source.text;
    for (size_t b = 0; b < kernel.lowered.buffers.size(); ++b) {
      if (!program.buffers[b].written) continue;
      const ir::HostTensor& want = *value_of.at(kernel.lowered.buffers[b]);
      ir::HostTensor got{want.type,
                         std::vector<std::byte>(buffers[b].data(), buffers[b].data() + want.data.size())};
      std::string what;
      ASSERT_TRUE(agrees(got, want, tolerance, what)) << what << "\n"
                                                      << kernel.schedule.reason << "\n"
                                                      << plan::print(program) << kernel.emitted.source.text;
    }
  }
}

}  // namespace

CudaCase compile(ir::Graph graph, const Target& target, const Change& change, bool empty_rows,
                 const Bias& bias) {
  CudaCase c;
  c.graph = std::move(graph);
  c.partition = fusion::fuse(c.graph, target, Options());
  std::map<const ir::Node*, bool> stored;
  for (auto& in : c.graph.inputs)
    if (in->op == ir::Op::input) stored[in.get()] = true;
  for (auto& step : c.partition.steps) {
    for (auto& root : step.group.roots)
      if (root.stored) stored[root.node.get()] = true;
    if (step.library) stored[step.library.get()] = true;
  }
  for (auto& [node, yes] : stored) c.memory.push_back(node);
  // Nothing is computed for arrays without elements; their reductions are the compiler's to fill in.
  auto empty = [&](const ir::Group& g) {
    return element_count(g.outer) == 0 || (element_count(g.row) == 0 && !empty_rows);
  };
  for (auto& step : c.partition.steps)
    if (!step.library && !empty(step.group))
      c.kernels.push_back(make_kernel(
          step.group, [&](const ir::Node* n) { return stored.contains(n); }, target, change, bias));
  return c;
}

void EmulatedCases::check(double tolerance, double edges) {
  EmulatedCuda emulator;
  for (auto& c : cases)
    for (auto& k : c.kernels) emulator.add(k.emitted);
  ASSERT_TRUE(emulator.build());
  for (size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE(fmt::format("case {}\n{}", k, ir::print(cases[k].graph)));
    run_and_check(emulator, cases[k], 100 + k, tolerance, edges);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace weft::test
