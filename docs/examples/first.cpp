#include <weft/weft.h>

#include <cstdio>

using namespace weft;

int main() {
  const Array x = random::normal(random::key(0), {4096, 4096}).eval();
  const Array e = exp(x - max(x, 1, true));
  const Array y = e / sum(e, 1, true);    // records, computes nothing
  std::printf("%s", explain(y).c_str());  // one kernel, and why
  one_kernel(y);                          // computes it; an Error with the reasons if it took more
}
