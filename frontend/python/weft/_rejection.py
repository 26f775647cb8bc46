"""Random draws that take a number of trials: gamma, Poisson, binomial, von Mises; the mathematics, without a state.

Every trial has counters of its own, and the first that is accepted counts. The trials are an axis that the program reduces, so a
draw is one kernel, fused like any other; their number is fixed, such that none is accepted once in 2^50 draws or less, and then
the last one stands in. Parameters are floats, or float64 arrays that broadcast with the shape; where they are out of range a real
draw is NaN and a count is -1.
"""

from __future__ import annotations

import math

from weft import _core
from weft._core import Array
from weft._creation import arange

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

_ROUND, _STREAM = 2**48, 2**56  # positions are below, so that no two counters are equal
_UNIT = 2.0**-53


def _float(x: Array) -> Array:
    return _core.astype(x, _core.dtype("float64"))


def _whole(x: Any) -> Any:
    return int(x) if isinstance(x, float) else _core.astype(x, _core.dtype("int64"))


class _Trials:
    """Uniform numbers of the elements of a shape, by round and by stream within it."""

    def __init__(self, key: Array, shape: tuple[int, ...]) -> None:
        self.key, self.shape = key, shape
        count = math.prod(shape)
        self._position = _core.reshape(arange(count, dtype="uint64", device=key.device), shape)

    def _integers(self, round: Any, stream: int) -> Array:
        counter = self._position + round * _ROUND + stream * _STREAM
        return _float(_whole(_core.threefry(counter, self.key) >> 11))

    def uniform(self, round: Any, stream: int) -> Array:
        """In [0, 1)."""
        return self._integers(round, stream) * _UNIT

    def positive(self, round: Any, stream: int) -> Array:
        """In (0, 1]."""
        return (self._integers(round, stream) + 1.0) * _UNIT

    def first(self, rounds: int, trial: Callable[[Any], tuple[Array, Array]]) -> Array:
        """What the first round gives that trial(round), a value and whether it is accepted, accepts."""
        rounds_axis = (rounds, *[1] * len(self.shape))
        every = _core.reshape(arange(rounds, dtype="uint64", device=self.key.device), rounds_axis)
        accepted = _core.broadcast_to(trial(every)[1], (rounds, *self.shape))
        return trial(_core.min(_core.where(accepted, every, rounds - 1), 0, False))[0]


def _gamma_above_one(trials: _Trials, a: Array) -> Array:
    # Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. At least 0.951 of the trials are accepted,
    # 12 of them leave 2^-52. Box and Muller's transform gives two normals, hence two trials a round.
    d = a - 1.0 / 3.0
    c = 1.0 / _core.sqrt(9.0 * d)

    def trial(round: Any) -> tuple[Array, Array]:
        length = _core.sqrt(-2.0 * _core.log(trials.positive(round, 0)))
        angle = 2.0 * math.pi * trials.uniform(round, 1)

        def one(x: Array, stream: int) -> tuple[Array, Array]:
            root = 1.0 + c * x
            v = root * root * root
            below = 0.5 * x * x + d - d * v + d * _core.log(v)
            return v, (root > 0.0) & (_core.log(trials.positive(round, stream)) < below)

        (v, accepted), (other, other_accepted) = one(length * _core.cos(angle), 2), one(length * _core.sin(angle), 3)
        return _core.where(accepted, v, other), accepted | other_accepted

    return d * trials.first(6, trial)


def _gamma_parts(key: Array, a: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """g and e such that g * exp(-e) is a draw: below 1 one of a + 1 times U^(1/a), which may be too small for a float."""
    trials = _Trials(key, shape)
    g = _gamma_above_one(trials, _core.where(a < 1.0, a + 1.0, a))
    e = _core.where(a < 1.0, _core.where(a > 0.0, -_core.log(trials.positive(0, 4)) / a, math.inf), 0.0)
    return _core.where(a >= 0.0, g, math.nan), e


def gamma(key: Array, a: Array, shape: tuple[int, ...]) -> Array:
    """Gamma of shape a >= 0 and scale 1."""
    g, e = _gamma_parts(key, a, shape)
    return g * _core.exp(-e)


def log_gamma(key: Array, a: Array, shape: tuple[int, ...]) -> Array:
    """The logarithm of a gamma draw, which keeps what is too small for a float."""
    g, e = _gamma_parts(key, a, shape)
    return _core.log(g) - e


def _count_below(u: Array, probability: Array, ratio: Callable[[int], Any], most: int) -> Array:
    """How many of the values 0 … most - 1 have their distribution function at or below u."""
    below = probability
    count = _whole(u >= below)
    for k in range(most - 1):
        probability = probability * ratio(k)
        below = below + probability
        count = count + _whole(u >= below)
    return count


# Counts of mean 10 or less are below 56 but once in 2^76 draws.
_SMALL, _MOST = 10.0, 56
_HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)


def _stirling_rest(k: Array) -> Array:
    """log(k!) - ((k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2)."""
    x = k + 1.0
    y = 1.0 / (x * x)
    series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x
    near = _core.minimum(k, 15.0) + 1.0
    return _core.where(k < 15.0, _core.lgamma(near) - (near - 0.5) * _core.log(near) + near - _HALF_LOG_2_PI, series)


def _transformed(
    trials: _Trials, rounds: int, b: Array, a: Array, middle: Array, hat: Array, log_of: Callable[[Array], Array]
) -> Array:
    # Hörmann, "The transformed rejection method for generating Poisson random variables", 1993, without its short cuts.
    # The published constants let the density rise 0.5 % above the hat in places, where NumPy's draws are too rare by as much;
    # a hat 1 % higher covers it.
    def trial(round: Any) -> tuple[Array, Array]:
        u = trials.positive(round, 0) - 0.5
        near = 0.5 - _core.abs(u)
        k = _core.floor((2.0 * a / near + b) * u + middle)
        v = trials.positive(round, 1) * (1.01 * hat) / (a / (near * near) + b)
        return k, _core.log(v) <= log_of(k)

    return trials.first(rounds, trial)


