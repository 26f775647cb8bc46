// What op.h declares, made of the rows of op_table.inc: each op's description and, where it has one, its
// evaluation for every dtype.
#include <array>
#include <type_traits>

#include "compiler/ir/ops/draw_eval.h"
#include "compiler/ir/ops/op.h"
#include "compiler/ir/ops/op_eval.h"

namespace weft::ir {
namespace {

// ---- one struct for each evaluated row: its evaluation as a template over the compute type, and its fields

#define WEFT_ROW(name, mask, expression, ...)                     \
  struct Row_##name {                                             \
    static constexpr uint8_t kAccepts = mask;                     \
    static constexpr Result kResult = OpInfo{__VA_ARGS__}.result; \
    template <class T>                                            \
    static auto apply(const T* args) {                            \
      expression;                                                 \
    }                                                             \
  };
#define WEFT_MAP1(name, mask, expression, ...) \
  WEFT_ROW(name, mask, T x = args[0]; return expression, __VA_ARGS__)
#define WEFT_MAP2(name, mask, expression, ...) \
  WEFT_ROW(name, mask, T x = args[0]; T y = args[1]; return expression, __VA_ARGS__)
#define WEFT_MAP3(name, mask, expression, ...) \
  WEFT_ROW(name, mask, T x = args[0]; T y = args[1]; T z = args[2]; return expression, __VA_ARGS__)
#define WEFT_MAP4(name, mask, expression, ...)                                     \
  WEFT_ROW(name, mask, T x = args[0]; T y = args[1]; T z = args[2]; T w = args[3]; \
           return expression, __VA_ARGS__)
#include "compiler/ir/ops/op_table.inc"
#undef WEFT_ROW

template <class Row, class T>
T value_of(const T* args) {
  return Row::template apply<T>(args);
}

template <class Row, class T>
bool predicate_of(const T* args) {
  return Row::template apply<T>(args);
}

template <class Row, class T>
std::complex<T> join_of(const T* args) {
  return Row::template apply<T>(args);
}

template <class Row, int kind_bit, class T>
constexpr void fill(Evaluator::Typed<T>& typed) {
  if constexpr ((Row::kAccepts & kind_bit) != 0) {
    if constexpr (Row::kResult == Result::Bool) {
      typed.predicate = &predicate_of<Row, T>;
    } else if constexpr (Row::kResult == Result::Complex) {
      typed.join = &join_of<Row, T>;
    } else {
      typed.value = &value_of<Row, T>;
    }
  }
}

template <class Row>
constexpr Evaluator evaluator() {
  Evaluator e;
  fill<Row, kBool>(e.b);
  fill<Row, kSigned>(e.i);
  fill<Row, kUnsigned>(e.u);
  fill<Row, kFloat>(e.f32);
  fill<Row, kFloat>(e.f64);
  fill<Row, kFloat>(e.f80);
  fill<Row, kComplex>(e.c64);
  fill<Row, kComplex>(e.c128);
  fill<Row, kComplex>(e.c160);
  return e;
}

template <class Row>
constexpr OpInfo map_row(std::string_view name, int arity, OpInfo fields) {
  fields.name = name;
  fields.kind = OpKind::Map;
  fields.arity = arity;
  fields.accepts = Row::kAccepts;
  fields.eval = evaluator<Row>();
  return fields;
}

constexpr OpInfo plain_row(std::string_view name, OpInfo fields) {
  fields.name = name;
  return fields;
}

constexpr OpInfo reduce_row(std::string_view name, uint8_t accepts, OpInfo fields) {
  fields.name = name;
  fields.kind = OpKind::Reduce;
  fields.arity = 1;
  fields.accepts = accepts;
  return fields;
}

}  // namespace

constexpr OpInfo kOps[] = {
#define WEFT_OP(name, ...) plain_row(#name, OpInfo{__VA_ARGS__}),
#define WEFT_MAP1(name, mask, expression, ...) map_row<Row_##name>(#name, 1, OpInfo{__VA_ARGS__}),
#define WEFT_MAP2(name, mask, expression, ...) map_row<Row_##name>(#name, 2, OpInfo{__VA_ARGS__}),
#define WEFT_MAP3(name, mask, expression, ...) map_row<Row_##name>(#name, 3, OpInfo{__VA_ARGS__}),
#define WEFT_MAP4(name, mask, expression, ...) map_row<Row_##name>(#name, 4, OpInfo{__VA_ARGS__}),
#define WEFT_REDUCE(name, mask, ...) reduce_row(#name, mask, OpInfo{__VA_ARGS__}),
#include "compiler/ir/ops/op_table.inc"
};
static_assert(std::size(kOps) == kOpCount);

std::optional<Op> op_from_name(std::string_view name) {
  for (int i = 0; i < kOpCount; ++i) {
    if (kOps[i].name == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

DType result_of(Op op, DType from, DType stated) {
  switch (info(op).result) {
    case Result::Same:
      return from;
    case Result::Bool:
      return DType::Bool;
    case Result::Real:
      return real_of(from);
    case Result::Complex:
      return complex_of(from);
    case Result::Index:
      return DType::I64;
    case Result::Stated:
      return stated;
  }
  return from;
}

bool accepts(Op op, DType dtype) {
  static_assert(kBool == 1 << static_cast<int>(DTypeKind::Bool) &&
                kComplex == 1 << static_cast<int>(DTypeKind::Complex));
  return (info(op).accepts >> static_cast<int>(kind(dtype))) & 1;
}

DType float_for(DType integer) {
  return size_of(integer) == 1 ? DType::F16 : size_of(integer) == 2 ? DType::F32 : DType::F64;
}

}  // namespace weft::ir
