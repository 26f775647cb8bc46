#include "runtime/cpu/matrix_functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <string>

#include "compiler/base/shape.h"
#include "runtime/cpu/lapack.h"
#include "runtime/cpu/matrix_ranges.h"

namespace weft::runtime {
namespace {

constexpr double kWork = 1 << 16;  // multiplications worth a thread of their own
constexpr DType kDTypes[] = {DType::F32, DType::F64, DType::C64, DType::C128};

bool is_tall_enough(MatrixFunction what) {
  switch (what) {
    case MatrixFunction::Svd:
    case MatrixFunction::Svdvals:
    case MatrixFunction::Qr:
    case MatrixFunction::QrFactor:
      return true;
    default:
      return false;
  }
}

bool has_option(MatrixFunction what) {
  switch (what) {
    case MatrixFunction::Cholesky:
    case MatrixFunction::Eigh:
    case MatrixFunction::Eigvalsh:
    case MatrixFunction::Svd:
    case MatrixFunction::Qr:
      return true;
    default:
      return false;
  }
}

// The stack's shape; none where the product of its extents is no number.
std::optional<int64_t> count_of(const Shape& shape) {
  int64_t count = 1;
  for (size_t i = 0; i + 2 < shape.size(); ++i)
    if (__builtin_mul_overflow(count, shape[i], &count)) return {};
  return count;
}

// What the operands are: one array, or for Solve a second of the same stack and height.
bool takes(MatrixFunction what, int64_t option, std::span<const TensorType> operands) {
  if (operands.size() != (what == MatrixFunction::Solve ? 2U : 1U)) return false;
  if (option != 0 && !(option == 1 && has_option(what))) return false;
  const TensorType& a = operands[0];
  const size_t rank = a.shape.size();
  if (rank < 2 || std::ranges::find(kDTypes, a.dtype) == std::end(kDTypes) || !count_of(a.shape))
    return false;
  const int64_t m = a.shape[rank - 2], n = a.shape[rank - 1];
  if (std::max(m, n) > std::numeric_limits<int32_t>::max()) return false;
  if (m != n && !is_tall_enough(what)) return false;
  if (what != MatrixFunction::Solve) return true;
  const TensorType& b = operands[1];
  return b.dtype == a.dtype && b.shape.size() == rank &&
         std::equal(a.shape.begin(), a.shape.end() - 1, b.shape.begin()) &&
         b.shape[rank - 1] <= std::numeric_limits<int32_t>::max();
}

// The types of results, each of a stack.
class Results {
 public:
  explicit Results(const Shape& shape) : stack_(std::span<const int64_t>(shape.begin(), shape.size() - 2)) {}
  Results& add(DType dtype, std::initializer_list<int64_t> of_one) {
    Shape shape = stack_;
    for (const int64_t extent : of_one) shape.push_back(extent);
    all.push_back({dtype, std::move(shape)});
    return *this;
  }
  Results& info() { return add(DType::I64, {}); }
  std::vector<TensorType> all;

