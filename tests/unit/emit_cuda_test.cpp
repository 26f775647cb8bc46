// CUDA kernels from graphs: their text, that NVRTC takes it, and that it computes what the interpreter
// computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "compiler/base/error.h"
#include "compiler/emit/cuda.h"
#include "compiler/ir/interpret.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/passes/fuse.h"
#include "compiler/plan/chain.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/schedule.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/shared_library.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"
#include "tests/golden/golden.h"
#include "tests/unit/across_graphs.h"
#include "tests/unit/emulate_cuda.h"

namespace weft {
namespace {

using plan::Keeper;
using plan::Order;
using plan::RowProgram;
using plan::Schedule;

Target h200() { return {TargetKind::Cuda, 132, 16, size_t{50} << 20, size_t{227} << 10}; }
// So small that little arrays are split and pass its cache by.
Target tiny() { return {TargetKind::Cuda, 1, 16, 0, size_t{48} << 10}; }

struct Kernel {
  plan::Lowered lowered;
  Schedule schedule;
  emit::Emitted emitted;
};

using Change = std::function<void(Schedule&, RowProgram&)>;

Kernel make_kernel(const ir::Group& group, const std::function<bool(const ir::Node*)>& in_memory,
                   const Target& target, const Change& change = {}, const Bias& bias = {}) {
  Kernel k;
  k.lowered = plan::lower(group, in_memory);
  k.schedule = plan::schedule_cuda(k.lowered.program, target, bias);
  if (change) change(k.schedule, k.lowered.program);
  plan::parameterize(k.lowered.program);
  plan::verify(k.lowered.program);
  k.emitted = emit::emit_cuda(k.lowered.program, k.schedule);
  return k;
}

// The kernels of a graph, with whatever they read from each other.
struct Case {
  ir::Graph graph;
  ir::Partition partition;
  std::vector<Kernel> kernels;
  std::vector<const ir::Node*> memory;  // everything that is in a buffer
};

Case compile(ir::Graph graph, const Target& target, const Change& change = {}, bool empty_rows = false,
             const Bias& bias = {}) {
  Case c;
  c.graph = std::move(graph);
  c.partition = passes::fuse(c.graph, target, Options());
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

// ---- running

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

void run_and_check(const test::EmulatedCuda& emulator, Case& c, uint64_t seed, double tolerance,
                   double edges) {
  std::vector<ir::HostTensor> inputs = test::random_inputs(c.graph, seed, {-3, 3}, edges);
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

struct Emulated {
  std::vector<Case> cases;
  void add(Case c) { cases.push_back(std::move(c)); }
  void check(double tolerance, double edges) {
    test::EmulatedCuda emulator;
    for (auto& c : cases)
      for (auto& k : c.kernels) emulator.add(k.emitted);
    ASSERT_TRUE(emulator.build());
    for (size_t k = 0; k < cases.size(); ++k) {
      SCOPED_TRACE(fmt::format("case {}\n{}", k, ir::print(cases[k].graph)));
      run_and_check(emulator, cases[k], 100 + k, tolerance, edges);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
};

// ---- graphs

constexpr const char* kAxpy = R"(graph {
  %a = input : f32[4096, 1024]
  %b = input : f32[4096, 1024]
  %s = scalar : f32[]
  %0 = multiply %a, %s
  %1 = add %0, %b
  %2 = multiply %1, 0.5
  %3 = sqrt %2
  return %3
})";

std::string softmax(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %m = max %a, axes=[1]
  %m1 = reshape %m : {0}[{1}, 1]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[1]
  %s1 = reshape %s : {0}[{1}, 1]
  %y = divide %e, %s1
  return %y
}})",
                     dtype, rows, width);
}

std::string layernorm(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %x = input : {0}[{1}, {2}]
  %gain = input : {0}[{2}]
  %bias = input : {0}[{2}]
  %t = sum %x, axes=[1]
  %m = divide %t, {2}
  %m1 = reshape %m : {0}[{1}, 1]
  %d = subtract %x, %m1
  %q = multiply %d, %d
  %s = sum %q, axes=[1]
  %v = divide %s, {2}
  %e = add %v, 0.001
  %r = sqrt %e
  %r1 = reshape %r : {0}[{1}, 1]
  %n = divide %d, %r1
  %g = multiply %n, %gain
  %y = add %g, %bias
  return %y
}})",
                     dtype, rows, width);
}

// Forces between all pairs, in two dimensions, and for each point how far the next one but itself is and
// which.
std::string pairs(const std::string& dtype, int64_t points, int64_t others) {
  return fmt::format(R"(graph {{
  %p = input : {0}[{1}, 1]
  %q = input : {0}[{1}, 1]
  %a = input : {0}[1, {2}]
  %b = input : {0}[1, {2}]
  %soft = scalar : {0}[]
  %x = subtract %a, %p
  %y = subtract %b, %q
  %xx = multiply %x, %x
  %yy = square %y
  %d = add %xx, %yy
  %e = add %d, %soft
  %r = rsqrt %e
  %fx = multiply %x, %r
  %fy = multiply %y, %r
  %sx = sum %fx, axes=[1]
  %sy = sum %fy, axes=[1]
  %near = min %d, axes=[1]
  %which = argmin %d, axes=[1]
  return %sx, %sy, %near, %which
}})",
                     dtype, points, others);
}

// The same in three dimensions, whose sums fill the shared memory of a block.
std::string forces(int64_t points) {
  return fmt::format(R"(graph {{
  %x = input : f32[{0}]
  %y = input : f32[{0}]
  %z = input : f32[{0}]
  %soft = scalar : f32[]
  %x1 = reshape %x : f32[{0}, 1]
  %y1 = reshape %y : f32[{0}, 1]
  %z1 = reshape %z : f32[{0}, 1]
  %dx = subtract %x, %x1
  %dy = subtract %y, %y1
  %dz = subtract %z, %z1
  %xx = square %dx
  %yy = square %dy
  %zz = square %dz
  %xy = add %xx, %yy
  %d = add %xy, %zz
  %e = add %d, %soft
  %r = rsqrt %e
  %rr = multiply %r, %r
  %w = multiply %rr, %r
  %fx = multiply %dx, %w
  %fy = multiply %dy, %w
  %fz = multiply %dz, %w
  %sx = sum %fx, axes=[1]
  %sy = sum %fy, axes=[1]
  %sz = sum %fz, axes=[1]
  return %sx, %sy, %sz
}})",
                     points);
}

std::string column_softmax(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %m = max %a, axes=[0]
  %m1 = reshape %m : {0}[1, {2}]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[0]
  %s1 = reshape %s : {0}[1, {2}]
  %y = divide %e, %s1
  return %y
}})",
                     dtype, rows, width);
}

