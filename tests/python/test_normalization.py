"""What is computed from rows, or compared along them, is computed while they are at hand."""

import numpy as np
import pytest
import weft as wf

RNG = np.random.default_rng(0)
X, TARGET = RNG.normal(size=(2, 6, 12, 10, 7))
GAIN, BIAS = RNG.normal(size=(2, 12))


def steps(*arrays):
    return sum(line.startswith("step ") for line in wf.explain(*arrays).splitlines())


def rows_kept(x, gain, bias):
    rows = x.reshape(6, 3, -1)
    h = ((rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)).reshape(x.shape)
    return h * gain[:, None, None] + bias[:, None, None]


def rows_lost(x, gain, bias):
    rows = x.reshape(6, 3, 4 * 70)
    d = rows - rows.mean(axis=2)[:, :, None]
    h = (d * (1 / np.sqrt((d * d).mean(axis=-1) + 1e-5))[..., None]).reshape(6, 12, 10, 7)
    return h * gain.reshape(1, -1, 1, 1) + bias.reshape(1, -1, 1, 1)


def groups_apart(x, gain, bias):
    groups = x.reshape(6, 3, 4, 10, 7)
    mean, variance = (of((2, 3, 4), keepdims=True) for of in (groups.mean, groups.var))
    h = ((groups - mean) / np.sqrt(variance + 1e-5)).reshape(6, 12, 10, 7)
    return h * gain[:, None, None] + bias[:, None, None]


def channels_last(x, gain, bias):
    last = np.moveaxis(x, 1, -1)
    groups = last.reshape(6, 70, 3, 4)
    mean, variance = (of((1, 3), keepdims=True) for of in (groups.mean, groups.var))
    return ((groups - mean) / np.sqrt(variance + 1e-5)).reshape(last.shape) * gain + bias


@pytest.mark.parametrize("spelling", [rows_kept, rows_lost, groups_apart, channels_last])
@pytest.mark.parametrize("dtype, digits", [("f4", 5), ("f8", 12)])
def test_a_group_norm_is_one_kernel_however_it_is_written(spelling, dtype, digits):
    y = spelling(*(wf.asarray(a.astype(dtype)) for a in (X, GAIN, BIAS)))
    assert steps(y) == 1, wf.explain(y)
    np.testing.assert_array_almost_equal(y, spelling(*(a.astype(dtype).astype("f8") for a in (X, GAIN, BIAS))), digits)


def log_softmax(x, axis):
    z = x - x.max(axis=axis, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=axis, keepdims=True))


LOSSES = {
    "cross-entropy": lambda x, t: -(t * log_softmax(x, -1)).sum(),
    "mean of it": lambda x, t: -(t * log_softmax(x, -1)).mean(),
    "along a middle axis": lambda x, t: -(t * log_softmax(x, 1)).sum(),
    "of each sample": lambda x, t: -(t * log_softmax(x, -1)).sum(axis=(1, 2, 3)),
    "largest difference": lambda x, t: (x - x.mean(axis=-1, keepdims=True)).max(),
    "squared": lambda x, t: ((log_softmax(x, (2, 3)) - t) ** 2).sum(),
    "is any": lambda x, t: (x - x.min(axis=-1, keepdims=True) > 5).any(),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_loss_over_all_rows_reads_them_once(loss):
    value = loss(wf.asarray(X), wf.asarray(TARGET))
    first, *rest = [line for line in wf.explain(value).splitlines() if line.startswith("step ")]
    assert len(rest) <= 1 and "library" not in first, wf.explain(value)
    assert all("12, 10, 7" not in line for line in rest), wf.explain(value)
    np.testing.assert_allclose(value, loss(X, TARGET), rtol=1e-12)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 2, 0), (2, 1, 0)])
def test_gradients_of_an_instance_norm_read_their_arrays_once(order):
    def gradients(x, dy, gain):
        d = x - x.mean(axis=(2, 3), keepdims=True)
        h = d / np.sqrt((d * d).mean(axis=(2, 3), keepdims=True) + 1e-5)
        g = dy * gain[:, None, None]
        dx = g - g.mean(axis=(2, 3), keepdims=True) - h * (g * h).mean(axis=(2, 3), keepdims=True)
        return [(dx, (dy * h).sum(axis=(0, 2, 3)), dy.sum(axis=(0, 2, 3)))[i] for i in order]

    have = gradients(wf.asarray(X), wf.asarray(TARGET), wf.asarray(GAIN))
    lines = [line for line in wf.explain(*have).splitlines() if line.startswith("step ")]
    assert len(lines) == 2, wf.explain(*have)
    assert "kernel over (12,) with rows (6,)" in lines[1]
    for a, b in zip(have, gradients(X, TARGET, GAIN)):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def gradients_of_rows(x, dy, gain):
    rows = x.reshape(6, 3, -1)
    r = 1 / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    h = (rows - rows.mean(-1, keepdims=True)) * r
    g = (dy * gain[:, None, None]).reshape(6, 3, -1)
    dx = r * (g - g.mean(-1, keepdims=True) - h * (g * h).mean(-1, keepdims=True))
    return dx.reshape(x.shape), (dy * h.reshape(x.shape)).sum((0, 2, 3)), dy.sum((0, 2, 3))


