#include "compiler/ir/code/code_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <unordered_map>
#include <vector>

namespace weft::ir {
namespace {

// C's names whose ops have others, or which are functions of floats alone.
const std::unordered_map<std::string_view, Op>& functions_of_floats() {
  static const std::unordered_map<std::string_view, Op> functions = {{"fabs", Op::abs},
                                                                     {"sqrt", Op::sqrt},
                                                                     {"rsqrt", Op::rsqrt},
                                                                     {"cbrt", Op::cbrt},
                                                                     {"exp", Op::exp},
                                                                     {"exp2", Op::exp2},
                                                                     {"expm1", Op::expm1},
                                                                     {"log", Op::log},
                                                                     {"log2", Op::log2},
                                                                     {"log10", Op::log10},
                                                                     {"log1p", Op::log1p},
                                                                     {"sin", Op::sin},
                                                                     {"cos", Op::cos},
                                                                     {"tan", Op::tan},
                                                                     {"asin", Op::asin},
                                                                     {"acos", Op::acos},
                                                                     {"atan", Op::atan},
                                                                     {"atan2", Op::atan2},
                                                                     {"sinh", Op::sinh},
                                                                     {"cosh", Op::cosh},
                                                                     {"tanh", Op::tanh},
                                                                     {"asinh", Op::asinh},
                                                                     {"acosh", Op::acosh},
                                                                     {"atanh", Op::atanh},
                                                                     {"erf", Op::erf},
                                                                     {"erfc", Op::erfc},
                                                                     {"lgamma", Op::lgamma},
                                                                     {"floor", Op::floor},
                                                                     {"ceil", Op::ceil},
                                                                     {"trunc", Op::trunc},
                                                                     {"rint", Op::round},
                                                                     {"nearbyint", Op::round},
                                                                     {"hypot", Op::hypot},
                                                                     {"pow", Op::pow},
                                                                     {"fma", Op::fma},
                                                                     {"copysign", Op::copysign},
                                                                     {"nextafter", Op::nextafter},
                                                                     {"isnan", Op::isnan},
                                                                     {"isinf", Op::isinf},
                                                                     {"isfinite", Op::isfinite},
                                                                     {"signbit", Op::signbit}};
  return functions;
}

// CUDA's fast functions, and those of one rounding: the same functions of exactly that type.
const std::unordered_map<std::string_view, std::string_view>& functions_of_cuda() {
  static const std::unordered_map<std::string_view, std::string_view> functions = {
      {"__expf", "expf"},      {"__logf", "logf"},    {"__log2f", "log2f"},     {"__log10f", "log10f"},
      {"__sinf", "sinf"},      {"__cosf", "cosf"},    {"__tanf", "tanf"},       {"__powf", "powf"},
      {"__fsqrt_rn", "sqrtf"}, {"__fmaf_rn", "fmaf"}, {"__frsqrt_rn", "rsqrtf"}};
  return functions;
}
const std::unordered_map<std::string_view, std::string_view>& operators_of_cuda() {
  static const std::unordered_map<std::string_view, std::string_view> signs = {
      {"__fadd_rn", "+"}, {"__fsub_rn", "-"}, {"__fmul_rn", "*"}, {"__fdiv_rn", "/"}, {"__fdividef", "/"},
      {"fdividef", "/"},  {"__dadd_rn", "+"}, {"__dsub_rn", "-"}, {"__dmul_rn", "*"}, {"__ddiv_rn", "/"}};
  return signs;
}

// Functions that are written in others.
constexpr std::string_view kWritten[] = {"abs",   "min",  "max", "fmin",  "fmax",     "fmod",
                                         "round", "norm", "arg", "clamp", "saturate", "__saturatef"};

struct Call {
  CodeValues& values;
  std::string_view at;
  const std::string& name;

  [[noreturn]] void fail(const std::string& rule) const {
    fail_at(values.text(), at, fmt::format("{}: {}", name, rule));
  }
  void count(size_t got, size_t wanted) const {
    if (got != wanted) fail(fmt::format("takes {} operand{}: got {}", wanted, wanted == 1 ? "" : "s", got));
  }

  // The operands in the type in which they meet; integers as doubles where only floats will do.
  std::vector<CodeValue> together(std::span<const CodeValue> args, bool floats, bool& weak) const {
    CodeValue whole = args[0];
    for (const CodeValue& x : args.subspan(1))
      std::tie(whole.type, whole.weak) = CodeValues::common(whole, x);
    if (floats && !is_float(whole.type) && !is_complex(whole.type)) whole.type = DType::F64;
    weak = whole.weak;
    std::vector<CodeValue> all;
    all.reserve(args.size());
    for (const CodeValue& x : args) all.push_back(values.cast(x, whole.type));
    return all;
  }