// With what else is found in the same readings.
std::string log_sum_exp(const std::string& dtype, int64_t rows, int64_t width, int axis) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %m = max %a, axes=[{3}]
  %m1 = reshape %m : {0}[{4}]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[{3}]
  %l = log %s
  %y = add %l, %m
  %t = sum %a, axes=[{3}]
  return %y, %t
}})",
                     dtype, rows, width, axis,
                     axis == 1 ? fmt::format("{}, 1", rows) : fmt::format("1, {}", width));
}

std::string sum(const std::string& type, const std::string& axes) {
  return fmt::format("graph {{\n  %a = input : {}\n  %s = sum %a, axes=[{}]\n  return %s\n}}", type, axes);
}

std::string stencil(int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %u = input : f32[{0}, {1}]
  %c = slice %u, starts=[1, 1] : f32[{2}, {3}]
  %n = slice %u, starts=[0, 1] : f32[{2}, {3}]
  %s = slice %u, starts=[2, 1] : f32[{2}, {3}]
  %w = slice %u, starts=[1, 0] : f32[{2}, {3}]
  %e = slice %u, starts=[1, 2] : f32[{2}, {3}]
  %0 = add %n, %s
  %1 = add %w, %e
  %2 = add %0, %1
  %3 = multiply %c, 4
  %4 = subtract %2, %3
  %5 = multiply %4, 0.1
  %6 = add %c, %5
  %7 = update %u, %6, starts=[1, 1]
  return %7
}})",
                     rows, width, rows - 2, width - 2);
}

std::string argmax(const std::string& type) {
  return fmt::format("graph {{\n  %a = input : {}\n  %s = argmax %a, axes=[1]\n  return %s\n}}", type);
}

std::string transposed(int64_t rows, int64_t columns, const std::string& dtype = "f32") {
  return fmt::format(R"(graph {{
  %a = input : {2}[{0}, {1}]
  %b = input : {2}[{1}, {0}]
  %t = permute %b, axes=[1, 0]
  %y = add %a, %t
  return %y
}})",
                     rows, columns, dtype);
}

std::string heat(int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %u = input : f32[{0}, {1}]
  %c = slice %u, starts=[1, 1] : f32[{2}, {3}]
  %n = slice %u, starts=[0, 1] : f32[{2}, {3}]
  %s = slice %u, starts=[2, 1] : f32[{2}, {3}]
  %w = slice %u, starts=[1, 0] : f32[{2}, {3}]
  %e = slice %u, starts=[1, 2] : f32[{2}, {3}]
  %0 = add %n, %s
  %1 = add %w, %e
  %2 = add %0, %1
  %3 = multiply %c, 4
  %4 = subtract %2, %3
  return %4
}})",
                     rows, width, rows - 2, width - 2);
}

// Rows far from each other, planes, one row that is not shared, and a dtype with many lanes.
std::string many_rows(int64_t planes, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %u = input : i16[{0}, {1}, {2}]
  %v = input : i16[{4}, {2}]
  %0 = slice %u, starts=[0, 0, 0] : i16[{3}, {4}, {2}]
  %1 = slice %u, starts=[0, 2, 0] : i16[{3}, {4}, {2}]
  %2 = slice %u, starts=[1, 9, 0] : i16[{3}, {4}, {2}]
  %3 = slice %u, starts=[1, 4, 0] : i16[{3}, {4}, {2}]
  %4 = subtract %0, %1
  %5 = multiply %2, %3
  %6 = add %4, %5
  %7 = multiply %6, %v
  return %7
}})",
                     planes, rows, width, planes - 1, rows - 9);
}

// A scan between what it reads and what reads it.
std::string scanned(const std::string& op, const std::string& dtype, int64_t rows, int64_t width, int axis) {
  return fmt::format(R"(graph {{
  %a = input : {1}[{2}, {3}]
  %b = input : {1}[{2}, {3}]
  %p = multiply %a, %b
  %c = {0} %p, axis={4}
  %y = subtract %c, %a
  return %y
}})",
                     op, dtype, rows, width, axis);
}

constexpr const char* kSeveral = R"(graph {
  %a = input : f32[1000, 512]
  %b = input : bool[1000, 512]
  %0 = exp %a
  %1 = select %b, %0, %a
  %2 = cast %1 : bf16[1000, 512]
  %3 = less %a, 0.0
  return %1, %2, %3
})";

constexpr const char* kQuotients = R"(graph {
  %a = input : f32[4096]
  %b = input : f32[4096]
  %q = divide %a, %b
  %r = sqrt %b
  %e = erf %q
  %l = log %r
  %d = divide %e, %l
  %x = exp %d
  %t = divide %x, 3.0
  return %t
})";

constexpr const char* kGather = R"(graph {
  %a = input : f32[5000, 256]
  %i = input : i64[1024, 1]
  %g = gather %a, %i, axis=0
  %y = multiply %g, 2.0
  return %y
})";

// A number for each row, and one for each place in it.
std::string add_to_rows(const std::string& dtype, int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : {0}[{1}, {2}]
  %b = input : {0}[{1}, 1]
  %c = broadcast %b : {0}[{1}, {2}]
  %d = input : {0}[{2}]
  %e = broadcast %d : {0}[{1}, {2}]
  %f = add %a, %c
  %y = add %f, %e
  return %y
}})",
                     dtype, rows, width);
}

const std::vector<std::pair<std::string, std::string>>& samples() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"axpy", kAxpy},
      {"softmax", softmax("f32", 32768, 4096)},
      {"softmax_bf16", softmax("bf16", 1024, 65536)},
      {"sum_all", sum("f32[16384, 8192]", "0, 1")},
      {"sum_columns", sum("f32[16384, 8192]", "0")},
      {"stencil", stencil(8192, 8192)},
      {"argmax", argmax("f32[8192, 4096]")},
      {"several_outputs", kSeveral},
      {"gather", kGather},
      {"quotients", kQuotients},
      {"pairs", pairs("f32", 32768, 32768)},
      {"add_transposed", transposed(8192, 8192)},
      {"heat", heat(8192, 8192)},
      {"softmax_columns", column_softmax("f32", 512, 16384)},
      {"softmax_long_columns", column_softmax("f32", 16384, 8192)},
      {"softmax_odd_rows", softmax("f32", 4096, 3073)},
      {"any_odd_rows", "graph {\n  %a = input : bool[32768, 385]\n  %y = any %a, axes=[1]\n  return %y\n}"},
      {"softmax_odd_columns", column_softmax("f32", 4096, 16385)},
      {"softmax_narrow_rows", softmax("f32", 1048576, 7)},
      {"map_narrow_rows", add_to_rows("i8", 1048576, 7)},
      {"log_sum_exp", log_sum_exp("f32", 64, 1048576, 1)},
      {"layer_norm_gradients", test::layer_norm_gradients("f32", 32768, 4096)},
      {"scan_rows", scanned("cumulative_sum", "f32", 8192, 4096, 1)},
      {"scan_parts", scanned("cumulative_sum", "f32", 1, int64_t{1} << 27, 1)},
      {"scan_columns", scanned("cumulative_max", "f32", 4096, 65536, 0)},
  };
  return all;
}

