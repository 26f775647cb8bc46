#include "frontend/cpp/inspect/substitutes.h"

#include <algorithm>
#include <utility>

namespace weft::detail {

namespace {

constexpr std::pair<std::string_view, std::string_view> kSubstitutes[] = {
    {"argpartition", "`wf.argsort(x)[..., :k]`"},
    {"convolve", "for a short w of length m, `sum(w[m - 1 - i] * x[i : n - m + 1 + i] for i in range(m))`"},
    {"correlate", "for a short w of length m, `sum(w[i] * x[i : n - m + 1 + i] for i in range(m))`"},
    {"cov", "with `d = x - wf.mean(x, axis=1, keepdims=True)`, `d @ d.T / (x.shape[1] - 1)`"},
    {"digitize", "for few bins, `wf.sum(x[..., None] >= bins, axis=-1)`"},
    {"gradient", "for the inner elements, `(x[2:] - x[:-2]) / 2`"},
    {"histogram",
     "with the ends low and high given, `wf.bincount(wf.clip((x - low) * (n / (high - low)), 0, n - 1)"
     ".astype(\"int64\"), minlength=n)`"},
    {"interp",
     "for even steps from x0 on, with `t = (x - x0) / step` and `i = wf.clip(wf.floor(t), 0, n - "
     "2).astype(\"int64\")`, "
     "`wf.take(y, i) + (t - i) * (wf.take(y, i + 1) - wf.take(y, i))`"},
    {"median", "for an odd n, `wf.sort(x)[..., n // 2]`"},
    {"partition", "`wf.sort(x)`"},
    {"percentile", "for the nearest element, `wf.sort(x)[..., round((n - 1) * q / 100)]`"},
    {"quantile", "for the nearest element, `wf.sort(x)[..., round((n - 1) * q)]`"},
    {"searchsorted", "for a short a, `wf.sum(v[..., None] > a, axis=-1)`"},
    {"unique", "for labels below n, `wf.bincount(x, minlength=n) > 0`"},
};

}  // namespace

std::string_view substitute_of(std::string_view function) {
  const std::string_view name = function.substr(function.rfind('.') + 1);
  const auto* const found =
      std::ranges::find(kSubstitutes, name, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kSubstitutes) ? "" : found->second;
}

}  // namespace weft::detail
