"""Wrong calls raise what NumPy raises for them, or a kind of it, so that what catches NumPy's errors catches Weft's."""

import numpy as np
import pytest
import weft as wf

# m is the module and a an array of 2 by 3 numbers.
WRONG = """
a[0.0]
a[0.0, 0.0]
a[0.0, :]
a[:, 0.0]
a[0.0:1]
a[..., 0.0]
a['x']
a[[0.5]]
a[True, [1, 2]]
a[2]
a[0, 0, 0]
a[..., ...]
a.__setitem__(a > 2, [1, 2])
a.__setitem__(m.ones((2, 2), bool), 1)
a[m.ones(7, bool)]
a.__setitem__(a > 2, m.ones((2, 2)))
a.astype(int).__setitem__(0, float('inf'))
a.astype(int).__setitem__(0, float('nan'))
a.astype('i1').__setitem__(0, 300)
a.__setitem__(0, 'x')
a.__setitem__(0, 1j)
a.__setitem__(0, [[1], [2, 3]])
a.__setitem__((0, 0), [1, 2])
a.astype(int).__setitem__(0, [1, float('nan')])
a.astype(int).__setitem__([0], [1, float('inf')])
(lambda b: b.__setitem__(b > 1, float('inf')))(a.astype(int))
a[[5]]
a[[0, 1], [0, 1, 0]]
a.__setitem__([7], 1)
m.sum(a, axis=2)
m.sum(a, axis=(0, 0))
m.sum(a, axis=1.5)
a.sum(3)
m.max(m.zeros(0))
m.max(m.zeros((0, 2)), axis=0)
m.argmax(m.zeros(0))
m.mean(a, dtype='bogus')
m.zeros(3, dtype='float31')
m.zeros(-1)
m.zeros((2, -1))
m.zeros(2.5)
m.zeros('x')
m.zeros(None)
m.zeros((2, 3.0))
a.reshape(4, 2)
a.reshape(-1, -1)
a.reshape(5, -1)
a.reshape(2.0, 3)
a.reshape('x')
a.reshape(6, order='Q')
a.reshape()
setattr(a, 'shape', (4,))
setattr(a.T, 'shape', (6,))
delattr(a, 'shape')
a.astype(int).__setitem__(0, 2**70)
a.__setitem__(0, 10**400)
m.full(3, 'a', dtype=float)
m.asarray(np.array(['1.5', 'b']), dtype=float)
m.add(a, 1, a, a)
m.add(a, 1, a, a, subok=True)
m.add(a, 1, a, out=a)
m.add(a, 1, a, out=a, subok=True)
m.cross(3, [1, 2, 3])
m.random.geometric(0)
m.add.accumulate(3.0)
m.std(a, ddof='x')
m.random.default_rng(0).integers([0, 5], [3, 5])
m.random.default_rng(0).integers([0, 5], [3, 500], dtype='i1')
a.transpose(0, 0)
a.transpose(0, 1, 2)
a.transpose(0, 2)
m.swapaxes(a, 0, 2)
m.moveaxis(a, 0, 2)
m.moveaxis(a, [0, 1], [0])
m.moveaxis(a, [0, 0], [0, 1])
m.rollaxis(a, 3)
m.expand_dims(a, 5)
m.expand_dims(a, (0, 0))
m.squeeze(a, 0)
m.squeeze(a, 4)
m.flip(a, 3)
m.roll(a, 1, 3)
m.repeat(a, -1)
m.repeat(a, [1, 2], axis=1)
m.repeat(a, 2, axis=3)
m.tile(a, -1)
m.tile(a, 1.5)
m.concatenate([a, a[:, :2]])
m.concatenate([a, a[0]])
m.concatenate([])
m.concatenate([m.asarray(1), m.asarray(2)])
m.concatenate([a, a], axis=2)
m.concatenate(3)
m.stack([a, a[0]])
m.stack([])
m.stack([a, a], axis=4)
m.vstack([a, a[:, :2]])
m.hstack([a, a[:1]])
m.split(a, 3)
m.split(a, 2, axis=3)
m.split(a, 0)
m.split(a, -1)
m.array_split(a, 0)
m.hsplit(m.asarray(1), 2)
m.vsplit(a[0], 1)
m.dsplit(a, 1)
a + m.ones(4)
a.__iadd__(m.ones((2, 2, 3)))
a.astype(int).__iadd__(1.5)
a + 'x'
a + None
m.add(a, 'x')
a + [[1, 2], [3]]
a & 1
~a
a << 1
-(a > 1)
(a > 1) - (a > 1)
m.add(a, a, out=m.zeros(3))
m.add(a, a, out=m.zeros((2, 3), int))
m.add(a, a, out=[1, 2])
m.sum(a, axis=0, out=m.zeros(4))
m.add(a)
m.add(a, a, a, a)
m.add(a, a, bogus=1)
m.sum(a, bogus=1)
a.astype('i4') + 2 ** 40
a.astype('u1') + -1
a.astype(int) ** (-1)
a @ a
a @ 2
m.matmul(a, 3.0)
m.dot(a, a)
m.vdot(a, a[0])
m.inner(a, a[:, :2])
m.tensordot(a, a, axes=1)
m.tensordot(a, a, axes=([0], [5]))
m.einsum('ij,jk', a, a)
m.einsum('ij,jk', a)
m.einsum('i$', a)
m.einsum('ij->ik', a)
m.cross(a[:, :1], a[:, :1])
m.trace(a[0])
m.diag(a[None])
m.diagonal(a[0])
m.linalg.inv(a)
m.linalg.inv(m.zeros((2, 2)))
m.linalg.solve(a, a)
m.linalg.solve(m.zeros((2, 2)), m.ones(2))
m.linalg.cholesky(-m.eye(2))
m.linalg.det(a)
m.linalg.norm(a, 'bogus')
m.linalg.svd(a[0])
bool(a)
bool(m.zeros(0))
float(a)
int(a)
range(3)[m.asarray([1, 2])]
[1, 2][m.asarray(1.0)]
len(m.asarray(1))
list(m.asarray(1))
a.item()
a.item(9)
a.item(0, 0, 0)
hash(a)
m.asarray(1)[0]
complex(a)
float(m.asarray(1j))
round(a)
m.asarray(1j) < 'x'
m.take(a, [9])
m.take(a, [0], mode='bogus')
m.take(a, [0], axis=3)
m.take_along_axis(a, m.asarray([0]), 1)
m.take_along_axis(a, m.asarray([[9], [0]]), 1)
m.take_along_axis(a, m.asarray([[True], [False]]), 1)
m.put(a, [9], 1)
m.put(a, [0], 1, mode='q')
m.choose([3], [1, 2])
m.choose([0], [1, 2], mode='q')
m.compress([True] * 9, a, axis=0)
m.extract([True] * 9, a)
m.place(a, a > 0, [])
m.putmask(a, [True], 1)
m.select([a > 1], [1, 2])
m.where(a > 1, a, m.ones(4))
m.where(a > 1, a)
m.delete(a, 9)
m.insert(a, 9, 1)
m.append(a, [1], axis=0)
m.searchsorted(a[0], 1, side='q')
m.searchsorted(a, 1)
m.unravel_index(9, (2, 3))
m.ravel_multi_index((3, 3), (2, 3))
m.digitize(a, [1, 3, 2])
m.bincount([-1])
m.histogram(a, bins=0)
m.interp(1, [1, 2], [1, 2, 3])
m.percentile(a, 101)
m.quantile(a, 1.5)
m.median(a, axis=5)
m.sort(a, axis=5)
m.sort(a, kind='bogus')
m.sort(a, order='f')
m.argsort(a, axis=5)
m.sort(m.asarray(1))
m.nonzero(m.asarray(1))
m.partition(a, 7)
m.cumsum(a, axis=5)
m.diff(a, -1)
m.diff(m.asarray(1))
m.diff(a, axis=5)
m.gradient(m.asarray([1.0]))
m.convolve([], [1])
m.convolve([1, 2], [1], mode='q')
m.average(a, weights=[1, 2])
m.average(a[0], weights=[0, 0, 0])
m.average(a, axis=0, weights=[1, 2, 3])
m.cov(a, ddof=1.5)
m.var(a, ddof=1, correction=1)
m.pad(a, -1)
m.pad(a, 1, mode='bogus')
m.pad(a, 1, bogus=3)
m.pad(a, 1.5)
m.broadcast_to(a, (4, 4))
m.broadcast_to(m.asarray([1]), (-1,))
m.broadcast_arrays(a, m.ones(4))
m.broadcast_shapes((1, 2), (3,))
m.broadcast_to(a, (2, 2, 3)).__setitem__(0, 1)
m.diagonal(a).__setitem__(0, 1)
a.astype('bogus')
a.astype(int, casting='safe')
a.astype(int, casting='bogus')
a.astype(int, order='Q')
a.view('bogus')
a.copy(order='Q')
a.flatten(order='Q')
a.ravel(order='Q')
m.asarray(a, order='Q')
m.asarray([[1], [1, 2]])
m.asarray('x', dtype=float)
m.asarray([None], dtype=int)
m.asarray(2 ** 70, dtype=int)
m.asarray(-1, dtype='u1')
m.asarray([300], dtype='i1')
m.asarray([float('nan')], dtype=int)
m.asarray(float('inf'), dtype=int)
m.full(3, 300, dtype='i1')
m.full((2, 3), [1, 2])
m.full_like(a.astype('i1'), 300)
m.arange(0, 5, 0)
m.arange()
m.arange(float('nan'))
m.arange(float('inf'))
m.arange('x')
m.linspace(0, 1, -1)
m.linspace(0, 1, 2.5)
m.eye(-1)
m.eye(2.5)
m.meshgrid([1], indexing='q')
m.identity(-1)
m.frombuffer(b'abc', dtype='i4')
a.fill('x')
a.astype('i1').fill(300)
a.fill([1, 2])
setattr(a, 'shape', (7,))
a.bogus
a.__delitem__(0)
m.copyto(a.astype(int), 1.5)
m.copyto(a, m.ones(4))
m.result_type('bogus')
m.promote_types('x', 'y')
m.can_cast('i4', 'i8', casting='q')
m.finfo(int)
m.iinfo(float)
m.dtype('bogus')
m.isclose(a, m.ones(4))
m.allclose(a, m.ones(4))
m.polyfit([1, 2], [1, 2, 3], 1)
m.polyval(a, 'x')
m.vander(a)
m.apply_along_axis(sum, 4, a)
m.block([[a], a])
m.piecewise(a, [a > 1], [1, 2, 3])
m.packbits(a)
m.unpackbits(a)
m.rot90(a, axes=(0, 0))
m.rot90(a, axes=(0, 5))
m.resize(a, (-1, 2))
m.trim_zeros(a, 'q')
m.fill_diagonal(a[0], 1)
m.ix_(a)
m.unwrap(a, axis=4)
m.sinc('x')
m.gcd(a, 1)
m.ldexp(a, 1.5)
m.bitwise_count(a)
m.fft.fft(a, axis=4)
m.fft.fft(a, n=0)
m.random.default_rng(0).normal(0, -1)
m.random.default_rng(0).random(-1)
m.random.default_rng(0).integers(5, 5)
m.random.default_rng(0).choice(3, 5, replace=False)
m.random.default_rng(0).choice(3, p=[0.5, 0.5])
m.random.default_rng(0).random(3, dtype=int)
m.random.default_rng(0).integers(0, 300, dtype='i1')
m.random.default_rng(0).shuffle(3)
m.random.default_rng(-1)
pow(a > 2, 2, 3)
pow(a * 1j, 2, 3)
pow(a, 2, 3)
m.random.default_rng('x')
m.random.default_rng(0).binomial(3, 1.5)
m.random.default_rng(0).normal([1, 2], [1, 2, 3])
m.errstate(foo=1)
a.max(initial='x')
a.sum(initial='x')
m.tile(a, 'x')
m.tile(a, (2, 'x'))
m.tile(a, 1.5)
m.full(2, 'x', dtype=float)
m.einsum()
m.einsum(a)
m.einsum('ij')
m.sin.reduce(a)
m.sin.accumulate(a)
m.sin.reduceat(a, [0])
m.put(a, ['x'], 1)
m.take(a, ['x'])
m.asarray(a, copy='x')
m.array(a, copy='x')
setattr(a, 'dtype', 'zz')
delattr(a, 'dtype')
delattr(a, 'T')
a.var(ddof='x')
m.var(a, correction='x')
m.argmax(a, axis=(0, 1))
m.array(a, ndmin=100)
m.random.default_rng(0).normal([1, 2], 1, size=3)
""".strip().splitlines()


