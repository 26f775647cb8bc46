#include <weft/weft.h>

#include <cstdio>

using namespace weft;

int main() {
  const Array x = linspace(-3, 3, 4'000'000).reshape({2000, 2000});
  const Array centred = x - mean(x, 1, true);
  const Array scaled = centred / sqrt(mean(square(centred), 1, true) + 1e-5);  // nothing is computed yet

  std::printf("%s", explain(scaled).c_str());  // one kernel, and why
  one_kernel(scaled);                          // computes it; an Error with the reasons if it took more
  std::printf("%g\n", scaled.at(0, -1).item<double>());
}
