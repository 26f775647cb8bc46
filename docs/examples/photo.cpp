#include "docs/examples/photo.h"

#include <random>
#include <vector>

namespace photo {
namespace {

using namespace weft;

// The sRGB curve and its inverse, IEC 61966-2-1.
Array linear_light(const Array& v) { return where(v <= 0.04045, v / 12.92, pow((v + 0.055) / 1.055, 2.4)); }
Array srgb_curve(const Array& x) { return where(x <= 0.0031308, x * 12.92, pow(x, 1 / 2.4) * 1.055 - 0.055); }

// `count` rows before the first and after the last one, each like its neighbour.
Array extend_rows(const Array& x, int64_t count) {
  const Array first = x(ellipsis, Slice{0, 1}, Slice{}), last = x(ellipsis, Slice{-1, {}}, Slice{});
  const Shape shape{x.shape()[0], count, x.shape()[2]};
  return concat({broadcast_to(first, shape), x, broadcast_to(last, shape)}, -2);
}

Array extend(const Array& x, int64_t count) {
  return swapaxes(extend_rows(swapaxes(extend_rows(x, count), -1, -2), count), -1, -2);
}

// Each element with its neighbours below, weighted: so many rows fewer as there are neighbours.
Array weigh_down(const Array& x, const std::vector<double>& weights) {
  const int64_t rows = x.shape()[x.ndim() - 2] - static_cast<int64_t>(weights.size()) + 1;
  Array total = x(ellipsis, Slice{0, rows}, Slice{}) * weights[0];
  for (size_t i = 1; i < weights.size(); ++i) {
    const auto first = static_cast<int64_t>(i);
    total = total + x(ellipsis, Slice{first, first + rows}, Slice{}) * weights[i];
  }
  return total;
}

Array weigh(const Array& x, const std::vector<double>& weights) {
  return swapaxes(weigh_down(swapaxes(weigh_down(x, weights), -1, -2), weights), -1, -2);
}

Array inner(const Array& x, int64_t border) {
  return x(ellipsis, Slice{border, -border}, Slice{border, -border});
}

}  // namespace

Developed develop(const Array& samples) {
  const std::vector<double> blur = {1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
  const std::vector<double> window(9, 1.0 / 9);

  const Array planes = extend(permute_dims(samples, {2, 0, 1}), 6);
  const Array light = linear_light(planes.astype(DType::F32) / 255);
  const Array centre = inner(light, 2);
  const Array sharp = maximum(centre + (centre - weigh(light, blur)) * 0.8, 0);  // unsharp masking

  const Array y = sharp[0] * 0.2126 + sharp[1] * 0.7152 + sharp[2] * 0.0722;
  const Array local_mean = weigh(y, window);
  const Array local_variance = maximum(weigh(square(y), window) - square(local_mean), 0);

  // The base layer is the mean where little varies and the luminance itself at edges, so that these get no
  // halos.
  const Array edge = local_variance / (local_variance + 0.01);
  const Array base = local_mean + (inner(y, 4) - local_mean) * edge;
  const Array mapped = inner(sharp, 4) * (2 / (base * 1.2 + 1));
  const Array picture = permute_dims(srgb_curve(clip(mapped, 0, 1)), {1, 2, 0});
  return {picture, local_mean, local_variance};
}

namespace {

// Gram and Schmidt, each row twice: the second time takes away what rounding left.
void orthonormalize_rows(const Array& q) {
  for (int64_t i = 0; i < q.shape()[0]; ++i) {
    Array row = q[i];
    for (int pass = 0; pass < 2 && i > 0; ++pass) {
      const Array before = q(Slice{0, i});
      row -= matmul(matmul(before, row), before);
    }
    row /= sqrt(sum(square(row)));
  }
}

}  // namespace

Svd svd(const Array& a, int64_t k, int iterations) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> start(static_cast<size_t>(k * a.shape()[1]));
  for (float& value : start) value = normal(random);

  Array vt = from(start, {k, a.shape()[1]}, a.device()), ut;
  for (int i = 0; i < iterations; ++i) {
    ut = matmul(vt, a.T()).eval();
    orthonormalize_rows(ut);
    vt = matmul(ut, a);
    eval({ut, vt});  // both are wanted: what only vt needs would be computed on the way and not kept
  }
  const Array s = sqrt(sum(square(vt), 1));
  return {ut.T(), s, vt / s(Slice{}, newaxis)};
}

Rebuilt rebuild(const Array& a, const Svd& factors) {
  const Array picture = matmul(factors.u * factors.s, factors.vt);
  return {picture, sqrt(sum(square(a - picture)) / sum(square(a)))};
}

}  // namespace photo