TEST(CudaText, IsWhatTheGoldensShow) {
  for (auto& [name, text] : samples()) {
    SCOPED_TRACE(name);
    Case c = compile(ir::parse(text), h200());
    std::string all;
    for (auto& k : c.kernels) {
      Launch& l = k.emitted.launch;
      all += fmt::format(
          "// {}\n// {} blocks of {} threads, finish {} of {}, {} bytes shared, {} bytes of partials\n{}",
          k.schedule.reason, l.tasks, l.threads, l.finish_tasks, l.finish_threads, l.shared_bytes,
          k.emitted.partial_bytes, k.emitted.source.text);
    }
    test::expect_golden("cuda_" + name + ".cu", all);
  }
}

TEST(CudaText, OfAChainTotalsPartsFirst) {
  Case c = compile(ir::parse(scanned("cumulative_sum", "f32", 2, int64_t{1} << 24, 1)), h200());
  test::expect_golden("plan/scan_in_parts.txt",
                      plan::print(c.kernels[0].lowered.program) + plan::print(c.kernels[0].schedule));
}

TEST(CudaText, OfNarrowRowsWalksThemAsOne) {
  Case c = compile(ir::parse(add_to_rows("i8", 1048576, 7)), h200());
  test::expect_golden("plan/narrow_rows.txt",
                      plan::print(c.kernels[0].lowered.program) + plan::print(c.kernels[0].schedule));
}

TEST(CudaText, DoesNotDependOnTheShape) {
  auto text_of = [](const std::string& graph) {
    return compile(ir::parse(graph), h200()).kernels[0].emitted.source.text;
  };
  EXPECT_EQ(text_of(sum("f32[16384, 8192]", "0, 1")), text_of(sum("f32[8192, 8192]", "0, 1")));
  EXPECT_EQ(text_of(softmax("f32", 10000, 4096)), text_of(softmax("f32", 30000, 4096)));
  EXPECT_EQ(text_of(softmax("f32", 10000, 4092)), text_of(softmax("f32", 30000, 4000)));
  EXPECT_EQ(text_of(transposed(8192, 4096)), text_of(transposed(8000, 4100)));
  EXPECT_EQ(text_of(heat(8192, 4096)), text_of(heat(4000, 8002)));
}

TEST(CudaText, TakesRootsOfSquaresAloneForNormal) {
  auto text_of = [](const std::string& graph) {
    return compile(ir::parse(graph), h200()).kernels[0].emitted.source.text;
  };
  std::string squares = pairs("f32", 256, 256), product = squares;
  product.replace(product.find("multiply %x, %x"), 15, "multiply %x, %y");
  EXPECT_NE(text_of(squares).find("weft_rsqrt_normal"), std::string::npos);
  EXPECT_EQ(text_of(product).find("weft_rsqrt_normal"), std::string::npos);
}

class CudaCompile : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    nvrtc_ = runtime::cuda::Nvrtc::open(runtime::cuda::SharedLibrary::default_directories(), reason);
    if (!nvrtc_) GTEST_SKIP() << reason;
  }
  void compile_all(const Case& c) {
    for (auto& k : c.kernels)
      EXPECT_NO_THROW(nvrtc_->compile(k.emitted.source.text, k.emitted.source.name, "sm_90"));
  }
  std::unique_ptr<runtime::cuda::Nvrtc> nvrtc_;
};

TEST_F(CudaCompile, TakesEverySample) {
  for (auto& [name, text] : samples()) {
    SCOPED_TRACE(name);
    compile_all(compile(ir::parse(text), h200()));
  }
}

// One block's rows, one part of them, in equal shares.
TEST_F(CudaCompile, TakesSumsOverPairsThatFillSharedMemory) {
  for (int64_t points : {1024, 4096, 32768}) {
    SCOPED_TRACE(points);
    compile_all(compile(ir::parse(forces(points)), h200()));
  }
}

TEST_F(CudaCompile, TakesRandomGraphs) {
  for (uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    compile_all(compile(test::random_graph(seed), seed % 2 ? h200() : tiny()));
  }
}

// ---- meaning

TEST(CudaMeaning, OfReductionsAndSweeps) {
  Emulated all;
  for (const Target& target : {h200(), tiny()}) {
    for (int64_t width : {1, 3, 7, 33, 64, 100, 255, 1024, 2050, 5000}) {
      all.add(compile(ir::parse(softmax("f32", 5, width)), target));
      all.add(compile(ir::parse(sum(fmt::format("f32[3, {}]", width), "1")), target));
      all.add(compile(ir::parse(sum(fmt::format("f32[{}, 40]", width), "0")), target));
      all.add(compile(ir::parse(sum(fmt::format("f32[4, {}, 6]", width), "0, 2")), target));
    }
    all.add(compile(ir::parse(softmax("f64", 3, 600)), target));
    all.add(compile(ir::parse(softmax("f32", 140, 16388)), target));
    all.add(compile(ir::parse(sum("f32[100, 1000]", "0, 1")), target));
    all.add(compile(ir::parse(sum("f64[100, 999]", "0, 1")), target));
    all.add(compile(ir::parse(sum("c64[7, 3000]", "1")), target));
    all.add(compile(ir::parse(sum("c128[7, 301]", "0")), target));
  }
  all.check(2e-5, 0);
}

TEST(CudaMeaning, OfScans) {
  Emulated all;
  for (const Target& target : {h200(), tiny()})
    for (int64_t width : {2, 7, 33, 64, 250, 1024, 5000}) {
      all.add(compile(ir::parse(scanned("cumulative_sum", "f32", 3, width, 1)), target));
      all.add(compile(ir::parse(scanned("cumulative_sum", "f32", width, 40, 0)), target));
      all.add(compile(ir::parse(scanned("cumulative_min", "f64", 4, width, 1)), target));
      all.add(compile(ir::parse(scanned("cumulative_max", "i32", width, 3, 0)), target));
    }
  all.add(compile(ir::parse(scanned("cumulative_sum", "c64", 3, 300, 1)), tiny()));
  all.add(compile(ir::parse(scanned("cumulative_sum", "u8", 3, 300, 1)), tiny()));
  all.check(2e-5, 0);
}

// Rows of one thread, of a part of a warp, of several warps; with another scan in between.
TEST(CudaMeaning, OfScansByAnyThreads) {
  Emulated all;
  for (int threads : {1, 8, 32, 128})
    for (int64_t width : {5, 130, 1024}) {
      auto force = [&](Schedule& s, RowProgram&) {
        s.threads = 128;
        s.threads_per_row = threads;
        s.rows_per_task = 128 / threads;
        s.unroll = 2;
      };
      all.add(compile(ir::parse(scanned("cumulative_sum", "f32", 5, width, 1)), h200(), force));
      all.add(compile(ir::parse(scanned("cumulative_sum", "i64", 5, width, 1)), h200(), force));
      const char* twice = R"(graph {{
  %a = input : f32[5, {0}]
  %q = square %a
  %c = cumulative_sum %q, axis=1
  %d = add %c, %a
  %e = cumulative_max %d, axis=1
  %y = subtract %e, %a
  %s = sum %e, axes=[1]
  return %y, %c, %s
}})";
      all.add(compile(ir::parse(fmt::format(fmt::runtime(twice), width)), h200(), force));
    }
  all.check(2e-5, 0);
}

