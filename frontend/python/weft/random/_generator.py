"""NumPy's Generator over a key."""

from __future__ import annotations

import _thread
import builtins

from weft import _core, linalg
from weft._core import Array
from weft._array.indexing import take_along_axis
from weft._base.asarray import asarray
from weft._base.memory import is_numpys, to_numpy
from weft._base.out import given_out, store, target
from weft._base.recorded import recording
from weft._numpy.by_numpy import argsort

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

draw = _core.random


def is_key(value: Any) -> builtins.bool:
    return isinstance(value, Array) and value.ndim == 0 and value.dtype.str[1:] == "u8"


def shape_of(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The given size; without one, what the parameters broadcast to."""
    if size is None:
        shapes = [one.shape for one in parameters if hasattr(one, "shape")]
        if not shapes:
            return ()
        import numpy

        return numpy.broadcast_shapes(*shapes)
    return tuple(size) if getattr(size, "ndim", 1) and hasattr(size, "__iter__") else (size,)


def float_dtype(dtype: Any) -> Any:
    return None if dtype is None else _core.dtype(dtype)


def as_parameter(value: Any) -> Any:
    return value if isinstance(value, (int, float, Array)) else asarray(value)


def _checked(op: str, name: str, value: Any, low: float, high: float = float("inf")) -> Any:
    """A parameter as a number, which the draw checks, or an array: what is not computed yet is not looked at."""
    if isinstance(value, (int, float, Array)):
        return value
    import numpy

    values = numpy.asarray(value)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{op}: {name} must be real: got {value!r}")
    values = values.astype(numpy.float64)
    if not ((values >= low) & (values <= high)).all():
        rule = f"from {low:g} to {high:g}" if high < float("inf") else f"{low:g} or more"
        raise ValueError(f"{op}: {name} is {rule}: got {value!r}")
    return float(values) if values.ndim == 0 else asarray(values)


def _not_negative(op: str, name: str, value: Any) -> Any:
    """As _checked, where no draw checks a number."""
    if isinstance(value, (int, float)) and value < 0:
        raise ValueError(f"{op}: {name} is 0 or more: got {value!r}")
    return _checked(op, name, value, 0.0)


def _ordered(op: str, names: str, *values: Any) -> tuple[Any, ...]:
    """Parameters each of which is not below the one before; Weft's arrays are not looked at."""
    import numpy

    parameters = tuple(as_parameter(value) for value in values)
    for low, high in zip(values, values[1:]):
        if not isinstance(low, Array) and not isinstance(high, Array) and numpy.any(numpy.less(high, low)):
            raise ValueError(f"{op}: {names} ascend: got {', '.join(map(repr, values))}")
    return parameters


def size_of(size: Any) -> Any:
    return None if size is None else tuple(size) if hasattr(size, "__iter__") else (size,)


def permuted_by(key: Any, x: Any, axis: int = 0) -> Array:
    if isinstance(x, int):
        return draw.permutation(key, x, "")
    x = asarray(x)
    if x.ndim == 0 and x.dtype.kind in "iu":
        return draw.permutation(key, x.item(), x.device)
    return x if x.ndim == 0 else _core.take(x, draw.permutation(key, x.shape[axis], x.device), axis)


def chosen_by(key: Any, a: Any, size: Any = None, replace: builtins.bool = True, p: Any = None, axis: int = 0) -> Array:
    p = None if p is None else asarray(p, dtype="float64")
    if isinstance(a, int):
        return draw.choice(key, a, shape_of(size), replace, p, "")
    a = asarray(a)
    if a.ndim == 0 and a.dtype.kind in "iu":
        return draw.choice(key, a.item(), shape_of(size), replace, p, a.device)
    return _core.take(a, draw.choice(key, a.shape[axis], shape_of(size), replace, p, a.device), axis)


_MOST = 1e15
_REPEATS = (
    "give a compiled function the same numbers at every call: pass a key as an argument and make the generator of it inside,"
    " default_rng(key)"
)
_LACKING = ("bit_generator",)


class Generator:
    """NumPy's Generator over a key. Each draw is a function of the key and of how many draws were made before.

    Threads may share one; which thread gets which draw is then up to them. Arrays lie on the default device at the time of the
    draw, or where the key lies.
    """

    def __init__(self, key: Any) -> None:
        if not isinstance(key, int) and not is_key(key):
            raise TypeError(f"Generator: takes a key, as random.key() makes it: got {type(key).__name__}")
        self._key = key
        self._drawn = 0
        self._lock = _thread.allocate_lock()
        self._recording = recording.get()

    def __getstate__(self) -> Any:
        self._belongs_here()
        return self._key, self._drawn

    def __setstate__(self, state: Any) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        self._drawn = state[1]

    def __getattr__(self, name: str) -> Any:
        if name in _LACKING:
            raise AttributeError(f"random: Weft's generator has no {name}: draw it with numpy.random.default_rng() and wf.asarray()")
        raise AttributeError(f"'Generator' object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"weft.random.Generator(drawn={self._drawn})"

    def _belongs_here(self) -> None:
        """Refuses a generator from outside in a compiled function, and one from inside that outlives the recording."""
        if recording.get() is not self._recording:
            raise _core.Error(f"random: a generator made outside would {_REPEATS}")

    def _next(self) -> Array:
        self._belongs_here()
        with self._lock:
            self._drawn += 1
            return draw.fold_in(self._key, self._drawn)

    def spawn(self, n_children: int) -> list[Generator]:
        """Independent generators."""
        base = self._next()
        return [Generator(draw.fold_in(base, i)) for i in range(n_children)]

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Array:
        """Uniform in [0, 1): multiples of 2^-53 (float64) or 2^-24 (float32), all equally probable."""
        return self._store(draw.uniform(self._next(), self._size(size, out), float_dtype(dtype), ""), out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Array:
        """Uniform from low to high."""
        low, high = _ordered("uniform", "low and high", low, high)
        return low + (high - low) * self.random(shape_of(size, low, high))

    def standard_normal(self, size: Any = None, dtype: Any = None, out: Any = None) -> Array:
        """Normal with mean 0 and deviation 1, by Box and Muller's transform."""
        return self._store(draw.normal(self._next(), self._size(size, out), float_dtype(dtype), ""), out)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """Normal with mean loc and deviation scale."""
        loc, scale = as_parameter(loc), _not_negative("normal", "scale", scale)
        return loc + scale * self.standard_normal(shape_of(size, loc, scale))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Array:
        """The exponential of a normal."""
        return draw.lognormal(self._next(), as_parameter(mean), _checked("lognormal", "sigma", sigma, 0.0), size_of(size))

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *, method: str = "svd"
    ) -> Array:
        """Normals with mean vector and covariance matrix, along a last axis; the root of the matrix by the method."""

        mean, cov = asarray(mean, dtype="float64"), asarray(cov, dtype="float64")
        if mean.ndim != 1 or cov.shape != (mean.shape[0], mean.shape[0]):
            raise ValueError(f"multivariate_normal: cov has a row and a column for each of the means: got {cov.shape} and {mean.shape}")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(f"multivariate_normal: check_valid is 'warn', 'raise' or 'ignore': got {check_valid!r}")
        if method == "cholesky":
            root = linalg.cholesky(cov)
        elif method in ("svd", "eigh"):
            values, vectors = linalg.eigh(cov)  # of a symmetric matrix both are the same
            if check_valid != "ignore" and float(_core.min(values, None, False)) < -tol:
                if check_valid == "raise":
                    raise ValueError(f"multivariate_normal: cov is positive semidefinite: got the eigenvalue {float(values[0])}")
                import warnings

                warnings.warn("multivariate_normal: cov is not positive semidefinite", RuntimeWarning, stacklevel=2)
            root = vectors * _core.sqrt(_core.maximum(values, 0.0))
        else:
            raise ValueError(f"multivariate_normal: method is 'svd', 'eigh' or 'cholesky': got {method!r}")
        return mean + _core.matmul(self.standard_normal((*shape_of(size), mean.shape[0])), root.mT)

    def standard_exponential(self, size: Any = None, dtype: Any = None, method: str = "inv", out: Any = None) -> Array:
        """Exponential with mean 1."""
        return self._store(draw.exponential(self._next(), self._size(size, out), float_dtype(dtype), ""), out)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Array:
        """Exponential with mean scale."""
        scale = _not_negative("exponential", "scale", scale)
        return scale * self.standard_exponential(shape_of(size, scale))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """The double exponential distribution: an exponential of either sign."""
        return draw.laplace(self._next(), as_parameter(loc), _checked("laplace", "scale", scale, 0.0), size_of(size))

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """log(u / (1 - u)) of a uniform u in (0, 1)."""
        return draw.logistic(self._next(), as_parameter(loc), _checked("logistic", "scale", scale, 0.0), size_of(size))

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """-log of an exponential."""
        return draw.gumbel(self._next(), as_parameter(loc), _checked("gumbel", "scale", scale, 0.0), size_of(size))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Array:
        """The length of a vector of two normals."""
        return draw.rayleigh(self._next(), _checked("rayleigh", "scale", scale, 0.0), size_of(size))

    def weibull(self, a: Any, size: Any = None) -> Array:
        """An exponential to the power 1 / a."""
        return draw.weibull(self._next(), _checked("weibull", "a", a, 0.0), size_of(size))

    def pareto(self, a: Any, size: Any = None) -> Array:
        """exp(E / a) - 1 of an exponential E."""
        return draw.pareto(self._next(), _checked("pareto", "a", a, 0.0), size_of(size))

    def power(self, a: Any, size: Any = None) -> Array:
        """A uniform to the power 1 / a."""
        return draw.power(self._next(), _checked("power", "a", a, 0.0), size_of(size))

    def standard_cauchy(self, size: Any = None) -> Array:
        """The tangent of a uniform angle."""
        return draw.standard_cauchy(self._next(), shape_of(size), None, "")

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Array:
        """The triangular distribution, by the inverse of its distribution function."""
        left, mode, right = _ordered("triangular", "left, mode and right", left, mode, right)
        return draw.triangular(self._next(), left, mode, right, size_of(size))

    def geometric(self, p: Any, size: Any = None) -> Array:
        """How many trials it takes to succeed when each does with probability p."""
        import numpy

        if not isinstance(p, Array) and not numpy.all((numpy.asarray(p) > 0) & (numpy.asarray(p) <= 1)):
            raise ValueError(f"geometric: p is above 0 and at most 1: got {p!r}")
        return draw.geometric(self._next(), _checked("geometric", "p", p, 0.0, 1.0), size_of(size))

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> Array:
        """Gamma of this shape parameter and scale 1, by Marsaglia and Tsang's method."""
        a = _checked("standard_gamma", "shape", shape, 0.0)
        size = self._size(None, out) if size is None and out is not None else size_of(size)
        return self._store(draw.gamma(self._next(), a, 1.0, size, float_dtype(dtype)), out)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Array:
        """Gamma of this shape parameter, times scale."""
        a, scale = _checked("gamma", "shape", shape, 0.0), _checked("gamma", "scale", scale, 0.0)
        return draw.gamma(self._next(), a, scale, size_of(size))

    def chisquare(self, df: Any, size: Any = None) -> Array:
        """The sum of the squares of df normals."""
        return draw.chisquare(self._next(), _checked("chisquare", "df", df, 0.0), size_of(size))

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Array:
        """chisquare of df and twice a Poisson number of mean nonc / 2 more."""
        df, nonc = _checked("noncentral_chisquare", "df", df, 0.0), _checked("noncentral_chisquare", "nonc", nonc, 0.0)
        return draw.noncentral_chisquare(self._next(), df, nonc, size_of(size))

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Array:
        """The ratio of two chi-squares, each divided by its degrees of freedom."""
        return draw.f(self._next(), _checked("f", "dfnum", dfnum, 0.0), _checked("f", "dfden", dfden, 0.0), size_of(size))

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Array:
        """As f, of a noncentral chi-square."""
        dfnum, dfden = _checked("noncentral_f", "dfnum", dfnum, 0.0), _checked("noncentral_f", "dfden", dfden, 0.0)
        return draw.noncentral_f(self._next(), dfnum, dfden, _checked("noncentral_f", "nonc", nonc, 0.0), size_of(size))

    def standard_t(self, df: Any, size: Any = None) -> Array:
        """Student's t: a normal divided by the root of a chi-square over its degrees of freedom."""
        return draw.standard_t(self._next(), _checked("standard_t", "df", df, 0.0), size_of(size))

    def beta(self, a: Any, b: Any, size: Any = None) -> Array:
        """x / (x + y) of two gammas of shapes a and b."""
        return draw.beta(self._next(), _checked("beta", "a", a, 0.0), _checked("beta", "b", b, 0.0), size_of(size))

    def dirichlet(self, alpha: Any, size: Any = None) -> Array:
        """Gammas of the shapes alpha, divided by their sum, along a last axis."""
        return draw.dirichlet(self._next(), _checked("dirichlet", "alpha", alpha, 0.0), shape_of(size))

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Array:
        """How many events happen of which lam are expected, by inversion below 10 and Hörmann's transformed rejection above."""
        return draw.poisson(self._next(), _checked("poisson", "lam", lam, 0.0, _MOST), size_of(size))

    def binomial(self, n: Any, p: Any, size: Any = None) -> Array:
        """How many of n trials succeed with probability p, by inversion or Hörmann's transformed rejection."""
        n, p = _checked("binomial", "n", n, 0.0, _MOST), _checked("binomial", "p", p, 0.0, 1.0)
        return draw.binomial(self._next(), n, p, size_of(size))

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Array:
        """How many failures there are before n successes of probability p: a Poisson number of a gamma mean."""
        n, p = _checked("negative_binomial", "n", n, 0.0), _checked("negative_binomial", "p", p, 0.0, 1.0)
        return draw.negative_binomial(self._next(), n, p, size_of(size))

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Array:
        """How often each outcome comes in n trials, along a last axis: binomial numbers of what is left."""
        import numpy

        pvals = numpy.asarray(pvals, dtype=numpy.float64)
        if pvals.ndim != 1:
            raise ValueError(f"multinomial: pvals are probabilities along one axis: got shape {pvals.shape}")
        return draw.multinomial(self._next(), _checked("multinomial", "n", n, 0.0, _MOST), pvals.tolist(), size_of(size))

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Array:
        """How many of nsample things taken from ngood and nbad are good, one by one or by Stadlober's ratio of uniforms."""
        ngood, nbad = _checked("hypergeometric", "ngood", ngood, 0.0, _MOST), _checked("hypergeometric", "nbad", nbad, 0.0, _MOST)
        nsample = _checked("hypergeometric", "nsample", nsample, 0.0, _MOST)
        return draw.hypergeometric(self._next(), ngood, nbad, nsample, size_of(size))

    def multivariate_hypergeometric(self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals") -> Array:
        """How many of each colour are among nsample things taken from `colors` of each, along a last axis; one method does for both."""
        import numpy

        if method not in ("count", "marginals"):
            raise ValueError(f"multivariate_hypergeometric: method is 'count' or 'marginals': got {method!r}")
        colors = numpy.asarray(colors)
        if colors.ndim != 1 or colors.dtype.kind not in "iu":
            raise ValueError(f"multivariate_hypergeometric: colors are integers along one axis: got {colors.dtype} {colors.shape}")
        nsample = _checked("multivariate_hypergeometric", "nsample", nsample, 0.0, float(colors.sum()))
        return draw.multivariate_hypergeometric(self._next(), colors.tolist(), nsample, size_of(size))

    def zipf(self, a: Any, size: Any = None) -> Array:
        """Whole numbers k up to 2^63 of probability proportional to k^-a, a > 1, by Devroye's rejection."""
        return draw.zipf(self._next(), _checked("zipf", "a", a, 1.0 + 2.0**-52), size_of(size))

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Array:
        """An angle from -pi to pi around mu, by Best and Fisher's method."""
        return draw.vonmises(self._next(), as_parameter(mu), _checked("vonmises", "kappa", kappa, 0.0), size_of(size))

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Array:
        """The inverse Gaussian distribution, by Michael, Schucany and Haas's transform of a normal."""
        mean, scale = _checked("wald", "mean", mean, 0.0), _checked("wald", "scale", scale, 0.0)
        return draw.wald(self._next(), mean, scale, size_of(size))

    def logseries(self, p: Any, size: Any = None) -> Array:
        """The logarithmic series distribution, by Kemp's method of 1981."""
        return draw.logseries(self._next(), _checked("logseries", "p", p, 0.0, 1.0), size_of(size))

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = "int64", endpoint: builtins.bool = False) -> Array:
        """Integers from low to below high (to high with `endpoint`); from 0 when one bound is given."""
        if high is None:
            low, high = 0, low
        if any(getattr(bound, "ndim", 0) or isinstance(bound, (list, tuple)) for bound in (low, high)):
            return self._integers_within(asarray(low), asarray(high), size, _core.dtype(dtype), endpoint)
        for bound in (low, high):
            if not hasattr(bound, "__index__") or getattr(bound, "ndim", 0):
                raise TypeError(f"integers: the bounds are integers: got {type(bound).__name__}")
        low, high = low.__index__(), high.__index__()
        last = high if endpoint else high - 1
        if last < low:
            raise ValueError(f"integers: low must be below high: got {low} and {high}")
        dtype = _core.dtype(dtype)
        least, most = (0, 1) if dtype.kind == "b" else (0, 0)
        if dtype.kind in "iu":
            bits = 8 * dtype.itemsize
            least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if dtype.kind == "i" else (0, (1 << bits) - 1)
        if dtype.kind in "biu" and not (least <= low and last <= most):
            raise ValueError(f"integers: {dtype} holds {least} to {most}: got {low} to {last}")
        return draw.integers(self._next(), shape_of(size), low, last, dtype, "")

    def _integers_within(self, low: Array, high: Array, size: Any, dtype: Any, endpoint: builtins.bool) -> Array:
        import numpy

        for bound in (low, high):
            if bound.dtype.kind not in "iu":
                raise TypeError(f"integers: the bounds are integers: got {bound.dtype}")
        if (high < low if endpoint else high <= low).any():
            raise ValueError("integers: low must be below high: got an element that is not")
        # 0 stands for all 2**64.
        count = high.astype("uint64") - low.astype("uint64") + (1 if endpoint else 0)
        for bound, limit in ((low, "min"), (high if endpoint else high - 1, "max")):
            if dtype.kind in "iu" and (_core.astype(bound, dtype) != bound).any():
                raise ValueError(f"integers: {dtype} holds all bounds: got one beyond its {limit}imum")
        shape = shape_of(size, count)
        bits = draw.bits(self._next(), shape, _core.dtype("uint64"), "")
        # Remainders are as probable as each other below the highest multiple of the count.
        most, by = numpy.uint64(2**64 - 1), _core.where(count == 0, 1, count)
        limit = most - (most % by + 1) % by
        while (beyond := bits > limit).any():
            bits = _core.where(beyond, draw.bits(self._next(), shape, _core.dtype("uint64"), ""), bits)
        drawn = low.astype("uint64") + _core.where(count == 0, bits, bits % by)
        return _core.astype(_core.astype(drawn, _core.dtype("int64")) if dtype.kind != "u" else drawn, dtype)

    def bytes(self, length: int) -> builtins.bytes:
        """Random bytes."""
        return draw.bits(self._next(), (length,), _core.dtype("uint8"), "").tobytes()

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """The elements along an axis in random order; of a number n, those of 0 … n - 1."""
        return permuted_by(self._next(), x, axis)

    def permuted(self, x: Any, axis: Any = None, out: Any = None) -> Array:
        """Every line along an axis in a random order of its own."""

        x = asarray(x)
        flat = _core.reshape(x, (-1,)) if axis is None else x
        order = argsort(draw.bits(self._next(), flat.shape, None, ""), axis=-1 if axis is None else axis)
        permuted = take_along_axis(flat, order, axis=-1 if axis is None else axis)
        return self._store(_core.reshape(permuted, x.shape), out)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Puts the elements along an axis, or those of a list, into random order, in place."""
        if isinstance(x, list):
            if axis:
                raise IndexError(f"shuffle: a list has one axis: got axis {axis}")
            x[:] = [x[i] for i in to_numpy(self.permutation(len(x))).tolist()]
            return
        shuffled = self.permutation(x, axis)
        if is_numpys(x):
            store(shuffled, x)
        else:
            target("shuffle", x)[...] = shuffled

    def choice(
        self, a: Any, size: Any = None, replace: builtins.bool = True, p: Any = None, axis: int = 0, shuffle: builtins.bool = True
    ) -> Array:
        """Elements drawn along an axis (of a number n: of 0 … n - 1), with probabilities p."""
        return chosen_by(self._next(), a, size, replace, p, axis)

    @staticmethod
    def _size(size: Any, out: Any) -> tuple[int, ...]:
        return tuple(given_out(out).shape) if size is None and out is not None else shape_of(size)

    @staticmethod
    def _store(result: Array, out: Any) -> Array:
        return store(result, out)
