"""Derivatives of decompositions, of solves, and of reductions that leave elements out."""

import math

import numpy as np
import pytest
import weft as wf
from differences import check, differences

rng = np.random.default_rng(9)


def positive(n, seed=3):
    a = np.random.default_rng(seed).normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


FACTORS = {
    "det": lambda a: wf.linalg.det(a) / 50,
    "slogdet": lambda a: wf.linalg.slogdet(a)[1] * wf.linalg.slogdet(a).sign,
    "cholesky": lambda a: wf.sum(wf.linalg.cholesky((a + a.T) / 2) * wf.asarray(np.arange(9.0).reshape(3, 3))),
    "eigenvalues": lambda a: wf.sum(wf.linalg.eigh((a + a.T) / 2)[0] ** 2 * wf.arange(1.0, 4.0)),
    "eigenvectors": lambda a: wf.sum((wf.linalg.eigh((a + a.T) / 2).eigenvectors ** 2) @ wf.asarray([1.0, -2.0, 0.5]) * wf.arange(3.0)),
}


@pytest.mark.parametrize("name", FACTORS)
def test_decompositions_have_derivatives(name):
    f, a = FACTORS[name], positive(3)
    check(f, a)
    t = wf.asarray(rng.normal(size=(3, 3)))
    moved = wf.jvp(f, (wf.asarray(a),), (t,))[1]
    assert math.isclose(float(moved), float(wf.sum(wf.grad(f)(wf.asarray(a)) * t)), rel_tol=1e-9)
    second = wf.grad(lambda a: wf.sum(wf.grad(f)(a) * t))
    np.testing.assert_allclose(np.asarray(second(wf.asarray(a))), differences(lambda a: wf.sum(wf.grad(f)(a) * t), a), rtol=1e-5, atol=1e-6)


def test_a_gaussian_process_is_fitted():
    x = np.linspace(0, 4, 12)
    y = np.sin(2 * x)

    def loss(p):
        scale, length, noise = wf.exp(p[0]), wf.exp(p[1]), wf.exp(p[2])
        k = scale * wf.exp(-(((x[:, None] - wf.asarray(x)[None, :]) / length) ** 2) / 2) + (noise + 1e-8) * wf.eye(12)
        factor = wf.linalg.cholesky(k)
        z = wf.linalg.solve(factor, wf.asarray(y))
        return z @ z / 2 + wf.sum(wf.log(wf.diagonal(factor)))

    check(loss, [0.1, -0.2, -2.0])


def test_jacobians_go_through_solve():
    a = wf.asarray(positive(3))
    rows = wf.jacrev(lambda b: wf.linalg.solve(a, b))(wf.ones(3))
    np.testing.assert_allclose(np.asarray(rows), np.linalg.inv(np.asarray(a)), rtol=1e-10)
    np.testing.assert_allclose(np.asarray(wf.jacfwd(lambda b: wf.linalg.solve(a, b))(wf.ones(3))), np.linalg.inv(np.asarray(a)), rtol=1e-10)


def test_jacobians_of_many_elements_are_one_batch():
    n = 200
    x = wf.asarray(rng.normal(size=n))
    j = np.asarray(wf.jacrev(lambda x: wf.sin(x) * wf.flip(x))(x))
    v = np.asarray(x)
    want = np.diag(np.cos(v) * v[::-1]) + np.fliplr(np.diag(np.sin(v)))
    np.testing.assert_allclose(j, want, rtol=1e-12, atol=1e-14)


_GAPS = np.array([[1.0, np.nan, 3.0, 7.0], [np.nan, -2.0, 0.5, np.nan]])
_OF_GAPS = {
    "nanvar": wf.nanvar,
    "nanstd": wf.nanstd,
    "nanmean": wf.nanmean,
    "nansum": wf.nansum,
    "nanmax": wf.nanmax,
    "nanmin": wf.nanmin,
    "nanprod": wf.nanprod,
    "nanvar of rows": lambda z: wf.nanvar(z, axis=1).sum(),
    "var": lambda z: wf.var(z, where=~wf.isnan(z)),
    "std": lambda z: wf.std(z, where=~wf.isnan(z), ddof=1),
    "mean": lambda z: wf.mean(z, where=~wf.isnan(z)),
    "sum": lambda z: wf.sum(z, where=~wf.isnan(z)),
    "prod": lambda z: wf.prod(z, where=~wf.isnan(z)),
    "max": lambda z: wf.max(z, where=~wf.isnan(z), initial=-100.0),
}


@pytest.mark.parametrize("name", _OF_GAPS)
def test_what_a_reduction_leaves_out_does_not_reach_its_gradient(name):
    f = _OF_GAPS[name]
    found = np.asarray(wf.grad(f)(wf.asarray(_GAPS)))
    step = 1e-6
    for at in np.ndindex(_GAPS.shape):
        if np.isnan(_GAPS[at]):
            assert found[at] == 0, at
            continue
        up, down = _GAPS.copy(), _GAPS.copy()
        up[at] += step
        down[at] -= step
        slope = (float(f(wf.asarray(up))) - float(f(wf.asarray(down)))) / (2 * step)
        assert found[at] == pytest.approx(slope, rel=1e-6, abs=1e-8), at
