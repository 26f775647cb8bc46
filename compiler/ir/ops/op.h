// The ops: one row each in op_table.inc, from which the enum, the descriptions, the reference evaluation, the
// public functions, the documentation and the generated tests all come.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/base/dtype.h"

namespace weft::ir {

enum class Op : uint8_t {
#define WEFT_OP(name, ...) name,
#define WEFT_MAP1(name, ...) name,
#define WEFT_MAP2(name, ...) name,
#define WEFT_MAP3(name, ...) name,
#define WEFT_MAP4(name, ...) name,
#define WEFT_REDUCE(name, ...) name,
#include "compiler/ir/ops/op_table.inc"
};

enum class OpKind : uint8_t { Source, Map, View, Reduce, Scan, Gather, Scatter, Update, Dot, Loop, Kernel };

// Which dtypes an op takes: a set of these bits.
enum Accepts : uint8_t {
  kBool = 1,
  kSigned = 2,
  kUnsigned = 4,
  kFloat = 8,
  kComplex = 16,
  kInt = kSigned | kUnsigned,
  kBits = kBool | kInt,
  kReal = kInt | kFloat,
  kRealBool = kReal | kBool,
  kFloating = kFloat | kComplex,
  kNumeric = kReal | kComplex,
  kAny = kNumeric | kBool,
};

// What the result's dtype is, given the inputs' common dtype.
enum class Result : uint8_t {
  Same,     // the inputs' dtype
  Bool,     // comparisons and predicates
  Real,     // the parts' dtype of a complex input (abs, real, imag)
  Complex,  // the complex dtype whose parts are floats (complex)
  Index,    // i64 (argmax, argmin)
  Stated,   // stated by the node (casts)
};

// How a map is computed on halves, whose values are held as f32.
enum class Halves : uint8_t {
  Rounded,  // in f32, then rounded
  Exact,    // in f32, where the result is a half already
  Own,      // by the prelude's function of the half itself
};

// How an op is computed, as NumPy does it, on bools and integers that it does not take.
enum class Whole : uint8_t {
  Widened,    // bools in i8 where the op takes integers; else in the floats of float_for
  F64,        // in f64 whatever the width
  Refused,    // bools not at all, though the op takes integers
  Kept,       // bools stay what they are
  Truncated,  // integers without the fraction of the result
};

// What an integer input becomes where an op takes floats only: NumPy's rule (i8, u8, bool: f16; i16, u16:
// f32; else f64).
DType float_for(DType integer);

// The most operands of a map.
inline constexpr int kMostOperands = 4;

// The reference evaluation of a map op, at every type in which values are computed: integers in 64 bits
// (wrapped to the dtype afterwards), halves in float. The long double forms are the tests' higher-precision
// oracle. A null entry is a type that the op does not take. Arguments and result are arrays of one value
// each; unused arguments are ignored.
struct Evaluator {
  template <class T>
  using Fn = T (*)(const T*);
  template <class T>
  using Predicate = bool (*)(const T*);
  template <class T>
  using Join = std::complex<T> (*)(const T*);
  template <class T>
  struct Typed {
    Fn<T> value = nullptr;             // Result::Same and, in `re`, Result::Real
    Predicate<T> predicate = nullptr;  // Result::Bool
    Join<T> join = nullptr;            // Result::Complex
  };
  Typed<bool> b;
  Typed<int64_t> i;
  Typed<uint64_t> u;
  Typed<float> f32;
  Typed<double> f64;
  Typed<long double> f80;
  Typed<std::complex<float>> c64;
  Typed<std::complex<double>> c128;
  Typed<std::complex<long double>> c160;
};

// Largest error against the exact result, in units in the last place, that the generated code may show.
struct Ulp {
  float f32 = 0.5f, f64 = 0.5f;
};

// Where random test inputs are drawn from; edge values (zeros, infinities, NaN, subnormals) are always added.
struct Domain {
  double low = -100, high = 100;
};

struct OpInfo {
  std::string_view name;
  OpKind kind = OpKind::Map;
  int arity = 0;  // -1: any number
  uint8_t accepts = kAny;
  Result result = Result::Same;
  Evaluator eval;
  // Spelling in both target languages with {0}, {1} for the arguments; empty: the prelude's
  // weft_<name>_<dtype>(…). Complex values always go through the prelude.
  std::string_view code = {};
  Ulp ulp = {};
  float complex_ulp = 8;  // of |z|, for complex results
  Domain domain = {};
  float cost = 1;  // roughly, in multiply-adds a lane
  bool commutative = false;
  Halves halves = Halves::Rounded;
  Whole whole = Whole::Widened;
  std::optional<Op> mirror = std::nullopt;       // of comparisons: x op y is y mirror x
  bool erratic = false;                          // close operands give unrelated results
  Op folds = {};                                 // of scans: the reduction whose running value this is
  std::optional<Op> joined_by = std::nullopt;    // of reductions: the map that joins those of two parts
  std::optional<int> of_nothing = std::nullopt;  // of reductions: the result where nothing is reduced
  bool states_shape = false;  // neither inputs nor attribute tell the shape, so the node does
  // Of a map: the tangent of the result for a tangent t of each operand, separated by semicolons, in the
  // operands and the result r (compiler/derive/formula.h). "rule: …" where compiler/derive/rules.h has a
  // function, "none: why" where there is no derivative. Empty where the result is never a float.
  std::string_view derivative = {};
  std::string_view doc = {};
};

extern const OpInfo kOps[];  // by Op
inline const OpInfo& info(Op op) { return kOps[static_cast<size_t>(op)]; }
inline std::string_view name(Op op) { return info(op).name; }
inline OpKind kind(Op op) { return info(op).kind; }
// Whether a map from one dtype to another gives the exact result, rounded once: whoever computes it, it has the
// same bits. Of complex numbers only what is computed without rounding counts.
inline bool rounds_once(Op op, DType from, DType to) {
  if (!is_float(to) && !is_complex(to)) return true;
  if (is_complex(from) || is_complex(to)) return info(op).complex_ulp == 0;
  return (to == DType::F64 ? info(op).ulp.f64 : info(op).ulp.f32) <= 0.5f;
}
std::optional<Op> op_from_name(std::string_view name);
// Whether a value is given from outside of the graph.
inline bool is_given(Op op) { return op == Op::input || op == Op::scalar; }
// Whether a view shows elements of one operand alone.
inline bool views_one(Op op) { return kind(op) == OpKind::View && info(op).arity == 1; }
// Whether a reduction tells where it found a value, not the value.
inline bool gives_index(Op op) { return info(op).result == Result::Index; }
inline constexpr int kOpCount = 0
#define WEFT_OP(name, ...) +1
#define WEFT_MAP1(name, ...) +1
#define WEFT_MAP2(name, ...) +1
#define WEFT_MAP3(name, ...) +1
#define WEFT_MAP4(name, ...) +1
#define WEFT_REDUCE(name, ...) +1
#include "compiler/ir/ops/op_table.inc"
    ;

bool accepts(Op op, DType dtype);
// The dtype of the result of operands of a dtype that the op accepts; `stated` is that of a row whose text states it.
DType result_of(Op op, DType from, DType stated);

}  // namespace weft::ir
