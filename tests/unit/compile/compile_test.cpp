// Programs as data: how many kernels and steps, what their sources depend on, and that graphs of any size
// compile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <set>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/targets.h"

namespace weft {
namespace {

using test::cpu;

Program compiled(const std::string& lines, const Options& options = {}) {
  return compile(ir::parse("graph {\n" + lines + "\n}"), cpu(), options);
}

std::string with(std::string text, const std::vector<int64_t>& extents) {
  char letter = 'n';
  for (int64_t e : extents) {
    std::string from = std::string("{") + letter++ + "}";
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, 3, std::to_string(e));
  }
  return text;
}

std::vector<Hash> hashes(const Program& p) {
  std::vector<Hash> out;
  out.reserve(p.kernels.size());
  for (auto& k : p.kernels) out.push_back(k.hash);
  return out;
}

// Runs `work` where deep recursion would crash.
void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attr;
  ASSERT_EQ(pthread_attr_init(&attr), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attr, 256 << 10), 0);
  pthread_t thread;
  auto run = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attr, run, const_cast<void*>(static_cast<const void*>(&work))), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attr);
}

ir::NodeRef chain(ir::NodeRef x, int length) {
  for (int k = 0; k < length; ++k) x = ir::map(k % 2 ? ir::Op::sin : ir::Op::negative, {x});
  return x;
}

// ---- graphs of any size

