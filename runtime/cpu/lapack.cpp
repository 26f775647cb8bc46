#include "runtime/cpu/lapack.h"

#include <fmt/format.h>

#include <string>

#include "compiler/base/error.h"
#include "runtime/cpu/openblas.h"
#include "runtime/cpu/own_library.h"

namespace weft::runtime {
namespace {

template <typename T>
constexpr char kLetter = std::is_same_v<T, float>                 ? 's'
                         : std::is_same_v<T, double>              ? 'd'
                         : std::is_same_v<T, std::complex<float>> ? 'c'
                                                                  : 'z';

const OpenBlas& opened() {
  try {
    return openblas();
  } catch (const Error& e) {
    throw Error(fmt::format("linalg: decompositions take the LAPACK of OpenBLAS: {}", e.what()));
  }
}

template <typename T>
Lapack<T> found() {
  const OpenBlas& blas = opened();
  const auto get = [&](const std::string& function, auto& into) {
    const std::string name =
        fmt::format("{}{}{}_{}", blas.wide ? "scipy_" : "", kLetter<T>, function, blas.wide ? "64_" : "");
    if (!find(blas.library, name, into))
      throw Error(fmt::format(
          "linalg: decompositions take LAPACK, and the OpenBLAS in use has no {} (Debian and Ubuntu: "
          "libopenblas0-pthread brings it)",
          name));
  };
  const bool is_complex = kIsComplex<T>;
  Lapack<T> all{};
  all.wide = blas.wide;
  get("potrf", all.potrf);
  get("getrf", all.getrf);
  get("geqrf", all.geqrf);
  get(is_complex ? "ungqr" : "orgqr", all.orgqr);
  get(is_complex ? "heevd" : "syevd", all.syevd);
  get("gesdd", all.gesdd);
  get("geev", all.geev);
  return all;
}

}  // namespace

template <typename T>
const Lapack<T>& lapack() {
  static const Lapack<T> functions = found<T>();
  return functions;
}

template const Lapack<float>& lapack();
template const Lapack<double>& lapack();
template const Lapack<std::complex<float>>& lapack();
template const Lapack<std::complex<double>>& lapack();

}  // namespace weft::runtime
