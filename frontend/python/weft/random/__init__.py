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

import builtins
import os

from weft import _core
from weft._core import Array
from weft._base.asarray import named_device
from weft._base.errors import missing as _missing
from weft._base.helped import attach as _attach_help
from weft._base.recorded import recording
from weft.random._generator import (
    Generator, _MOST, _REPEATS, _checked, as_parameter, chosen_by, draw, float_dtype, is_key, permuted_by, shape_of, size_of,
)

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Iterator

__all__ = ["Generator", "RandomState", "bernoulli", "bits", "default_rng", "fold_in", "key", "split"]


def key(seed: int, *, device: Any = None) -> Array:
    """The key of a seed, an array of rank 0 of uint64."""
    if not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise ValueError(f"key: the seed is an integer from 0 to 2**64 - 1: got {seed!r}")
    return draw.key(seed, named_device(device))


def split(key: Array, num: int = 2) -> Array:
    """`num` keys in an array, to be unpacked or indexed; none gives what `key` itself gives."""
    return draw.split(key, num)


def fold_in(key: Array, data: Any) -> Array:
    """The key of an integer among those that belong to `key`."""
    return draw.fold_in(key, data)


def bits(key: Array, shape: Any = (), dtype: Any = "uint64") -> Array:
    """Random bits as unsigned integers."""
    return draw.bits(key, shape_of(shape), _core.dtype(dtype), "")


def bernoulli(key: Array, p: Any = 0.5, shape: Any = None) -> Array:
    """True with probability p."""
    return draw.bernoulli(key, as_parameter(p), size_of(shape))


def _words(seed: Any) -> Iterator[int]:
    for one in seed if hasattr(seed, "__iter__") else (seed,):
        if not hasattr(one, "__index__"):
            raise TypeError(f"default_rng: seeds are integers of 0 or more, or sequences of them: got {one!r}")
        if one.__index__() < 0:
            raise ValueError(f"default_rng: seeds are integers of 0 or more, or sequences of them: got {one!r}")
        one = one.__index__()
        yield one % 2**64
        while one := one >> 64:
            yield one % 2**64


def default_rng(seed: Any = None) -> Generator:
    """A generator of a seed (an integer or several), of a key, or of the system's randomness; a generator itself."""
    if isinstance(seed, Generator):
        return seed
    if is_key(seed):
        return Generator(seed)
    if seed is None:
        if recording.get() is not None:
            raise _core.Error(f"random: a generator without a seed would {_REPEATS}")
        seed = int.from_bytes(os.urandom(8), "little")
    first, *rest = _words(seed)
    base = draw.key(first, "cpu")
    for word in rest:
        base = draw.fold_in(base, word)
    return Generator(base.item())


class RandomState(Generator):
    """NumPy's older interface to a generator: of the same seed the same numbers as default_rng()'s, which are not NumPy's."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__(default_rng(seed)._key)

    def __setstate__(self, state: Any) -> None:
        self.__init__(0)  # type: ignore[misc]
        self._key, self._drawn = state

    def __repr__(self) -> str:
        return f"weft.random.RandomState(drawn={self._drawn})"

    def seed(self, seed: Any = None) -> None:
        """Begins again, from a seed."""
        self._belongs_here()
        self.__setstate__((default_rng(seed)._key, 0))

    def get_state(self, legacy: builtins.bool = True) -> Any:
        """What set_state() takes to go on from here. It is Weft's own, and no state of NumPy's."""
        return ("Threefry", *self.__getstate__()) if legacy else {"bit_generator": "Threefry", "state": self.__getstate__()}

    def set_state(self, state: Any) -> None:
        """Goes on from where get_state() was called."""
        self._belongs_here()
        kind, *rest = (state.get("bit_generator"), *state.get("state", ())) if isinstance(state, dict) else state
        if kind != "Threefry" or len(rest) != 2:
            raise ValueError(f"set_state: takes what get_state() of Weft gives: got a state of {kind!r}")
        self.__setstate__(tuple(rest))

    def rand(self, *shape: int) -> Array:
        """Uniform in [0, 1), in a shape given as numbers."""
        return self.random(shape)

    def randn(self, *shape: int) -> Array:
        """Normal with mean 0 and deviation 1, in a shape given as numbers."""
        return self.standard_normal(shape)

    def random_sample(self, size: Any = None) -> Array:
        """Uniform in [0, 1)."""
        return self.random(size)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Array:
        """Integers from low to below high; from 0 when one bound is given."""
        return self.integers(low, high, size, dtype)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Array:
        """Integers from low to high; from 1 when one bound is given."""
        return self.integers(1 if high is None else low, low if high is None else high, size, endpoint=True)

    def tomaxint(self, size: Any = None) -> Array:
        """Integers from 0 to the largest of int64."""
        return self.integers(0, 2**63 - 1, size, endpoint=True)


_global: RandomState | None = None  # made at the first need


def _default() -> RandomState:
    global _global
    if _global is None:
        _global = RandomState()
    return _global


def seed(seed: Any = None) -> None:
    """Seeds what the module's functions draw from when they are given no key."""
    global _global
    if recording.get() is not None:
        raise _core.Error("random: seed() would not happen again when a compiled function is called again: seed outside, or pass a key")
    _global = RandomState(seed)


