"""NumPy's arrays over Weft's memory: what is written to them the array shows, and no other value ever changes."""

import gc

import numpy as np
import pytest
import weft as wf
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("on_cpu")
SIZES = [7, 3000, 100_000]  # read by the interpreter, compiled, and noted by comparing alone


@pytest.fixture(params=SIZES)
def x(request):
    return wf.eval(wf.arange(request.param) * 1.0)


def test_what_numpy_writes_the_array_and_its_views_show(x):
    view, turned = x[1:], x[::-1]
    a = np.asarray(x)
    a[2] = -1
    assert float(x[2]) == float(view[1]) == float(turned[-3]) == -1
    assert float(x.sum()) == a.sum()
    np.asarray(view)[...] = 4
    assert a[1:].min() == a[1:].max() == 4 and float(x.min()) == 0 and float((x * 2).max()) == 8


def test_no_copy_is_made_where_nobody_else_has_the_values(x):
    place = wf._core.address(x)
    a = np.asarray(x)
    assert a.ctypes.data == place and np.asarray(x).ctypes.data == place and wf._core.address(x) == place
    temporary = np.asarray(x + 1)
    temporary[0] = 5
    assert temporary[0] == 5 and float(x[0]) == 0


@pytest.mark.parametrize("other", [
    lambda x: x * 2, lambda x: x.copy(), lambda x: x[1:].copy(), lambda x: x.sum(), lambda x: x[3], lambda x: wf.flip(x) + 1, lambda x: np.from_dlpack(x),
    lambda x: wf.where(x > 3, x, 0), lambda x: wf.from_dlpack(np.from_dlpack(x)), lambda x: memoryview(wf._core.memory(x)), lambda x: wf.nonzero(x)[0],
], ids=["pending", "copy", "copied view", "reduction", "element", "view", "dlpack", "mask", "borrowed again", "lent to read", "positions"])  # fmt: skip
def test_values_that_others_hold_never_change(x, other):
    before = other(x)
    a = np.asarray(x)
    a[...] = -1
    after = other(x)
    expected = np.arange(x.size) * 1.0
    np.testing.assert_array_equal(np.asarray(before), np.asarray(other(wf.asarray(expected))))
    np.testing.assert_array_equal(np.asarray(after), np.asarray(other(wf.asarray(expected * 0 - 1))))
    a[...] = 3
    np.testing.assert_array_equal(np.asarray(after), np.asarray(other(wf.asarray(expected * 0 - 1))))


def test_what_weft_writes_leaves_the_memory_to_numpy(x):
    a = np.asarray(x)
    a[0] = 8
    x += 1
    assert a[:3].tolist() == [8, 1, 2] and x[:3].tolist() == [9, 2, 3]
    a[1] = 70
    assert x[:3].tolist() == [9, 2, 3]
    b = np.asarray(x)
    x[1:] = 0
    assert b[:3].tolist() == [9, 2, 3] and a[:3].tolist() == [8, 70, 2] and float(x.sum()) == 9


def test_memory_that_is_given_back_is_written_in_place_again():
    x = wf.eval(wf.ones(1_000_000))
    place = wf._core.address(x)
    np.asarray(x)[0] = 5
    gc.collect()
    x += 1
    assert float(x[0]) == 6 and float(x.sum()) == 2_000_004 and wf._core.address(x) == place


def test_numpys_memory_that_weft_reads_is_left_alone():
    n = np.zeros(100_000)
    x = wf.asarray(n, copy=False)
    a = np.asarray(x)
    a[0] = 1
    assert n[0] == 0 and float(x[0]) == 1
    n[1] = 1  # x has left it
    assert float(x[1]) == 0


def test_one_value_gives_memory_of_its_own():
    x = wf.arange(4.0)
    total, element = x.sum(), x[2]
    for value in (total, element):
        a = np.asarray(value)
        a[...] = 9
    assert float(total) == 6 and float(element) == 2 and x.tolist() == [0, 1, 2, 3]


def test_what_cannot_be_written_is_read_only():
    x = wf.arange(4.0)
    x.setflags(write=False)
    for one in (x, x[1:], wf.broadcast_to(wf.ones(1), (3,)), wf.ones(3).imag):
        a = np.asarray(one)
        assert not a.flags.writeable and memoryview(one).readonly
        with pytest.raises(ValueError, match="read-only"):
            a[...] = 1


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "complex64", "bfloat16"])
@pytest.mark.parametrize("part", [lambda x: x, lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[:0], lambda x: x[1, 2, ...]],
                         ids=["whole", "turned", "steps", "empty", "rank 0"])  # fmt: skip
