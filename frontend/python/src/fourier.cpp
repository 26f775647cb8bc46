#include "frontend/cpp/weft/fft.h"

#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

void bind_fourier(nb::module_& m) {
  const auto add = [&](const char* name, Array (*f)(const Array&, const fft::Along&, Where)) {
    m.def(
        name,
        [f](const Array& x, std::optional<int64_t> n, int64_t axis, int norm) {
          const PythonLine line;
          return f(x, {n, axis, static_cast<fft::Norm>(norm)}, Where::current());
        },
        "x"_a, "n"_a.none(), "axis"_a, "norm"_a);
  };
  add("fft", fft::fft);
  add("ifft", fft::ifft);
  add("rfft", fft::rfft);
  add("irfft", fft::irfft);
  add("hfft", fft::hfft);
  add("ihfft", fft::ihfft);
}

}  // namespace weft::python
