#include "compiler/ir/node.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "compiler/ir/analysis/users.h"
#include "compiler/ir/build.h"
#include "compiler/ir/node_index.h"

namespace weft::ir {
namespace {

NodeRef named(const char* name, Shape shape = {4}, DType dtype = DType::F32) {
  return input({dtype, std::move(shape)}, {nullptr, name, {}, 0});
}

TEST(Node, AChainOfAMillionIsReleasedWithoutRecursion) {
  const NodeRef x = named("x");
  const uint32_t before = x->use_count();
  NodeRef y = x;
  for (int i = 0; i < 1'000'000; ++i) y = map(Op::add, {y, x});
  EXPECT_EQ(x->use_count(), before + 1'000'001);
  EXPECT_EQ(topological_order({&y, 1}).size(), 1'000'001u);
  y = NodeRef();
  EXPECT_EQ(x->use_count(), before);
}

TEST(Node, AHandleGoesWithItsLastNode) {
  auto data = std::make_shared<int>(1);
  NodeRef inner = input({DType::F32, {2}}, {data, "x", {}, 0});
  // A handle that itself holds a graph: releasing it is part of the same walk.
  auto held = std::make_shared<NodeRef>(map(Op::exp, {inner}));
  NodeRef outer = map(Op::sin, {input({DType::F32, {2}}, {held, "y", {}, 0})});
  held.reset();
  inner = NodeRef();
  EXPECT_EQ(data.use_count(), 2);
  outer = NodeRef();
  EXPECT_EQ(data.use_count(), 1);
}

TEST(Node, ManyInputsAreKept) {
  std::vector<NodeRef> xs;
  for (int i = 0; i < 10; ++i) xs.push_back(named("x"));
  const NodeRef all = concat(xs, 0);
  ASSERT_EQ(all->inputs.size(), 10u);
  for (size_t i = 0; i < xs.size(); ++i) EXPECT_EQ(all->inputs[i], xs[i]);
  EXPECT_EQ(all->shape(), (Shape{40}));
}

TEST(Node, EqualStructureHashesEqual) {
  const NodeRef x = named("x", {4, 3}), y = named("y", {4, 3});
  EXPECT_EQ(hash_but_lines(*map(Op::add, {x, y}, SourceLine{"a", 1})), hash_but_lines(*map(Op::add, {x, y})));
  EXPECT_TRUE(same_but_lines(*map(Op::add, {x, y}, SourceLine{"a", 1}), *map(Op::add, {x, y})));
  EXPECT_FALSE(same_but_lines(*map(Op::add, {x, y}), *map(Op::add, {y, x})));
  EXPECT_FALSE(same_but_lines(*map(Op::add, {x, y}), *map(Op::subtract, {x, y})));
  EXPECT_FALSE(same_but_lines(*reduce(Op::sum, x, {0}), *reduce(Op::sum, x, {1})));
  EXPECT_FALSE(same_but_lines(*cast(x, DType::F64), *cast(x, DType::I64)));
  EXPECT_FALSE(same_but_lines(*slice(x, {0, 0}, {2, 3}, {1, 1}), *slice(x, {1, 0}, {2, 3}, {1, 1})));
  EXPECT_TRUE(same_but_lines(*slice(x, {0, 0}, {2, 3}, {2, 1}), *slice(x, {0, 0}, {2, 3}, {2, 1})));
}

TEST(Node, ConstantsAreComparedByBits) {
  const auto f = [](double v) { return constant({DType::F64, {2}}, Scalar::of(v)); };
  EXPECT_TRUE(same_but_lines(*f(1), *f(1)));
  EXPECT_FALSE(same_but_lines(*f(0.0), *f(-0.0)));
  EXPECT_NE(hash_but_lines(*f(0.0)), hash_but_lines(*f(-0.0)));
}

TEST(Node, InputsAreToldApartByHandleThenByName) {
  const auto data = std::make_shared<int>(1), other = std::make_shared<int>(1);
  const auto with = [](std::shared_ptr<void> handle, const char* name, int64_t offset) {
    return input({DType::F32, {4}}, {std::move(handle), name, Dims{1}, offset});
  };
  EXPECT_TRUE(same_but_lines(*with(data, "", 0), *with(data, "", 0)));
  EXPECT_FALSE(same_but_lines(*with(data, "", 0), *with(other, "", 0)));
  EXPECT_FALSE(same_but_lines(*with(data, "", 0), *with(data, "", 4)));
  EXPECT_TRUE(same_but_lines(*with(nullptr, "a", 0), *with(nullptr, "a", 0)));
  EXPECT_FALSE(same_but_lines(*with(nullptr, "a", 0), *with(nullptr, "b", 0)));
  EXPECT_FALSE(same_but_lines(*with(nullptr, "", 0), *with(nullptr, "", 0)));
  EXPECT_FALSE(same_but_lines(*scalar({DType::F32, {}}, ""), *scalar({DType::F32, {}}, "")));
}

TEST(Node, TheOrderPutsInputsFirstAndSharedNodesOnce) {
  const NodeRef x = named("x"), y = named("y");
  const NodeRef s = map(Op::add, {x, y});
  const NodeRef top = map(Op::multiply, {s, s});
  const NodeRef outputs[] = {top, s};
  EXPECT_EQ(topological_order(outputs), (std::vector<const Node*>{x.get(), y.get(), s.get(), top.get()}));
  EXPECT_TRUE(topological_order({}).empty());
}

TEST(Node, TheGraphHashSeesStructureButNotNamesHandlesOrLines) {
  const auto graph = [](const char* name, const char* file, bool swapped) {
    const NodeRef x = named(name), y = input({DType::F32, {4}}, {std::make_shared<int>(2), "q", {}, 0});
    const NodeRef out = map(Op::subtract, {x, y}, SourceLine{file, 1});
    return Graph{swapped ? std::vector{y, x} : std::vector{x, y}, {out}};
  };
  EXPECT_EQ(hash_graph(graph("a", "f", false)), hash_graph(graph("b", "g", false)));
  EXPECT_NE(hash_graph(graph("a", "f", false)), hash_graph(graph("a", "f", true)));
}

TEST(Node, TheGraphHashSeesSharing) {
  const NodeRef x = named("x");
  const auto exp = [&] { return map(Op::exp, {x}); };
  const NodeRef e = exp();
  const Graph shared{{x}, {map(Op::add, {e, e})}}, twice{{x}, {map(Op::add, {exp(), exp()})}};
  EXPECT_NE(hash_graph(shared), hash_graph(twice));
  EXPECT_NE(hash_graph({{x}, {e}}), hash_graph({{x}, {e, e}}));
  EXPECT_NE(hash_graph({{x}, {e}}), hash_graph({{x, named("z")}, {e}}));
  EXPECT_NE(hash_graph({{x}, {e}}), hash_graph({{x}, {map(Op::exp2, {x})}}));
  EXPECT_NE(hash_graph({{x}, {permute(named("m", {2, 2}), {1, 0})}}), hash_graph({{x}, {e}}));
}

TEST(NodeIndex, NumbersManyNodes) {
  std::vector<NodeRef> nodes;
  NodeIndex index;
  for (int32_t i = 0; i < 5000; ++i) {
    nodes.push_back(named("n"));
    EXPECT_TRUE(index.insert(nodes.back().get(), i));
    EXPECT_FALSE(index.insert(nodes.back().get(), i + 1));
  }
  for (int32_t i = 0; i < 5000; ++i) ASSERT_EQ(index.find(nodes[static_cast<size_t>(i)].get()), i);
  EXPECT_EQ(index.find(named("other").get()), -1);
  index.set(nodes[7].get(), 99);
  EXPECT_EQ(index.find(nodes[7].get()), 99);
  EXPECT_EQ(index.size(), 5000u);
}

TEST(Users, AreThoseThatReadANodeAsOftenAsTheyDo) {
  const NodeRef x = named("x"), y = named("y");
  const NodeRef square = map(Op::multiply, {x, x}), sum = map(Op::add, {square, y}),
                alone = map(Op::negative, {x});
  const std::array outputs{sum, alone};
  const Users users(topological_order(outputs));
  const auto of = [&](const NodeRef& n) {
    const auto found = users.of(n.get());
    return std::vector(found.begin(), found.end());
  };
  EXPECT_EQ(of(x), (std::vector<const Node*>{square.get(), square.get(), alone.get()}));
  EXPECT_EQ(of(y), (std::vector<const Node*>{sum.get()}));
  EXPECT_EQ(of(square), (std::vector<const Node*>{sum.get()}));
  EXPECT_TRUE(of(sum).empty());
  EXPECT_TRUE(of(named("of another graph")).empty());
  EXPECT_TRUE(Users().of(x.get()).empty());
}

TEST(Lines, AreASortedSet) {
  const std::string other_pointer = "b/y.cpp";  // the same text at another address
  Lines lines =
      Lines(SourceLine{"b/y.cpp", 7}).united(SourceLine{"a/x.cpp", 9}).united(SourceLine{"b/y.cpp", 2});
  lines = lines.united(SourceLine{other_pointer.c_str(), 7}).united(Lines());
  EXPECT_EQ(to_string(lines), "x.cpp:9, y.cpp:2, y.cpp:7");
  EXPECT_EQ(lines.all().size(), 3u);
  EXPECT_EQ(to_string(Lines().united(SourceLine{"blur.cpp", 12})), "blur.cpp:12");
  EXPECT_TRUE(Lines().united(Lines()).empty());
  EXPECT_EQ(to_string(Lines()), "");
}

}  // namespace
}  // namespace weft::ir
