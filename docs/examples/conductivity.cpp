// Finds how well each part of a rod conducts from its temperatures, through 1,000 steps of a heat equation written
// with slice assignments. docs/examples/python/conductivity.py is the same in Python.
//
// The 40 turns of the outer loop, of 25 steps each, are what the gradient keeps; it computes the steps again.
#include <weft/weft.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

using namespace weft;

constexpr int kTurns = 40, kSteps = 25, kCells = 50;

Array flow(const Array& u, const Array& k) { return k * (u(Slice{1, {}}) - u(Slice{{}, -1})); }

// The temperatures at the start of each turn, and those at the end.
std::pair<Array, Array> temperatures(const Array& k, const Array& start) {
  const auto step = [&](const Array&, std::span<const Array> carry) {
    Array u = carry[0], f = flow(u, k);
    u(Slice{1, -1}) += f(Slice{1, {}}) - f(Slice{{}, -1});
    return std::vector<Array>{u};
  };
  const auto turn = [&](std::span<const Array> carry, std::span<const Array>) {
    const Array before = carry[0].copy();
    return Scanned{fori_loop(0, kSteps, step, carry), {before}};
  };
  const Scanned made = scan(turn, {&start, 1}, {}, {kTurns, false});
  return {made.ys[0], made.carry[0]};
}

Array true_conductivity() {
  const Array place = linspace(0, 1, kCells - 1);
  return 0.25 + 0.15 * sin(7 * place) * place;
}

}  // namespace

int main() {
  const Array start = cos(linspace(0, 20, kCells)) * linspace(1, 3, kCells);
  const std::pair<Array, Array> seen = temperatures(true_conductivity(), start);
  const auto misfit = [&](const Array& k) {
    const std::pair<Array, Array> now = temperatures(k, start);
    return sum(square(now.first - seen.first)) + sum(square(now.second - seen.second));
  };
  const auto derived = value_and_grad(misfit);

  Array k = full({kCells - 1}, 0.25), m = zeros({kCells - 1}), v = zeros({kCells - 1});
  for (int t = 1; t <= 200; ++t) {
    const Array slope = derived(k).second;
    m = 0.9 * m + 0.1 * slope;
    v = 0.99 * v + 0.01 * square(slope);
    k = k - 0.01 * (m / (1 - std::pow(0.9, t))) / (sqrt(v / (1 - std::pow(0.99, t))) + 1e-9);
    eval({&k, 1});
  }
  const double error = max(abs(k - true_conductivity())).item<double>();
  std::printf("conductivity: %d steps, 200 gradients: largest error %.1e\n", kTurns * kSteps, error);
  return error < 5e-3 ? 0 : 1;
}
