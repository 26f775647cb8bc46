// What the interpreter makes of sources, views, reductions, indexed access and whole graphs.
#include "compiler/base/error.h"
#include "tests/support/interpret_values.h"

namespace weft::ir {
namespace {

TEST(Sources, IotaCountsAlongItsAxis) {
  const auto iota_of = [](DType t, Shape shape, int64_t axis) {
    return numbers(interpret({{}, {iota({t, std::move(shape)}, axis)}}, {})[0]);
  };
  EXPECT_EQ(iota_of(DType::I64, {2, 3}, 0), (Numbers{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(iota_of(DType::F16, {2, 3}, 1), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(iota_of(DType::I8, {0}, 0), Numbers{});
  EXPECT_EQ(iota_of(DType::U8, {300}, 0)[299], 43);
}

TEST(Sources, ConstantsAndScalarsFillTheirShape) {
  const NodeRef s = scalar({DType::F32, {2, 2}}, "s");
  const NodeRef k = constant({DType::F32, {2, 2}}, Scalar::of(2.0));
  const HostTensor three = tensor(DType::F32, {}, Numbers{3});
  const auto results = interpret({{s}, {s, k, map(Op::multiply, {s, k})}}, {&three, 1});
  EXPECT_EQ(numbers(results[0]), (Numbers{3, 3, 3, 3}));
  EXPECT_EQ(numbers(results[1]), (Numbers{2, 2, 2, 2}));
  EXPECT_EQ(numbers(results[2]), (Numbers{6, 6, 6, 6}));
}

TEST(Sources, ArgumentsAreChecked) {
  const NodeRef x = input({DType::F32, {2}}, {nullptr, "x", {}, 0});
  const Graph graph{{x}, {map(Op::negative, {x})}};
  const auto message = [&](std::vector<HostTensor> args) -> std::string {
    try {
      interpret(graph, args);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({}), "interpret: the graph takes 1 arguments: got 0");
  EXPECT_EQ(message({tensor(DType::F64, {2}, Numbers{1, 2})}),
            "interpret: an argument must be f32(2,): got f64(2,) of 16 bytes");
  EXPECT_EQ(message({tensor(DType::F32, {2}, Numbers{1})}),
            "interpret: an argument must be f32(2,): got f32(2,) of 4 bytes");
  EXPECT_THROW(interpret({{}, {x}}, {}), InternalError);
}

TEST(Views, MoveElements) {
  const HostTensor x = tensor(DType::I32, {2, 3}, counting(6));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return permute(v[0], {1, 0}); })), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return reshape(v[0], {3, 1, 2}); })), counting(6));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return slice(v[0], {1, 2}, {2, 2}, {-1, -2}); })),
            (Numbers{5, 3, 2, 0}));
  EXPECT_EQ(numbers(run({x}, [](Refs v) { return slice(v[0], {0, 0}, {0, 3}, {1, 1}); })), Numbers{});
  EXPECT_EQ(numbers(run({tensor(DType::U8, {2, 1}, Numbers{7, 9})},
                        [](Refs v) { return broadcast(v[0], {2, 2, 3}); })),
            (Numbers{7, 7, 7, 9, 9, 9, 7, 7, 7, 9, 9, 9}));
  EXPECT_EQ(numbers(run({tensor(DType::C128, {}, Numbers{4})}, [](Refs v) { return broadcast(v[0], {3}); })),
            (Numbers{4, 4, 4}));
  EXPECT_EQ(
      numbers(run({tensor(DType::F16, {1, 0}, Numbers{})}, [](Refs v) { return broadcast(v[0], {2, 0}); })),
      Numbers{});
  const HostTensor deep = tensor(DType::F64, {2, 1, 2, 1, 3}, counting(12));
  EXPECT_EQ(numbers(run({deep}, [](Refs v) { return permute(v[0], {4, 2, 0, 1, 3}); })),
            (Numbers{0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11}));
}

