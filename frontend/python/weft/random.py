"""Random numbers: NumPy's Generator, and functions of keys as in JAX; recorded, and fused into what uses them.

Every number is Threefry-2x32 in 20 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011) of
its position under a key. A seed therefore gives the same bits, integers and uniforms on every device, with any number of
threads and however programs are fused; another seed or shape compiles nothing. The streams are not NumPy's or JAX's: a
seed gives other numbers there.

    rng = wf.random.default_rng(7)
    noisy = x + rng.normal(0, 0.1, x.shape)           # one kernel

    key = wf.random.key(7)                            # without state, for functions given to wf.compile
    first, second = wf.random.split(key)
    wf.random.uniform(first, (3, 4))
"""

from __future__ import annotations

import _thread
import builtins

from weft import _core
from weft._compiled import recording
from weft._core import Array
from weft._creation import _named, asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Iterator

__all__ = ["Generator", "bernoulli", "bits", "default_rng", "fold_in", "key", "split"]

_draw = _core.random


def _is_key(value: Any) -> builtins.bool:
    return isinstance(value, Array) and value.ndim == 0 and value.dtype.str[1:] == "u8"


def _shape(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The given size; without one, what the parameters broadcast to."""
    if size is None:
        shapes = [one.shape for one in parameters if hasattr(one, "shape")]
        if not shapes:
            return ()
        import numpy

        return numpy.broadcast_shapes(*shapes)
    return tuple(size) if hasattr(size, "__iter__") else (size,)


def _float(dtype: Any) -> Any:
    return None if dtype is None else _core.dtype(dtype)


def _array(value: Any) -> Any:
    return value if isinstance(value, (int, float, Array)) else asarray(value)


def key(seed: int, *, device: Any = None) -> Array:
    """The key of a seed, an array of rank 0 of uint64."""
    if not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ValueError(f"key: the seed is an integer from 0 to 2**64 - 1: got {seed!r}")
    return _draw.key(seed, _named(device))


def split(key: Array, num: int = 2) -> Array:
    """`num` keys in an array, to be unpacked or indexed; none gives what `key` itself gives."""
    return _draw.split(key, num)


def fold_in(key: Array, data: Any) -> Array:
    """The key of an integer among those that belong to `key`."""
    return _draw.fold_in(key, data)


def bits(key: Array, shape: Any = (), dtype: Any = "uint64") -> Array:
    """Random bits as unsigned integers."""
    return _draw.bits(key, _shape(shape), _core.dtype(dtype), "")


def bernoulli(key: Array, p: Any = 0.5, shape: Any = None) -> Array:
    """True with probability p."""
    p = _array(p)
    return _draw.uniform(key, _shape(shape, p), None, "") < p


class Generator:
    """NumPy's Generator over a key. Each draw is a function of the key and of how many draws were made before.

    Threads may share one; which thread gets which draw is then up to them. Arrays lie on the default device at the time of the
    draw, or where the key lies.
    """

    def __init__(self, key: Any) -> None:
        if not isinstance(key, int) and not _is_key(key):
            raise TypeError(f"Generator: takes a key, as random.key() makes it: got {type(key).__name__}")
        self._key = key
        self._drawn = 0
        self._lock = _thread.allocate_lock()
        self._recording = recording.get()

    def __getstate__(self) -> Any:
        return self._key, self._drawn

    def __setstate__(self, state: Any) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        self._drawn = state[1]

    def __repr__(self) -> str:
        return f"weft.random.Generator(drawn={self._drawn})"

    def _next(self) -> Array:
        if recording.get() is not self._recording:
            raise _core.Error(
                "random: a generator made outside would give a compiled function the same numbers at every call: pass a key"
                " as an argument and make the generator of it inside, default_rng(key)"
            )
        with self._lock:
            self._drawn += 1
            return _draw.fold_in(self._key, self._drawn)

    def spawn(self, n_children: int) -> list[Generator]:
        """Independent generators."""
        base = self._next()
        return [Generator(_draw.fold_in(base, i)) for i in range(n_children)]

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Array:
        """Uniform in [0, 1): multiples of 2^-53 (float64) or 2^-24 (float32), all equally probable."""
        return self._store(_draw.uniform(self._next(), self._size(size, out), _float(dtype), ""), out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Array:
        """Uniform from low to high."""
        low, high = _array(low), _array(high)
        return low + (high - low) * self.random(_shape(size, low, high))

    def standard_normal(self, size: Any = None, dtype: Any = None, out: Any = None) -> Array:
        """Normal with mean 0 and deviation 1, by Box and Muller's transform."""
        return self._store(_draw.normal(self._next(), self._size(size, out), _float(dtype), ""), out)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """Normal with mean loc and deviation scale."""
        loc, scale = _array(loc), _array(scale)
        return loc + scale * self.standard_normal(_shape(size, loc, scale))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Array:
        """The exponential of a normal."""
        return _core.exp(self.normal(mean, sigma, size))

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None) -> Array:
        """Normals with mean vector and covariance matrix, along a last axis."""
        from weft import linalg

        mean, root = asarray(mean), linalg.cholesky(asarray(cov, dtype="float64"))
        return mean + _core.matmul(self.standard_normal((*_shape(size), mean.shape[0])), root.mT)

    def standard_exponential(self, size: Any = None, dtype: Any = None, method: str = "inv", out: Any = None) -> Array:
        """Exponential with mean 1."""
        return self._store(_draw.exponential(self._next(), self._size(size, out), _float(dtype), ""), out)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Array:
        """Exponential with mean scale."""
        scale = _array(scale)
        return scale * self.standard_exponential(_shape(size, scale))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """The double exponential distribution: an exponential of either sign."""
        loc, scale = _array(loc), _array(scale)
        shape = _shape(size, loc, scale)
        return loc + scale * _core.where(self.random(shape) < 0.5, -1.0, 1.0) * self.standard_exponential(shape)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """log(u / (1 - u)) of a uniform u in (0, 1)."""
        loc, scale = _array(loc), _array(scale)
        u = self._between(_shape(size, loc, scale))
        return loc + scale * (_core.log(u) - _core.log1p(-u))

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Array:
        """-log of an exponential."""
        loc, scale = _array(loc), _array(scale)
        return loc - scale * _core.log(-_core.log(self._between(_shape(size, loc, scale))))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Array:
        """The length of a vector of two normals."""
        scale = _array(scale)
        return scale * _core.sqrt(2.0 * self.standard_exponential(_shape(size, scale)))

    def weibull(self, a: Any, size: Any = None) -> Array:
        """An exponential to the power 1 / a."""
        a = _array(a)
        return self.standard_exponential(_shape(size, a)) ** (1.0 / a)

    def pareto(self, a: Any, size: Any = None) -> Array:
        """exp(E / a) - 1 of an exponential E."""
        a = _array(a)
        return _core.expm1(self.standard_exponential(_shape(size, a)) / a)

    def power(self, a: Any, size: Any = None) -> Array:
        """A uniform to the power 1 / a."""
        a = _array(a)
        return self.random(_shape(size, a)) ** (1.0 / a)

    def standard_cauchy(self, size: Any = None) -> Array:
        """The tangent of a uniform angle."""
        return _core.tan(3.141592653589793 * (self._between(_shape(size)) - 0.5))

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Array:
        """The triangular distribution, by the inverse of its distribution function."""
        left, mode, right = _array(left), _array(mode), _array(right)
        u = self.random(_shape(size, left, mode, right))
        width = right - left
        below = left + _core.sqrt(u * (width * (mode - left)))
        above = right - _core.sqrt((1.0 - u) * (width * (right - mode)))
        return _core.where(u * width < mode - left, below, above)

    def geometric(self, p: Any, size: Any = None) -> Array:
        """How many trials it takes to succeed when each does with probability p."""
        p = _array(p)
        steps = _core.ceil(self.standard_exponential(_shape(size, p)) / -_core.log1p(-p))
        return _core.astype(_core.maximum(steps, 1.0), _core.dtype("int64"))

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = "int64", endpoint: builtins.bool = False) -> Array:
        """Integers from low to below high (to high with `endpoint`); from 0 when one bound is given."""
        if high is None:
            low, high = 0, low
        for bound in (low, high):
            if not hasattr(bound, "__index__") or getattr(bound, "ndim", 0):
                raise TypeError(f"integers: the bounds are integers: got {type(bound).__name__}")
        low, high = low.__index__(), high.__index__()
        last = high if endpoint else high - 1
        if last < low:
            raise ValueError(f"integers: low must be below high: got {low} and {high}")
        return _draw.integers(self._next(), _shape(size), low, last, _core.dtype(dtype), "")

    def bytes(self, length: int) -> builtins.bytes:
        """Random bytes."""
        return _draw.bits(self._next(), (length,), _core.dtype("uint8"), "").tobytes()

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """The elements along an axis in random order; of a number n, those of 0 … n - 1."""
        if isinstance(x, int):
            return self._order(x)
        x = asarray(x)
        return x if x.ndim == 0 else _core.take(x, self._order(x.shape[axis]), axis)

    def permuted(self, x: Any, axis: Any = None) -> Array:
        """Every line along an axis in a random order of its own."""
        from weft import _host, _indexing

        x = asarray(x)
        flat = _core.reshape(x, (-1,)) if axis is None else x
        order = _host.argsort(_draw.bits(self._next(), flat.shape, None, ""), axis=-1 if axis is None else axis)
        return _core.reshape(_indexing.take_along_axis(flat, order, axis=-1 if axis is None else axis), x.shape)

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Puts the elements along an axis into random order, in place."""
        if not isinstance(x, Array):
            raise TypeError(f"shuffle: takes a weft.Array, which it writes to: got {type(x).__name__}")
        x[...] = self.permutation(x, axis)

    def choice(
        self, a: Any, size: Any = None, replace: builtins.bool = True, p: Any = None, axis: int = 0, shuffle: builtins.bool = True
    ) -> Array:
        """Elements drawn along an axis (of a number n: of 0 … n - 1), with probabilities p."""
        from weft import _host

        count = a if isinstance(a, int) else asarray(a).shape[axis]
        shape = _shape(size)
        drawn = 1
        for extent in shape:
            drawn *= extent
        if count <= 0 < drawn:
            raise ValueError("choice: cannot draw from nothing")
        if p is not None:
            p = asarray(p, dtype="float64")
            if p.shape != (count,):
                raise ValueError(f"choice: needs one probability for each of {count} elements: got shape {p.shape}")
            if not _core.all(p >= 0, None, False) or not 0.999999 < float(_core.sum(p, None, False)) < 1.000001:
                raise ValueError("choice: probabilities are not negative and sum to 1")
        if replace:
            if p is None:
                picked = self.integers(0, count, shape) if drawn else asarray([], dtype="int64").reshape(shape)
            else:
                from weft._scans import cumsum

                total = cumsum(p)
                picked = _host.searchsorted(total / total[-1], self.random(shape), side="right")
        else:
            if drawn > count:
                raise ValueError(f"choice: cannot draw {drawn} of {count} elements without replacement")
            if p is None:
                order = self._order(count)
            else:
                # The smallest of exponentials of rates p are draws without replacement (Efraimidis and Spirakis, 2006).
                order = _host.argsort(self.standard_exponential(count) / p)
                if int(_core.sum(_core.astype(p > 0, _core.dtype("int64")), None, False)) < drawn:
                    raise ValueError(f"choice: fewer than {drawn} elements have a probability above 0")
            picked = _core.reshape(order[:drawn], shape)
        return picked if isinstance(a, int) else _core.take(asarray(a), picked, axis)

    def _order(self, count: int) -> Array:
        from weft import _host

        return _host.argsort(_draw.bits(self._next(), (count,), None, ""))

    def _between(self, shape: tuple[int, ...]) -> Array:
        """Uniform, never 0 or 1."""
        return _draw.uniform(self._next(), shape, None, "") + 2.0**-54

    @staticmethod
    def _size(size: Any, out: Any) -> tuple[int, ...]:
        return tuple(out.shape) if size is None and out is not None else _shape(size)

    @staticmethod
    def _store(result: Array, out: Any) -> Array:
        from weft._elementwise import store

        return store(result, out)


def _words(seed: Any) -> Iterator[int]:
    for one in seed if hasattr(seed, "__iter__") else (seed,):
        if not hasattr(one, "__index__") or one.__index__() < 0:
            raise ValueError(f"default_rng: seeds are integers of 0 or more, or sequences of them: got {one!r}")
        one = one.__index__()
        yield one % 2**64
        while one := one >> 64:
            yield one % 2**64


def default_rng(seed: Any = None) -> Generator:
    """A generator of a seed (an integer or several), of a key, or of the system's randomness; a generator itself."""
    if isinstance(seed, Generator):
        return seed
    if _is_key(seed):
        return Generator(seed)
    if seed is None:
        import os

        seed = int.from_bytes(os.urandom(8), "little")
    first, *rest = _words(seed)
    base = _draw.key(first, "cpu")
    for word in rest:
        base = _draw.fold_in(base, word)
    return Generator(base.item())


