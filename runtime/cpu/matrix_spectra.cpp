// Eigenvalues and singular values. LAPACK may not come to an end of what is not finite, and is not asked.
#include <string>

#include "runtime/cpu/matrix_ranges.h"
#include "runtime/cpu/matrix_words.h"

namespace weft::runtime {
namespace {

// The workspaces of syevd and heevd.
template <class T>
class Eigh {
 public:
  Eigh(const MatrixWords& call, bool with_vectors)
      : call_(call), n_(call.n()), lda_(leading(n_)), job_(with_vectors ? "V" : "N") {
    T asked{};
    RealOf<T> reals{};
    int64_t integers = 0;
    run(nullptr, nullptr, &asked, -1, &reals, -1, &integers, -1);
    count_ = words_of(asked), reals_count_ = words_of(reals);
    integers_count_ = leading(lapack_.wide ? integers : static_cast<int32_t>(integers));
    work_ = scratch<T>(count_), reals_ = scratch<RealOf<T>>(reals_count_),
    integers_ = scratch<int64_t>(integers_count_);
  }
  int64_t operator()(T* a, RealOf<T>* values) {
    return run(a, values, work_.get(), count_, reals_.get(), reals_count_, integers_.get(), integers_count_);
  }

 private:
  int64_t run(T* a, RealOf<T>* values, T* work, int64_t count, RealOf<T>* reals, int64_t real_count,
              int64_t* integers, int64_t integer_count) {
    int64_t info = 0;
    const char* triangle = call_.option() == kUpper ? "L" : "U";  // of the transposed
    if constexpr (kIsComplex<T>)
      lapack_.syevd(job_, triangle, &n_, a, &lda_, values, work, &count, reals, &real_count, integers,
                    &integer_count, &info, 1, 1);
    else
      lapack_.syevd(job_, triangle, &n_, a, &lda_, values, work, &count, integers, &integer_count, &info, 1,
                    1);
    return said(lapack_, info, "eigh", call_);
  }

  const Lapack<T>& lapack_ = lapack<T>();
  const MatrixWords& call_;
  const int64_t n_, lda_;
  const char* job_;
  int64_t count_ = 1, reals_count_ = 1, integers_count_ = 1;
  std::unique_ptr<T[]> work_;
  std::unique_ptr<RealOf<T>[]> reals_;
  std::unique_ptr<int64_t[]> integers_;
};

// Whether all of the triangle are finite. Their conjugates are the Hermitian matrix itself in column-major order.
template <class T>
bool take_triangle(const T* a, int64_t n, bool is_upper, T* to) {
  bool finite = true;
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = is_upper ? r : 0; c < (is_upper ? n : r + 1); ++c) {
      const T& x = a[r * n + c];
      finite = finite && is_finite(x);
      if constexpr (kIsComplex<T>)
        to[r * n + c] = std::conj(x);
      else
        to[r * n + c] = x;
    }
  return finite;
}

// gesdd of a column-major matrix of m rows, whose elements it overwrites, with its workspaces.
template <class T>
class Svd {
 public:
  Svd(const MatrixWords& call, int64_t m, int64_t n, bool with_vectors)
      : call_(call), m_(m), n_(n), k_(std::min(m, n)), lda_(leading(m)) {
    job_ = !with_vectors ? "N" : call.option() == kComplete ? "A" : "S";
    ldvt_ = leading(call.option() == kComplete ? n : k_);
    T asked{};
    const int64_t most = std::max(m, n);
    // As LAPACK 3.12 says, which asks more than those before it.
    if (kIsComplex<T>)
      reals_ = scratch<RealOf<T>>(std::max(7 * k_, k_ * std::max(5 * k_ + 7, 2 * most + 2 * k_ + 1)));
    integers_ = scratch<int64_t>(8 * k_);
    run(nullptr, nullptr, nullptr, nullptr, &asked, -1);
    count_ = words_of(asked);
    work_ = scratch<T>(count_);
  }
  int64_t operator()(T* a, RealOf<T>* s, T* u, T* vt) { return run(a, s, u, vt, work_.get(), count_); }

 private:
  int64_t run(T* a, RealOf<T>* s, T* u, T* vt, T* work, int64_t count) {
    int64_t info = 0;
    if constexpr (kIsComplex<T>)
      lapack_.gesdd(job_, &m_, &n_, a, &lda_, s, u, &lda_, vt, &ldvt_, work, &count, reals_.get(),
                    integers_.get(), &info, 1);
    else
      lapack_.gesdd(job_, &m_, &n_, a, &lda_, s, u, &lda_, vt, &ldvt_, work, &count, integers_.get(), &info,
                    1);
    return said(lapack_, info, "svd", call_);
  }