def _poisson_large(trials: _Trials, mean: Array) -> Array:
    b = 0.931 + 2.53 * _core.sqrt(mean)

    def log_of(k: Array) -> Array:
        at = _core.maximum(k, 0.0)
        # Of numbers near each other, so that means of any size keep their digits.
        apart = (mean - (at + 1.0)) / (at + 1.0)
        log = (at + 0.5) * _core.log1p(apart) - (at + 1.0) * apart - 0.5 * _core.log(mean) - _HALF_LOG_2_PI - _stirling_rest(at)
        return _core.where(k >= 0.0, log, -math.inf)

    # 0.745 of the trials at a mean of 10, more above.
    return _transformed(trials, 26, b, 0.02483 * b - 0.059, mean + 0.43, 1.1239 + 1.1328 / (b - 3.4), log_of)


def poisson(key: Array, mean: Array, shape: tuple[int, ...]) -> Array:
    """How many events of the mean, up to 10^15."""
    trials = _Trials(key, shape)
    small = _core.minimum(mean, _SMALL)
    if not isinstance(mean, float) or mean < _SMALL:
        count = few = _count_below(trials.uniform(0, 2), _core.exp(-small), lambda k: small * (1.0 / (k + 1)), _MOST)
    if not isinstance(mean, float) or mean >= _SMALL:
        count = many = _whole(_poisson_large(trials, _core.maximum(mean, _SMALL)))
    if not isinstance(mean, float):
        count = _core.where(mean < _SMALL, few, many)
    return _core.where((mean >= 0.0) & (mean <= 1e15), count, -1)


def _binomial_large(trials: _Trials, n: Array, p: Array) -> Array:
    # Hörmann, "The generation of binomial random variates", 1993.
    spread = _core.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    odds = p / (1.0 - p)
    mode = _core.floor((n + 1.0) * p)

    def log_of(k: Array) -> Array:
        at = _core.minimum(_core.maximum(k, 0.0), n)
        log = (
            (mode + 0.5) * _core.log((mode + 1.0) / (odds * (n - mode + 1.0)))
            + (n + 1.0) * _core.log((n - mode + 1.0) / (n - at + 1.0))
            + (at + 0.5) * _core.log(odds * (n - at + 1.0) / (at + 1.0))
            + (_stirling_rest(mode) + _stirling_rest(n - mode) - _stirling_rest(at) - _stirling_rest(n - at))
        )
        return _core.where((k >= 0.0) & (k <= n), log, -math.inf)

    # 0.702 of the trials at n = 20, p = 1/2, more where the mean is larger.
    return _transformed(trials, 29, b, 0.0248 * b - 0.0873 + 0.01 * p, n * p + 0.5, (2.83 + 5.1 / b) * spread, log_of)


def binomial(key: Array, n: Array, p: Array, shape: tuple[int, ...]) -> Array:
    """How many of n trials, up to 10^15, succeed with probability p."""
    trials = _Trials(key, shape)
    q = _core.minimum(p, 1.0 - p)
    is_small = n * q < _SMALL
    small = _core.where(is_small, q, 0.0)
    odds = small / (1.0 - small)
    few = _count_below(trials.uniform(0, 2), _core.exp(n * _core.log1p(-small)), lambda k: (n - k) * (odds * (1.0 / (k + 1))), _MOST)
    few = _core.minimum(few, _whole(n))
    many = _binomial_large(trials, _core.where(is_small, 20.0, n), _core.where(is_small, 0.5, q))
    count = _core.where(is_small, few, _whole(many))
    count = _core.where(p > 0.5, _whole(n) - count, count)
    return _core.where((p >= 0.0) & (p <= 1.0) & (n >= 0.0) & (n <= 1e15), count, -1)


def von_mises(key: Array, kappa: Array, shape: tuple[int, ...]) -> Array:
    """The angle from the mean direction, of concentration kappa >= 0, from -pi to pi."""
    # Best and Fisher, "Efficient simulation of the von Mises distribution", 1979: a wrapped Cauchy variable is accepted with
    # probability 0.657 or more. Written in `rest` = 1 - rho, which large kappas make small.
    trials = _Trials(key, shape)
    k = _core.minimum(_core.maximum(kappa, 1e-16), 1e100)  # beyond them nothing changes, and the square must be finite
    root = _core.sqrt(1.0 + 4.0 * k * k)
    t = 1.0 + root
    s = t + _core.sqrt(2.0 * t)
    rho, rest = 2.0 * k / s, (1.0 + 1.0 / (root + 2.0 * k) + _core.sqrt(2.0 * t)) / s
    narrow = rest / (1.0 + rho)
    apart = rest * (1.0 + rho) / (2.0 * rho)  # the root of r^2 - 1, where r = (1 + rho^2) / (2 rho)

    def trial(round: Any) -> tuple[Array, Array]:
        half = 0.5 * math.pi * (2.0 * trials.uniform(round, 0) - 1.0)
        c = _core.cos(half)
        y = k * apart * apart / (rest * rest / (2.0 * rho) + 2.0 * c * c)
        return 2.0 * _core.atan(narrow * _core.tan(half)), trials.positive(round, 1) <= y * _core.exp(1.0 - y)

    return _core.where(kappa >= 0.0, trials.first(33, trial), math.nan)