// Rows in parts that look back: fewer than a group of them, several groups, more than 32 groups; in shared
// memory and read again, with empty parts at the end; states of one word to four.
TEST(CudaMeaning, OfScansInParts) {
  Emulated all;
  for (Keeper keeper : {Keeper::Shared, Keeper::Reload})
    for (auto [split, width] : {std::pair<int, int64_t>{2, 1024}, {3, 1001}, {70, 9000}, {1100, 2400}}) {
      auto force = [&](Schedule& s, RowProgram& p) {
        if (!s.chained) plan::total_parts_first(p);
        plan::repeat_cheap_values(p, keeper == Keeper::Reload, 4);
        s.keeper = plan::crossing_values(p).empty() ? Keeper::None : keeper;
        s.ahead = keeper == Keeper::Shared && split % 2 == 0;
        s.threads = s.threads_per_row = 128 << split % 2;
        s.rows_per_task = 1;
        s.unroll = 2;
        s.split = split;
        s.chained = true;
      };
      auto add = [&](const std::string& op, const std::string& dtype) {
        const int64_t rows = split > 1000 ? 1 : 3;
        all.add(compile(ir::parse(scanned(op, dtype, rows, width, 1)), h200(), force));
      };
      if (split > 3 && keeper == Keeper::Reload) continue;
      add("cumulative_max", "f64");
      if (split > 3) continue;
      add("cumulative_sum", "f32");
      add("cumulative_sum", "c128");
      add("cumulative_sum", "i8");
      add("cumulative_prod", "i64");
    }
  all.check(2e-5, 0);
}

TEST(CudaMeaning, OfScansInSoftmax) {
  Emulated all;
  for (const Target& target : {h200(), tiny()})
    for (int64_t width : {7, 520, 2000}) {
      std::string text = softmax("f32", 3, width);
      text.replace(text.find("  return %y"), 11, "  %c = cumulative_sum %y, axis=1\n  return %c");
      all.add(compile(ir::parse(text), target));
    }
  all.check(2e-5, 0);
}

// Rows that begin anywhere in a vector: whole rows and parts of them, in registers, in shared memory and read
// again, by one thread and by many; rows and slices of rows, with and without elements that lie elsewhere.
TEST(CudaMeaning, OfShiftedVectors) {
  Emulated all;
  auto add = [&](const std::string& text, const Change& change = {}) {
    Case c = compile(ir::parse(text), h200(), change);
    for (auto& k : c.kernels) ASSERT_TRUE(k.schedule.shifted) << text;
    all.add(std::move(c));
  };
  for (int64_t width : {49, 130, 385, 1025, 3075}) {
    // Vectors that end within the row, at all its phases: all but one, all but two, and none.
    if (width == 1025)
      for (int64_t last : {1009, 1023, 1025, 1027, 1041})
        for (const char* dtype : {"f32", "f64", "bf16"}) add(softmax(dtype, 9, last));
    add(sum(fmt::format("i8[37, {}]", width), "1"));
    add(sum(fmt::format("i16[5, {}]", width - width % 2 + 1), "1"));
    add(argmax(fmt::format("u8[9, {}]", width)));
    if (width < 300) continue;
    for (const char* dtype : {"u8", "bf16"})
      if (width > 512)
        add(fmt::format(
            "graph {{\n  %a = input : {0}[11, {1}]\n  %b = input : {0}[11, 1]\n  %c = broadcast %b : "
            "{0}[11, {1}]\n  %y = add %a, %c\n  return %y\n}}",
            dtype, width));
    add(softmax("bf16", 7, width));
    add(softmax("f32", 5, width | 1));
    add(softmax("f64", 3, width | 1));
    add(softmax("f32", 3, width | 1), [](Schedule& s, RowProgram& p) {
      if (s.keeper == Keeper::Registers) s.keeper = Keeper::Shared, s.ahead = true;
      s.threads = s.threads_per_row = 64, s.rows_per_task = 1, s.unroll = 2, s.resident = 1;
      ASSERT_FALSE(plan::crossing_values(p).empty());
    });
    add(fmt::format(
        "graph {{\n  %a = input : i16[13, {0}]\n  %b = slice %a, starts=[1, 3] : i16[11, {1}]\n  %m = max "
        "%b, axes=[1]\n  return %m\n}}",
        width | 1, width - 9));
  }
  all.check(2e-2, 0);
}

// Elements narrower than a word, words of them at a time: rows that begin and end anywhere in one, so short
// that truth is not the same in all of them, and longer ones.
TEST(CudaMeaning, OfWords) {
  Emulated all;
  auto add = [&](const std::string& op, const std::string& dtype, int64_t rows, int64_t width,
                 const Change& change = {}, const std::string& cast = "") {
    const std::string to =
        cast.empty() ? "" : fmt::format("  %c = cast %a : {}[{}, {}]\n", cast, rows, width);
    Case c = compile(ir::parse(fmt::format("graph {{\n  %a = input : {}[{}, {}]\n{}  %y = {} {}, axes=[1]\n  "
                                           "return %y\n}}",
                                           dtype, rows, width, to, op, cast.empty() ? "%a" : "%c")),
                     h200(), change);
    for (auto& k : c.kernels)
      EXPECT_NE(k.emitted.source.text.find("weft_fold_"), std::string::npos) << op << " " << dtype;
    all.add(std::move(c));
  };
  for (int64_t width : {4, 5, 6, 7, 9, 14, 19}) {
    auto narrow = [&](Schedule& s, RowProgram&) {
      s.order = Order::Rows, s.lane_axis = 1;
      s.lanes = 4, s.shifted = width % 4 != 0, s.bundled = false;
      s.threads = 128, s.threads_per_row = 2, s.rows_per_task = 64, s.unroll = 2;
    };
    for (const char* op : {"any", "all"}) add(op, "bool", 300, width, narrow);
    add("all", "i8", 300, width, narrow, "bool");
    for (const char* dtype : {"i8", "u8", "i16", "u16"})
      for (const char* op : {"max", "min"}) add(op, dtype, 50, width, narrow);
    for (const char* dtype : {"bool", "i8", "u8"}) add("sum", dtype, 50, width, narrow, "i64");
  }
  for (int64_t width : {64, 385, 3075, 70001})
    for (int64_t rows : {1, 7}) {
      add("all", "i8", rows, width, {}, "bool");
      for (const char* dtype : {"i8", "u8"}) {
        for (const char* op : {"max", "min", "sum"}) add(op, dtype, rows, width);
        add("sum", dtype, rows, width, {}, "i32");
      }
      add("sum", "bool", rows, width, {}, "i64");
    }
  all.check(0, 0);
}