_global: Generator | None = None  # made at the first need


def _default() -> Generator:
    if _global is None:
        seed()
    assert _global is not None
    return _global


def seed(seed: Any = None) -> None:
    """Seeds what the module's functions draw from when they are given no key."""
    global _global
    _global = default_rng(seed)


def rand(*shape: int) -> Array:
    """Uniform in [0, 1), in a shape given as numbers."""
    return _default().random(shape)


def randn(*shape: int) -> Array:
    """Normal with mean 0 and deviation 1, in a shape given as numbers."""
    return _default().standard_normal(shape)


def _keyed_uniform(key: Array, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0) -> Array:
    drawn = _draw.uniform(key, _shape(shape), _float(dtype), "")
    return drawn if minval == 0.0 and maxval == 1.0 else minval + (maxval - minval) * drawn


def _keyed_normal(key: Array, shape: Any = (), dtype: Any = None) -> Array:
    return _draw.normal(key, _shape(shape), _float(dtype), "")


def _keyed_exponential(key: Array, shape: Any = (), dtype: Any = None) -> Array:
    return _draw.exponential(key, _shape(shape), _float(dtype), "")


def _keyed_choice(key: Array, a: Any, shape: Any = (), replace: builtins.bool = True, p: Any = None, axis: int = 0) -> Array:
    return Generator(key).choice(a, shape, replace, p, axis)


