"""Where each name of the namespace comes from: the one list, of which the package, its stub and its reference are made."""

from __future__ import annotations

from weft import _core

# NumPy's other names for functions of the op table.
SAME = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "bitwise_not": "bitwise_invert",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "true_divide": "divide",
}

_LISTED = {
    "weft._array.elementwise": "clip where",
    "weft._array.creation": (
        "arange array asanyarray asarray ascontiguousarray astype copy empty empty_like eye full full_like identity "
        "linspace meshgrid ones ones_like tri tril triu zeros zeros_like"
    ),
    "weft._base.devices": "default_device device devices",
    "weft._base.dtypes": "can_cast dtype finfo iinfo isdtype issubdtype promote_types result_type",
    "weft._array.reductions": "all any argmax argmin average count_nonzero log_softmax logsumexp max mean min prod ptp softmax std sum var",
    "weft._array.scans": "cummax cummin cumprod cumsum cumulative_max cumulative_min cumulative_prod cumulative_sum",
    "weft._array.shaping": (
        "atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes broadcast_to concat diff ediff1d "
        "expand_dims flip matrix_transpose moveaxis ndim pad permute_dims ravel repeat reshape roll shape size squeeze "
        "stack swapaxes tile transpose unstack unwrap"
    ),
    "weft._array.products": "dot inner kron matmul matvec outer tensordot trace vdot vecdot vecmat",
    "weft._array.einsum": "einsum",
    "weft._array.indexing": "compress extract place put put_along_axis putmask take take_along_axis",
    "weft._array.positions": "argwhere flatnonzero nonzero",
    "weft._array.choices": "apply_over_axes block choose piecewise resize",
    "weft._array.windows": "bartlett blackman hamming hanning i0 kaiser",
    "weft._array.stacking": (
        "array_split column_stack dsplit dstack fliplr flipud hsplit hstack rollaxis rot90 row_stack split vsplit "
        "vstack"
    ),
    "weft._array.diagonals": (
        "diag diag_indices diag_indices_from diagflat diagonal fill_diagonal mask_indices tril_indices "
        "tril_indices_from triu_indices triu_indices_from"
    ),
    "weft._array.grids": "c_ fromfunction index_exp indices ix_ logspace mgrid ogrid r_ s_ vander",
    "weft._array.flat": "flatiter",
    "weft._array.layout": "require",
    "weft._numpy.by_numpy": (
        "argpartition argsort bincount convolve corrcoef correlate cov digitize einsum_path geomspace gradient "
        "histogram histogram2d histogram_bin_edges histogramdd interp intersect1d isin lexsort median nanargmax "
        "nanargmin nanmedian nanpercentile nanquantile partition percentile quantile ravel_multi_index searchsorted "
        "setdiff1d setxor1d sort sort_complex trim_zeros union1d unique unique_all unique_counts unique_inverse "
        "unique_values unravel_index"
    ),
    "weft._numpy.names": (
        "amax amin apply_along_axis around asarray_chkfinite asfortranarray broadcast common_type concatenate copyto "
        "cross errstate geterr isfortran isscalar iterable may_share_memory min_scalar_type seterr shares_memory "
        "trapezoid"
    ),
    "weft._numpy.maps": (
        "allclose angle array_equal array_equiv deg2rad degrees divmod fabs fix float_power fmax fmin fmod heaviside "
        "isclose iscomplex iscomplexobj isneginf isposinf isreal isrealobj logaddexp2 nan_to_num rad2deg radians "
        "real_if_close rint select sinc"
    ),
    "weft._numpy.bits": "bitwise_count frexp gcd lcm ldexp modf packbits spacing unpackbits",
    "weft._numpy.nan_reductions": "nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar",
    "weft._numpy.editing": "append delete insert",
    "weft._numpy.polynomials": "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "weft._numpy.files": "frombuffer fromfile fromiter fromstring genfromtxt load loadtxt save savetxt savez savez_compressed",
    "weft._numpy.text": (
        "array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific "
        "get_printoptions printoptions set_printoptions"
    ),
    "weft._numpy.walks": "frompyfunc ndenumerate ndindex nditer",
    "weft._vectorize.elementwise": "elementwise reduction",
    "weft._vectorize.index": "index",
    "weft._vectorize.kernels": "cpu_kernel cuda_kernel kernel_output",
    "weft._vectorize.vectorized": "vectorize",
    "weft._protocols.exchange": "from_dlpack",
    "weft._base.info": "__array_namespace_info__",
    "weft._base.settings": "debug_nans set_cache set_callers set_log set_log_level set_numerics set_threads set_tier settings show_versions tier",
    "weft._base.profiled": "Profile profile",
    "weft._base.verified": "Verification bisect verify",
    "weft._base.metrics": "metrics",
    "weft._base.explained": "Explanation",
    "weft._base.session": "eval explain finish_kernels one_kernel show stats sync tune why",
    "weft._base.streams": "Event Stream pinned pinned_empty",
    "weft._compile.compiled": "compile",
    "weft._compile.exported": "export",
    "weft._derive.batches": "vmap",
    "weft._derive.custom": "checkpoint custom_jvp custom_vjp",
    "weft._derive.loops": "cond fori_loop scan switch while_loop",
    "weft._derive.tape": "no_grad",
    "weft._derive.transforms": "grad hessian hvp jacfwd jacrev jvp linearize stop_gradient value_and_grad vjp",
}

NAMES = {module: tuple(names.split()) for module, names in _LISTED.items()}
NAMES["weft._array.elementwise"] += tuple(_core.map_names)
NAMES["weft._numpy.names"] += tuple(SAME)