TEST(Views, PadAndConcat) {
  const HostTensor x = tensor(DType::F32, {2, 2}, Numbers{1, 2, 3, 4}),
                   fill = tensor(DType::F32, {}, Numbers{9});
  const auto padded = [](Refs v) { return pad(v[0], v[1], {1, 0}, {0, 2}); };
  EXPECT_EQ(numbers(run({x, fill}, padded)), (Numbers{9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9}));
  EXPECT_EQ(numbers(run({tensor(DType::F32, {0, 1}, Numbers{}), fill}, padded)), (Numbers{9, 9, 9}));
  const HostTensor y = tensor(DType::F32, {2, 1}, Numbers{5, 6});
  EXPECT_EQ(numbers(run({x, y, tensor(DType::F32, {2, 0}, Numbers{})}, [](Refs v) { return concat(v, 1); })),
            (Numbers{1, 2, 5, 3, 4, 6}));
  EXPECT_EQ(numbers(run({x, x}, [](Refs v) { return concat(v, 0); })), (Numbers{1, 2, 3, 4, 1, 2, 3, 4}));
  // Inputs that are one value everywhere.
  EXPECT_EQ(numbers(run({y},
                        [](Refs v) {
                          const NodeRef parts[] = {v[0], constant({DType::F32, {2, 2}}, Scalar::of(0.5))};
                          return concat(parts, 1);
                        })),
            (Numbers{5, 0.5, 0.5, 6, 0.5, 0.5}));
}

Numbers reduced(Op op, const HostTensor& x, const Dims& axes) {
  return numbers(run({x}, [&](Refs v) { return reduce(op, v[0], axes); }));
}

TEST(Reductions, OverAnySetOfAxes) {
  const HostTensor x = tensor(DType::F32, {2, 3, 2}, counting(12));
  EXPECT_EQ(reduced(Op::sum, x, {0}), (Numbers{6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(reduced(Op::sum, x, {1}), (Numbers{6, 9, 24, 27}));
  EXPECT_EQ(reduced(Op::sum, x, {0, 2}), (Numbers{14, 22, 30}));
  EXPECT_EQ(reduced(Op::sum, x, {0, 1, 2}), (Numbers{66}));
  EXPECT_EQ(reduced(Op::max, x, {0, 2}), (Numbers{7, 9, 11}));
  EXPECT_EQ(reduced(Op::min, x, {1}), (Numbers{0, 1, 6, 7}));
  EXPECT_EQ(reduced(Op::prod, tensor(DType::I8, {3}, Numbers{100, 3, -1}), {0}), (Numbers{-44}));
  EXPECT_EQ(reduced(Op::argmax, x, {0, 2}), (Numbers{3, 3, 3}));
  EXPECT_EQ(reduced(Op::argmin, x, {1}), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F32, {3, 0}, Numbers{}), {0}), Numbers{});
  EXPECT_EQ(reduced(Op::max, tensor(DType::F32, {3, 0}, Numbers{}), {0}), Numbers{});
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F32, {2, 0}, Numbers{}), {1}), (Numbers{0, 0}));
  EXPECT_EQ(reduced(Op::prod, tensor(DType::F16, {0}, Numbers{}), {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::argmax, tensor(DType::F32, {2}, Numbers{5, 6}), {}), (Numbers{0, 0}));
}

TEST(Reductions, SumsRoundOnce) {
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F32, {3}, Numbers{0x1p24, 1, 1}), {0}), (Numbers{0x1p24 + 2}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F16, {3}, Numbers{2048, 1, 1}), {0}), (Numbers{2050}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F64, {3}, Numbers{1, 1e-30, -1}), {0})[0],
            0);  // below long double's reach
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F64, {3}, Numbers{0x1p53, 1, 1}), {0}), (Numbers{0x1p53 + 2}));
  // 1 + 2^-11 is a tie of f16; what decides it lies beyond a double's 53 bits but within a long double's 64.
  EXPECT_EQ(reduced(Op::prod, tensor(DType::F16, {2}, Numbers{1, 1}), {0}), (Numbers{1}));
  const Numbers tie{1, 0x1p-11, 0x1p-24};
  EXPECT_EQ(reduced(Op::sum, tensor(DType::F16, {3}, tie), {0}), (Numbers{1 + 0x1p-10}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::BF16, {3}, Numbers{1, 0x1p-8, 0x1p-60}), {0}),
            (Numbers{1 + 0x1p-7}));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::BF16, {3}, Numbers{1, 0x1p-8, -0x1p-60}), {0}), (Numbers{1}));
  EXPECT_TRUE(same_number(reduced(Op::sum, tensor(DType::F32, {2}, Numbers{-0.0, -0.0}), {0})[0], -0.0));
  EXPECT_EQ(reduced(Op::sum, tensor(DType::I8, {3}, Numbers{100, 100, 100}), {0}), (Numbers{44}));
  EXPECT_TRUE(std::isnan(reduced(Op::sum, tensor(DType::F32, {2}, Numbers{kInf, -kInf}), {0})[0]));
}

