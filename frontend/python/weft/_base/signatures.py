"""What the functions take that NumPy answers: functions that do nothing but have their signatures, NumPy's."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable


def _nan_order(a, axis=None, out=None, overwrite_input=False, keepdims=False): ...  # type: ignore[no-untyped-def]
def _order(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None): ...  # type: ignore[no-untyped-def]
def _nan_position(a, axis=None, out=None, *, keepdims=False): ...  # type: ignore[no-untyped-def]
def _partition(a, kth, axis=-1, kind="introselect", order=None): ...  # type: ignore[no-untyped-def]
def _polynomials(a1, a2): ...  # type: ignore[no-untyped-def]
def _transform(a, n=None, axis=-1, norm=None, out=None): ...  # type: ignore[no-untyped-def]
def _transform_2d(a, s=None, axes=(-2, -1), norm=None, out=None): ...  # type: ignore[no-untyped-def]
def _transform_nd(a, s=None, axes=None, norm=None, out=None): ...  # type: ignore[no-untyped-def]


_of_numpy: dict[str, Callable[..., Any]] = {
    "argpartition": _partition,
    "convolve": lambda a, v, mode="full": ...,
    "corrcoef": lambda x, y=None, rowvar=True, *, dtype=None: ...,
    "correlate": lambda a, v, mode="valid": ...,
    "cov": lambda m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None: ...,
    "digitize": lambda x, bins, right=False: ...,
    "einsum_path": lambda *operands, optimize="greedy", einsum_call=False: ...,
    "geomspace": lambda start, stop, num=50, endpoint=True, dtype=None, axis=0: ...,
    "gradient": lambda f, *varargs, axis=None, edge_order=1: ...,
    "histogram": lambda a, bins=10, range=None, density=None, weights=None: ...,
    "histogram2d": lambda x, y, bins=10, range=None, density=None, weights=None: ...,
    "histogram_bin_edges": lambda a, bins=10, range=None, weights=None: ...,
    "histogramdd": lambda sample, bins=10, range=None, density=None, weights=None: ...,
    "interp": lambda x, xp, fp, left=None, right=None, period=None: ...,
    "intersect1d": lambda ar1, ar2, assume_unique=False, return_indices=False: ...,
    "lexsort": lambda keys, axis=-1: ...,
    "median": _nan_order,
    "nanargmax": _nan_position,
    "nanargmin": _nan_position,
    "nanmedian": _nan_order,
    "nanpercentile": _order,
    "nanquantile": _order,
    "partition": _partition,
    "percentile": _order,
    "poly": lambda seq_of_zeros: ...,
    "polyadd": _polynomials,
    "polyder": lambda p, m=1: ...,
    "polydiv": lambda u, v: ...,
    "polyfit": lambda x, y, deg, rcond=None, full=False, w=None, cov=False: ...,
    "polyint": lambda p, m=1, k=None: ...,
    "polymul": _polynomials,
    "polysub": _polynomials,
    "quantile": _order,
    "ravel_multi_index": lambda multi_index, dims, mode="raise", order="C": ...,
    "roots": lambda p: ...,
    "setdiff1d": lambda ar1, ar2, assume_unique=False: ...,
    "setxor1d": lambda ar1, ar2, assume_unique=False: ...,
    "sort_complex": lambda a: ...,
    "union1d": lambda ar1, ar2: ...,
    "unique": lambda ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True: ...,
    "unravel_index": lambda indices, shape, order="C": ...,
}
_of_linalg: dict[str, Callable[..., Any]] = {
    "cholesky": lambda a, /, *, upper=False: ...,
    "cond": lambda x, p=None: ...,
    "det": lambda a: ...,
    "eig": lambda a: ...,
    "eigh": lambda a, UPLO="L": ...,
    "eigvals": lambda a: ...,
    "eigvalsh": lambda a, UPLO="L": ...,
    "lstsq": lambda a, b, rcond=None: ...,
    "matrix_power": lambda a, n: ...,
    "matrix_rank": lambda A, tol=None, hermitian=False, *, rtol=None: ...,
    "multi_dot": lambda arrays, *, out=None: ...,
    "pinv": lambda a, rcond=None, hermitian=False, *, rtol=None: ...,
    "qr": lambda a, mode="reduced": ...,
    "slogdet": lambda a: ...,
    "svd": lambda a, full_matrices=True, compute_uv=True, hermitian=False: ...,
    "svdvals": lambda x, /: ...,
    "tensorinv": lambda a, ind=2: ...,
    "tensorsolve": lambda a, b, axes=None: ...,
}
_of_fft: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), _transform),
    **dict.fromkeys(("fft2", "ifft2", "rfft2", "irfft2"), _transform_2d),
    **dict.fromkeys(("fftn", "ifftn", "rfftn", "irfftn"), _transform_nd),
}
taken = {"numpy": _of_numpy, "numpy.linalg": _of_linalg, "numpy.fft": _of_fft}