def error_of(call, m):
    with pytest.raises(Exception) as caught:
        eval(call, {"np": np}, {"m": m, "a": m.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])})
    return caught.value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_raise_the_kinds_of_errors_that_numpy_does(call):
    kinds = [kind for kind in type(error_of(call, np)).__mro__ if kind.__module__ == "builtins"]
    got = error_of(call, wf)
    assert all(isinstance(got, kind) for kind in kinds), (kinds[0], got)


def test_an_axis_that_is_not_there_is_numpys_axis_error():
    x = wf.ones((2, 3))
    for call in (lambda: x.sum(axis=2), lambda: wf.sort(x, axis=5), lambda: wf.moveaxis(x, 0, 2), lambda: wf.concatenate([x, x], axis=-3),
                 lambda: x.argmax(2), lambda: wf.cumsum(x, 2), lambda: wf.std(x, axis=-4)):
        with pytest.raises(np.exceptions.AxisError):
            call()


def test_text_and_none_are_stored_as_numpy_stores_them():
    for m in (np, wf):
        x = m.zeros(3)
        x[0] = "1.5"
        x[1] = None
        x[x == 0] = "2"
        assert x[0] == 1.5 and m.isnan(x[1]) and x[2] == 2


def test_integers_of_any_size_and_text_become_floats():
    for m in (np, wf):
        x, b = m.zeros(3, dtype="f4"), m.zeros(2, dtype=bool)
        x[0], x[1], b[1] = 2**70, -(2**64), 2**70
        assert x.tolist() == [2.0**70, -(2.0**64), 0] and b.tolist() == [False, True]
        x.fill(2**80)
        assert x[2] == 2.0**80
        z = m.zeros(1, dtype=complex)
        z[0] = 2**70
        assert z.tolist() == [2.0**70]
        assert m.asarray(np.array(["1.5", "-2"]), dtype=float).tolist() == [1.5, -2]
        assert m.asarray(np.array([1, 2.5], dtype=object), dtype="f4").tolist() == [1, 2.5]
        assert m.full(2, "1.5", dtype=float).tolist() == [1.5, 1.5]


