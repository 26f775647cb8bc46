"""Functions of math and of NumPy that are no op: written of ops, as a user would, and inlined as a user's own."""

from __future__ import annotations

import math

import numpy as np

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def gcd(a: Any, b: Any) -> Any:
    a, b = abs(a), abs(b)
    while b != 0:
        a, b = b, a % b
    return a


def lcm(a: Any, b: Any) -> Any:
    a, b = abs(a), abs(b)
    return a // np.gcd(a, b) * b


def isqrt(n: Any) -> Any:
    root = min(int(math.sqrt(n)), 3037000499)
    while root * root > n:
        root -= 1
    while root < 3037000499 and (root + 1) * (root + 1) <= n:
        root += 1
    return root


def factorial(n: Any) -> Any:
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def perm(n: Any, k: Any) -> Any:
    product = 1 if k <= n else 0
    for i in range(k):
        product *= n - i
    return product


def comb(n: Any, k: Any) -> Any:
    count = 1 if k <= n else 0
    for i in range(min(k, n - k)):
        common = np.gcd(count, i + 1)  # first, so that nothing on the way is larger than the result
        count = count // common * ((n - i) // ((i + 1) // common))
    return count


def modf(x: Any) -> Any:
    whole = np.trunc(x)
    return np.copysign(0.0 if np.isinf(x) else x - whole, x), whole


def remainder(x: Any, y: Any) -> Any:
    size, by = abs(x), abs(y)
    rest = math.fmod(size, by)
    other = by - rest
    if rest == other:  # half of it: to the even multiple
        rest -= 2.0 * math.fmod(0.5 * (size - rest), by)
    elif rest > other:
        rest = -other
    return math.copysign(1.0, x) * rest


def ulp(x: Any) -> Any:
    x = abs(x)
    if math.isinf(x):
        return x
    above = math.nextafter(x, math.inf)
    return x - math.nextafter(x, 0.0) if math.isinf(above) else above - x


def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    off = abs(a - b)
    return a == b or (not math.isinf(off) and off <= max(rel_tol * max(abs(a), abs(b)), abs_tol))


def is_close(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    near = np.isfinite(b) and abs(a - b) <= atol + rtol * abs(b)
    return a == b or near or (equal_nan and np.isnan(a) and np.isnan(b))


def heaviside(x: Any, half: Any) -> Any:
    return x if np.isnan(x) else 0.0 if x < 0 else half if x == 0 else 1.0


def isposinf(x: Any) -> Any:
    return x == math.inf


def isneginf(x: Any) -> Any:
    return x == -math.inf


def isreal(x: Any) -> Any:
    return x.imag == 0


def iscomplex(x: Any) -> Any:
    return x.imag != 0


def logaddexp2(x: Any, y: Any) -> Any:
    most, least = np.maximum(x, y), np.minimum(x, y)
    return most + (0.0 if x == y and np.isinf(x) else np.log2(1.0 + np.exp2(least - most)))