TEST(Reductions, OfComplexValues) {
  const HostTensor z = tensor(DType::C64, {2}, std::vector<Z>{{1, 2}, {3, -1}});
  const auto reduce_to = [&](Op op) {
    const Scalar s = element(run({z}, [op](Refs v) { return reduce(op, v[0], {0}); }), 0);
    return Z(s.re, s.im);
  };
  EXPECT_EQ(reduce_to(Op::sum), Z(4, 1));
  EXPECT_EQ(reduce_to(Op::prod), Z(5, 5));
}

TEST(Reductions, NaNWinsAndTheFirstPositionCounts) {
  const HostTensor x = tensor(DType::F16, {5}, Numbers{1, kNan, 7, kNan, -2});
  EXPECT_TRUE(std::isnan(reduced(Op::max, x, {0})[0]));
  EXPECT_TRUE(std::isnan(reduced(Op::min, x, {0})[0]));
  EXPECT_EQ(reduced(Op::argmax, x, {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::argmin, x, {0}), (Numbers{1}));
  const HostTensor y = tensor(DType::I32, {5}, Numbers{3, 7, 1, 7, 1});
  EXPECT_EQ(reduced(Op::argmax, y, {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::argmin, y, {0}), (Numbers{2}));
  EXPECT_EQ(reduced(Op::argmax, tensor(DType::F32, {2}, Numbers{-0.0, 0.0}), {0}), (Numbers{0}));
  EXPECT_TRUE(same_number(reduced(Op::max, tensor(DType::F32, {2}, Numbers{-0.0, 0.0}), {0})[0], 0.0));
  EXPECT_EQ(reduced(Op::argmax, tensor(DType::Bool, {3}, Numbers{0, 1, 1}), {0}), (Numbers{1}));
  EXPECT_EQ(reduced(Op::max, tensor(DType::U64, {2}, Numbers{0x1p63, 1}), {0}), (Numbers{0x1p63}));
}

TEST(Reductions, Logic) {
  const HostTensor x = tensor(DType::Bool, {2, 2}, Numbers{0, 1, 1, 1});
  EXPECT_EQ(reduced(Op::any, x, {1}), (Numbers{1, 1}));
  EXPECT_EQ(reduced(Op::all, x, {1}), (Numbers{0, 1}));
  EXPECT_EQ(reduced(Op::all, x, {0, 1}), (Numbers{0}));
}

TEST(Reductions, OfOneValueEverywhere) {
  const NodeRef k = constant({DType::F32, {3, 4}}, Scalar::of(1.5));
  EXPECT_EQ(numbers(interpret({{}, {reduce(Op::sum, k, {1})}}, {})[0]), (Numbers{6, 6, 6}));
}

TEST(Indexed, GatherCountsFromTheEndAndClamps) {
  const HostTensor x = tensor(DType::F32, {2, 3}, counting(6));
  const HostTensor index = tensor(DType::I64, {2, 4}, Numbers{0, -1, 7, -9, 2, 1, -3, -2});
  EXPECT_EQ(numbers(run({x, index}, [](Refs v) { return gather(v[0], v[1], 1); })),
            (Numbers{0, 2, 2, 0, 5, 4, 3, 4}));
  EXPECT_EQ(numbers(run({x, tensor(DType::I64, {1, 3}, Numbers{1, 0, 1})},
                        [](Refs v) { return gather(v[0], v[1], 0); })),
            (Numbers{3, 1, 5}));
  EXPECT_EQ(numbers(run({tensor(DType::F32, {1, 3}, counting(3)), tensor(DType::I64, {2, 1}, Numbers{2, 0})},
                        [](Refs v) { return gather(v[0], v[1], 1); })),
            (Numbers{2, 0}));
  EXPECT_EQ(
      numbers(run({x, tensor(DType::I64, {2, 0}, Numbers{})}, [](Refs v) { return gather(v[0], v[1], 1); })),
      Numbers{});
}

TEST(Indexed, ScatterKeepsTheLastAndScatterAddAddsAll) {
  const HostTensor x = tensor(DType::F32, {2, 3}, counting(6));
  const HostTensor index = tensor(DType::I64, {2, 3}, Numbers{0, 0, -1, 1, 9, 1});
  const HostTensor values = tensor(DType::F32, {2, 3}, Numbers{10, 20, 30, 40, 50, 60});
  const auto scattered = [](Op op) { return [op](Refs v) { return scatter(op, v[0], v[1], v[2], 1); }; };
  EXPECT_EQ(numbers(run({x, index, values}, scattered(Op::scatter))), (Numbers{20, 1, 30, 3, 60, 50}));
  EXPECT_EQ(numbers(run({x, index, values}, scattered(Op::scatter_add))), (Numbers{30, 1, 32, 3, 104, 55}));
  // The index broadcasts off the axis, and so do the values that scatter() is given.
  EXPECT_EQ(numbers(run({x, tensor(DType::I64, {1, 2}, Numbers{2, 0}), tensor(DType::F32, {}, Numbers{9})},
                        scattered(Op::scatter))),
            (Numbers{9, 1, 9, 9, 4, 9}));
  EXPECT_EQ(numbers(run({tensor(DType::I8, {1}, Numbers{100}), tensor(DType::I64, {2}, Numbers{0, 0}),
                         tensor(DType::I8, {2}, Numbers{20, 20})},
                        [](Refs v) { return scatter(Op::scatter_add, v[0], v[1], v[2], 0); })),
            (Numbers{-116}));
}

TEST(Indexed, UpdateReplacesAStridedRange) {
  const HostTensor x = tensor(DType::I16, {3, 4}, counting(12)),
                   v = tensor(DType::I16, {2, 2}, Numbers{-1, -2, -3, -4});
  EXPECT_EQ(numbers(run({x, v}, [](Refs n) { return update(n[0], n[1], {0, 3}, {2, -2}); })),
            (Numbers{0, -2, 2, -1, 4, 5, 6, 7, 8, -4, 10, -3}));
  EXPECT_EQ(numbers(run({tensor(DType::I16, {}, Numbers{1}), tensor(DType::I16, {}, Numbers{2})},
                        [](Refs n) { return make(Op::update, n, SliceAttr{}, {}); })),
            (Numbers{2}));
}

TEST(Indexed, Dot) {
  const HostTensor a = tensor(DType::F32, {2, 3}, counting(6)), b = tensor(DType::F32, {3, 2}, counting(6));
  const auto product = [](Refs v) { return dot(v[0], v[1]); };
  EXPECT_EQ(numbers(run({a, b}, product)), (Numbers{10, 13, 28, 40}));
  const HostTensor batched = tensor(DType::F32, {2, 1, 3}, counting(6));
  EXPECT_EQ(numbers(run({batched, b}, product)), (Numbers{10, 13, 28, 40}));
  EXPECT_EQ(
      numbers(run({tensor(DType::F16, {2, 0}, Numbers{}), tensor(DType::F16, {0, 1}, Numbers{})}, product)),
      (Numbers{0, 0}));
  const HostTensor z = tensor(DType::C64, {1, 1}, std::vector<Z>{{1, 2}});
  const Scalar square = element(run({z, z}, product), 0);
  EXPECT_EQ(Z(square.re, square.im), Z(-3, 4));
  EXPECT_EQ(numbers(run({tensor(DType::F16, {1, 3}, Numbers{2048, 1, 1}),
                         tensor(DType::F16, {3, 1}, Numbers{1, 1, 1})},
                        product)),
            (Numbers{2050}));
}

TEST(Graphs, EveryOutputComesWithSharedAndReshapedValuesIntact) {
  const HostTensor x = tensor(DType::F32, {2, 2}, Numbers{1, 2, 3, 4});
  const NodeRef n = in(x);
  const NodeRef flat = reshape(n, {4}), doubled = map(Op::add, {n, n});
  const NodeRef again = reshape(doubled, {4});
  const auto results =
      interpret({{n}, {n, flat, again, map(Op::add, {again, flat}), doubled, doubled}}, {&x, 1});
  EXPECT_EQ(numbers(results[0]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(results[1]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(results[2]), (Numbers{2, 4, 6, 8}));
  EXPECT_EQ(numbers(results[3]), (Numbers{3, 6, 9, 12}));
  EXPECT_EQ(numbers(results[4]), (Numbers{2, 4, 6, 8}));
  EXPECT_EQ(numbers(results[5]), (Numbers{2, 4, 6, 8}));
}

TEST(Graphs, ALongChainIsEvaluated) {
  const HostTensor x = tensor(DType::I32, {2}, Numbers{1, 2});
  const NodeRef n = in(x);
  NodeRef y = n;
  for (int i = 0; i < 100'000; ++i) y = map(Op::add, {y, n});
  EXPECT_EQ(numbers(interpret({{n}, {y}}, {&x, 1})[0]), (Numbers{100001, 200002}));
}

TEST(Graphs, UnusedArgumentsAreAllowed) {
  const HostTensor args[] = {tensor(DType::F32, {1}, Numbers{1}), tensor(DType::F32, {1}, Numbers{2})};
  const NodeRef a = in(args[0]), b = in(args[1]);
  EXPECT_EQ(numbers(interpret({{a, b}, {map(Op::negative, {b})}}, args)[0]), (Numbers{-2}));
}

}  // namespace
}  // namespace weft::ir