 private:
  Shape stack_;
};

std::vector<TensorType> results_of(MatrixFunction what, int64_t option,
                                   std::span<const TensorType> operands) {
  const TensorType& a = operands[0];
  const DType t = a.dtype, real = real_of(t), complex = kind(t) == DTypeKind::Complex ? t : complex_of(t);
  const size_t rank = a.shape.size();
  const int64_t m = a.shape[rank - 2], n = a.shape[rank - 1], k = std::min(m, n);
  const int64_t columns = option == kComplete ? m : k, rows = option == kComplete ? n : k;
  Results out(a.shape);
  switch (what) {
    case MatrixFunction::Cholesky:
    case MatrixFunction::Inverse:
      return out.add(t, {n, n}).info().all;
    case MatrixFunction::Solve:
      return out.add(t, {n, operands[1].shape[rank - 1]}).info().all;
    case MatrixFunction::Determinant:
      return out.add(t, {}).add(t, {}).add(real, {}).all;
    case MatrixFunction::Eigh:
      return out.add(real, {n}).add(t, {n, n}).info().all;
    case MatrixFunction::Eigvalsh:
      return out.add(real, {n}).info().all;
    case MatrixFunction::Svd:
      return out.add(t, {m, columns}).add(real, {k}).add(t, {rows, n}).info().all;
    case MatrixFunction::Svdvals:
      return out.add(real, {k}).info().all;
    case MatrixFunction::Qr:
      return out.add(t, {m, columns}).add(t, {columns, n}).all;
    case MatrixFunction::QrFactor:
      return out.add(t, {k, n}).all;
    case MatrixFunction::Eig:
      return out.add(complex, {n}).add(complex, {n, n}).info().all;
    case MatrixFunction::Eigvals:
      return out.add(complex, {n}).info().all;
  }
  return {};
}

template <MatrixFunction what, DType dtype>
std::string broken_rule(const LibraryCall& call) {
  if (call.operands.empty() || call.operands[0].dtype != dtype)
    return fmt::format("takes matrices of {}", name(dtype));
  const auto text = [](std::span<const TensorType> types) {
    std::vector<std::string> all;
    for (const TensorType& type : types) all.push_back(to_string(type));
    return fmt::format("{}", fmt::join(all, ", "));
  };
  const std::optional<MatrixCall> right =
      matrix_call(what, call.numbers.empty() ? 0 : call.numbers[0], call.operands);
  if (!right)
    return fmt::format("takes no matrices of {} with the numbers [{}]", text(call.operands),
                       fmt::join(call.numbers, ", "));
  if (!std::ranges::equal(right->results, call.results))
    return fmt::format("gives {} of {}: got {}", text(right->results), text(call.operands),
                       text(call.results));
  if (!std::ranges::equal(right->numbers, call.numbers) || right->range != call.range)
    return fmt::format("of {} has the numbers [{}] and a range of {}: got [{}] and {}", text(call.operands),
                       fmt::join(right->numbers, ", "), right->range, fmt::join(call.numbers, ", "),
                       call.range);
  return {};
}

#define WEFT_MATRIX_FUNCTION(what, name, range)                                                     \
  std::array<LibraryFunction, 4> {                                                                  \
    LibraryFunction{name "_f32", range<float>, broken_rule<MatrixFunction::what, DType::F32>},      \
        LibraryFunction{name "_f64", range<double>, broken_rule<MatrixFunction::what, DType::F64>}, \
        LibraryFunction{name "_c64", range<std::complex<float>>,                                    \
                        broken_rule<MatrixFunction::what, DType::C64>},                             \
        LibraryFunction {                                                                           \
      name "_c128", range<std::complex<double>>, broken_rule<MatrixFunction::what, DType::C128>     \
    }                                                                                               \
  }
// In the order of MatrixFunction.
constexpr std::array<std::array<LibraryFunction, 4>, kMatrixFunctions> kFunctions{
    WEFT_MATRIX_FUNCTION(Cholesky, "cholesky", cholesky_range),
    WEFT_MATRIX_FUNCTION(Inverse, "inv", inverse_range),
    WEFT_MATRIX_FUNCTION(Solve, "solve", solve_range),
    WEFT_MATRIX_FUNCTION(Determinant, "det", determinant_range),
    WEFT_MATRIX_FUNCTION(Eigh, "eigh", eigh_range),
    WEFT_MATRIX_FUNCTION(Eigvalsh, "eigvalsh", eigvalsh_range),
    WEFT_MATRIX_FUNCTION(Svd, "svd", svd_range),
    WEFT_MATRIX_FUNCTION(Svdvals, "svdvals", svdvals_range),
    WEFT_MATRIX_FUNCTION(Qr, "qr", qr_range),
    WEFT_MATRIX_FUNCTION(QrFactor, "qr_factor", qr_factor_range),
    WEFT_MATRIX_FUNCTION(Eig, "eig", eig_range),
    WEFT_MATRIX_FUNCTION(Eigvals, "eigvals", eigvals_range),
};
#undef WEFT_MATRIX_FUNCTION

bool add_all() {
  for (const auto& of_dtypes : kFunctions)
    for (const LibraryFunction& function : of_dtypes) add_library_function(function);
  return true;
}
[[maybe_unused]] const bool kFunctionsAdded = add_all();

}  // namespace

std::optional<MatrixCall> matrix_call(MatrixFunction what, int64_t option,
                                      std::span<const TensorType> operands) {
  if (!takes(what, option, operands)) return {};
  const Shape& shape = operands[0].shape;
  const int64_t m = shape[shape.size() - 2], n = shape.back();
  const int64_t columns = what == MatrixFunction::Solve ? operands[1].shape.back() : 0;
  const double work =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n) + columns) + 64;
  return MatrixCall{results_of(what, option, operands),
                    {option, m, n, columns},
                    *count_of(shape),
                    std::max<int64_t>(1, static_cast<int64_t>(kWork / work))};
}

const LibraryFunction& matrix_function(MatrixFunction what, DType dtype) {
  const auto at = std::ranges::find(kDTypes, dtype) - std::begin(kDTypes);
  return kFunctions[static_cast<size_t>(what)][static_cast<size_t>(at)];
}

bool open_lapack() {
  bool opens = false;
  [[maybe_unused]] static const bool is_open = [&] {
    lapack<float>(), lapack<double>(), lapack<std::complex<float>>(), lapack<std::complex<double>>();
    return opens = true;
  }();
  return opens;
}

}  // namespace weft::runtime