// Parts of rows, which one block collects: states of all sizes, and blocks of several rows.
TEST(CudaMeaning, OfRowsInParts) {
  Emulated all;
  for (int64_t rows : {1, 5})
    for (int split : {2, 70})
      for (int threads : {32, 128}) {
        auto parts = [&](Schedule& s, RowProgram&) {
          s.split = split, s.threads_per_row = threads, s.threads = 128, s.rows_per_task = 128 / threads;
          s.unroll = 1, s.cluster = 1, s.bundled = false;
        };
        for (const char* dtype : {"f32", "f64", "c128", "i8", "bf16"})
          all.add(compile(ir::parse(sum(fmt::format("{}[{}, 3001]", dtype, rows), "1")), h200(), parts));
        all.add(compile(ir::parse(argmax(fmt::format("f32[{}, 3001]", rows))), h200(), parts));
      }
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfBundledRows) {
  Emulated all;
  int bundled = 0;
  auto add = [&](const std::string& text) {
    Case c = compile(ir::parse(text), h200(), [](Schedule& s, RowProgram& p) {
      if (s.order != Order::Rows) return;
      s.bundled = true, s.shifted = false, s.lanes = 1;
      s.threads_per_row = 1, s.threads = 128, s.rows_per_task = 128;
      if (s.keeper == Keeper::Registers) s.unroll = static_cast<int>(p.row_count());
    });
    for (auto& k : c.kernels) bundled += k.schedule.bundled;
    all.add(std::move(c));
  };
  for (int64_t rows : {2, 127, 256, 301})
    for (int64_t width : {3, 7, 13}) {
      add(sum(fmt::format("i8[{}, {}]", rows, width), "1"));
      add(sum(fmt::format("f16[{}, {}]", rows, width), "1"));
      add(argmax(fmt::format("u16[{}, {}]", rows, width)));
      add(softmax("f32", rows, width));
      add(softmax("bf16", rows, width));
      add(softmax("f64", rows, width));
    }
  EXPECT_GT(bundled, 40);
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfFlattenedRows) {
  Emulated all;
  for (const char* dtype : {"i8", "bf16", "f32", "c64"})
    for (int64_t width : {3, 7, 49})
      for (int64_t rows : {512, 1025}) {
        Case c = compile(ir::parse(add_to_rows(dtype, rows, width)), h200());
        for (auto& k : c.kernels) ASSERT_EQ(k.lowered.program.outer.size(), 1U);
        all.add(std::move(c));
      }
  all.check(1e-6, 0);
}

TEST(CudaMeaning, OfHalves) {
  Emulated all;
  for (const Target& target : {h200(), tiny()}) {
    for (const char* dtype : {"f16", "bf16"}) {
      all.add(compile(ir::parse(softmax(dtype, 3, 520)), target));
      all.add(compile(ir::parse(softmax(dtype, 2, 77)), target));
      all.add(compile(ir::parse(sum(fmt::format("{}[3000, 16]", dtype), "0")), target));
    }
  }
  all.check(2e-2, 0);
}

// Rows in registers and in shared memory, of one block and of several: on widths for which nobody would
// choose it, so that threads and whole blocks are left without elements.
TEST(CudaMeaning, OfRowsOfSeveralBlocks) {
  Emulated all;
  for (Keeper keeper : {Keeper::Registers, Keeper::Shared})
    for (int cluster : {1, 2, 16})
      for (int64_t width : {1, 7, 520, 1001, 1002, 2048}) {
        auto force = [&](Schedule& s, RowProgram& p) {
          if (plan::crossing_values(p).empty()) return;
          s.keeper = keeper;
          s.cluster = cluster;
          s.threads = s.threads_per_row = 64;
          s.rows_per_task = 1;
          s.ahead = keeper == Keeper::Shared && width % 2 == 0;
          int64_t vectors = (width + s.lanes - 1) / s.lanes, part = int64_t{64} * cluster;
          s.unroll = keeper == Keeper::Shared ? 2 : static_cast<int>((vectors + part - 1) / part);
        };
        for (const char* dtype : {"f32", "bf16", "f64"})
          all.add(compile(ir::parse(softmax(dtype, 3, width)), h200(), force));
        all.add(compile(ir::parse(layernorm("f32", 2, width)), h200(), force));
      }
  all.check(2e-2, 0);
}

// Few long rows, of any dtype, as they are scheduled.
TEST(CudaMeaning, OfFewRowsAmongBlocks) {
  Emulated all;
  for (const char* dtype : {"f32", "f16", "f64"})
    for (auto [rows, width] : {std::pair<int64_t, int64_t>{1, 24577}, {3, 20000}}) {
      Case c = compile(ir::parse(softmax(dtype, rows, width)), h200());
      ASSERT_EQ(c.kernels.size(), 1u);
      const Schedule& s = c.kernels[0].schedule;
      EXPECT_EQ(s.keeper, Keeper::Registers);
      EXPECT_GE(s.cluster, 4) << dtype << " " << width;
      all.add(std::move(c));
    }
  // More than a multiprocessor has a block for: two of them then.
  Case c = compile(ir::parse(softmax("f32", 49, 9001)), h200());
  EXPECT_EQ(c.kernels[0].schedule.cluster, 4);
  EXPECT_EQ(c.kernels[0].schedule.resident, 2);
  all.add(std::move(c));
  all.check(2e-2, 0);
}

// Totals across rows: any number of threads for a row, rows in turn, and values that stay or are read again.
TEST(CudaMeaning, OfTotalsAcrossRows) {
  Emulated all;
  auto add = [&](const std::string& text, const Target& target, const Change& change = {}) {
    Case c = compile(ir::parse(text), target, change);
    ASSERT_EQ(c.kernels.size(), 1u) << text;
    ASSERT_TRUE(c.kernels[0].lowered.program.across());
    all.add(std::move(c));
  };
  for (int64_t width : {64, 67, 515, 1028}) {
    add(test::layer_norm_gradients("f32", 19, width), tiny());
    add(test::layer_norm_gradients("bf16", 23, width), tiny());
    add(test::layer_norm_gradients("f64", 9, width), tiny());
  }
  for (int threads : {1, 8, 32, 128})
    for (int64_t walk : {1, 3, 50})
      add(test::layer_norm_gradients("f32", 21, 131), tiny(), [&](Schedule& s, RowProgram& p) {
        const auto vectors = static_cast<int>((p.row_count() + s.lanes - 1) / s.lanes);
        s.threads = 128;
        s.threads_per_row = threads;
        s.rows_per_task = 128 / threads;
        s.unroll = (vectors + threads - 1) / threads;
        s.walk = walk;
        s.resident = 1;
      });
  add(test::layer_norm_gradients("f64", 8, 8000), tiny());
  add(test::row_and_column_reductions("sum", "sum", "f16", 13, 33), tiny());
  add(test::row_and_column_reductions("max", "min", "f32", 30, 41), tiny());
  add(test::row_and_column_reductions("sum", "prod", "i64", 12, 24), tiny());
  add(test::row_and_column_reductions("any", "all", "bool", 12, 32), tiny());
  add(test::row_and_column_reductions("sum", "sum", "c128", 20, 25), tiny());
  all.check(2e-2, 0);
}