TEST(Compile, AChainOfAHundredThousandNodesOnASmallStack) {
  on_small_stack([] {
    ir::NodeRef x = ir::input({DType::F32, {1000}}, {nullptr, "x", {}, 0});
    ir::Graph g{{x}, {chain(x, 100'000)}};
    Program p = compile(g, cpu());
    // Windows of max_kernel_cost: 176 pairs of sin and negative, at 17 a pair.
    EXPECT_EQ(p.steps.size(), 285u);
    EXPECT_EQ(p.ops_before, 100'000);
  });
}

TEST(Compile, ALongChainInsideOfASoftmaxOnASmallStack) {
  on_small_stack([] {
    ir::NodeRef x = ir::input({DType::F32, {100, 70'000}}, {nullptr, "x", {}, 0});
    ir::NodeRef y = chain(x, 300), m = ir::reshape(ir::reduce(ir::Op::max, y, {1}), {100, 1});
    ir::NodeRef z = ir::map(ir::Op::subtract, {y, ir::broadcast(m, {100, 70'000})});
    Program p = compile({{x}, {z}}, cpu());
    EXPECT_EQ(p.steps.size(), 1u) << p.explanation;
  });
}

TEST(Compile, ManyReductionsInARow) {
  on_small_stack([] {
    ir::NodeRef x = ir::input({DType::F32, {40, 40}}, {nullptr, "x", {}, 0}), y = x;
    for (int k = 0; k < 500; ++k) {
      ir::NodeRef s = ir::reduce(ir::Op::sum, y, {k % 2});
      y = ir::map(ir::Op::subtract, {y, ir::broadcast(k % 2 ? ir::reshape(s, {40, 1}) : s, {40, 40})});
    }
    Program p = compile({{x}, {y}}, cpu());
    // A kernel for each direction's pair of reduction and use.
    EXPECT_EQ(p.steps.size(), 500u);
    EXPECT_LE(p.kernels.size(), 4u);
  });
}

// Every reduction reads a long chain that it shares with all later ones.
TEST(Compile, ThousandsOfStackedSoftmaxes) {
  const Shape shape{64, 96};
  const ir::NodeRef a = ir::input({DType::F32, shape}, {nullptr, "a", {}, 0});
  auto spread = [&](const ir::NodeRef& x) { return ir::broadcast(ir::reshape(x, {64, 1}), shape); };
  ir::NodeRef y = a;
  for (int k = 0; k < 2000; ++k) {
    const ir::NodeRef shifted = ir::map(ir::Op::subtract, {y, spread(ir::reduce(ir::Op::max, y, {1}))});
    const ir::NodeRef e = ir::map(ir::Op::exp, {shifted});
    y = ir::map(ir::Op::divide, {e, spread(ir::reduce(ir::Op::sum, e, {1}))});
  }
  EXPECT_LE(compile({{a}, {y}}, cpu()).steps.size(), 100u);
}

TEST(Compile, ManyOutputsOfOneChain) {
  ir::NodeRef x = ir::input({DType::F32, {1000}}, {nullptr, "x", {}, 0}), y = x;
  std::vector<ir::NodeRef> outputs;
  outputs.reserve(1000);
  for (int k = 0; k < 1000; ++k) outputs.push_back(y = ir::map(ir::Op::sin, {y}));
  Program p = compile({{x}, outputs}, cpu());
  EXPECT_EQ(p.outputs.size(), 1000u);
  std::set<int> buffers(p.outputs.begin(), p.outputs.end());
  EXPECT_EQ(buffers.size(), 1000u);
  for (auto& step : p.steps) EXPECT_LE(std::get<KernelStep>(step).buffers.size(), 200u);
}

size_t most_words(const Program& p) {
  size_t most = 0;
  for (auto& step : p.steps)
    if (const auto* k = std::get_if<KernelStep>(&step))
      most = std::max(most, k->buffers.size() + k->params.size() + 2 * k->scalars.size());
  return most;
}

TEST(Compile, TheSumOf500Arrays) {
  std::vector<ir::NodeRef> in;
  ir::NodeRef sum;
  for (int k = 0; k < 500; ++k) {
    in.push_back(ir::input({DType::F32, {100}}, {nullptr, "a" + std::to_string(k), {}, 0}));
    sum = k == 0 ? in[0] : ir::map(ir::Op::add, {sum, in.back()});
  }
  Program p = compile({in, {sum}}, cpu());
  EXPECT_EQ(p.steps.size(), 4u);
  EXPECT_LE(most_words(p), static_cast<size_t>(Options().max_kernel_words));
}

TEST(Compile, TheSumOf300StridedArrays) {
  std::vector<ir::NodeRef> in;
  ir::NodeRef sum;
  for (int k = 0; k < 300; ++k) {
    in.push_back(
        ir::input({DType::F32, {5, 6, 7}}, {nullptr, "a" + std::to_string(k), {500 + k, 60, 2}, k + 2}));
    sum = k == 0 ? in[0] : ir::map(ir::Op::add, {sum, in.back()});
  }
  Program p = compile({in, {sum}}, cpu());
  EXPECT_LE(most_words(p), static_cast<size_t>(Options().max_kernel_words));
}

// What products give counts as what is given does.
TEST(Compile, SumsThatReadMoreProductsThanAKernelHasArgumentsFor) {
  const auto input = [](const Shape& shape) { return ir::input({DType::F32, shape}, {nullptr, "x", {}, 0}); };
  const ir::NodeRef a = input({64, 48, 40});
  std::vector<ir::NodeRef> in = {a}, out;
  for (int k = 0; k < 140; ++k) {
    in.push_back(input({64, 40, 32}));
    in.push_back(input({64, 32, 48}));
    const ir::NodeRef product = ir::dot(in[in.size() - 2], in.back());
    out.push_back(ir::map(ir::Op::add, {a, ir::permute(product, {0, 2, 1})}));
  }
  const Target gpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, 232448};
  for (const Target& target : {cpu(), gpu})
    EXPECT_LE(most_words(compile({in, out}, target)), static_cast<size_t>(Options().max_kernel_words));
}

// Numbers are arguments, too: a loop written out may give a kernel hundreds of them and few arrays.
TEST(Compile, ALoopOfMoreNumbersThanAKernelHasArgumentsFor) {
  const ir::NodeRef x = ir::input({DType::F32, {100}}, {nullptr, "x", {}, 0});
  std::vector<ir::NodeRef> in = {x};
  const auto number = [&] {
    in.push_back(ir::scalar({DType::F32, {100}}, "s" + std::to_string(in.size())));
    return in.back();
  };
  ir::NodeRef y = x;
  for (int turn = 0; turn < 500; ++turn)
    y = ir::map(ir::Op::add, {ir::map(ir::Op::multiply, {y, number()}), number()});
  const Target gpu{TargetKind::Cuda, 132, 16, size_t{50} << 20, 232448};
  for (const Target& target : {cpu(), gpu})
    EXPECT_LE(most_words(compile({in, {y}}, target)), static_cast<size_t>(Options().max_kernel_words));
  // The same of rows that other groups take in: 300 sums, each of numbers of its own.
  std::vector<ir::NodeRef> out;
  const ir::NodeRef rows = ir::input({DType::F32, {64, 100}}, {nullptr, "rows", {}, 0});
  in = {rows};
  for (int k = 0; k < 300; ++k) {
    in.push_back(ir::scalar({DType::F32, {64, 100}}, "s" + std::to_string(k)));
    out.push_back(ir::reduce(ir::Op::sum, ir::map(ir::Op::multiply, {rows, in.back()}), {1}));
  }
  for (const Target& target : {cpu(), gpu})
    EXPECT_LE(most_words(compile({in, out}, target)), static_cast<size_t>(Options().max_kernel_words));
}

// Each part is copied twice, by kernels that stay small, whatever the length of the loop.
TEST(Compile, AConcatenationThatGrewInALoop) {
  std::vector<ir::NodeRef> in;
  in.reserve(500);
  for (int k = 0; k < 500; ++k)
    in.push_back(ir::input({DType::F32, {100}}, {nullptr, "x" + std::to_string(k), {}, 0}));
  ir::NodeRef all = in[0];
  for (size_t k = 1; k < in.size(); ++k) {
    const ir::NodeRef both[] = {all, in[k]};
    all = ir::concat(both, 0);
  }
  const Program p = compile({in, {all}}, cpu());
  int64_t written = 0;
  for (auto& step : p.steps) {
    const auto& k = std::get<KernelStep>(step);
    EXPECT_LE(k.buffers.size(), 33u);
    written += k.bytes_written;
  }
  EXPECT_EQ(written, 2 * 500 * 400);
  EXPECT_LE(p.kernels.size(), 3u);
  EXPECT_NE(p.explanation.find("not fused: concat"), std::string::npos);
}

TEST(Compile, ExplainsThatASecondLaunchJoinsParts) {
  const ir::NodeRef x = ir::input({DType::F32, {500, 5000}}, {nullptr, "x", {}, 0});
  const Program p = compile({{x}, {ir::reduce(ir::Op::sum, x, {1}), ir::reduce(ir::Op::sum, x, {0})}}, cpu());
  ASSERT_EQ(p.steps.size(), 1u) << p.explanation;
  const auto& k = std::get<KernelStep>(p.steps[0]);
  EXPECT_GT(k.launch.finish_tasks, 0);
  const std::string bytes = std::to_string(p.buffers[static_cast<size_t>(k.buffers.back())].bytes);
  EXPECT_NE(p.explanation.find("a second launch joins its parts, " + bytes + " bytes\n"), std::string::npos)
      << p.explanation;
  const Program rows = compile({{x}, {ir::reduce(ir::Op::sum, x, {1})}}, cpu());
  EXPECT_EQ(rows.explanation.find("second launch"), std::string::npos) << rows.explanation;
}

// The sums of columns are whole before the second kernel begins, which computes the exponentials anew.
TEST(Compile, ExplainsWhatSeveralKernelsCompute) {
  const ir::NodeRef x = ir::input({DType::F32, {512, 512}}, {nullptr, "x", {}, 0});
  const ir::NodeRef e = ir::map(ir::Op::exp, {x});
  const ir::NodeRef columns =
      ir::broadcast(ir::reshape(ir::reduce(ir::Op::sum, e, {0}), {1, 512}), {512, 512});
  const Program p = compile({{x}, {ir::map(ir::Op::divide, {e, columns})}}, cpu());
  ASSERT_EQ(p.steps.size(), 2u) << p.explanation;
  EXPECT_NE(p.explanation.find("computed by 2 kernels: exp: less work than to write"), std::string::npos)
      << p.explanation;
  const Program alone = compile({{x}, {e}}, cpu());
  EXPECT_EQ(alone.explanation.find("computed by"), std::string::npos) << alone.explanation;
}

int64_t moved(const std::string& text, const std::vector<int>& donated = {}) {
  Options options;
  options.donated = donated;
  int64_t bytes = 0;
  for (auto& step : compile(ir::parse(text), cpu(), options).steps) {
    const auto& k = std::get<KernelStep>(step);
    bytes += k.bytes_read + k.bytes_written;
  }
  return bytes;
}

TEST(Compile, CountsTheBytesThatAKernelTouches) {
  EXPECT_EQ(moved("graph {\n%x = input : f32[1000]\n%y = add %x, %x\nreturn %y\n}"), 8000);
  EXPECT_EQ(moved("graph {\n%x = input : f32[100, 50]\n%s = slice %x, starts=[10, 0] : f32[3, 50]\n"
                  "%y = exp %s\nreturn %y\n}"),
            2 * 3 * 50 * 4);
  EXPECT_EQ(moved("graph {\n%x = input : f32[1000]\n%s = slice %x, steps=[10] : f32[100]\n"
                  "%y = exp %s\nreturn %y\n}"),
            2 * 100 * 4)
      << "gaps are not read";
  EXPECT_EQ(moved("graph {\n%x = input : f32[1000]\n%a = slice %x, starts=[0] : f32[10]\n"
                  "%b = slice %x, starts=[1] : f32[10]\n%y = add %a, %b\nreturn %y\n}"),
            (11 + 10) * 4)
      << "what two loads read is counted once";
  EXPECT_EQ(moved("graph {\n%x = input : f32[100, 50]\n%v = input : f32[2, 50]\n"
                  "%y = update %x, %v, starts=[7, 0]\nreturn %y\n}",
                  {0}),
            2 * 2 * 50 * 4)
      << "a write in place";
}

// Threads of a row that have no element left take its last one again, which another thread may have replaced
// by then; sums leave it out.
TEST(Compile, OverwritesNothingThatThreadsOfARowTakeAgain) {
  const auto overwrites = [](const std::string& op, const Target& target, int width = 13) {
    const std::string shape = "[64, " + std::to_string(width) + "]\n";
    const Program p = compile(ir::parse("graph {\n%x = input \"x\" : u8" + shape + "%r = " + op +
                                        " %x, axes=[1]\n%m = input \"m\" : u8" + shape +
                                        "%y = greater_equal %x, %m : bool" + shape + "return %r, %y\n}"),
                              target);
    size_t count = 0;
    for (auto& step : p.steps)
      if (auto* k = std::get_if<KernelStep>(&step)) count += k->overwrites.size();
    return count;
  };
  for (const char* op : {"min", "max", "argmin", "argmax"}) EXPECT_EQ(overwrites(op, test::h200()), 0u) << op;
  EXPECT_EQ(overwrites("sum", test::h200()), 2u) << "of either input";
  EXPECT_EQ(overwrites("min", cpu(), 1300), 2u) << "a row is one thread's";
}

// Steps of one form share kernels, however many parts the array has by then.
TEST(Compile, AnArrayThatGrewInALoopAndWasReadOnTheWay) {
  for (const bool scaled : {false, true}) {
    std::vector<ir::NodeRef> in, sums;
    ir::NodeRef all;
    for (int k = 0; k < 300; ++k) {
      in.push_back(ir::input({DType::F32, {100}}, {nullptr, "x" + std::to_string(k), {}, 0}));
      const ir::NodeRef both[] = {all, in.back()};
      all = all ? ir::concat(both, 0) : in.back();
      if (scaled) all = ir::map(ir::Op::exp, {all});
      if (!scaled) sums.push_back(ir::reduce(ir::Op::sum, all, {0}));
    }
    sums.push_back(all);
    const Program p = compile({in, sums}, cpu());
    EXPECT_LE(p.kernels.size(), 24u);
    EXPECT_LE(p.steps.size(), sums.size() + 12);
    for (auto& step : p.steps) EXPECT_LE(std::get<KernelStep>(step).buffers.size(), 70u);
  }
}

TEST(Compile, TheConcatenationOf300Arrays) {
  std::vector<ir::NodeRef> in;
  in.reserve(300);
  for (int k = 0; k < 300; ++k)
    in.push_back(ir::input({DType::F32, {7}}, {nullptr, "a" + std::to_string(k), {}, 0}));
  ir::NodeRef all = ir::concat(in, 0);
  Program p = compile({in, {all}}, cpu());
  EXPECT_LE(most_words(p), static_cast<size_t>(Options().max_kernel_words));
  EXPECT_EQ(p.buffers[static_cast<size_t>(p.outputs[0])].shape, (Shape{2100}));
}

// ---- what a source depends on

struct Family {
  const char* name;
  const char* text;
  std::vector<std::vector<int64_t>> same;  // extents with one source
};

const Family kFamilies[] = {
    {"Chain1D",
     "%x = input \"x\" : f32[{n}]\n%y = input \"y\" : f32[{n}]\n%a = scalar \"a\" : f32[{n}]\n"
     "%p = multiply %a, %x\n%q = add %p, %y\nreturn %q",
     {{1000}, {1001}, {99'999}, {1'000'000}}},
    {"Strided2D",
     "%x = input \"x\", strides=[{o}, 2], offset=5 : f32[{n}, 300]\n%y = input \"y\" : f32[300]\n"
     "%z = add %x, %y\nreturn %z",
     {{100, 700}, {77, 1000}, {3000, 601}}},
    {"Softmax",
     "%x = input : f32[{n}, {o}]\n%m = max %x, axes=[1]\n%n = reshape %m : f32[{n}, 1]\n%d = subtract %x, "
     "%n\n"
     "%e = exp %d\n%s = sum %e, axes=[1]\n%t = reshape %s : f32[{n}, 1]\n%y = divide %e, %t\nreturn %y",
     {{100, 1000}, {64, 1024}, {1000, 333}}},
    {"Stencil",
     "%x = input : f32[{n}, {o}]\n%a = slice %x, starts=[0, 1] : f32[{p}, {q}]\n"
     "%b = slice %x, starts=[2, 1] : f32[{p}, {q}]\n%c = add %a, %b\nreturn %c",
     {{102, 202, 100, 200}, {1002, 502, 1000, 500}}},
    {"SumOfAll", "%x = input : f32[{n}]\n%s = sum %x\nreturn %s", {{1'000'000}, {2'000'003}}},
    {"Columns", "%x = input : f32[{n}, {o}]\n%s = sum %x, axes=[0]\nreturn %s", {{10, 1000}, {17, 5003}}},
    {"Pad",
     "%x = input : f32[{n}]\n%p = pad %x, 0.0, before=[2], after=[3]\n%q = square %p\nreturn %q",
     {{1000}, {5000}}},
};

class Source : public testing::TestWithParam<Family> {};

TEST_P(Source, IsTheSameForOtherExtents) {
  const Family& f = GetParam();
  std::vector<Hash> first = hashes(compiled(with(f.text, f.same[0])));
  for (auto& extents : f.same) EXPECT_EQ(hashes(compiled(with(f.text, extents))), first);
}

INSTANTIATE_TEST_SUITE_P(Compile, Source, testing::ValuesIn(kFamilies),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(Compile, SourcesDifferByClassesOfExtents) {
  // Long enough for wide vectors, long enough to be split, large enough to pass the cache by.
  auto hash = [](const std::string& text) { return hashes(compiled(text))[0]; };
  std::string axpy = "%x = input : f32[{n}]\n%y = multiply %x, 3.0\nreturn %y";
  EXPECT_NE(hash(with(axpy, {20})), hash(with(axpy, {1000})));
  EXPECT_EQ(hash(with(axpy, {1000})), hash(with(axpy, {100'000})));
  EXPECT_NE(hash(with(axpy, {1000})), hash(with(axpy, {10'000'000})));
  std::string sum = "%x = input : f32[{n}]\n%y = sum %x\nreturn %y";
  EXPECT_NE(hash(with(sum, {1000})), hash(with(sum, {10'000'000})));
}

TEST(Compile, ScalarsAreNoPartOfASource) {
  auto text = [](const char* name) {
    return fmt::format(
        "%x = input : f32[100]\n%a = scalar \"{}\" : f32[100]\n%y = multiply %x, %a\nreturn %y", name);
  };
  EXPECT_EQ(hashes(compiled(text("0.1"))), hashes(compiled(text("17.5"))));
}

TEST(Compile, KernelsWithOneSourceAreOne) {
  Program p = compiled(R"(%a = input "a" : f32[100]
    %b = input "b" : f32[200]
    %c = exp %a
    %d = exp %b
    return %c, %d)");
  EXPECT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.kernels.size(), 1u);
  EXPECT_NE(std::get<KernelStep>(p.steps[0]).params, std::get<KernelStep>(p.steps[1]).params);
}

std::string text(const Program& p) {
  std::string out = p.explanation;
  for (auto& k : p.kernels) out += k.text;
  for (auto& s : p.steps)
    if (auto* k = std::get_if<KernelStep>(&s))
      out += fmt::format("{} {} {} {} {}\n", k->kernel, fmt::join(k->buffers, " "), fmt::join(k->params, " "),
                         k->launch.tasks, to_string(k->origin));
  return out;
}

TEST(Compile, IsDeterministic) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ir::Graph a = test::random_graph(seed), between = test::random_graph(seed + 1),
              b = test::random_graph(seed);
    ASSERT_EQ(text(compile(a, cpu())), text(compile(b, cpu()))) << seed;
  }
}

TEST(Compile, TheTargetsThreadsChangeNoSource) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Target many = cpu();
    many.threads = 64;
    ir::Graph g = test::random_graph(seed);
    EXPECT_EQ(text(compile(g, cpu())), text(compile(g, many))) << seed;
  }
}

// ---- steps

TEST(Compile, AStepsSummaryNamesItsOwnOpsOnly) {
  Program p = compiled(R"(%a = input : f32[9, 9]
    %e = exp %a
    %d = dot %e, %a
    %y = relu %d
    return %y)");
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(to_string(std::get<KernelStep>(p.steps[0]).origin), "<text>:3: exp");
  EXPECT_EQ(to_string(std::get<DotStep>(p.steps[1]).origin), "<text>:4: dot");
  EXPECT_EQ(to_string(std::get<KernelStep>(p.steps[2]).origin), "<text>:5: relu");
}

TEST(Compile, TransposedOperandsOfProductsAreNotCopied) {
  Program p = compiled(R"(%a = input "a" : f32[9, 7]
    %b = input "b" : f32[5, 7]
    %t = permute %b, axes=[1, 0]
    %d = dot %a, %t
    return %d)");
  ASSERT_EQ(p.steps.size(), 1u);
  auto& dot = std::get<DotStep>(p.steps[0]).dot;
  EXPECT_TRUE(!dot.transpose_a && dot.transpose_b);
  EXPECT_EQ(dot.ldb, 7);
}

TEST(Compile, OperandsThatNoLibraryReadsAreCopied) {
  Program p = compiled(R"(%a = input "a", strides=[20, 2] : f32[9, 7]
    %b = input "b" : f32[7, 5]
    %d = dot %a, %b
    return %d)");
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(std::get<DotStep>(p.steps[1]).dot.lda, 7);
}

TEST(Compile, MatricesOfABatchThatMeetOneMatrixAreOneMatrix) {
  const auto dot_of = [](const std::string& left, const std::string& right) {
    const Program p =
        compile(ir::parse("graph {\n%x = input : f64[5, 3, 4, 8]\n%w = input : f64[8, 6]\n%a = " + left +
                          "\n%b = broadcast " + right + "\n%y = dot %a, %b\nreturn %y\n}"),
                cpu());
    return std::get<DotStep>(p.steps[0]).dot;
  };
  const Dot one = dot_of("reshape %x : f64[15, 4, 8]", "%w : f64[15, 8, 6]");
  EXPECT_EQ(one.batch, 1);
  EXPECT_EQ(one.m, 60);
  EXPECT_EQ(one.stride_c, 360);
  // Here rows of the next matrix do not follow those of the one before.
  const Dot several = dot_of("slice %x, starts=[0, 0, 1, 0] : f64[5, 3, 3, 8]", "%w : f64[5, 3, 8, 6]");
  EXPECT_EQ(several.batch, 15);
  EXPECT_EQ(several.m, 3);
}

TEST(Compile, AnInputThatIsAnOutputIsCopied) {
  Program p = compiled("%a = input \"a\" : f32[9]\n%s = input \"s\", strides=[2] : f32[9]\nreturn %a, %s");
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<CopyStep>(p.steps[0]));
  EXPECT_TRUE(std::holds_alternative<KernelStep>(p.steps[1]))
      << "the bytes of a strided input are not its elements";
}

TEST(Compile, OneValueTwiceIsOneBuffer) {
  Program p = compiled("%a = input : f32[9]\n%b = exp %a\nreturn %b, %b");
  EXPECT_EQ(p.outputs[0], p.outputs[1]);
  EXPECT_EQ(p.steps.size(), 1u);
}

TEST(Compile, UnusedInputsKeepTheirPlace) {
  Program p = compiled(
      "%a = input \"a\" : f32[9]\n%s = scalar \"s\" : f32[9]\n%b = input \"b\" : f32[9]\n"
      "%c = exp %b\nreturn %c");
  EXPECT_EQ(p.inputs, 2);
  EXPECT_EQ(p.scalars.size(), 1u);
  int buffer = std::get<KernelStep>(p.steps[0]).buffers[0];
  EXPECT_EQ(p.buffers[static_cast<size_t>(buffer)].index, 1);
}

TEST(Compile, EmptyArraysNeedNoStep) {
  Program p = compiled("%a = input : f32[0, 9]\n%b = exp %a\nreturn %b");
  EXPECT_TRUE(p.steps.empty());
}

TEST(Compile, UnfusedProgramsHaveAKernelForEachOp) {
  Options options;
  options.fuse = false;
  const char* lines = R"(%x = input : f32[64, 100]
    %m = max %x, axes=[1]
    %n = reshape %m : f32[64, 1]
    %d = subtract %x, %n
    %e = exp %d
    return %e)";
  EXPECT_EQ(compiled(lines, options).steps.size(), 3u);
  EXPECT_EQ(compiled(lines).steps.size(), 1u);
  EXPECT_EQ(compiled(lines).ops_before, 3);
}

}  // namespace
}  // namespace weft
