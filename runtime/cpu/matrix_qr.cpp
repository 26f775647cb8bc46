// Q and R. LAPACK's reflectors of columns are far faster than those of rows for tall matrices, so that elements are transposed there
// and back.
#include <string>

#include "runtime/cpu/matrix_ranges.h"
#include "runtime/cpu/matrix_words.h"

namespace weft::runtime {
namespace {

// Of Q there are `columns`: k, or m, or 0 where R is asked for alone.
template <class T>
class Qr {
 public:
  Qr(const MatrixWords& call, int64_t columns)
      : call_(call),
        m_(call.m()),
        n_(call.n()),
        k_(std::min(m_, n_)),
        columns_(columns),
        lda_(leading(m_)),
        a_(scratch<T>(m_ * std::max(n_, columns))),
        tau_(scratch<T>(k_)) {
    T asked{};
    factor(&asked, -1);
    count_ = words_of(asked);
    if (columns > 0) {
      make_q(&asked, -1);
      count_ = std::max(count_, words_of(asked));
    }
    work_ = scratch<T>(count_);
  }
  // Of R there are as many rows as columns of Q, or k.
  void operator()(const T* a, T* q, T* r) {
    transpose(a, m_, n_, a_.get());
    factor(work_.get(), count_);
    const int64_t rows = std::max(columns_, k_);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n_; ++j) r[i * n_ + j] = j >= i ? a_[j * m_ + i] : T(0);
    if (columns_ == 0) return;
    make_q(work_.get(), count_);
    transpose(a_.get(), columns_, m_, q);
  }

 private:
  void factor(T* work, int64_t count) {
    int64_t info = 0;
    lapack_.geqrf(&m_, &n_, a_.get(), &lda_, tau_.get(), work, &count, &info);
    said(lapack_, info, "qr", call_);
  }
  void make_q(T* work, int64_t count) {
    int64_t info = 0;
    lapack_.orgqr(&m_, &columns_, &k_, a_.get(), &lda_, tau_.get(), work, &count, &info);
    said(lapack_, info, "qr", call_);
  }

  const Lapack<T>& lapack_ = lapack<T>();
  const MatrixWords& call_;
  const int64_t m_, n_, k_, columns_, lda_;
  int64_t count_ = 1;
  std::unique_ptr<T[]> a_, tau_, work_;
};

}  // namespace

template <class T>
void qr_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 3);
  const int64_t m = call.m(), n = call.n(), k = call.option() == kComplete ? m : std::min(m, n);
  const OneBlasThread one_thread(openblas());
  Qr<T> qr(call, k);
  for (int64_t i = begin; i < end; ++i)
    qr(call.at<const T>(0, i, m * n), call.at<T>(1, i, m * k), call.at<T>(2, i, k * n));
}

template <class T>
void qr_factor_range(const uint64_t* words, long begin, long end, char*) {
  const MatrixWords call(words, 2);
  const int64_t m = call.m(), n = call.n();
  const OneBlasThread one_thread(openblas());
  Qr<T> qr(call, 0);
  for (int64_t i = begin; i < end; ++i)
    qr(call.at<const T>(0, i, m * n), nullptr, call.at<T>(1, i, std::min(m, n) * n));
}

#define WEFT_OF(T)                                               \
  template void qr_range<T>(const uint64_t*, long, long, char*); \
  template void qr_factor_range<T>(const uint64_t*, long, long, char*);
WEFT_OF(float)
WEFT_OF(double)
WEFT_OF(std::complex<float>)
WEFT_OF(std::complex<double>)
#undef WEFT_OF

}  // namespace weft::runtime