// Rows and columns, whole and split, that are all reductions or are read again; elements of all sizes.
TEST(CudaMeaning, OfRescaledSums) {
  Emulated all, edges;
  int rescaled = 0;
  auto add = [&](Emulated& to, const std::string& text, const Change& change = {}) {
    Case c = compile(ir::parse(text), tiny(), change);
    for (auto& k : c.kernels) rescaled += k.emitted.source.text.find("weft_scale_f") != std::string::npos;
    to.add(std::move(c));
  };
  for (const char* dtype : {"f32", "f64", "bf16", "f16"}) {
    add(all, log_sum_exp(dtype, 3, 20000, 1));
    add(all, column_softmax(dtype, 20000, 2));
    add(all, softmax(dtype, 2, 16389));
  }
  for (const char* dtype : {"f32", "bf16"}) {
    add(all, softmax(dtype, 40, 16389));
    add(all, column_softmax(dtype, 700, 140));
  }
  for (auto [rows, width] : {std::pair<int64_t, int64_t>{40, 33}, {70, 64}, {600, 20}}) {
    add(edges, log_sum_exp("f32", rows, width, 0));
    add(edges, log_sum_exp("f64", rows, width, 0));
  }
  for (int64_t split : {1, 2, 5})
    for (int threads : {8, 32, 128})
      add(edges, log_sum_exp("f32", 3, 16389, 1), [&](Schedule& s, RowProgram&) {
        s.threads = 128;
        s.threads_per_row = threads;
        s.rows_per_task = 128 / threads;
        s.split = split;
      });
  EXPECT_GT(rescaled, 20);
  all.check(2e-2, 0);
  edges.check(2e-5, 0.02);
}

// Values that only grow rescale at each batch; rows of nothing but -inf have no sum.
TEST(CudaMeaning, OfRescaledSumsOfGrowingRows) {
  Emulated all;
  const char* growing = R"(graph {{
  %a = input : f32[{0}, {1}]
  %i = iota axis=1 : f32[{0}, {1}]
  %k = multiply %i, {2}
  %x = add %a, %k
  %m = max %x, axes=[1]
  %m1 = reshape %m : f32[{0}, 1]
  %d = subtract %x, %m1
  %e = exp %d
  %s = sum %e, axes=[1]
  return %s, %m
}})";
  for (const char* by : {"0.01", "-0.01", "3.0", "inf", "-inf"})
    all.add(compile(ir::parse(fmt::format(fmt::runtime(growing), 3, 16500, by)), tiny()));
  for (auto& c : all.cases)
    for (auto& k : c.kernels)
      EXPECT_NE(k.emitted.source.text.find("weft_scale_f"), std::string::npos) << k.schedule.reason;
  all.check(2e-5, 0);
}

// The same trials are accepted as by the reference, so counts are equal and the rest agrees to rounding.
TEST(CudaMeaning, OfDrawsThatReject) {
  Emulated all;
  all.add(compile(ir::parse(R"(graph {
  %a = input : f64[5000]
  %c = iota axis=0 : u64[5000]
  %w = threefry %c, 7
  %top = bitwise_right_shift %w, 11
  %i = cast %top : i64[5000]
  %k = cast %i : f64[5000]
  %u = multiply %k, 1.1102230246251565e-16
  %scaled = multiply %a, 2.2
  %mean = exp %scaled
  %p = sigmoid %a
  %n = multiply %mean, 3.0
  %good = ceil %n
  %part = multiply %good, %p
  %sample = ceil %part
  %steep = add %mean, 1.01
  %gamma = draw_gamma %u, %mean
  %angle = draw_vonmises %u, %mean
  %poisson = draw_poisson %u, %mean
  %zipf = draw_zipf %u, %steep
  %binomial = draw_binomial %u, %n, %p
  %hyper = draw_hypergeometric %u, %good, %good, %sample
  return %gamma, %angle, %poisson, %zipf, %binomial, %hyper
})"),
                  tiny()));
  all.check(1e-11, 0);
}

// Schedules that a spilling kernel or a search asks for.
TEST(CudaMeaning, OfBiasedSchedules) {
  Emulated all;
  for (const Bias& bias : {Bias{.frugal = 1}, Bias{.frugal = 3}, Bias{.width = -2}, Bias{.work = 2},
                           Bias{.frugal = 2, .width = -1, .work = -2}})
    for (const std::string& text :
         {softmax("f32", 9, 1030), softmax("bf16", 3, 5000), sum("f32[300, 40]", "0"), stencil(40, 130),
          column_softmax("f32", 70, 300), layernorm("f32", 5, 700), transposed(70, 96),
          pairs("f32", 130, 128), test::layer_norm_gradients("f32", 17, 600),
          scanned("cumulative_sum", "f32", 3, 900, 1)})
      for (const Target& target : {h200(), tiny()})
        all.add(compile(ir::parse(text), target, {}, false, bias));
  all.check(2e-2, 0);
}

// Without rewriting, reductions over nothing reach the schedule.
TEST(CudaMeaning, OfEmptyRows) {
  Emulated all;
  for (const char* type : {"f32", "bf16", "i64"}) {
    all.add(compile(ir::parse(sum(fmt::format("{}[3, 0]", type), "1")), h200(), {}, true));
    all.add(compile(ir::parse(sum(fmt::format("{}[0, 3]", type), "0")), h200(), {}, true));
  }
  for (auto& c : all.cases) EXPECT_EQ(c.kernels.size(), 1U);
  all.check(0, 0);
}

// Whatever their operands, they are rounded as those of single elements.
TEST(CudaMeaning, OfQuotientsAndRootsAtOnce) {
  Emulated all;
  const Change at_once = [](Schedule& s, RowProgram&) { s.at_once = true; };
  for (const char* shape : {"[4096]", "[1003]", "[9, 515]"})
    for (int lanes : {4, 1})
      all.add(compile(ir::parse(fmt::format(R"(graph {{
  %a = input : f32{0}
  %b = input : f32{0}
  %c = input : f32{0}
  %q = divide %a, %b
  %r = sqrt %c
  %s = divide %r, %q
  %n = divide 1.0, %s
  return %q, %r, %s, %n
}})",
                                            shape)),
                      h200(), [&](Schedule& s, RowProgram& p) {
                        at_once(s, p);
                        s.lanes = std::min(s.lanes, lanes);
                      }));
  for (auto& c : all.cases) {
    std::string text;
    for (auto& k : c.kernels) text += k.emitted.source.text;
    EXPECT_NE(text.find("weft_divide_all(y"), std::string::npos) << text;
    EXPECT_NE(text.find("weft_sqrt_all(y"), std::string::npos) << text;
  }
  all.check(0, 0.3);
}

