#include "compiler/ir/build.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "compiler/base/error.h"

namespace weft::ir {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

NodeRef in(Shape shape, DType dtype = DType::F32) {
  return input({dtype, std::move(shape)}, {nullptr, "x", {}, 0});
}

NodeRef number(double v, DType dtype = DType::F64, Shape shape = {}) {
  return constant({dtype, std::move(shape)}, Scalar::of(v));
}

NodeRef elementwise_of(Op op, std::initializer_list<NodeRef> xs) {
  return elementwise(op, std::span(xs.begin(), xs.size()));
}

NodeRef concat_of(std::initializer_list<NodeRef> xs, int64_t axis) {
  return concat(std::span(xs.begin(), xs.size()), axis);
}

const Scalar& value(const NodeRef& node) { return node->as<ConstantAttr>().value; }

// "TypeError: text" of what f throws.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const TypeError& e) {
    return std::string("TypeError: ") + e.what();
  } catch (const IndexError& e) {
    return std::string("IndexError: ") + e.what();
  } catch (const Error& e) {
    return std::string("Error: ") + e.what();
  }
  return "no error";
}

#define EXPECT_ERROR(expression, text) EXPECT_EQ(error_of([&] { (void)(expression); }), text)

// ---- the op table

TEST(OpTable, NamesAreFoundAgain) {
  for (int i = 0; i < kOpCount; ++i) EXPECT_EQ(op_from_name(name(static_cast<Op>(i))), static_cast<Op>(i));
  EXPECT_EQ(op_from_name("no_such_op"), std::nullopt);
  EXPECT_EQ(kind(Op::sum), OpKind::Reduce);
  EXPECT_EQ(info(Op::fma).arity, 3);
  EXPECT_EQ(info(Op::add).arity, 2);
}

TEST(OpTable, EveryRowHasDocumentationAndAnEvaluationForExactlyItsTypes) {
  for (int i = 0; i < kOpCount; ++i) {
    const OpInfo& row = info(static_cast<Op>(i));
    EXPECT_FALSE(row.doc.empty()) << row.name;
    const bool evaluated =
        row.kind == OpKind::Map && row.result != Result::Stated && static_cast<Op>(i) != Op::select;
    const auto check = [&](const auto& typed, int bit) {
      const bool wanted = evaluated && (row.accepts & bit) != 0;
      const bool predicate = row.result == Result::Bool;
      const bool join = row.result == Result::Complex;
      EXPECT_EQ(typed.value != nullptr, wanted && !predicate && !join) << row.name << " " << bit;
      EXPECT_EQ(typed.join != nullptr, wanted && join) << row.name << " " << bit;
      EXPECT_EQ(typed.predicate != nullptr, wanted && predicate) << row.name << " " << bit;
    };
    check(row.eval.b, kBool);
    check(row.eval.i, kSigned);
    check(row.eval.u, kUnsigned);
    check(row.eval.f32, kFloat);
    check(row.eval.f64, kFloat);
    check(row.eval.f80, kFloat);
    check(row.eval.c64, kComplex);
    check(row.eval.c128, kComplex);
    check(row.eval.c160, kComplex);
  }
}

TEST(OpTable, IntegersBecomeTheFloatsThatNumPyTakes) {
  EXPECT_EQ(float_for(DType::Bool), DType::F16);
  EXPECT_EQ(float_for(DType::I8), DType::F16);
  EXPECT_EQ(float_for(DType::U8), DType::F16);
  EXPECT_EQ(float_for(DType::I16), DType::F32);
  EXPECT_EQ(float_for(DType::U16), DType::F32);
  EXPECT_EQ(float_for(DType::I32), DType::F64);
  EXPECT_EQ(float_for(DType::U64), DType::F64);
}

// ---- inference