  CodeValue op(Op op, std::span<const CodeValue> args, bool floats) const {
    const OpInfo& row = info(op);
    count(args.size(), static_cast<size_t>(row.arity));
    bool weak = false;
    const std::vector<CodeValue> all = together(args, floats, weak);
    DType result = DType::F64;
    std::vector<DType> types(all.size(), all[0].type);
    try {
      result = map_result(op, types, all[0].type);
    } catch (const std::exception&) {
      fail(fmt::format("does not take {}", weft::name(all[0].type)));
    }
    CodeValue made = values.map(op, all, result);
    made.weak = weak && result == DType::F64;
    return made;
  }

  CodeValue written(std::span<const CodeValue> args) const {
    const bool two = name == "min" || name == "max" || name == "fmin" || name == "fmax" || name == "fmod";
    count(args.size(), name == "clamp" ? 3 : two ? 2 : 1);
    bool weak = false;
    const std::vector<CodeValue> x = together(
        args, name[0] == 'f' || name == "round" || name == "saturate" || name == "__saturatef", weak);
    const DType t = x[0].type;
    if (name == "abs") {
      const CodeValue y = values.promoted(x[0]);
      CodeValue made = kind(y.type) == DTypeKind::Unsigned ? y : values.map(Op::abs, {y}, real_of(y.type));
      made.weak = weak;
      return made;
    }
    if (name == "norm" || name == "arg") {
      const CodeValue re = op(Op::real, x, true), im = op(Op::imag, x, true);
      if (name == "arg") return values.map(Op::atan2, {im, re}, re.type);
      return values.binary(at, "+", values.binary(at, "*", re, re), values.binary(at, "*", im, im));
    }
    if (is_complex(t)) fail("does not take complex numbers");
    CodeValue made;
    if (name == "clamp") {
      made = least(true, least(false, x[0], x[1]), x[2]);
    } else if (name == "saturate" || name == "__saturatef") {
      made = least(true, least(false, x[0], values.cast(CodeValues::constant(Scalar::of(0.0)), t)),
                   values.cast(CodeValues::constant(Scalar::of(1.0)), t));
    } else if (name == "fmod") {
      const CodeValue a = values.map(Op::abs, {x[0]}, t), b = values.map(Op::abs, {x[1]}, t);
      made = values.map(Op::copysign, {values.map(Op::remainder, {a, b}, t), x[0]}, t);
    } else if (name == "round") {
      // Halves away from 0.
      const CodeValue cut = values.map(Op::trunc, {x[0]}, t);
      const CodeValue rest = values.map(Op::abs, {values.map(Op::subtract, {x[0], cut}, t)}, t);
      const CodeValue half = values.cast(CodeValues::constant(Scalar::of(0.5)), t),
                      one = values.cast(CodeValues::constant(Scalar::of(1.0)), t);
      const CodeValue up = values.map(Op::add, {cut, values.map(Op::copysign, {one, x[0]}, t)}, t);
      made = values.select(values.map(Op::greater_equal, {rest, half}, DType::Bool), up, cut);
    } else {
      made = least(name.ends_with("min"), x[0], x[1]);
    }
    made.weak = weak;
    return made;
  }

