"""Two reductions that a library has to have, or the user writes: log-sum-exp, and Welford's mean and variance. Each reads its operand once."""

from compare import compare, quick

import numpy as np
import weft as wf

log_sum_exp = wf.reduction(
    "m = x; s = 1",
    "m = fmax(a_m, b_m); s = a_s * (a_m == m ? 1 : exp(a_m - m)) + b_s * (b_m == m ? 1 : exp(b_m - m))",
    "y = m + log(s)", "m = -INFINITY; s = 0", "T x", "T y", "log_sum_exp", state="T m, T s",
)  # fmt: skip

# The count, the mean, and the sum of squares about it (Chan, Golub and LeVeque, 1979).
welford = wf.reduction(
    "n = 1; mean = x; about = 0",
    "n = a_n + b_n; T share = n > 0 ? b_n / n : 0; T d = b_mean - a_mean; mean = a_mean + d * share; about = a_about + b_about + d * d * a_n * share",
    "v = about / n", "n = 0; mean = 0; about = 0", "T x", "T v", "welford", state="T n, T mean, T about",
)  # fmt: skip


def of_rows(xp, x):
    if xp is wf:
        return wf.stack([log_sum_exp(x, axis=1), welford(x, axis=1)])
    most = x.max(1)
    return xp.stack([most + xp.log(xp.exp(x - most[:, None]).sum(1)), x.var(1)])


# Far from 0, where the mean of squares minus the square of the mean has no digit left.
x = 1e6 + np.random.default_rng(5).standard_normal((8, 1000) if quick else (2000, 5000))
compare(f"log-sum-exp and variance of {x.shape[0]} rows", of_rows, x, rounds=3)
np.testing.assert_allclose(np.asarray(welford(wf.asarray(x), axis=1)), x.var(1), rtol=1e-9)
