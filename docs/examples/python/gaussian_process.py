"""Fits a Gaussian process to real measurements: SciPy's L-BFGS finds its scales, with Weft's gradient of the marginal likelihood.

The measurements are scikit-learn's load_diabetes(): ten figures of 442 patients and how their diabetes progressed (B. Efron and others,
Least Angle Regression, 2004). They come with scikit-learn; nothing is fetched.
"""

import numpy as np
from beside import beside, missing, quick

import weft as wf

try:
    from scipy.optimize import minimize
except ImportError:
    missing("scipy", "for its L-BFGS")
try:
    from sklearn.datasets import load_diabetes
except ImportError:
    missing("scikit-learn", "for its measurements")

x, y = load_diabetes(return_X_y=True)
x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
order = np.random.default_rng(0).permutation(len(y))
learned, kept = (order[:100], order[100:200]) if quick else (order[:342], order[342:])


def covariance(xp, logs, a, b):
    """By a length for each of the ten figures, and a height."""
    apart = (a[:, None, :] - b[None, :, :]) * xp.exp(-logs[:10])
    return xp.exp(2 * logs[10] - 0.5 * xp.sum(apart * apart, axis=-1))


def misfit(xp, logs, x, y, eye):
    """The negative logarithm of the marginal likelihood, but for its constant."""
    lower = xp.linalg.cholesky(covariance(xp, logs, x, x) + xp.exp(2 * logs[11]) * eye)
    half = xp.linalg.solve(lower, y)
    return 0.5 * xp.sum(half * half) + xp.sum(xp.log(xp.diagonal(lower)))


data = [wf.asarray(one) for one in (x[learned], y[learned], np.eye(len(learned)))]
value_and_grad = wf.value_and_grad(lambda logs: misfit(wf, logs, *data))


def for_scipy(logs):
    value, gradient = value_and_grad(wf.asarray(logs))
    return float(value), np.asarray(gradient)


start = np.array([1.0] * 10 + [0.0, -0.5])
found = minimize(for_scipy, start, jac=True, method="L-BFGS-B", options={"maxiter": 10 if quick else 60})
logs = wf.asarray(found.x)
inside = covariance(wf, logs, data[0], data[0]) + wf.exp(2 * logs[11]) * data[2]
predicted = covariance(wf, logs, x[kept], data[0]) @ wf.linalg.solve(inside, data[1])
explained = 1 - float(wf.mean((predicted - y[kept]) ** 2) / np.var(y[kept]))
print(f"gaussian process: misfit {for_scipy(start)[0]:.1f}, after {found.nfev} gradients {found.fun:.1f}; {100 * explained:.0f} % explained of {len(kept)} other patients")
assert found.fun < for_scipy(start)[0] - 1 and explained > 0.3

beside(f"gaussian process, {len(learned)} patients", misfit, start, x[learned], y[learned], np.eye(len(learned)), compiled=False)
