// A program outside of Weft's tree: sum(x * x) over 0, 1, 2, 3.
#include <weft/weft.h>

#include <cstdio>

int main() {
  const weft::Array x = weft::arange(4, weft::DType::F32);
  const float squares = weft::sum(x * x).item<float>();
  std::printf("sum of squares: %g\n", static_cast<double>(squares));
  return squares == 14.0f ? 0 : 1;
}