def test_orders_may_be_small_letters():
    for m in (np, wf):
        a = m.arange(6).reshape(2, 3)
        assert a.reshape((3, 2), order="f").tolist() == [[0, 4], [3, 2], [1, 5]]
        assert a.ravel("f").tolist() == [0, 3, 1, 4, 2, 5] and a.flatten("c").tolist() == list(range(6))
        assert m.asarray(a, order="c").shape == m.zeros((2, 3), order="f").shape == a.copy("k").shape


def test_parts_are_counted_by_any_integer():
    x = wf.arange(6)
    assert [part.tolist() for part in wf.split(x, np.int64(2))] == [[0, 1, 2], [3, 4, 5]]
    assert [part.tolist() for part in wf.array_split(x, wf.asarray([1, 4]))] == [[0], [1, 2, 3], [4, 5]]


def test_scalars_are_converted_and_positions_are_integers():
    for m in (np, wf):
        assert m.astype(np.int64(10), float).dtype == float
        with pytest.raises(IndexError):
            m.insert(m.arange(3), m.asarray([1.0, 2.0]), [3, 4])


class Interrupting:
    """Raises once, wherever it is looked at: as Ctrl-C does."""

    def __init__(self, kind):
        self.kind = kind

    def once(self, *_, **__):
        kind, self.kind = self.kind, None
        if kind:
            raise kind("now")
        return np.ones(3)

    __index__ = __array__ = __len__ = once
    dtype = property(once)

    def __getitem__(self, i):
        raise IndexError


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("call", ["wf.zeros({})", "wf.zeros(3, {})", "wf.sin({})", "wf.add(x, {})", "wf.sum(x, axis={})", "x.reshape({}, 1)", "x.astype({})", "wf._core.reshape(x, {})", "x[{}]"])
def test_what_is_no_exception_is_not_taken_for_a_wrong_argument(call, kind):
    with pytest.raises(kind, match="now"):
        eval(call.format("i"), {"wf": wf, "x": wf.ones(3), "i": Interrupting(kind)})
    with pytest.raises(TypeError):
        wf.zeros("x")