def _keyed_uniform(key: Array, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0) -> Array:
    drawn = draw.uniform(key, shape_of(shape), float_dtype(dtype), "")
    return drawn if minval == 0.0 and maxval == 1.0 else minval + (maxval - minval) * drawn


def _keyed_normal(key: Array, shape: Any = (), dtype: Any = None) -> Array:
    return draw.normal(key, shape_of(shape), float_dtype(dtype), "")


def _keyed_exponential(key: Array, shape: Any = (), dtype: Any = None) -> Array:
    return draw.exponential(key, shape_of(shape), float_dtype(dtype), "")


def _keyed_choice(key: Array, a: Any, shape: Any = (), replace: builtins.bool = True, p: Any = None, axis: int = 0) -> Array:
    return chosen_by(key, a, shape, replace, p, axis)


def _keyed_permutation(key: Array, x: Any, axis: int = 0) -> Array:
    return permuted_by(key, x, axis)


def _keyed_randint(key: Array, shape: Any, minval: int, maxval: int, dtype: Any = "int64") -> Array:
    return draw.integers(key, shape_of(shape), minval, maxval - 1, _core.dtype(dtype), "")


def _keyed_gamma(key: Array, a: Any, shape: Any = None) -> Array:
    return draw.gamma(key, _checked("gamma", "a", a, 0.0), 1.0, size_of(shape))


def _keyed_beta(key: Array, a: Any, b: Any, shape: Any = None) -> Array:
    return draw.beta(key, _checked("beta", "a", a, 0.0), _checked("beta", "b", b, 0.0), size_of(shape))


def _keyed_poisson(key: Array, lam: Any, shape: Any = None) -> Array:
    return draw.poisson(key, _checked("poisson", "lam", lam, 0.0, _MOST), size_of(shape))


def _keyed_binomial(key: Array, n: Any, p: Any, shape: Any = None) -> Array:
    n, p = _checked("binomial", "n", n, 0.0, _MOST), _checked("binomial", "p", p, 0.0, 1.0)
    return draw.binomial(key, n, p, size_of(shape))


_keyed = {
    "gamma": _keyed_gamma,
    "beta": _keyed_beta,
    "poisson": _keyed_poisson,
    "binomial": _keyed_binomial,
    "uniform": _keyed_uniform,
    "normal": _keyed_normal,
    "exponential": _keyed_exponential,
    "choice": _keyed_choice,
    "permutation": _keyed_permutation,
    "randint": _keyed_randint,
}


def _module_function(name: str) -> Any:
    """NumPy's function of this name, which draws from the module's own generator; of a key, JAX's."""
    method, of_key = getattr(RandomState, name), _keyed.get(name)

    def f(*args: Any, **options: Any) -> Any:
        if of_key is not None and ((args and is_key(args[0])) or "key" in options):
            return of_key(*args, **options)
        return getattr(_default(), name)(*args, **options)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = method.__doc__
    f.__wrapped__ = method.__get__(f)  # type: ignore[attr-defined]  # what inspect.signature() tells, without self
    if of_key is not None:
        parameters = of_key.__code__.co_varnames[: of_key.__code__.co_argcount]
        f.__doc__ += f" With a key first, as in JAX: {name}({', '.join(parameters)})."
    return f


_same = (
    "random standard_normal uniform normal lognormal multivariate_normal standard_exponential exponential laplace logistic gumbel"
    " rayleigh weibull pareto power standard_cauchy triangular geometric bytes permutation shuffle choice"
    " standard_gamma gamma chisquare noncentral_chisquare f noncentral_f standard_t beta dirichlet poisson binomial"
    " negative_binomial multinomial hypergeometric multivariate_hypergeometric zipf vonmises wald logseries"
    " rand randn randint random_integers get_state set_state"
).split()
for _name in _same:
    globals()[_name] = _module_function(_name)
random_sample = ranf = sample = globals()["random"]
__all__ += [*_same, "random_sample", "ranf", "sample", "seed"]


def __dir__() -> list[str]:
    """What users call."""
    return __all__


def __getattr__(name: str) -> Any:
    raise _missing(".random", name)


_attach_help(__name__)
