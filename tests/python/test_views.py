"""Indices, views and writes by random programs, against NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
import weft as wf
from hypothesis import given


def positions(extent):
    return st.integers(-extent, extent - 1) if extent else st.nothing()


@st.composite
def slices(draw, extent):
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    step = draw(st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3]))
    return slice(draw(bound), draw(bound), step)


@st.composite
def basic_keys(draw, shape):
    key = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        if extent and draw(st.booleans()):
            key.append(draw(positions(extent)))
        else:
            key.append(draw(slices(extent)))
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), None)
    if draw(st.booleans()):
        key.append(Ellipsis)
    return tuple(key)


@st.composite
def advanced_keys(draw, shape):
    """One mask, or arrays of positions among slices and integers."""
    if draw(st.booleans()):
        axes = draw(st.integers(1, len(shape)))
        count = int(np.prod(shape[:axes]))
        mask = draw(st.lists(st.booleans(), min_size=count, max_size=count))
        return np.array(mask, bool).reshape(shape[:axes])
    index_shape = draw(st.sampled_from([(3,), (2, 2), (1,), ()]))
    key = []
    for extent in shape:
        kind = draw(st.sampled_from(["array", "slice", "integer"])) if extent else "slice"
        if kind == "array":
            n = int(np.prod(index_shape))
            index = np.array(draw(st.lists(positions(extent), min_size=n, max_size=n)), np.int64)
            key.append(index.reshape(index_shape))
        else:
            key.append(draw(slices(extent) if kind == "slice" else positions(extent)))
    return tuple(key)


@st.composite
def reshapes(draw, shape):
    """Another shape for as many elements: axes joined, split and of extent 1."""
    left = int(np.prod(shape))
    if left == 0:
        return (0,)
    extents = []
    while left > 1 or draw(st.booleans()):
        extent = draw(st.sampled_from([d for d in range(1, left + 1) if left % d == 0]))
        extents.append(extent)
        left //= extent
        if len(extents) == 5:
            extents.append(left)
            break
    return tuple(extents)


shapes = st.sampled_from([(6,), (3, 4), (2, 3, 4), (1, 5), (4, 1, 2), (0, 3), (4, 6), (2, 2, 3, 2)])


@given(shapes.flatmap(lambda s: st.tuples(st.just(s), basic_keys(s) | advanced_keys(s))))
def test_reading(case):
    shape, key = case
    a = np.arange(int(np.prod(shape))).reshape(shape)
    x = wf.asarray(a)
    expected = a[key]
    got = x[key]
    assert got.shape == np.shape(expected)
    np.testing.assert_array_equal(np.asarray(got), expected)


@given(st.data())
def test_programs_of_views_and_writes(data):
    shape = data.draw(shapes | st.sampled_from([(3, 3), (3, 4, 3), (4, 4, 4)]))
    a = np.zeros(shape)
    a[...] = np.arange(float(np.prod(shape))).reshape(shape)
    x = wf.asarray(a)
    pairs = [(a, x)]
    for step in range(data.draw(st.integers(1, 8))):
        n, w = data.draw(st.sampled_from(pairs))
        actions = ["view", "transpose", "reshape", "flip", "write", "in place", "copy", "advanced", "cross", "diagonal", "trim", "flat", "lock", "unlock", "base"]
        action = data.draw(st.sampled_from(actions))
        assert w.flags.writeable == n.flags.writeable
        if action in ("write", "in place", "advanced", "cross", "flat") and not n.flags.writeable:
            with pytest.raises(ValueError, match="assignment destination is read-only"):
                w[...] = 0
            continue
        if action == "view":
            key = data.draw(basic_keys(n.shape))
            pairs.append((np.asarray(n[key]) if np.isscalar(n[key]) else n[key], w[key]))
            if np.isscalar(n[key]):
                pairs.pop()
        elif action == "transpose":
            axes = data.draw(st.permutations(range(n.ndim)))
            pairs.append((n.transpose(axes), w.transpose(axes)))
        elif action == "reshape":
            other = data.draw(reshapes(n.shape))
            if np.shares_memory(n.reshape(other), n):
                pairs.append((n.reshape(other), w.reshape(other)))
        elif action == "flip" and n.ndim:
            axis = data.draw(st.integers(0, n.ndim - 1))
            pairs.append((np.flip(n, axis), wf.flip(w, axis=axis)))
        elif action == "diagonal":
            labels = data.draw(st.lists(st.sampled_from("ijk"), min_size=n.ndim, max_size=n.ndim))
            kept = "".join(data.draw(st.permutations(sorted(set(labels)))))
            subscripts = "".join(labels) + "->" + kept
            if n.ndim and all(len({extent for extent, one in zip(n.shape, labels) if one == label}) == 1 for label in kept):
                pairs.append((np.einsum(subscripts, n), wf.einsum(subscripts, w)))
        elif action == "trim" and n.ndim:
            pairs.append((np.trim_zeros(n), wf.trim_zeros(w)))
        elif action == "flat":
            key = data.draw(slices(n.size))
            if data.draw(st.booleans()) and n.size:
                key = np.array(data.draw(st.lists(positions(n.size), min_size=1, max_size=4)))
            values = data.draw(st.sampled_from([7.0, [1.0, 2.0, 3.0]]))
            np.testing.assert_array_equal(np.asarray(w.flat[key]), n.flat[key])
            n.flat[key] = values
            w.flat[key] = values
        elif action == "lock":
            n.flags.writeable = w.flags.writeable = False
        elif action == "unlock":
            try:
                n.flags.writeable = True
            except ValueError:
                with pytest.raises(ValueError, match="writeable"):
                    w.flags.writeable = True
            else:
                w.flags.writeable = True
        elif action == "base":
            assert [w.base is v for _, v in pairs] == [n.base is m for m, _ in pairs]
        elif action == "copy":
            pairs.append((n.copy(), w.copy()))
        elif action == "write":
            key = data.draw(basic_keys(n.shape))
            n[key] = step + 100
            w[key] = step + 100
        elif action == "in place":
            n *= 2
            w *= 2
        elif action == "advanced" and n.ndim:
            key = data.draw(advanced_keys(n.shape))
            n[key] = step - 50
            w[key] = step - 50
        elif action == "cross":
            # The value overlaps what it is written to.
            m, v = data.draw(st.sampled_from(pairs))
            if m.shape == n.shape:
                n[...] = m + n[..., ::-1] if n.ndim else m + n
                w[...] = v + w[..., ::-1] if n.ndim else v + w
    for n, w in pairs:
        np.testing.assert_array_equal(np.asarray(w), n)


def test_arrays_written_through_positions():
    a, x = np.zeros((4, 5)), wf.zeros((4, 5))
    for target in (a, x):
        target[[0, 2], 1:3] = [[1, 2], [3, 4]]
        target[[1, 1, 1], 0] = [5, 6, 7]
        target[:, [4, 3]] += [[10, 20]]
        target[target > 9] -= 1
        target[target == 9] = 77
        target[[[0], [3]], [1, 2]] = 8
    np.testing.assert_array_equal(np.asarray(x), a)


def test_masks_of_a_choice_stay_lazy():
    x = wf.arange(1000) * 1.0
    launched = wf.stats()["kernels_launched"]
    x[x > 5] = 0
    assert wf.stats()["kernels_launched"] == launched
    assert float(x.sum()) == 15


def picked_and_put_back(xp, a, mask):
    x, m = xp.array(a), xp.array(mask)
    before = x[m]
    x[m] = x[m] * 2 + x[m]
    n = xp.zeros(mask.shape, dtype=xp.int64)
    n[m] = 5
    n[m] += 3
    x[m] -= before / 4
    held = x[m]
    held += 1
    x[m] = held
    odd = x[::-1]
    odd[m] = odd[m].astype(xp.float32) if xp is np else xp.astype(odd[m], xp.float32)
    m[:1] = ~m[:1]
    x[m] = -x[m]
    x[m] = x[m].sum()
    x[m] = a[mask][:1]
    return x, n, before, held, x[m]


@pytest.mark.parametrize("shape", [(400,), (30, 20), (12, 5, 7)])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.6, 1.0])
def test_arithmetic_on_what_a_mask_picks(shape, share):
    draw = np.random.default_rng(5)
    a = draw.standard_normal(shape)
    mask = draw.random(shape[: max(1, len(shape) - 1)]) < share
    if not mask.any() or mask.all():
        mask[-1:] = ~mask[-1:] if share else mask[-1:]
        mask[0] = True  # a[mask][:1] has one element
    for ours, theirs in zip(picked_and_put_back(wf, a, mask), picked_and_put_back(np, a, mask)):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-12, atol=1e-12)


def test_what_is_picked_and_put_back_is_a_choice():
    x, c = wf.arange(3000) * 1.0, wf.arange(3000) * 0.5
    mask = x > 1000
    wf.eval(mask, c)
    launched = wf.stats()["kernels_launched"]
    x[mask] = x[mask] ** 2 + c[mask]
    assert float(x[2000]) == 2000.0**2 + 1000
    if mask.device == "cpu":  # a GPU counts the true elements by kernels too
        assert wf.stats()["kernels_launched"] - launched == 1


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (5, IndexError),
        ((0, 0, 0), IndexError),
        ([7], IndexError),
        (np.zeros((2, 4), bool), IndexError),
        ((Ellipsis, Ellipsis), IndexError),
        ([0.5], IndexError),
        (slice(None, None, 0), ValueError),
        ("a", IndexError),
        (10**30, IndexError),
    ],
)
def test_wrong_indices(key, error):
    x = wf.zeros((3, 4))
    with pytest.raises(error):
        x[key]
    with pytest.raises(error):
        x[key] = 0


def test_wrong_writes():
    x = wf.zeros((3, 4), dtype=wf.int8)
    with pytest.raises(ValueError, match="broadcast"):
        x[0] = [1, 2, 3]
    with pytest.raises(OverflowError, match="int8|i8"):
        x[0] = 1000
    with pytest.raises(TypeError):
        x[0] = 1j
    with pytest.raises(ValueError, match="read-only view"):
        wf.broadcast_to(x, (2, 3, 4))[0] = 1
    with pytest.raises(ValueError, match="deleted"):
        del x[0]


def test_parts_of_one_complex_number_are_views_where_it_is_an_array():
    for m in (np, wf):
        z = m.zeros((), complex)
        z.real, z.imag = 3, -1
        part = z.real
        part[...] += 1
        assert complex(z) == 4 - 1j and part.base is z and z.imag.flags.writeable
        assert (z + 0).real == 4 and m.asarray(2.0).imag == 0


def test_shape_is_assigned_in_place():
    x = wf.arange(6)
    y = x
    x.shape = (2, 3)
    assert y.shape == (2, 3)
    with pytest.raises(ValueError):
        x.shape = (4, 2)
    turned = x.T
    with pytest.raises(AttributeError):
        turned.shape = (6,)


@pytest.mark.parametrize(
    "apart",
    [
        lambda m, a: a[::2].ravel(), lambda m, a: m.ravel(a[:, 1]), lambda m, a: a[::-1].ravel(), lambda m, a: a[:, :1].ravel("F"),
        lambda m, a: m.ascontiguousarray(a.T), lambda m, a: m.ascontiguousarray(a[::2]), lambda m, a: m.asfortranarray(a),
        lambda m, a: m.asarray(a.T, order="C"), lambda m, a: a.reshape((-1,)), lambda m, a: a.ravel(), lambda m, a: a.T.ravel("F"),
        lambda m, a: m.ascontiguousarray(a), lambda m, a: m.asarray(a, order="C"), lambda m, a: a.conj(), lambda m, a: m.asfortranarray(a.T),
        lambda m, a: a.T.ravel("K"), lambda m, a: a.T.ravel("A"),
    ],
)  # fmt: skip
def test_what_is_asked_for_without_gaps_is_a_view_where_numpys_is(apart):
    ours, theirs = wf.arange(12).reshape(3, 4), np.arange(12).reshape(3, 4)
    for m, a in ((wf, ours), (np, theirs)):
        part = apart(m, a)
        part += 100
    assert ours.tolist() == theirs.tolist()


sized = ["i1", "u2", "f2", "i4", "f4", "c8", "u8", "f8", "c16"]


@given(st.data())
def test_views_of_another_dtype_are_written_through(data):
    shape = data.draw(st.sampled_from([(4, 16), (16,), (2, 3, 8), (5, 1), (300, 16)]))
    a = np.zeros(shape, data.draw(st.sampled_from(sized)))
    a[...] = np.arange(a.size).reshape(shape) % 50
    x = wf.asarray(a.copy())
    key = tuple(data.draw(slices(extent)) for extent in shape[: data.draw(st.integers(0, len(shape)))])
    n, w = a[key], x[key]
    for _ in range(2):
        to = data.draw(st.sampled_from(sized))
        try:
            n, viewed = n.view(to), n
        except ValueError:
            with pytest.raises(ValueError, match="view_as"):
                w.view(to)
            return
        try:
            w = w.view(to)
        except wf.Error:  # an element of NumPy's may begin within one
            size = n.dtype.itemsize
            offset = n.__array_interface__["data"][0] - a.__array_interface__["data"][0]
            assert any(stride % size for stride in viewed.strides) or offset % size
            return
    n[..., 1:] = 3
    w[..., 1:] = 3
    if n.size and n.dtype.kind in "iu":
        n += 1
        w += 1
    assert w.dtype == n.dtype and w.shape == n.shape
    assert np.asarray(w).tobytes() == n.tobytes() and np.asarray(x).tobytes() == a.tobytes()


def test_bits_are_not_read_as_bools_or_across_gaps():
    with pytest.raises(TypeError, match="bools"):
        wf.zeros(3, dtype="u1").view(bool)
    with pytest.raises(ValueError, match="without gaps"):
        wf.zeros((4, 4))[:, ::2].view("f4")
    with pytest.raises(ValueError, match="without gaps"):
        wf.zeros(()).view("f4")


def test_positions_along_one_axis_beside_whole_ones_pick_as_numpys_do():
    table = np.arange(120.0).reshape(4, 5, 6)
    ours = wf.asarray(table)
    positions = [np.array([1, -1, 3]), np.array([[0, 2], [3, -4]]), np.array([2], "uint8"), np.zeros((0,), int), np.array([7]), np.array(2)]
    keys = [lambda i: (slice(None), i), lambda i: (slice(None), slice(None), i), lambda i: (..., i), lambda i: (i, ...), lambda i: (i, slice(None)),
            lambda i: (slice(None), ..., i), lambda i: (slice(None), i, ...), lambda i: (..., i, slice(None)), lambda i: (i,),
            lambda i: (slice(None), slice(None), slice(None), i), lambda i: (slice(None), i, slice(None), slice(None)), lambda i: (..., i, ...),
            lambda i: (slice(None), slice(None), ..., slice(None), i), lambda i: (slice(1, None), i), lambda i: (slice(None), i, i), lambda i: (None, i)]
    for key in keys:
        for i in positions:
            def pick(x, i):
                try:
                    return np.asarray(x[key(i)]), None
                except Exception as e:
                    return None, type(e)

            (want, refused), (got, also) = pick(table, i), pick(ours, wf.asarray(i))
            assert (want is None) == (got is None), (key(i), refused, also)
            if want is None:
                assert issubclass(also, refused)
            else:
                np.testing.assert_array_equal(got, want)