def _keyed_permutation(key: Array, x: Any, axis: int = 0) -> Array:
    return Generator(key).permutation(x, axis)


def _keyed_randint(key: Array, shape: Any, minval: int, maxval: int, dtype: Any = "int64") -> Array:
    return _draw.integers(key, _shape(shape), minval, maxval - 1, _core.dtype(dtype), "")


_keyed = {
    "uniform": _keyed_uniform,
    "normal": _keyed_normal,
    "exponential": _keyed_exponential,
    "choice": _keyed_choice,
    "permutation": _keyed_permutation,
    "randint": _keyed_randint,
}


def _module_function(name: str, method_name: str = "") -> Any:
    """NumPy's function of this name, which draws from the module's own generator; of a key, JAX's."""
    method_name = method_name or name
    method, of_key = getattr(Generator, method_name), _keyed.get(name)

    def f(*args: Any, **options: Any) -> Any:
        if of_key is not None and ((args and _is_key(args[0])) or "key" in options):
            return of_key(*args, **options)
        return getattr(_default(), method_name)(*args, **options)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = method.__doc__
    if of_key is not None:
        f.__doc__ += f" With a key first, as in JAX: {name}(key, {'x' if name == 'permutation' else 'shape'}, …)."
    return f


_same = (
    "random standard_normal uniform normal lognormal multivariate_normal standard_exponential exponential laplace logistic gumbel"
    " rayleigh weibull pareto power standard_cauchy triangular geometric bytes permutation shuffle choice"
).split()
for _name in _same:
    globals()[_name] = _module_function(_name)
randint = _module_function("randint", "integers")
random_sample = ranf = sample = globals()["random"]
__all__ += [*_same, "rand", "randint", "randn", "random_sample", "ranf", "sample", "seed"]