def test_every_dtype_and_layout_is_shared(dtype, part):
    x = wf.asarray(np.arange(12).reshape(3, 4) % 2, dtype=dtype)
    expected = np.array(x)
    a, want = np.asarray(part(x)), part(expected)
    assert a.dtype == x.dtype and a.strides == want.strides
    a[...] = want[...] = np.ones((), x.dtype)
    np.testing.assert_array_equal(np.array(x), expected)


def test_buffers_for_reading_alone_are_not_to_be_written():
    x = wf.arange(3)
    assert bytes(x) == np.arange(3).tobytes() == x.tobytes()
    assert memoryview(wf._core.memory(x)).readonly
    assert isinstance(x.__array_interface__["data"], memoryview) and x.__array_interface__["data"].readonly
    (__import__("ctypes").c_long * 3).from_buffer(x)[0] = 30
    x[0] = 0
    address = x.ctypes.data
    x.ctypes.data_as(__import__("ctypes").POINTER(__import__("ctypes").c_long))[1] = 40
    assert x.tolist() == [0, 40, 2] and wf._core.address(x) == address


def test_compiled_functions_see_what_numpy_wrote():
    weights = wf.eval(wf.arange(50_000) * 1.0)
    runs = []

    @wf.compile
    def f(x):
        runs.append(None)
        return (x * weights).sum()

    assert float(f(wf.ones(50_000))) == np.arange(50_000).sum()
    a = np.asarray(weights)
    assert float(f(wf.ones(50_000))) == np.arange(50_000).sum()
    a[...] = 2
    assert float(f(wf.ones(50_000))) == 100_000
    argument = wf.eval(wf.ones(50_000))
    b = np.asarray(argument)
    held = f(argument)
    b[...] = 3
    assert float(held) == 100_000 and float(f(argument)) == 300_000
    before = len(runs)
    assert float(f(argument)) == 300_000 and len(runs) == before


def test_results_that_are_arguments_do_not_share_what_is_lent():
    x = wf.eval(wf.ones(5000))
    a = np.asarray(x)
    y = wf.compile(lambda x: (x, x + 1))(x)[0]
    a[0] = 7
    assert float(y[0]) == 1 and float(x[0]) == 7


def test_masks_and_positions_that_are_lent_are_looked_at_anew():
    x, mask = wf.arange(6) * 10, wf.arange(6) > 3
    a = np.asarray(mask)
    assert x[mask].tolist() == [40, 50]
    a[0] = True
    assert x[mask].tolist() == [0, 40, 50] and wf.count_nonzero(mask) == 3
    places = wf.asarray([1, 2])
    b = np.asarray(places)
    b[1] = 5
    assert x[places].tolist() == [10, 50]
    b[1] = 6
    with pytest.raises(IndexError):
        x[places]


class Model:
    """An array of Weft beside what NumPy's would be: `shown` is the memory that both show until Weft writes to it."""

    def __init__(self, size):
        self.x, self.shown = wf.eval(wf.arange(size) * 1.0), np.arange(size) * 1.0
        self.kept, self.lent = [], []

    def record(self, k):
        self.kept.append((self.x[k:] * 2 + 1, self.shown[k:] * 2 + 1))

    def copy(self, k):
        self.kept.append((self.x.copy(), self.shown.copy()))

    def lend(self, k):
        self.lent.append((np.asarray(self.x[k:]), self.shown[k:]))

    def write_outside(self, k):
        for a, b in self.lent[-2:]:
            a[k % 3] = b[k % 3] = k

    def let_go(self, k):
        self.lent[: len(self.lent) // 2] = []

    def write(self, k):
        self.shown = self.shown.copy()
        self.x[k:] = self.shown[k:] = 100 + k

    def add(self, k):
        self.shown = self.shown + k
        self.x += k

    def look(self, k):
        assert float(self.x[k]) == self.shown[k] and float(self.x.sum()) == self.shown.sum()

    def check(self, k):
        for ours, numpys in [*self.kept, *self.lent, (self.x, self.shown)]:
            np.testing.assert_array_equal(np.array(ours), numpys)


STEPS = [name for name in vars(Model) if not name.startswith("_")]


@given(st.sampled_from([5, 600, 40_000]), st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 1)), max_size=25))
def test_any_order_of_writes_and_looks(size, steps):
    with wf.device("cpu"):
        model = Model(size)
        for step, k in steps:
            getattr(model, step)(k)
        model.check(0)


def test_looks_by_way_of_numpy_leave_what_is_recorded_as_it_was():
    x = wf.eval(wf.ones(9000))
    places, total = set(), wf.zeros(9000)
    for _ in range(4):
        total = total + wf.exp(x)  # the same value of the same array: computed once
        places.add(np.asarray(x).sum())
    assert wf.show(total, "cpp").count("weft_exp_f64(v") == 1 and places == {9000}
    np.testing.assert_allclose(np.asarray(total), 4 * np.e)