  const Lapack<T>& lapack_ = lapack<T>();
  const MatrixWords& call_;
  const int64_t m_, n_, k_, lda_;
  int64_t ldvt_ = 1, count_ = 1;
  const char* job_;
  std::unique_ptr<T[]> work_;
  std::unique_ptr<RealOf<T>[]> reals_;
  std::unique_ptr<int64_t[]> integers_;
};

template <class T>
class Eig {
 public:
  using Complex = std::complex<RealOf<T>>;
  Eig(const MatrixWords& call, bool with_vectors)
      : call_(call),
        n_(call.n()),
        lda_(leading(n_)),
        job_(with_vectors ? "V" : "N"),
        values_(scratch<T>(2 * n_)),
        vectors_(scratch<T>(with_vectors ? n_ * n_ : 1)),
        reals_(scratch<RealOf<T>>(2 * n_)) {
    T asked{};
    run(nullptr, &asked, -1);
    count_ = words_of(asked);
    work_ = scratch<T>(count_);
  }
  // Of a column-major matrix, whose elements are overwritten; vectors are columns, row-major.
  int64_t operator()(T* a, Complex* values, Complex* vectors) {
    const int64_t info = run(a, work_.get(), count_);
    for (int64_t i = 0; i < n_; ++i) values[i] = value(i);
    if (vectors)
      for (int64_t j = 0; j < n_; ++j)
        for (int64_t r = 0; r < n_; ++r) vectors[r * n_ + j] = vector(r, j);
    return info;
  }

 private:
  Complex value(int64_t i) const {
    if constexpr (kIsComplex<T>)
      return values_[i];
    else
      return {values_[i], values_[n_ + i]};
  }
  // A pair of conjugate ones lies as a real and an imaginary part in two columns.
  Complex vector(int64_t r, int64_t j) const {
    if constexpr (kIsComplex<T>) {
      return vectors_[j * n_ + r];
    } else {
      const T im = values_[n_ + j];
      if (im == 0) return vectors_[j * n_ + r];
      const int64_t first = im > 0 ? j : j - 1;
      const T part = vectors_[(first + 1) * n_ + r];
      return {vectors_[first * n_ + r], im > 0 ? part : -part};
    }
  }
  int64_t run(T* a, T* work, int64_t count) {
    int64_t info = 0;
    if constexpr (kIsComplex<T>)
      lapack_.geev("N", job_, &n_, a, &lda_, values_.get(), nullptr, &lda_, vectors_.get(), &lda_, work,
                   &count, reals_.get(), &info, 1, 1);
    else
      lapack_.geev("N", job_, &n_, a, &lda_, values_.get(), values_.get() + n_, nullptr, &lda_,
                   vectors_.get(), &lda_, work, &count, &info, 1, 1);
    return said(lapack_, info, "eig", call_);
  }

  const Lapack<T>& lapack_ = lapack<T>();
  const MatrixWords& call_;
  const int64_t n_, lda_;
  int64_t count_ = 1;
  const char* job_;
  std::unique_ptr<T[]> values_, vectors_, work_;
  std::unique_ptr<RealOf<T>[]> reals_;
};

// Of a matrix for whose `values` and vectors there is memory; none: they are not asked for.
template <class T>
int64_t eigh_of(Eigh<T>& eigh, const T* a, int64_t n, bool is_upper, T* vectors, RealOf<T>* values) {
  const int64_t why = take_triangle(a, n, is_upper, vectors) ? eigh(vectors, values) : kNotFinite;
  if (why != 0) fill_nan(values, n);
  return why;
}

// Tall matrices are transposed, as LAPACK factors tall ones faster; else row-major elements are the transposed matrix, whose
// factors are those of A the other way round.
template <class T>
class SvdOfRows {
 public:
  SvdOfRows(const MatrixWords& call, bool with_vectors)
      : m_(call.m()),
        n_(call.n()),
        k_(std::min(m_, n_)),
        columns_(call.option() == kComplete ? m_ : k_),
        rows_(call.option() == kComplete ? n_ : k_),
        with_vectors_(with_vectors),
        is_tall_(m_ > n_),
        svd_(call, is_tall_ ? m_ : n_, is_tall_ ? n_ : m_, with_vectors),
        a_(scratch<T>(m_ * n_)) {
    if (!is_tall_ || !with_vectors) return;
    u_ = scratch<T>(m_ * columns_), vt_ = scratch<T>(rows_ * n_);
  }
  int64_t columns() const { return columns_; }
  int64_t rows() const { return rows_; }
  int64_t operator()(const T* a, T* u, RealOf<T>* s, T* vh) {
    int64_t why = 0;
    if (k_ == 0)
      take_identity(u, vh);
    else if (!std::all_of(a, a + m_ * n_, is_finite<T>))
      why = kNotFinite;
    else
      why = is_tall_ ? of_tall(a, u, s, vh) : of_wide(a, u, s, vh);
    if (why == 0) return 0;
    fill_nan(s, k_);
    if (with_vectors_) fill_nan(u, m_ * columns_), fill_nan(vh, rows_ * n_);
    return why;
  }

 private:
  void take_identity(T* u, T* vh) const {
    if (!with_vectors_) return;
    if (columns_ > 0) set_identity(u, m_);
    if (rows_ > 0) set_identity(vh, n_);
  }
  int64_t of_wide(const T* a, T* u, RealOf<T>* s, T* vh) {
    std::copy_n(a, m_ * n_, a_.get());
    return svd_(a_.get(), s, vh, u);
  }
  int64_t of_tall(const T* a, T* u, RealOf<T>* s, T* vh) {
    transpose(a, m_, n_, a_.get());
    const int64_t why = svd_(a_.get(), s, u_.get(), vt_.get());
    if (!with_vectors_) return why;
    transpose(u_.get(), columns_, m_, u);
    transpose(vt_.get(), n_, rows_, vh);
    return why;
  }

