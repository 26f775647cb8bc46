// The C++ of docs/quick_start.md, with what the page says of it checked.
#include <weft/weft.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace weft;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "quick_start: does not hold: %s\n", what);
  std::exit(1);
}
#define CHECK(condition) check(condition, #condition)

void computing() {
  Array x = linspace(0, 1, 1'000'000);
  x = x.reshape({1000, 1000});
  Array y = exp(-x) * 2 + 1;

  Shape shape = y.shape();
  double first = y.at(0, 0).item<double>();  // 3
  CHECK(shape == (Shape{1000, 1000}) && first == 3);

  Array centred = x - mean(x, 1, true);
  Array squares = centred * centred;
  Array spread = mean(squares, 1, true);
  Array scaled = centred / sqrt(spread + 1e-9);

  std::string why = explain(scaled);
  CHECK(why.find("not fused") == std::string::npos && why.find("writes divide") != std::string::npos);

  one_kernel(scaled);

  Compiled soften({&x, 1}, [](std::span<const Array> in) {
    Array e = exp(in[0] - max(in[0], 1, true));
    return std::vector<Array>{e / sum(e, 1, true)};
  });
  Array p = soften({&x, 1})[0];
  CHECK(std::abs(sum(p).item<double>() - 1000) < 1e-6);
}

void writing() {
  Array a = zeros({4, 4});
  Array inner = a(Slice{1, -1}, Slice{1, -1});
  inner += 1;
  a(0) = 7;
  std::vector<double> rows = a.to_vector<double>();
  CHECK(rows[3] == 7 && rows[4] == 0 && rows[5] == 1);
}

void giving_and_taking() {
  std::vector<double> n = {0, 1, 2, 3, 4, 5};
  Array w = from(n, {6});
  std::vector<double> back = (w * 2).to_vector<double>();
  CHECK(back[5] == 10);
}

void on_a_gpu() {
  if (!Session::current().no_cuda_because().empty()) return;
  Array g = ones({1000, 1000}, {DType::F64, "cuda:0"});
  double total = sum(g * 2).item<double>();
  CHECK(total == 2e6);
}

}  // namespace

int main() {
  computing();
  writing();
  giving_and_taking();
  on_a_gpu();
}