// Only sums with 1 do without the digits of small results; what else is read has them.
TEST(CudaMeaning, OfErrorFunctionsBesideOne) {
  Emulated all;
  for (auto [rest, short_of_digits] : {std::pair{"", true},
                                       {"%z = multiply %e, %y", false},
                                       {"%two = constant 2.0 : f32[1003]\n  %z = add %e, %two", false},
                                       {"%z = subtract 1.0, %e", true}}) {
    const std::string graph = fmt::format(R"(graph {{
  %x = input : f32[1003]
  %e = erf %x
  %y = add %e, 1.0
  {}
  return {}
}})",
                                          rest, *rest ? "%y, %z" : "%y");
    all.add(compile(ir::parse(graph), h200()));
    const std::string& text = all.cases.back().kernels[0].emitted.source.text;
    EXPECT_EQ(text.find("weft_erf_beside_one(v") != std::string::npos, short_of_digits) << text;
  }
  all.check(1e-6, 0.1);
}

TEST(CudaMeaning, OfPairs) {
  Emulated all;
  for (const Target& target : {h200(), tiny()})
    for (const char* dtype : {"f32", "f64", "bf16"})
      for (auto [points, others] : {std::pair{128, 64}, {131, 1024}, {300, 333}, {257, 130}})
        all.add(compile(ir::parse(pairs(dtype, points, others)), target));
  for (auto& c : all.cases)
    for (auto& k : c.kernels) EXPECT_EQ(k.schedule.reason.substr(0, 5), "pairs") << k.schedule.reason;
  all.check(2e-2, 0);
}

// Elements of 1 to 16 bytes and vectors of them, which find their way through registers and through shared
// memory.
TEST(CudaMeaning, OfLoadsThatStay) {
  Emulated all;
  auto stay = [&](Schedule& s, RowProgram&) { s.loads_stay = true; };
  for (auto [dtype, width] : {std::pair{"f32", 250},
                              {"f32", 1001},
                              {"f32", 40000},
                              {"f64", 63},
                              {"bf16", 64},
                              {"bf16", 131},
                              {"f16", 40000}})
    all.add(compile(ir::parse(softmax(dtype, 5, width)), h200(), stay));
  for (auto& c : all.cases)
    for (auto& k : c.kernels) {
      const std::string& text = k.emitted.source.text;
      EXPECT_TRUE(text.find(" = weft_get_to_stay<") < text.size() ||
                  text.find("weft_copy_to_stay(z") < text.size());
    }
  all.check(2e-2, 0);
}

// Strips of 32 points that fill no wave, one to four waves and less than one, also of fewer steps than
// shares, so that some parts are empty.
TEST(CudaMeaning, OfPairsInEqualShares) {
  Emulated all;
  for (const char* dtype : {"f32", "f64"})
    for (auto [points, others] : {std::pair{300, 130}, {129, 1024}, {352, 331}})
      for (int blocks : {2, 3, 7, 16}) {
        auto force = [&](Schedule& s, RowProgram&) {
          s.threads = 32;
          s.threads_per_row = 4;
          s.resident = 1;
          s.shares = blocks;
          s.split = 2;
        };
        all.add(compile(ir::parse(pairs(dtype, points, others)), h200(), force));
      }
  all.check(2e-5, 0);
}

TEST(CudaMeaning, OfExactGraphs) {
  Emulated all;
  for (const Target& target : {h200(), tiny()}) {
    for (const char* type :
         {"f32[5, 3000]", "f16[4, 100]", "i8[40, 2000]", "bool[3, 50]", "u64[2, 9]", "f64[3, 4097]"})
      all.add(compile(ir::parse(argmax(type)), target));
    for (const char* type : {"i32[3000]", "u8[100, 70]", "i64[9, 9, 9]"})
      all.add(compile(ir::parse(sum(type, "0")), target));
    for (int64_t n : {34, 36, 37, 64, 101}) {
      all.add(compile(ir::parse(stencil(n, n)), target));
      all.add(compile(ir::parse(stencil(n, n + 3)), target));
      all.add(compile(ir::parse(transposed(n, 2 * n + 1)), target));
    }
    all.add(compile(ir::parse(kSeveral), target));
    all.add(compile(ir::parse(kGather), target));
  }
  all.check(1e-6, 0.1);
}

TEST(CudaMeaning, OfColumnsThatStay) {
  Emulated all;
  for (int64_t rows : {2, 8, 37, 64, 513, 1030, 2100})
    for (const Target& target : {tiny(), h200()})
      all.add(compile(ir::parse(column_softmax("f32", rows, 66)), target));
  // Several blocks a strip, ends that do not fill it, and strips that the columns do not fill.
  for (Keeper keeper : {Keeper::Registers, Keeper::Shared})
    for (int cluster : {1, 2, 4, 8, 16})
      for (auto [rows, width] : {std::pair<int64_t, int64_t>{70, 40}, {128, 36}, {34, 7}, {256, 64}})
        for (const char* dtype : {"f32", "bf16"})
          all.add(
              compile(ir::parse(column_softmax(dtype, rows, width)), tiny(), [&](Schedule& s, RowProgram& p) {
                if (s.order != Order::Columns || plan::crossing_values(p).empty()) return;
                s.keeper = keeper;
                s.ahead = keeper == Keeper::Shared && rows % 2 == 0;
                s.threads = 64, s.threads_per_row = 16, s.cluster = cluster;
                s.unroll = keeper == Keeper::Shared
                               ? 2
                               : static_cast<int>((rows + 16 * cluster - 1) / (16 * cluster));
              }));
  all.check(2e-2, 0);
}

// Blocks that take several strips one after another: as many turns as leave each of the two places of what
// clusters tell each other to be used again, an even and an odd number of them, ends that fill neither.
TEST(CudaMeaning, OfStripsInTurn) {
  Emulated all;
  for (int cluster : {1, 2, 4, 16})
    for (auto [rows, width] : {std::pair<int64_t, int64_t>{128, 160}, {70, 156}, {34, 39}, {256, 144}})
      for (const char* dtype : {"f32", "bf16", "f64"})
        for (int64_t at_once : {1, 2})
          all.add(
              compile(ir::parse(column_softmax(dtype, rows, width)), h200(), [&](Schedule& s, RowProgram&) {
                s.keeper = Keeper::Registers;
                s.ahead = s.wide_copies = false, s.overlap = 0;
                s.threads = 64, s.threads_per_row = 16, s.cluster = cluster;
                s.unroll = static_cast<int>((rows + 16 * cluster - 1) / (16 * cluster));
                s.strips_at_once = at_once;
              }));
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfStripsCopiedInVectors) {
  Emulated all;
  for (int cluster : {1, 2, 4})
    for (auto [rows, width] : {std::pair<int64_t, int64_t>{70, 41}, {129, 35}, {256, 67}, {64, 33}})
      for (const char* dtype : {"f16", "bf16", "f64"}) {
        Case c =
            compile(ir::parse(column_softmax(dtype, rows, width)), h200(), [&](Schedule& s, RowProgram&) {
              ASSERT_TRUE(s.wide_copies);
              s.threads = 128, s.threads_per_row = 8, s.cluster = cluster, s.overlap = 0;
            });
        all.add(std::move(c));
      }
  all.check(2e-2, 0);
}

