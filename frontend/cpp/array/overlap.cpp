#include "frontend/cpp/array/overlap.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "frontend/cpp/array/view.h"

namespace weft::detail {
namespace {

// A sum of stride * position, the positions from 0 to `most`. `reach` and `divisor`: the largest sum of this
// term and those behind it, and what divides all of their strides.
struct Term {
  int64_t stride, most;
  int64_t reach = 0, divisor = 0;
};

constexpr int kMostTried = 1000;

// Whether the terms from `k` on can sum up to `sum`. At most one or two positions are tried for a term where
// the strides of those behind it stay below its own, as in nearly all arrays.
bool sums_to(const std::vector<Term>& terms, size_t k, int64_t sum, int& steps) {
  if (sum == 0) return true;
  if (k == terms.size() || sum < 0 || sum > terms[k].reach || sum % terms[k].divisor != 0) return false;
  const Term& term = terms[k];
  const int64_t rest = k + 1 < terms.size() ? terms[k + 1].reach : 0;
  const int64_t least = sum > rest ? (sum - rest + term.stride - 1) / term.stride : 0;
  for (int64_t at = std::min(term.most, sum / term.stride); at >= least; --at) {
    if (--steps < 0) return true;
    if (sums_to(terms, k + 1, sum - at * term.stride, steps)) return true;
  }
  return false;
}

// Adds the axes' terms; returns the first byte.
int64_t add_terms(const Layout& layout, std::vector<Term>& terms, int64_t& reach) {
  const auto item = static_cast<int64_t>(size_of(layout.type.dtype));
  int64_t first = layout.offset * item;
  reach = 0;
  for (size_t k = 0; k < layout.strides.size(); ++k) {
    const int64_t stride = layout.strides[k] * item, most = layout.type.shape[k] - 1;
    if (stride == 0 || most == 0) continue;
    if (stride < 0) first += stride * most;
    terms.push_back({std::abs(stride), most});
    reach += std::abs(stride) * most;
  }
  return first;
}

}  // namespace

bool may_share(const Array& a, const Array& b) {
  if (!a.shares_cell(b) || a.size() == 0 || b.size() == 0) return false;
  const Layout one = layout_of(a), other = layout_of(b);
  // A byte of both: first + sum + byte = other_first + other_sum + other_byte. The other's positions and
  // bytes are counted from their ends, so that all terms are added.
  std::vector<Term> terms;
  int64_t reach = 0, other_reach = 0;
  const int64_t first = add_terms(one, terms, reach), other_first = add_terms(other, terms, other_reach);
  const auto bytes = static_cast<int64_t>(a.itemsize() + b.itemsize()) - 2;
  if (bytes > 0) terms.push_back({1, bytes});
  std::sort(terms.begin(), terms.end(), [](const Term& x, const Term& y) { return x.stride > y.stride; });
  for (size_t k = 0; k + 1 < terms.size();) {
    if (terms[k].stride != terms[k + 1].stride) {
      ++k;
      continue;
    }
    terms[k].most += terms[k + 1].most;
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  Term behind{0, 0};
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
    term->reach = behind.reach + term->stride * term->most;
    term->divisor = std::gcd(behind.divisor, term->stride);
    behind = *term;
  }
  int steps = kMostTried;
  return sums_to(terms, 0, other_first + other_reach + static_cast<int64_t>(b.itemsize()) - 1 - first, steps);
}

}  // namespace weft::detail
