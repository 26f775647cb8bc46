// A program outside of Weft's tree: sum(x * x) over 0, 1, ... 999.
#include <weft/weft.h>

#include <cstdio>

int main() {
  const weft::Array x = weft::arange(1000, weft::DType::F64);
  const double squares = weft::sum(x * x).item<double>();
  std::printf("sum of squares: %g\n", squares);
  return squares == 332833500.0 ? 0 : 1;
}