TEST(Build, MapsKeepTheShapeAndFollowTheDTypeRule) {
  const NodeRef x = in({2, 3}), z = in({2, 3}, DType::C128);
  EXPECT_EQ(map(Op::add, {x, x})->type, (TensorType{DType::F32, {2, 3}}));
  EXPECT_EQ(map(Op::less, {x, x})->type, (TensorType{DType::Bool, {2, 3}}));
  EXPECT_EQ(map(Op::abs, {z})->type, (TensorType{DType::F64, {2, 3}}));
  EXPECT_EQ(map(Op::abs, {in({}, DType::I8)})->dtype(), DType::I8);
  EXPECT_EQ(map(Op::sign, {z})->dtype(), DType::C128);
  EXPECT_EQ(cast(x, DType::I8)->type, (TensorType{DType::I8, {2, 3}}));
  EXPECT_EQ(bitcast(x, DType::U32)->type, (TensorType{DType::U32, {2, 3}}));
  EXPECT_EQ(map(Op::select, {map(Op::less, {x, x}), z, z})->dtype(), DType::C128);
}

TEST(Build, MapsAreStrict) {
  const NodeRef x = in({2, 3});
  EXPECT_ERROR(map(Op::add, {x, in({3, 2})}), "Error: add: shapes differ: got (2, 3) and (3, 2)");
  EXPECT_ERROR(map(Op::add, {x, in({2, 3}, DType::I8)}), "TypeError: add: dtypes differ: got f32 and i8");
  EXPECT_ERROR(map(Op::fma, {x, x, in({2})}), "Error: fma: shapes differ: got (2, 3), (2, 3) and (2,)");
  EXPECT_ERROR(map(Op::sin, {in({1}, DType::I32)}), "TypeError: sin: takes float, complex only: got i32");
  EXPECT_ERROR(map(Op::bitwise_and, {x, x}),
               "TypeError: bitwise_and: takes bool, signed integer, unsigned integer only: got f32");
  EXPECT_ERROR(map(Op::add, {x}), "Error: add: takes 2 inputs: got 1");
  EXPECT_ERROR(map(Op::select, {x, x, x}), "TypeError: select: the condition must be bool: got f32");
  const NodeRef c = in({2, 3}, DType::Bool);
  EXPECT_ERROR(map(Op::select, {c, x, cast(x, DType::F64)}),
               "TypeError: select: dtypes differ: got f32 and f64");
  EXPECT_ERROR(
      bitcast(x, DType::F64),
      "TypeError: bitcast: dtypes must have the same size and the result must not be bool: got f32 to f64");
  EXPECT_ERROR(
      bitcast(in({}, DType::U8), DType::Bool),
      "TypeError: bitcast: dtypes must have the same size and the result must not be bool: got u8 to bool");
}

TEST(Build, SourcesCheckTheirTypes) {
  EXPECT_ERROR(in({int64_t{1} << 62, 2}),
               "Error: input: too many elements: got (4611686018427387904, 2) of 4 bytes each");
  EXPECT_ERROR(in({-1}), "Error: input: extents must not be negative: got (-1,)");
  EXPECT_ERROR(iota({DType::I64, {3}}, 1), "IndexError: iota: axis out of range for rank 1: got 1");
  EXPECT_ERROR(iota({DType::I64, {}}, 0), "IndexError: iota: axis out of range for rank 0: got 0");
  EXPECT_ERROR(iota({DType::Bool, {3}}, 0),
               "TypeError: iota: takes signed integer, unsigned integer, float only: got bool");
  EXPECT_ERROR(input({DType::F32, {2, 2}}, {nullptr, "x", {1}, 0}),
               "Error: input: strides must have one entry for each of 2 axes: got (1,)");
  EXPECT_ERROR(
      input({DType::F32, {2, 2}}, {nullptr, "x", {1, -3}, 2}),
      "Error: input: no element may lie before index 0 of the memory: got strides (1, -3) and offset 2 for "
      "the shape (2, 2), which reach index -1");
  EXPECT_EQ(input({DType::F32, {2, 2}}, {nullptr, "x", {1, -3}, 3})->as<InputAttr>().offset, 3);
  EXPECT_EQ(iota({DType::I64, {3, 4}}, -1)->as<AxisAttr>().axis, 1);
  EXPECT_EQ(value(constant({DType::I8, {}}, Scalar::of(2.9))).i, 2);
}

