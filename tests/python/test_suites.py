"""What public suites of array programs use, in small: each was found missing or wrong by one of them."""

import inspect
import pickle

import numpy as np
import pytest

import weft as wf


def test_functions_have_outer_reduce_and_accumulate():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(4.0)
    for name in ("add", "multiply", "maximum", "minimum"):
        ours, theirs = getattr(wf, name), getattr(np, name)
        assert np.array_equal(ours.outer(wf.asarray(a), b), theirs.outer(a, b))
        assert np.array_equal(ours.reduce(wf.asarray(a)), theirs.reduce(a))
        assert np.array_equal(ours.reduce(wf.asarray(a), axis=(0, 1), keepdims=True), theirs.reduce(a, axis=(0, 1), keepdims=True))
        assert np.array_equal(ours.accumulate(wf.asarray(a), axis=1), theirs.accumulate(a, axis=1))
    np.testing.assert_allclose(wf.atan2.outer(a, b), np.arctan2.outer(a, b), rtol=1e-15)
    with pytest.raises(ValueError, match="reduce: is there for functions of two operands: got sin"):
        wf.sin.reduce(wf.asarray(a))


def test_functions_are_functions_to_python():
    assert inspect.isroutine(wf.add) and str(inspect.signature(wf.sin)).startswith("(x, /, out=None, *, where=True, casting=")
    assert pickle.loads(pickle.dumps(wf.add)) is wf.add and pickle.loads(pickle.dumps(wf.fmax)) is wf.fmax
    assert repr(wf.add) == "<function add of weft>" and wf.add.nin == 2

    class Holder:
        function = wf.sin

    assert float(Holder().function(0.0)) == 0


def test_arrays_are_made_by_their_class():
    made = wf.ndarray((2, 3), dtype=np.float32)
    assert made.shape == (2, 3) and made.dtype == np.float32
    with pytest.raises(TypeError, match="memory of others"):
        wf.ndarray((2,), buffer=bytes(16))


@pytest.mark.parametrize("shape, mask_axes", [((0,), 1), ((5,), 1), ((4, 3), 1), ((4, 3), 2), ((3, 4, 2), 1), ((3, 4, 2), 2)])
def test_masks_pick_and_write_as_in_numpy(shape, mask_axes):
    draw = np.random.default_rng(3)
    theirs, mask = draw.random(shape), draw.random(shape[:mask_axes]) < 0.5
    ours, chosen = wf.array(theirs), wf.asarray(mask)
    assert np.array_equal(ours[chosen], theirs[mask])
    ours[chosen] = ours[chosen] ** 2 + 1
    theirs[mask] = theirs[mask] ** 2 + 1
    np.testing.assert_allclose(ours, theirs, rtol=1e-15)
    ours[chosen] = theirs[mask]
    across = draw.random(shape[::-1][:mask_axes]) < 0.5
    values = draw.random(theirs.T[across].shape)
    ours.T[wf.asarray(across)] = values
    theirs.T[across] = values
    assert np.array_equal(ours, theirs)
    with pytest.raises(ValueError, match="broadcast"):
        wf.broadcast_to(wf.ones(()), (3,))[wf.asarray([True, False, True])] = wf.ones(2)
    if theirs.ndim == 1 and theirs.size:
        with pytest.raises((ValueError, IndexError)):
            ours[wf.ones(theirs.shape, dtype=wf.bool)] = wf.ones(theirs.size + 1)


def test_a_loop_whose_condition_is_looked_at_computes_each_turn_once():
    u = wf.array(np.random.default_rng(4).random((200, 200)))
    for turn in range(40):
        old = u.copy()
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        before = wf.stats()
        if float(wf.abs(u - old).max()) < 1e-12:
            break
        if turn > 4:
            after = wf.stats()
            assert after["kernels_launched"] - before["kernels_launched"] <= 4
            assert after["program_misses"] == before["program_misses"]


def test_numpys_functions_of_its_modules_take_arrays():
    a = np.arange(12.0).reshape(3, 4) + 1
    x = wf.asarray(a)
    for f in (
        lambda v: np.lib.stride_tricks.sliding_window_view(v, 2, axis=1),
        lambda v: np.apply_over_axes(np.sum, v, [0]),
        lambda v: np.linalg.matrix_power(v[:, :3], 2),
        lambda v: np.fft.fftshift(v),
        lambda v: np.linalg.cond(v[:, :3] + np.eye(3)),
    ):
        given = f(x)
        assert isinstance(given, wf.Array) and np.allclose(given, f(a), rtol=1e-12)
    for one in (x, a):
        np.put_along_axis(one, np.array([[0]]), 5.0, axis=1)
    assert np.array_equal(x, a)


def test_indices_takes_any_iterable():
    assert np.array_equal(wf.indices(n for n in (2, 3)), np.indices((2, 3)))


def test_decompositions_give_arrays_in_named_tuples():
    a = np.random.default_rng(0).normal(size=(5, 3))
    x = wf.asarray(a)
    parts = wf.linalg.svd(x, full_matrices=False)
    assert all(isinstance(part, wf.Array) for part in parts) and np.allclose(parts.U * parts.S @ parts.Vh, a)
    assert np.allclose(wf.linalg.eigh(x.T @ x).eigenvalues, np.linalg.eigvalsh(a.T @ a))
    assert isinstance(np.linalg.qr(x).R, wf.Array) and isinstance(wf.linalg.slogdet(x[:3]).logabsdet, wf.Array)


def test_different_elements_are_sorted():
    assert np.array_equal(wf.unique_values(wf.asarray([3, 1, 2, 0, 1])), [0, 1, 2, 3])
    assert np.array_equal(wf.unique_values(wf.asarray([np.nan, 1, np.nan])), [1, np.nan, np.nan], equal_nan=True)


def test_memory_shared_with_numpys_arrays_is_told(on_cpu):
    x = wf.asarray(np.arange(12.0).reshape(3, 4))
    lent, large = np.asarray(x), np.zeros(100_000)
    assert np.shares_memory(lent, x) and wf.may_share_memory(x, lent[1:]) and not np.shares_memory(lent[0], x[1:])
    assert np.shares_memory(large, wf.asarray(large, copy=False)) and not wf.shares_memory(x, np.zeros(3))
