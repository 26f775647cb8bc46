"""xarray over Weft's arrays, and over Dask's with chunks of Weft: what it computes on them, and what to write where it takes NumPy's alone."""

import numpy as np
import pytest

import weft as wf

xr = pytest.importorskip("xarray", reason="xarray is not installed")
try:
    import dask.array as da
except ImportError:
    da = None

pytestmark = pytest.mark.usefixtures("on_cpu")

DAYS = np.datetime64("2020-01-30") + np.arange(4)
VALUES = np.random.default_rng(0).random((4, 5, 6))


def cube(values):
    return xr.DataArray(values, dims=("t", "y", "x"), coords={"t": DAYS.astype("datetime64[ns]"), "y": np.arange(5) * 10.0, "x": np.arange(6)})


def along(positions, *dims):
    return xr.DataArray(np.asarray(positions), dims=dims)


def written(d):
    d = d.copy()
    d[{"y": [0, 2]}] = 7.0
    return d


ON_WEFT = {
    "arithmetic": lambda d: (d - d.mean("t")) / d.std("t") + xr.apply_ufunc(np.sin, d),
    "where": lambda d: d.where(d > 0.5, -1),
    "where_drop": lambda d: d.where(d.y > 10, drop=True),
    "clip": lambda d: d.clip(0.2, 0.8),
    "sel": lambda d: d.sel(t="2020-01-31", y=slice(10, 30)),
    "isel_of_each_axis": lambda d: d.isel(t=slice(1, 3), y=[0, 2], x=[1, 3]),
    "isel_along_one": lambda d: d.isel(y=along([0, 2, 1], "p")),
    "isel_of_different_dims": lambda d: d.isel(y=along([0, 1, 2], "a"), x=along([1, 2], "b")),
    "groupby": lambda d: d.groupby("t.month").mean(),
    "groupby_bins": lambda d: d.groupby_bins("y", [0, 20, 50]).mean(),
    "resample": lambda d: d.resample(t="2D").mean(),
    "rolling": lambda d: d.rolling(x=3).mean(),
    "coarsen": lambda d: d.coarsen(x=2).mean(),
    "quantile": lambda d: d.quantile(0.3, "y"),
    "median": lambda d: d.median("y"),
    "argmax": lambda d: d.argmax("y"),
    "cumsum": lambda d: d.cumsum("t"),
    "differences": lambda d: d.diff("t"),
    "shift": lambda d: d.shift(t=1),
    "roll": lambda d: d.roll(y=1),
    "pad": lambda d: d.pad(y=1),
    "dot": lambda d: xr.dot(d, d, dim="y"),
    "corr": lambda d: xr.corr(d, d**2, dim="y"),
    "stack": lambda d: d.stack(z=("y", "x")),
    "unstack": lambda d: d.stack(z=("y", "x")).unstack("z"),
    "sortby": lambda d: d.sortby("y", ascending=False),
    "reindex": lambda d: d.reindex(y=[0.0, 5.0, 10.0]),
    "concat": lambda d: xr.concat([d, d], "t"),
    "weighted": lambda d: d.weighted(d.y).mean("y"),
    "polyfit": lambda d: d.polyfit("y", 1).polyfit_coefficients,
    "differentiate": lambda d: d.differentiate("y"),
    "written": written,
}


@pytest.mark.parametrize("name", ON_WEFT)
def test_is_computed_on_weft(name):
    f = ON_WEFT[name]
    got, wanted = f(cube(wf.asarray(VALUES))), f(cube(VALUES))
    assert isinstance(got.data, wf.Array) and got.dims == wanted.dims and got.dtype == wanted.dtype
    xr.testing.assert_allclose(got.as_numpy(), wanted)


def over_dask(values):
    return cube(da.from_array(values, chunks=(2, 3, 6), asarray=False))


ON_DASK = {
    **{name: f for name, f in ON_WEFT.items() if name != "arithmetic"},
    "arithmetic": lambda d: (d - d.mean("t")) / d.std("t") + np.sin(d),
    "map_blocks": lambda d: d.map_blocks(lambda block: block * 2 + 1, template=d),
    "apply_ufunc": lambda d: xr.apply_ufunc(lambda block: np.exp(-block) * block, d, dask="parallelized", output_dtypes=[d.dtype]),
    "rechunked": lambda d: d.chunk(t=4, y=2).resample(t="2D").max(),
}


@pytest.mark.skipif(da is None, reason="Dask is not installed")
@pytest.mark.parametrize("name", ON_DASK)
def test_is_computed_on_weft_in_chunks_of_dask(name):
    f = ON_DASK[name]
    lazy = f(over_dask(wf.asarray(VALUES)))
    assert isinstance(lazy.data, da.Array)
    got, wanted = lazy.compute(scheduler="threads"), f(over_dask(VALUES)).compute(scheduler="threads")
    assert isinstance(got.data, wf.Array) and got.dims == wanted.dims and got.dtype == wanted.dtype
    xr.testing.assert_allclose(got.as_numpy(), wanted)


def test_points_are_picked_along_an_axis_of_both():
    d, y, x = cube(wf.asarray(VALUES)), np.array([0, 1, 4]), np.array([1, 2, 3])
    got = d.stack(p=("y", "x")).isel(p=y * d.sizes["x"] + x)
    assert isinstance(got.data, wf.Array)
    wanted = d.as_numpy().isel(y=along(y, "p"), x=along(x, "p"))
    assert np.array_equal(np.asarray(got.data), wanted.values)
    assert np.array_equal(np.asarray(d.data[:, y, x]), wanted.values)
    largest = wf.take_along_axis(d.data, d.argmax("y").data[:, None], 1)
    assert np.array_equal(np.asarray(largest[:, 0]), VALUES.max(1))


def test_days_of_the_largest_are_picked_from_the_coordinate():
    d = cube(wf.asarray(VALUES))
    wanted = d.as_numpy().idxmax("t")
    assert np.array_equal(d.t[d.argmax("t").as_numpy()].values, wanted.values)
    assert np.array_equal(d.y[d.argmax("y").as_numpy()].values, d.as_numpy().idxmax("y").values)