TEST(Build, Views) {
  const NodeRef x = in({2, 1, 3});
  EXPECT_EQ(broadcast(x, {4, 2, 5, 3})->shape(), (Shape{4, 2, 5, 3}));
  EXPECT_EQ(permute(x, {2, 0, -2})->shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(permute(x, {2, 0, -2})->as<AxesAttr>().axes, (Dims{2, 0, 1}));
  EXPECT_EQ(reshape(x, {6})->shape(), (Shape{6}));
  EXPECT_EQ(slice(x, {1, 0, 2}, {1, 1, 3}, {-1, 1, -1})->shape(), (Shape{1, 1, 3}));
  EXPECT_EQ(pad(x, number(0, DType::F32), {0, 1, 0}, {2, 0, 1})->shape(), (Shape{4, 2, 4}));
  EXPECT_EQ(concat_of({x, in({2, 5, 3})}, -2)->shape(), (Shape{2, 6, 3}));
  EXPECT_EQ(reshape(in({0, 3}), {0})->shape(), (Shape{0}));
}

TEST(Build, ViewsSayWhatIsWrong) {
  const NodeRef x = in({2, 3});
  EXPECT_ERROR(broadcast(x, {3, 3}), "Error: broadcast: the shape does not broadcast: got (2, 3) to (3, 3)");
  EXPECT_ERROR(broadcast(x, {3}), "Error: broadcast: the shape does not broadcast: got (2, 3) to (3,)");
  EXPECT_ERROR(broadcast(in({1}), {int64_t{1} << 40, int64_t{1} << 40}),
               "Error: broadcast: too many elements: got (1099511627776, 1099511627776) of 4 bytes each");
  EXPECT_ERROR(permute(x, {0, 0}), "Error: permute: every axis must appear once: got (0, 0)");
  EXPECT_ERROR(permute(x, {0}), "Error: permute: axes must have one entry for each of 2 axes: got (0,)");
  EXPECT_ERROR(permute(x, {0, 2}), "IndexError: permute: axis out of range for rank 2: got 2");
  EXPECT_ERROR(reshape(in({12}), {5, 3}), "Error: reshape: cannot view 12 elements as (5, 3)");
  EXPECT_ERROR(reshape(x, {-1}), "Error: reshape: extents must not be negative: got (-1,)");
  EXPECT_ERROR(slice(x, {0, 0}, {2, 3}, {1, 0}), "Error: slice: steps must not be zero: got (1, 0)");
  EXPECT_ERROR(slice(x, {0, 1}, {2, 3}, {1, 1}),
               "IndexError: slice: range leaves axis 1 of extent 3: got start 1, step 1, extent 3");
  EXPECT_ERROR(slice(x, {0, 1}, {2, 3}, {1, -1}),
               "IndexError: slice: range leaves axis 1 of extent 3: got start 1, step -1, extent 3");
  EXPECT_ERROR(
      slice(x, {0, 1}, {2, 3}, {1, INT64_MAX}),
      "IndexError: slice: range leaves axis 1 of extent 3: got start 1, step 9223372036854775807, extent 3");
  EXPECT_ERROR(slice(x, {0}, {2, 3}, {1, 1}),
               "Error: slice: starts must have one entry for each of 2 axes: got (0,)");
  EXPECT_ERROR(slice(x, {0, 0}, {2, -3}, {1, 1}), "Error: slice: extents must not be negative: got (2, -3)");
  EXPECT_ERROR(pad(x, in({}), {0, -1}, {0, 0}),
               "Error: pad: widths must not be negative: got (0, -1) and (0, 0)");
  EXPECT_ERROR(pad(x, in({1}), {0, 0}, {0, 0}), "Error: pad: the fill must be of shape (): got (1,)");
  EXPECT_ERROR(pad(x, number(0), {0, 0}, {1, 0}), "TypeError: pad: dtypes differ: got f32 and f64");
  EXPECT_ERROR(concat_of({x, in({3, 3})}, 1),
               "Error: concat: shapes differ off axis 1: got (2, 3) and (3, 3)");
  EXPECT_ERROR(concat_of({x, x, in({2})}, 0),
               "Error: concat: shapes differ off axis 0: got (2, 3), (2, 3) and (2,)");
  EXPECT_ERROR(concat_of({x, in({2, 3}, DType::I8)}, 0), "TypeError: concat: dtypes differ: got f32 and i8");
  EXPECT_ERROR(concat_of({}, 0), "Error: concat: needs at least one input: got none");
  EXPECT_ERROR(concat_of({in({})}, 0), "IndexError: concat: axis out of range for rank 0: got 0");
}

TEST(Build, Reductions) {
  const NodeRef x = in({2, 3, 4});
  EXPECT_EQ(reduce(Op::sum, x, {-1, 0})->type, (TensorType{DType::F32, {3}}));
  EXPECT_EQ(reduce(Op::sum, x, {-1, 0})->as<AxesAttr>().axes, (Dims{0, 2}));
  EXPECT_EQ(reduce(Op::argmax, x, {1})->type, (TensorType{DType::I64, {2, 4}}));
  EXPECT_EQ(reduce(Op::argmax, x, {})->type, (TensorType{DType::I64, {2, 3, 4}}));
  EXPECT_ERROR(reduce(Op::sum, x, {3}), "IndexError: sum: axis out of range for rank 3: got 3");
  EXPECT_ERROR(reduce(Op::sum, x, {1, -2}), "Error: sum: axes must be different: got (1, -2)");
  EXPECT_ERROR(reduce(Op::any, x, {1}), "TypeError: any: takes bool only: got f32");
  EXPECT_ERROR(reduce(Op::sum, in({2}, DType::Bool), {0}),
               "TypeError: sum: takes signed integer, unsigned integer, float, complex only: got bool");
  for (Op op : {Op::max, Op::min, Op::argmax, Op::argmin}) {
    EXPECT_ERROR(
        reduce(op, in({2, 0}), {1}),
        "Error: " + std::string(name(op)) + ": nothing to reduce and no identity: got (2, 0) over axes (1,)");
    EXPECT_ERROR(
        reduce(op, in({0, 0}), {1}),
        "Error: " + std::string(name(op)) + ": nothing to reduce and no identity: got (0, 0) over axes (1,)");
    EXPECT_EQ(reduce(op, in({2, 0}), {0})->shape(), (Shape{0}));
  }
}

TEST(Build, IndexedAccess) {
  const NodeRef x = in({4, 5}), index = in({4, 2}, DType::I64);
  EXPECT_EQ(gather(x, index, -1)->type, (TensorType{DType::F32, {4, 2}}));
  EXPECT_EQ(gather(x, in({1, 7}, DType::I64), 1)->shape(), (Shape{4, 7}));
  EXPECT_EQ(gather(in({1, 5}), index, 1)->shape(), (Shape{4, 2}));
  EXPECT_ERROR(gather(x, in({4, 2}, DType::I32), 1), "TypeError: gather: the index must be i64: got i32");
  EXPECT_ERROR(gather(x, in({3, 2}, DType::I64), 1),
               "Error: gather: index does not broadcast off axis 1: got (4, 5) and (3, 2)");
  EXPECT_ERROR(gather(x, in({2}, DType::I64), 1),
               "Error: gather: index does not broadcast off axis 1: got (4, 5) and (2,)");
  EXPECT_ERROR(gather(x, index, 2), "IndexError: gather: axis out of range for rank 2: got 2");
  EXPECT_ERROR(gather(in({4, 0}), index, 1),
               "IndexError: gather: axis 1 has no elements to index: got (4, 0) and (4, 2)");
  EXPECT_EQ(scatter(Op::scatter, x, index, in({}), 1)->type, x->type);
  EXPECT_ERROR(scatter(Op::scatter, x, index, in({4, 3}), 1),
               "Error: broadcast: the shape does not broadcast: got (4, 3) to (4, 2)");
  EXPECT_ERROR(scatter(Op::scatter, x, index, in({4, 2}, DType::I8), 1),
               "TypeError: scatter: dtypes differ: got f32 and i8");
  EXPECT_ERROR(
      scatter(Op::scatter_add, in({4, 5}, DType::Bool), index, in({4, 2}, DType::Bool), 1),
      "TypeError: scatter_add: takes signed integer, unsigned integer, float, complex only: got bool");
  EXPECT_ERROR(scatter(Op::scatter, in({1, 5}), index, in({4, 2}), 1),
               "Error: scatter: index is larger than the target off axis 1: got (1, 5) and (4, 2)");
  EXPECT_EQ(update(x, in({2, 5}), {0, 4}, {3, -1})->type, x->type);
  EXPECT_ERROR(update(x, in({2, 5}), {0, 4}, {4, -1}),
               "IndexError: update: range leaves axis 0 of extent 4: got start 0, step 4, extent 2");
  EXPECT_ERROR(update(x, in({2, 5}, DType::F64), {0, 0}, {1, 1}),
               "TypeError: update: dtypes differ: got f32 and f64");
}

TEST(Build, Dot) {
  EXPECT_EQ(dot(in({2, 3}), in({3, 4}))->shape(), (Shape{2, 4}));
  EXPECT_EQ(dot(in({7, 1, 2, 3}), in({5, 3, 4}))->shape(), (Shape{7, 5, 2, 4}));
  EXPECT_ERROR(dot(in({3, 4}), in({5, 6})), "Error: dot: inner extents differ: got (3, 4) and (5, 6)");
  EXPECT_ERROR(dot(in({3}), in({3, 4})), "Error: dot: needs at least two axes: got (3,) and (3, 4)");
  EXPECT_ERROR(dot(in({2, 3, 4}), in({3, 4, 5})), "Error: dot: shapes do not broadcast: got (2,) and (3,)");
  EXPECT_ERROR(dot(in({2, 2}, DType::I32), in({2, 2}, DType::I32)),
               "TypeError: dot: takes float, complex only: got i32");
  EXPECT_ERROR(dot(in({2, 2}), in({2, 2}, DType::F64)), "TypeError: dot: dtypes differ: got f32 and f64");
  const NodeRef inputs[] = {in({2, 3, 4}), in({3, 4, 5})};
  EXPECT_ERROR(make(Op::dot, inputs, {}, {}),
               "Error: dot: batch extents differ: got (2, 3, 4) and (3, 4, 5)");
}

// ---- nothing to do

TEST(Build, WhatChangesNothingIsTheInputItself) {
  const NodeRef x = in({2, 3});
  EXPECT_EQ(cast(x, DType::F32), x);
  EXPECT_EQ(bitcast(x, DType::F32), x);
  EXPECT_EQ(broadcast(x, {2, 3}), x);
  EXPECT_EQ(permute(x, {0, 1}), x);
  EXPECT_EQ(permute(x, {0, -1}), x);
  EXPECT_EQ(slice(x, {0, 0}, {2, 3}, {1, 1}), x);
  EXPECT_EQ(slice(in({1, 3}), {0, 0}, {1, 3}, {-5, 1})->op, Op::input);
  EXPECT_EQ(reshape(x, {2, 3}), x);
  EXPECT_EQ(pad(x, number(0, DType::F32), {0, 0}, {0, 0}), x);
  EXPECT_EQ(concat_of({x}, 1), x);
  EXPECT_EQ(reduce(Op::sum, x, {}), x);
  EXPECT_EQ(update(x, in({0, 3}), {0, 0}, {1, 1}), x);
  const NodeRef v = in({2, 3});
  EXPECT_EQ(update(x, v, {0, 0}, {1, 1}), v);
  EXPECT_NE(update(x, v, {1, 0}, {-1, 1}), v);
  EXPECT_EQ(elementwise_of(Op::abs, {in({2}, DType::Bool)})->op, Op::input);
}

// ---- folding

TEST(Fold, MapsOfConstants) {
  const auto f32 = [](double v) { return number(v, DType::F32, {2, 2}); };
  const NodeRef sum = map(Op::add, {f32(1), f32(0x1p-30)});
  EXPECT_EQ(sum->op, Op::constant);
  EXPECT_EQ(sum->type, (TensorType{DType::F32, {2, 2}}));
  EXPECT_EQ(value(sum).re, 1);  // rounded to f32
  EXPECT_EQ(value(map(Op::less, {f32(1), f32(2)})).i, 1);
  EXPECT_EQ(map(Op::less, {f32(1), f32(2)})->dtype(), DType::Bool);
  EXPECT_EQ(value(map(Op::select, {number(1, DType::Bool), number(5), number(6)})).re, 5);
  EXPECT_EQ(value(map(Op::add, {number(2048, DType::F16), number(1, DType::F16)})).re, 2048);
  EXPECT_EQ(value(map(Op::multiply, {number(100, DType::I8), number(3, DType::I8)})).i, 44);
  EXPECT_EQ(value(map(Op::nextafter, {number(1, DType::BF16), number(2, DType::BF16)})).re, 1 + 0x1p-7);
  EXPECT_EQ(value(map(Op::sqrt, {number(2, DType::F64)})).re, std::sqrt(2.0));
  const NodeRef z = constant({DType::C64, {}}, Scalar::of(std::complex<double>(3, 4)));
  EXPECT_EQ(value(map(Op::real, {z})).re, 3);
  EXPECT_EQ(map(Op::real, {z})->dtype(), DType::F32);
  EXPECT_EQ(map(Op::abs, {z})->op, Op::abs) << "a kernel rounds it in its own way";
  EXPECT_EQ(map(Op::sin, {f32(1)})->op, Op::sin);
  EXPECT_EQ(map(Op::add, {in({2, 2}), f32(1)})->op, Op::add);
}

TEST(Fold, CastsOfConstants) {
  EXPECT_EQ(value(cast(number(3.99), DType::I8)).i, 3);
  EXPECT_EQ(value(cast(number(kNan), DType::I8)).i, 0);
  EXPECT_EQ(value(bitcast(number(1, DType::F32), DType::U32)).i, 0x3f800000);
  EXPECT_EQ(value(bitcast(number(-1, DType::I16), DType::U16)).i, 65535);
}

TEST(Fold, ViewsOfConstantsAreConstants) {
  const NodeRef c = number(7, DType::F32, {2, 3});
  for (const NodeRef& v :
       {broadcast(c, {4, 2, 3}), permute(c, {1, 0}), reshape(c, {6}), slice(c, {0, 2}, {1, 2}, {1, -1})}) {
    EXPECT_EQ(v->op, Op::constant);
    EXPECT_EQ(value(v).re, 7);
  }
  EXPECT_EQ(permute(c, {1, 0})->shape(), (Shape{3, 2}));
  EXPECT_EQ(broadcast(c, {4, 2, 3})->shape(), (Shape{4, 2, 3}));
}

TEST(Fold, OnlyEmptyReductions) {
  EXPECT_EQ(reduce(Op::sum, number(1, DType::F32, {3}), {0})->op, Op::sum);
  const auto identity = [](Op op, DType t) { return value(reduce(op, in({0, 2}, t), {0})); };
  EXPECT_TRUE(identity(Op::sum, DType::F32).same(Scalar::of(0.0).cast(DType::F32)));
  EXPECT_TRUE(identity(Op::prod, DType::C64).same(Scalar::of(1.0).cast(DType::C64)));
  EXPECT_TRUE(identity(Op::sum, DType::U8).same(Scalar::of(int64_t{0}).cast(DType::U8)));
  EXPECT_TRUE(identity(Op::any, DType::Bool).same(Scalar::of(false)));
  EXPECT_TRUE(identity(Op::all, DType::Bool).same(Scalar::of(true)));
  EXPECT_EQ(reduce(Op::sum, in({0, 2}), {0})->type, (TensorType{DType::F32, {2}}));
}

// ---- elementwise: NumPy's conversions

TEST(Elementwise, BroadcastsAndPromotes) {
  const NodeRef r = elementwise_of(Op::add, {in({3, 1}, DType::I8), in({4}, DType::F32)});
  EXPECT_EQ(r->type, (TensorType{DType::F32, {3, 4}}));
  EXPECT_EQ(r->inputs[0]->op, Op::broadcast);
  EXPECT_EQ(r->inputs[0]->inputs[0]->op, Op::cast);  // fewer elements are cast than broadcast
  EXPECT_ERROR(elementwise_of(Op::add, {in({3}), in({4})}),
               "Error: add: shapes do not broadcast: got (3,) and (4,)");
}

TEST(Elementwise, ConstantsAreMadeAgainAndScalarsBroadcast) {
  const NodeRef x = in({3, 4});
  const NodeRef r = elementwise_of(Op::add, {x, number(2, DType::I8)});
  EXPECT_EQ(r->inputs[1]->op, Op::constant);
  EXPECT_EQ(r->inputs[1]->type, x->type);
  EXPECT_EQ(value(r->inputs[1]).re, 2);
  const NodeRef s = scalar({DType::F32, {}}, "s");
  const NodeRef with_scalar = elementwise_of(Op::add, {x, s});
  EXPECT_EQ(with_scalar->inputs[1]->op, Op::broadcast);
  EXPECT_EQ(with_scalar->inputs[1]->inputs[0], s);
  EXPECT_EQ(elementwise_of(Op::add, {number(1), number(2, DType::I8, {2})})->op, Op::constant);
}

TEST(Elementwise, IntegersBecomeFloatsWhereTheOpTakesFloatsOnly) {
  const auto dtype_of = [](Op op, DType t) {
    return info(op).arity == 1 ? elementwise_of(op, {in({2}, t)})->dtype()
                               : elementwise_of(op, {in({2}, t), in({2}, t)})->dtype();
  };
  EXPECT_EQ(dtype_of(Op::sin, DType::I8), DType::F16);
  EXPECT_EQ(dtype_of(Op::sin, DType::Bool), DType::F16);
  EXPECT_EQ(dtype_of(Op::sqrt, DType::U16), DType::F32);
  EXPECT_EQ(dtype_of(Op::exp, DType::I64), DType::F64);
  EXPECT_EQ(dtype_of(Op::divide, DType::I8), DType::F64);
  EXPECT_EQ(dtype_of(Op::divide, DType::Bool), DType::F64);
  EXPECT_EQ(dtype_of(Op::divide, DType::F32), DType::F32);
  EXPECT_EQ(dtype_of(Op::hypot, DType::I16), DType::F32);
  EXPECT_EQ(dtype_of(Op::floor_divide, DType::Bool), DType::I8);
  EXPECT_EQ(dtype_of(Op::add, DType::Bool), DType::Bool);
  EXPECT_EQ(dtype_of(Op::isnan, DType::Bool), DType::Bool);
  EXPECT_EQ(dtype_of(Op::equal, DType::C64), DType::Bool);
}

TEST(Elementwise, KeepsDTypesThatNeedNoFraction) {
  const NodeRef flags = input({DType::Bool, {3}}, {}), numbers = input({DType::I8, {3}}, {});
  for (Op op : {Op::abs, Op::floor, Op::ceil, Op::trunc}) {
    EXPECT_EQ(elementwise(op, std::vector{flags})->dtype(), DType::Bool) << name(op);
    EXPECT_EQ(elementwise(op, std::vector{numbers})->dtype(), DType::I8) << name(op);
  }
  EXPECT_EQ(elementwise(Op::reciprocal, std::vector{numbers})->dtype(), DType::I8);
}

TEST(Elementwise, RefusesWhatNumPyRefuses) {
  const NodeRef b = in({2}, DType::Bool), f = in({2}), z = in({2}, DType::C64);
  EXPECT_ERROR(elementwise_of(Op::subtract, {b, b}),
               "TypeError: subtract: takes signed integer, unsigned integer, float, complex only: got bool");
  EXPECT_ERROR(elementwise_of(Op::negative, {b}),
               "TypeError: negative: takes signed integer, unsigned integer, float, complex only: got bool");
  EXPECT_ERROR(elementwise_of(Op::less, {z, f}),
               "TypeError: less: takes bool, signed integer, unsigned integer, float only: got c64");
  EXPECT_ERROR(elementwise_of(Op::bitwise_left_shift, {f, f}),
               "TypeError: bitwise_left_shift: takes signed integer, unsigned integer only: got f32");
  EXPECT_ERROR(elementwise_of(Op::add, {f}), "Error: add: takes 2 inputs: got 1");
}

TEST(Elementwise, SelectPromotesItsValuesOnly) {
  const NodeRef r =
      elementwise_of(Op::select, {in({3, 1}, DType::I32), in({4}, DType::F32), in({}, DType::F64)});
  EXPECT_EQ(r->type, (TensorType{DType::F64, {3, 4}}));
  EXPECT_EQ(r->inputs[0]->dtype(), DType::Bool);
}

// ---- with_inputs

TEST(WithInputs, MakesTheSameNodeAgain) {
  const NodeRef x = in({2, 3}), y = in({2, 3}), b = in({2, 3}, DType::Bool);
  const NodeRef index = in({2, 1}, DType::I64);
  const NodeRef nodes[] = {map(Op::add, {x, x}),
                           map(Op::select, {b, x, x}),
                           cast(x, DType::I8),
                           bitcast(x, DType::I32),
                           broadcast(x, {4, 2, 3}),
                           permute(x, {1, 0}),
                           slice(x, {1, 2}, {1, 2}, {1, -2}),
                           reshape(x, {3, 2}),
                           pad(x, number(1, DType::F32), {1, 0}, {0, 1}),
                           concat_of({x, x}, 1),
                           reduce(Op::max, x, {1}),
                           gather(x, index, 1),
                           scatter(Op::scatter_add, x, index, in({2, 1}), 1),
                           update(x, in({1, 3}), {1, 2}, {1, -1}),
                           dot(x, in({3, 2}))};
  for (const NodeRef& node : nodes) {
    const NodeRef again = with_inputs(*node, {node->inputs.begin(), node->inputs.size()});
    EXPECT_TRUE(same_but_lines(*node, *again)) << name(node->op);
    std::vector<NodeRef> changed(node->inputs.begin(), node->inputs.end());
    for (NodeRef& input_node : changed) {
      if (input_node == x) input_node = y;
    }
    const NodeRef other = with_inputs(*node, changed);
    EXPECT_EQ(other->op, node->op);
    EXPECT_EQ(other->type, node->type) << name(node->op);
    EXPECT_EQ(std::count(other->inputs.begin(), other->inputs.end(), y),
              std::count(node->inputs.begin(), node->inputs.end(), x));
  }
}

TEST(WithInputs, FoldsAndKeepsLines) {
  const NodeRef x = in({2});
  const NodeRef sum = map(Op::add, {x, x}, SourceLine{"f.cpp", 3});
  const NodeRef one = constant({DType::F32, {2}}, Scalar::of(1.0), SourceLine{"f.cpp", 2});
  const NodeRef folded = with_inputs(*sum, std::array{one, one});
  EXPECT_EQ(value(folded).re, 2);
  EXPECT_EQ(to_string(folded->lines), "f.cpp:3");
  // What no line wrote down, such as an element that was read from memory, stays nobody's.
  const NodeRef unwritten = with_inputs(*sum, std::array{one, number(1, DType::F32, {2})});
  EXPECT_EQ(value(unwritten).re, 2);
  EXPECT_EQ(to_string(unwritten->lines), "");
  EXPECT_EQ(with_inputs(*x, {}) == x, false);
  EXPECT_TRUE(same_but_lines(*with_inputs(*x, {}), *x));
}

}  // namespace
}  // namespace weft::ir
