// The kernels of the radix sort, as CUDA on the host: the words in order, and stable.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "compiler/ir/user_kernel.h"
#include "frontend/cpp/ops/radix_sort_text.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/emulated_device.h"
#include "tests/support/cuda_kernels.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

using ir::NodeRef;
using ir::TensorType;
using ir::UserKernel;
using Kind = UserKernel::Argument::Kind;

constexpr int64_t kThreads = detail::kRadixThreads, kDigits = detail::kRadixDigits;

NodeRef number(int64_t value) { return ir::constant({DType::I32, {}}, Scalar::of(value).cast(DType::I32)); }
NodeRef zeros(const Shape& shape) {
  return ir::broadcast(ir::constant({DType::U32, {}}, Scalar::of(int64_t{0}).cast(DType::U32)), shape);
}

std::vector<NodeRef> call(const std::string& name, int64_t blocks,
                          std::vector<UserKernel::Argument> arguments, std::vector<TensorType> results,
                          std::vector<int> starts_as, const std::vector<NodeRef>& operands) {
  UserKernel k;
  k.target = UserKernel::Target::Cuda;
  k.name = name;
  k.title = name.substr(0, name.find('<'));
  k.text = std::make_shared<const ir::UserText>(detail::kRadixSortText);
  k.arguments = std::move(arguments);
  k.results = std::move(results);
  k.starts_as = std::move(starts_as);
  k.grid = {blocks, 1, 1}, k.block = {kThreads, 1, 1};
  for (const NodeRef& node : operands) k.operands.push_back(node->type);
  const ir::UserKernelRef checked = ir::checked(std::move(k));
  std::vector<NodeRef> out;
  for (size_t n = 0; n < checked->results.size(); ++n)
    out.push_back(ir::make(ir::Op::kernel, operands, ir::KernelAttr{checked, static_cast<int64_t>(n)}, {}));
  return out;
}

// Positions and words in order, by `passes` passes over the input.
ir::Graph sorted(DType dtype, int64_t n, int64_t passes) {
  const std::string type = dtype == DType::U64 ? "unsigned long long" : "unsigned int";
  const int64_t tile = detail::radix_tile(dtype), tiles = (n + tile - 1) / tile;
  const NodeRef given = ir::input({dtype, {n}}, {nullptr, "words", {}, 0});
  const NodeRef counts = call("count_digits<" + type + ">", tiles,
                              {{Kind::Operand, 0, "const " + type + "*"},
                               {Kind::Result, 0, "unsigned int*"},
                               {Kind::Value, 2, "int"},
                               {Kind::Value, 3, "int"}},
                              {{DType::U32, {passes, kDigits}}}, {1},
                              {given, zeros({passes, kDigits}), number(n), number(passes)})[0];
  NodeRef words = given, from = ir::cast(zeros({n}), DType::I32);
  for (int64_t pass = 0; pass < passes; ++pass) {
    const NodeRef of_pass = ir::reshape(ir::slice(counts, {pass, 0}, {1, kDigits}, {1, 1}), {kDigits});
    const std::vector<NodeRef> placed =
        call("place<" + type + ", true, " + std::to_string(tile / kThreads) + ">", tiles,
             {{Kind::Operand, 0, "const " + type + "*"},
              {Kind::Operand, 1, "const int*"},
              {Kind::Operand, 2, "const unsigned int*"},
              {Kind::Result, 0, type + "*"},
              {Kind::Result, 1, "int*"},
              {Kind::Result, 2, "unsigned int*"},
              {Kind::Value, 4, "int"},
              {Kind::Value, 5, "int"},
              {Kind::Value, 6, "int"}},
             {{dtype, {n}}, {DType::I32, {n}}, {DType::U32, {1 + tiles * kDigits}}}, {-1, -1, 3},
             {words, from, of_pass, zeros({1 + tiles * kDigits}), number(n), number(pass * 8),
              number(pass == 0 ? 1 : 0)});
    words = placed[0], from = placed[1];
  }
  return {{given}, {words, from}};
}

template <class Word>
struct Case {
  ir::Graph graph;
  std::vector<Word> words;
};

template <class Word>
Case<Word> of(int64_t n, int64_t passes, Word most) {
  Case<Word> c{sorted(sizeof(Word) == 8 ? DType::U64 : DType::U32, n, passes), {}};
  std::mt19937_64 random(static_cast<uint64_t>(n));
  for (int64_t k = 0; k < n; ++k) c.words.push_back(static_cast<Word>(random() & most));
  // Few different ones, all ones, and what is in order already.
  std::fill_n(c.words.begin() + n / 4, n / 8, c.words[0]);
  std::fill_n(c.words.begin() + n / 2, n / 16, most);
  std::iota(c.words.begin() + 3 * n / 4, c.words.begin() + 7 * n / 8, Word{0});
  return c;
}

template <class Word>
void expect_sorted(Backend& on, const Case<Word>& c) {
  std::vector<ir::HostTensor> inputs(1);
  inputs[0].type = c.graph.inputs[0]->type;
  inputs[0].data.resize(c.words.size() * sizeof(Word));
  std::memcpy(inputs[0].data.data(), c.words.data(), inputs[0].data.size());
  const std::vector<ir::HostTensor> outputs = run_on(on, c.graph, inputs);
  std::vector<int32_t> order(c.words.size()), found(c.words.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int32_t k) { return c.words[static_cast<size_t>(k)]; });
  std::vector<Word> wanted, words(c.words.size());
  for (const int32_t k : order) wanted.push_back(c.words[static_cast<size_t>(k)]);
  std::memcpy(words.data(), outputs[0].data.data(), outputs[0].data.size());
  std::memcpy(found.data(), outputs[1].data.data(), outputs[1].data.size());
  EXPECT_EQ(words, wanted);
  EXPECT_EQ(found, order);
}

TEST(RadixSort, IsStableOverTilesAndPasses) {
  const std::vector<Case<uint32_t>> narrow = {of<uint32_t>(9001, 4, UINT32_MAX), of<uint32_t>(2048, 1, 255),
                                              of<uint32_t>(4096, 2, 0x7fff)};
  const std::vector<Case<uint64_t>> wide = {of<uint64_t>(5003, 3, 0xfffff)};
  std::vector<Program> programs;
  for (const auto& c : narrow) programs.push_back(compile(c.graph, h200()));
  for (const auto& c : wide) programs.push_back(compile(c.graph, h200()));
  runtime::Counters counters;
  Backend emulated{std::make_unique<runtime::Counters>(), make_emulated_device(programs, counters), h200()};
  ASSERT_TRUE(emulated.device);
  for (const auto& c : narrow) expect_sorted(emulated, c);
  for (const auto& c : wide) expect_sorted(emulated, c);
}

TEST(RadixSort, IsTakenByNvrtc) {
  const std::vector<ir::Graph> graphs = {sorted(DType::U32, 9001, 4), sorted(DType::U64, 5003, 8)};
  expect_taken_by_nvrtc(graphs, h200());
}

}  // namespace
}  // namespace weft::test
