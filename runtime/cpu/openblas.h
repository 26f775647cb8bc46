// OpenBLAS, opened when the first product is computed. Where the program has not loaded it before, the copy
// is ours alone: it gets the kernels that suit the processor and stays on the thread that calls, since the
// device's own threads share the work. Only its pthread builds are taken: Debian's serial one hands two
// threads the same buffer.
#pragma once

#include <fmt/format.h>

#include <complex>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/error.h"
#include "runtime/cpu/blas_functions.h"

namespace weft::runtime {

struct OpenBlas {
  std::tuple<BlasFunctions<float>, BlasFunctions<double>, BlasFunctions<std::complex<float>>,
             BlasFunctions<std::complex<double>>>
      functions;
  int (*get_num_threads)();
  void (*set_num_threads)(int);
  const char* (*get_config)();  // its version and how it was built; null where it does not say
  void* library;                // to look for more of its functions
  bool wide;                    // integers of 64 bits, and names as NumPy's wheels have them
  bool shared;                  // loaded by the program before: its number of threads is not ours to keep

  template <typename T>
  const BlasFunctions<T>& of() const {
    return std::get<BlasFunctions<T>>(functions);
  }
};

// A number as BLAS takes it: complex ones by their address.
template <typename T>
typename BlasFunctions<T>::Scalar blas_scalar(const T& value) {
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return &value;
}

// The process's OpenBLAS. Throws Error, which says what to install, where none can be used.
const OpenBlas& openblas();

// The first of `libraries` that is a pthread build of OpenBLAS. `kernels` is what it is told as
// OPENBLAS_CORETYPE unless the user has set that; empty: it chooses.
OpenBlas open_openblas(const std::vector<std::string>& libraries, const std::string& kernels);

// While one exists, OpenBLAS computes on the thread that calls it. A shared copy has one number of threads
// for the whole process: it is set to 1, and back when the last of these goes.
class OneBlasThread {
 public:
  explicit OneBlasThread(const OpenBlas& blas);
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  const OpenBlas& blas_;
};

// f(BlasFunctions<T>) for the type of the dtype's elements, on the thread that calls. TypeError, which begins
// with `what`, where BLAS has no functions for the dtype.
template <typename F>
auto with_blas(const char* what, DType dtype, F&& f) {
  auto as = [&]<typename T>(T) {
    const OpenBlas& blas = openblas();
    const OneBlasThread one_thread(blas);
    return f(blas.of<T>());
  };
  switch (dtype) {
    case DType::F32:
      return as(float{});
    case DType::F64:
      return as(double{});
    case DType::C64:
      return as(std::complex<float>{});
    case DType::C128:
      return as(std::complex<double>{});
    default:
      throw TypeError(fmt::format("{} f32, f64, c64 and c128, got {}", what, name(dtype)));
  }
}

}  // namespace weft::runtime