  const int64_t m_, n_, k_, columns_, rows_;
  const bool with_vectors_, is_tall_;
  Svd<T> svd_;
  std::unique_ptr<T[]> a_, u_, vt_;
};

template <class T>
int64_t eig_of(Eig<T>& eig, const T* a, int64_t n, T* taken, std::complex<RealOf<T>>* values,
               std::complex<RealOf<T>>* vectors) {
  int64_t why = kNotFinite;
  if (std::all_of(a, a + n * n, is_finite<T>)) {
    transpose(a, n, n, taken);
    why = eig(taken, values, vectors);
  }
  if (why == 0) return 0;
  fill_nan(values, n);
  if (vectors) fill_nan(vectors, n * n);
  return why;
}

}  // namespace

template <class T>
void eigh_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 4);
  const int64_t n = call.n();
  const OneBlasThread one_thread(openblas());
  Eigh<T> eigh(call, true);
  for (int64_t i = begin; i < end; ++i) {
    T* vectors = call.at<T>(2, i, n * n);
    std::fill_n(vectors, n * n, T(0));
    const int64_t why = eigh_of(eigh, call.at<const T>(0, i, n * n), n, call.option() == kUpper, vectors,
                                call.at<RealOf<T>>(1, i, n));
    if (why != 0) fill_nan(vectors, n * n);
    *call.at<int64_t>(3, i, 1) = why;
  }
}

template <class T>
void eigvalsh_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 3);
  const int64_t n = call.n();
  const OneBlasThread one_thread(openblas());
  Eigh<T> eigh(call, false);
  const auto taken = scratch<T>(n * n);
  for (int64_t i = begin; i < end; ++i)
    *call.at<int64_t>(2, i, 1) = eigh_of(eigh, call.at<const T>(0, i, n * n), n, call.option() == kUpper,
                                         taken.get(), call.at<RealOf<T>>(1, i, n));
}

template <class T>
void svd_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 5);
  const int64_t m = call.m(), n = call.n();
  const OneBlasThread one_thread(openblas());
  SvdOfRows<T> svd(call, true);
  for (int64_t i = begin; i < end; ++i)
    *call.at<int64_t>(4, i, 1) =
        svd(call.at<const T>(0, i, m * n), call.at<T>(1, i, m * svd.columns()),
            call.at<RealOf<T>>(2, i, std::min(m, n)), call.at<T>(3, i, svd.rows() * n));
}

template <class T>
void svdvals_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 3);
  const int64_t m = call.m(), n = call.n();
  const OneBlasThread one_thread(openblas());
  SvdOfRows<T> svd(call, false);
  for (int64_t i = begin; i < end; ++i)
    *call.at<int64_t>(2, i, 1) =
        svd(call.at<const T>(0, i, m * n), nullptr, call.at<RealOf<T>>(1, i, std::min(m, n)), nullptr);
}

template <class T>
void eig_range(const uint64_t* words, long begin, long end, char*) {
  using Complex = std::complex<RealOf<T>>;
  const MatrixWords call(words, 4);
  const int64_t n = call.n();
  const OneBlasThread one_thread(openblas());
  Eig<T> eig(call, true);
  const auto taken = scratch<T>(n * n);
  for (int64_t i = begin; i < end; ++i)
    *call.at<int64_t>(3, i, 1) = eig_of(eig, call.at<const T>(0, i, n * n), n, taken.get(),
                                        call.at<Complex>(1, i, n), call.at<Complex>(2, i, n * n));
}

template <class T>
void eigvals_range(const uint64_t* words, long begin, long end, char*) {
  using Complex = std::complex<RealOf<T>>;
  const MatrixWords call(words, 3);
  const int64_t n = call.n();
  const OneBlasThread one_thread(openblas());
  Eig<T> eig(call, false);
  const auto taken = scratch<T>(n * n);
  for (int64_t i = begin; i < end; ++i)
    *call.at<int64_t>(2, i, 1) =
        eig_of<T>(eig, call.at<const T>(0, i, n * n), n, taken.get(), call.at<Complex>(1, i, n), nullptr);
}

#define WEFT_OF(T)                                                     \
  template void eigh_range<T>(const uint64_t*, long, long, char*);     \
  template void eigvalsh_range<T>(const uint64_t*, long, long, char*); \
  template void svd_range<T>(const uint64_t*, long, long, char*);      \
  template void svdvals_range<T>(const uint64_t*, long, long, char*);  \
  template void eig_range<T>(const uint64_t*, long, long, char*);      \
  template void eigvals_range<T>(const uint64_t*, long, long, char*);
WEFT_OF(float)
WEFT_OF(double)
WEFT_OF(std::complex<float>)
WEFT_OF(std::complex<double>)
#undef WEFT_OF

}  // namespace weft::runtime
