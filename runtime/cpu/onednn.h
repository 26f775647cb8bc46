// oneDNN's product of f32 matrices, whose kernels are generated for the processor: large products come nearer
// to its peak than by OpenBLAS. It is opened when the first of them is computed; without it OpenBLAS has all.
#pragma once

#include <cstdint>

namespace weft::runtime {

struct OneDnn {
  // C = alpha A B + beta C of rows; `N` and `T` say whether A and B are stored transposed. Not 0: it failed.
  int (*sgemm)(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
               const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
  // Begins with three numbers of a version. Null where it does not say.
  const int* (*version)();
  // Of OpenMP, for the thread that calls.
  int (*get_threads)();
  void (*set_threads)(int);
};

// The process's oneDNN, or null where there is no OpenMP build of one.
const OneDnn* onednn();

// While one exists, oneDNN computes on the thread that made it.
class OneDnnThread {
 public:
  explicit OneDnnThread(const OneDnn& library) : library_(library), threads_(library.get_threads()) {
    library_.set_threads(1);
  }
  ~OneDnnThread() { library_.set_threads(threads_); }
  OneDnnThread(const OneDnnThread&) = delete;
  OneDnnThread& operator=(const OneDnnThread&) = delete;

 private:
  const OneDnn& library_;
  int threads_;
};

}  // namespace weft::runtime