// Softmax down columns with more than one result: of two sizes, and one for each column.
std::string column_results(int64_t rows, int64_t width) {
  return fmt::format(R"(graph {{
  %a = input : f32[{0}, {1}]
  %m = max %a, axes=[0]
  %m1 = reshape %m : f32[1, {1}]
  %d = subtract %a, %m1
  %e = exp %d
  %s = sum %e, axes=[0]
  %s1 = reshape %s : f32[1, {1}]
  %y = divide %e, %s1
  %h = cast %d : f16[{0}, {1}]
  return %y, %h, %s
}})",
                     rows, width);
}

// Strips that share columns with their neighbours: each element is stored once, by the strip of its sector's
// first.
TEST(CudaMeaning, OfStripsThatOverlap) {
  Emulated all;
  auto chosen = [](const char* dtype, int64_t rows, int64_t width) {
    return compile(ir::parse(column_softmax(dtype, rows, width)), h200()).kernels[0].schedule.overlap;
  };
  EXPECT_EQ(chosen("f32", 256, 40'001), 8);
  EXPECT_EQ(chosen("f64", 256, 40'001), 0);
  EXPECT_EQ(chosen("bf16", 256, 40'001), 0);
  EXPECT_EQ(chosen("f32", 256, 40'000), 0);
  EXPECT_EQ(chosen("f32", 256, 31), 0);
  EXPECT_EQ(chosen("f32", 4096, 16385), 0);
  EXPECT_EQ(chosen("f32", 1024, 40'001), 8);
  auto add = [&](const std::string& graph, int overlap, const Change& change) {
    all.add(compile(ir::parse(graph), h200(), [&](Schedule& s, RowProgram& p) {
      s.threads = 256, s.threads_per_row = 8, s.overlap = overlap;
      change(s, p);
    }));
  };
  for (auto [rows, width] : {std::pair<int64_t, int64_t>{70, 41}, {129, 67}, {64, 97}, {34, 33}})
    for (int cluster : {1, 2}) {
      auto shared = [&](Schedule& s, RowProgram&) { s.cluster = cluster; };
      auto in_registers = [&](Schedule& s, RowProgram&) {
        s.keeper = Keeper::Registers, s.ahead = s.wide_copies = false, s.cluster = cluster;
        s.unroll = static_cast<int>((rows + 8 * cluster - 1) / (8 * cluster));
      };
      auto in_turns = [&](Schedule& s, RowProgram& p) {
        in_registers(s, p);
        s.strips_at_once = 2;
      };
      for (auto [dtype, overlap] : {std::pair{"f32", 8}, {"f64", 4}, {"bf16", 16}})
        for (const Change& change : {Change(shared), Change(in_registers), Change(in_turns)})
          add(column_softmax(dtype, rows, width), overlap, change);
      add(column_results(rows, width), 16, shared);
    }
  all.check(2e-2, 0);
}

TEST(CudaMeaning, OfTransposedReads) {
  Emulated all;
  for (const char* dtype : {"u8", "bf16", "i32", "f64", "c128"})
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{256, 512}, {136, 264}, {72, 100}, {33, 65}})
      all.add(compile(ir::parse(transposed(rows, columns, dtype)), tiny()));
  // Squares of every size, with vectors and without.
  for (int tile : {16, 32, 64, 128})
    for (int lanes : {1, tile / 16})
      all.add(compile(ir::parse(transposed(144, 40)), tiny(), [&](Schedule& s, RowProgram&) {
        if (lanes > 4) return;
        s.tile = tile, s.lanes = lanes, s.unroll = tile * tile / (s.threads * lanes);
      }));
  all.check(0, 0.1);
}

TEST(CudaMeaning, OfNeighbouringRows) {
  Emulated all;
  for (const Target& target : {h200(), tiny()}) {
    for (int64_t width : {66, 130, 131, 260}) {
      all.add(compile(ir::parse(heat(131, width)), target));
      all.add(compile(ir::parse(heat(40, width)), target));
    }
    all.add(compile(ir::parse(many_rows(3, 40, 256)), target));
    all.add(compile(ir::parse(many_rows(4, 19, 260)), target));
  }
  for (int rows : {1, 2, 4})
    all.add(compile(ir::parse(heat(23, 130)), tiny(), [&](Schedule& s, RowProgram&) {
      s.threads_per_row = 64, s.unroll = rows, s.rows_per_task = s.threads / 64 * rows;
    }));
  all.check(1e-6, 0);
}

TEST(CudaMeaning, OfDivisionByOneForMany) {
  Emulated all;
  // The scalar is zero, infinite, subnormal, ... in some of them.
  for (int k = 0; k < 60; ++k)
    all.add(compile(ir::parse(R"(graph {
  %a = input : f32[999]
  %b = input : f32[999]
  %s = scalar : f32[]
  %c = multiply %a, 1e-37
  %y = divide %c, %s
  %z = divide %b, %s
  return %y, %z
})"),
                    h200()));
  // By each row's and each column's largest.
  for (int k = 0; k < 20; ++k)
    for (int axis : {0, 1})
      all.add(compile(ir::parse(fmt::format(R"(graph {{
  %a = input : f32[40, 72]
  %b = input : f32[40, 72]
  %m = max %a, axes=[{0}]
  %s = reshape %m : f32[{1}]
  %y = divide %a, %s
  %z = divide %b, %s
  return %y, %z
}})",
                                            axis, axis == 0 ? "1, 72" : "40, 1")),
                      h200()));
  all.check(0, 0.3);
}

// Of halves too, with zeros, infinities and subnormals on both sides.
TEST(CudaMeaning, OfQuotientsOfHalves) {
  Emulated all;
  for (int k = 0; k < 30; ++k)
    for (const char* dtype : {"f16", "bf16"})
      all.add(
          compile(ir::parse(fmt::format("graph {{\n  %a = input : {0}[999]\n  %b = input : {0}[999]\n  %y = "
                                        "divide %a, %b\n  return %y\n}}",
                                        dtype)),
                  h200()));
  all.check(0, 0.3);
}

class CudaMeaningOfRandom : public testing::TestWithParam<int> {};

TEST_P(CudaMeaningOfRandom, ExactGraphsGiveTheInterpretersBits) {
  Emulated all;
  for (int k = 0; k < 20; ++k) {
    test::RandomGraphOptions options;
    options.exact = true;
    options.strided_inputs = k % 3 == 0;
    options.dots = false;
    all.add(compile(test::random_graph(static_cast<uint64_t>(GetParam() * 1000 + k), options),
                    k % 2 ? h200() : tiny()));
  }
  all.check(0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Batch, CudaMeaningOfRandom, testing::Range(0, 5));

}  // namespace
}  // namespace weft