  // The smaller or the larger of two; of a NaN and a number the number, as C's and CUDA's have it.
  CodeValue least(bool smaller, const CodeValue& a, const CodeValue& b) const {
    CodeValue test = values.map(smaller ? Op::less : Op::greater, {a, b}, DType::Bool);
    if (is_float(a.type))
      test = values.map(Op::bitwise_or, {test, values.map(Op::isnan, {b}, DType::Bool)}, DType::Bool);
    return values.select(test, a, b);
  }
};

}  // namespace

std::optional<CodeValue> call_in_code(CodeValues& values, std::string_view at, const std::string& name,
                                      std::span<const CodeValue> args) {
  const Call call{values, at, name};
  const auto none = [&] {
    if (args.empty()) call.fail("takes operands: got none");
  };
  const bool written = std::ranges::find(kWritten, name) != std::end(kWritten);
  if (written) {
    none();
    return call.written(args);
  }
  if (const auto found = functions_of_floats().find(name); found != functions_of_floats().end()) {
    none();
    // A square is a product.
    if (found->second == Op::pow && args.size() == 2 && args[1].constant && !is_complex(args[1].type) &&
        args[1].constant->cast(DType::F64).re == 2.0) {
      const CodeValue x = is_integer(args[0].type) || args[0].type == DType::Bool
                              ? values.cast(args[0], DType::F64)
                              : args[0];
      return values.binary(at, "*", x, x);
    }
    return call.op(found->second, args, true);
  }
  if (const auto found = functions_of_cuda().find(name); found != functions_of_cuda().end())
    return call_in_code(values, at, std::string(found->second), args);
  if (const auto found = operators_of_cuda().find(name); found != operators_of_cuda().end()) {
    call.count(args.size(), 2);
    const DType t = name.starts_with("__d") ? DType::F64 : DType::F32;
    return values.binary(at, std::string(found->second), values.converted(at, args[0], t),
                         values.converted(at, args[1], t));
  }
  // expf(x): the function of float.
  if (name.size() > 1 && name.back() == 'f') {
    const std::string of(name, 0, name.size() - 1);
    if (functions_of_floats().contains(of) || of == "fmin" || of == "fmax" || of == "fmod" || of == "round") {
      std::vector<CodeValue> floats;
      floats.reserve(args.size());
      for (const CodeValue& x : args) floats.push_back(values.converted(at, x, DType::F32));
      return call_in_code(values, at, of, floats);
    }
  }
  const std::optional<Op> op = op_from_name(name);
  if (!op || kind(*op) != OpKind::Map || info(*op).arity < 1 || info(*op).result == Result::Stated ||
      *op == Op::select)
    return {};
  none();
  return call.op(*op, args, !(info(*op).accepts & kInt));
}

std::optional<CodeValue> constant_in_code(std::string_view name) {
  using namespace std::numbers;
  static const std::unordered_map<std::string_view, double> constants = {
      {"M_PI", pi},
      {"M_PI_2", pi / 2},
      {"M_PI_4", pi / 4},
      {"M_1_PI", inv_pi},
      {"M_2_PI", 2 * inv_pi},
      {"M_E", e},
      {"M_LN2", ln2},
      {"M_LN10", ln10},
      {"M_LOG2E", log2e},
      {"M_LOG10E", log10e},
      {"M_SQRT2", sqrt2},
      {"M_SQRT1_2", sqrt2 / 2},
      {"INFINITY", std::numeric_limits<double>::infinity()},
      {"HUGE_VAL", std::numeric_limits<double>::infinity()},
      {"NAN", std::numeric_limits<double>::quiet_NaN()},
      {"DBL_MAX", std::numeric_limits<double>::max()},
      {"DBL_MIN", std::numeric_limits<double>::min()},
      {"DBL_EPSILON", std::numeric_limits<double>::epsilon()}};
  static const std::unordered_map<std::string_view, double> floats_by_name = {
      {"FLT_MAX", std::numeric_limits<float>::max()},
      {"FLT_MIN", std::numeric_limits<float>::min()},
      {"FLT_EPSILON", std::numeric_limits<float>::epsilon()}};
  static const std::unordered_map<std::string_view, int64_t> integers = {
      {"INT_MAX", std::numeric_limits<int32_t>::max()}, {"INT_MIN", std::numeric_limits<int32_t>::min()}};
  if (name == "true" || name == "false") return CodeValues::truth(name == "true");
  if (const auto found = constants.find(name); found != constants.end())
    return CodeValues::constant(Scalar::of(found->second), true);
  if (const auto found = floats_by_name.find(name); found != floats_by_name.end())
    return CodeValues::constant(Scalar::of(found->second).cast(DType::F32));
  if (const auto found = integers.find(name); found != integers.end())
    return CodeValues::constant(Scalar::of(found->second).cast(DType::I32));
  return {};
}

std::string_view like_constant(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string_view> likes = {{"inf", "INFINITY"},
                                                                               {"Inf", "INFINITY"},
                                                                               {"Infinity", "INFINITY"},
                                                                               {"infinity", "INFINITY"},
                                                                               {"nan", "NAN"},
                                                                               {"NaN", "NAN"},
                                                                               {"pi", "M_PI"},
                                                                               {"PI", "M_PI"},
                                                                               {"e", "M_E"},
                                                                               {"EPSILON", "FLT_EPSILON"}};
  const auto found = likes.find(name);
  return found == likes.end() ? std::string_view() : found->second;
}

namespace {

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = std::exchange(row[j], next);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string like_function(std::string_view name) {
  std::string_view best;
  size_t least = std::max<size_t>(name.size() / 3, 1);
  const auto look = [&](std::string_view other) {
    const size_t d = distance(name, other);
    if (d <= least && (best.empty() || d < least || other < best)) {
      least = d;
      best = other;
    }
  };
  for (const auto& [other, op] : functions_of_floats()) look(other);
  for (const std::string_view other : kWritten) look(other);
  for (int k = 0; k < kOpCount; ++k)
    if (kOps[k].kind == OpKind::Map && kOps[k].arity > 0 && kOps[k].result != Result::Stated)
      look(kOps[k].name);
  return std::string(best);
}

}  // namespace weft::ir