def gradients_of_groups(x, dy, gain):
    groups, dgroups, gains = x.reshape(6, 3, 4, 70), dy.reshape(6, 3, 4, 70), gain.reshape(3, 4, 1)
    r = 1 / np.sqrt(groups.var((2, 3), keepdims=True) + 1e-5)
    h = (groups - groups.mean((2, 3), keepdims=True)) * r
    g = dgroups * gains
    dx = r * (g - g.mean((2, 3), keepdims=True) - h * (g * h).mean((2, 3), keepdims=True))
    return dx.reshape(x.shape), (dgroups * h).sum((0, 3)).reshape(-1), dgroups.sum((0, 3)).reshape(-1)


@pytest.mark.parametrize("spelling", [gradients_of_rows, gradients_of_groups])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 2, 0), (2, 1, 0)])
def test_gradients_of_a_group_norm_read_their_arrays_once(spelling, order):
    have = spelling(wf.asarray(X), wf.asarray(TARGET), wf.asarray(GAIN))
    have, want = ([of[i] for i in order] for of in (have, spelling(X, TARGET, GAIN)))
    lines = [line for line in wf.explain(*have).splitlines() if line.startswith("step ")]
    assert len(lines) == 2 and "rows (6,)" in lines[1], wf.explain(*have)
    for a, b in zip(have, want):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shape", [(6, 4, 70), (16, 3, 65), (1, 2, 64), (5, 2, 3, 100), (3, 40, 1000), (0, 2, 90), (3, 0, 70), (3, 2, 0)])
@pytest.mark.parametrize("of", ["sum", "prod", "any", "all"])
@pytest.mark.parametrize("dtype", ["f4", "i1", "c16", "?"])
def test_rows_and_sections_of_them_are_reduced_together(shape, of, dtype):
    x = (1 + RNG.normal(size=shape) / 1000 if of == "prod" and dtype != "i1" else RNG.normal(size=shape) * 3).astype(dtype)
    a = wf.asarray(x)
    have = [getattr(a, of)(axis=axes) for axes in (tuple(range(1, x.ndim)), -1)]
    want = [getattr(x, of)(axis=axes) for axes in (tuple(range(1, x.ndim)), -1)]
    for a, b in zip(have, want):
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-4 if dtype == "f4" else 1e-11, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_rows_of_halves_are_rounded_once(dtype):
    x = wf.asarray(np.concatenate([np.full((1, 1000), 800), np.full((1, 1000), -796)]).astype("f4")).astype(dtype)
    assert float((x - (x - x.max(axis=1, keepdims=True))).sum()) == 4000


@pytest.mark.parametrize("dimensions", [1, 2, 3, 8, 32])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_nearest_centre_is_found_in_one_kernel(dimensions, dtype):
    points, centres = (RNG.normal(size=(n, dimensions)).astype(dtype) for n in (300, 40))
    p, c = wf.asarray(points), wf.asarray(centres)
    exact = ((points[:, None].astype("f8") - centres) ** 2).sum(axis=-1)
    for nearest in (
        ((p[:, None] - c[None]) ** 2).sum(axis=2).argmin(axis=1),
        np.linalg.norm(p[:, None, :] - c, axis=-1).argmin(axis=1),
        np.square(np.expand_dims(p, 1) - np.expand_dims(c, 0)).sum(-1).argmin(-1),
    ):
        assert steps(nearest) == 1, wf.explain(nearest)
        np.testing.assert_array_equal(nearest, exact.argmin(axis=1))
    least = ((p[:, None] - c) ** 2).sum(axis=-1).min(axis=1)
    assert steps(least) == 1, wf.explain(least)
    np.testing.assert_allclose(least, exact.min(axis=1), rtol=1e-5 if dtype == "f4" else 1e-13)
