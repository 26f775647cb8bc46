"""Memory shared with NumPy: no copies of large arrays, and never values that change behind a recorded operation."""

import gc

import numpy as np
import pytest
import weft as wf

pytestmark = pytest.mark.usefixtures("on_cpu")
LARGE = 100_000


def address(x):
    return wf._core.address(x)


@pytest.mark.parametrize("size", [7, 30_000, 40_000, LARGE])
@pytest.mark.parametrize("make", [wf.asarray, lambda a: wf.asarray(a.T), lambda a: wf.asarray(a[:]), lambda a: a + wf.zeros(1), lambda a: wf.exp(a) * 0 + a,
                                  lambda a: wf.concatenate([a, a])[: a.size]])  # fmt: skip
def test_a_loop_writes_to_its_array_whatever_was_made_of_it(size, make):
    a = np.zeros(size)
    made = []
    for i in range(3):
        a[:2] += 1  # raises where a is locked
        made.append(make(a))
        a[1] = 9 * i
    assert [x[:2].tolist() for x in made] == [[1, 1], [2, 1], [3, 10]]
    view = a[1:]
    wf.asarray(view)
    view[0] = a[0] = 1


def older_view(a):
    view = a[:]
    a.flags.writeable = False
    return a, view


def toggled_flag(a):
    a.flags.writeable = False
    return a, Toggled(a)


class Toggled:
    """Writes to a read-only array by setting its flag again."""

    def __init__(self, a):
        self.a = a

    def __setitem__(self, i, value):
        self.a.setflags(write=True)
        self.a[i] = value


def bytes_that_change(a):
    memory = bytearray(a.tobytes())
    return np.frombuffer(memoryview(memory).toreadonly(), a.dtype), np.frombuffer(memory, a.dtype)


def view_of_a_view(a):
    shown = memoryview(a).toreadonly()
    return np.asarray(shown), a


@pytest.mark.parametrize("size", [100, LARGE])
@pytest.mark.parametrize("make", [older_view, toggled_flag, bytes_that_change, view_of_a_view])
def test_a_read_only_array_that_somebody_writes_to_all_the_same_is_copied(size, make):
    a, writer = make(np.arange(size) * 1.0)
    x, y = wf.asarray(a), a + wf.zeros(1)
    asked = wf.asarray(a, copy=False)  # shared, as it is asked for
    assert not a.flags.writeable and address(asked) == a.ctypes.data
    del asked
    writer[3] = -1
    assert a[3] == -1 and float(x[3]) == float(y[3]) == 3


def of_bytes(a, folder):
    return np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape)


def of_a_view_of_bytes(a, folder):
    return np.asarray(memoryview(a.tobytes()).cast(a.dtype.char)).reshape(a.shape)[:]


def mapped(a, folder):
    np.save(folder / "a.npy", a)
    return np.load(folder / "a.npy", mmap_mode="r")


def of_another_array(a, folder):
    x = wf.asarray(a)
    x.setflags(write=False)
    return np.asarray(wf._core.memory(x))


@pytest.mark.parametrize("make", [of_bytes, of_a_view_of_bytes, mapped, of_another_array])
def test_memory_that_is_constant_is_shared(make, tmp_path):
    a = make(np.arange(LARGE).reshape(100, -1), tmp_path)
    assert not a.flags.writeable
    assert address(wf.asarray(a)) == address(wf.asarray(a.T).T) == a.ctypes.data
    assert wf.asarray(a).tolist() == np.arange(LARGE).reshape(100, -1).tolist()


def test_a_read_only_view_of_what_can_be_written_is_copied():
    of_writable = np.broadcast_to(np.zeros(LARGE), (LARGE,))
    assert address(wf.asarray(of_writable)) != of_writable.ctypes.data
    of_writable.base[0] = 1


def test_what_is_shared_is_locked_until_nobody_reads_it():
    a = np.arange(LARGE, dtype=np.float64)
    x = wf.asarray(a, copy=False)
    assert address(x) == a.ctypes.data
    y = x * 2
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 5
    assert float(y[3]) == 6
    del x, y
    gc.collect()
    a[0] = 5
    assert a[0] == 5


def test_each_loan_counts():
    a = np.zeros(LARGE)
    x, y = wf.asarray(a, copy=False), wf.asarray(a, copy=False)
    del x
    with pytest.raises(ValueError):
        a[0] = 1
    assert float(y.sum()) == 0
    del y
    a[0] = 1


def test_bases_are_locked_too():
    base = np.zeros((2, LARGE))
    x = wf.asarray(base[1], copy=False)
    with pytest.raises(ValueError):
        base[1, 0] = 1
    del x
    base[1, 0] = 1


def test_views_that_are_let_go_before_their_base_are_written_again_with_it():
    base = np.zeros((2, LARGE))
    view = base[1]
    x, y = wf.asarray(base, copy=False), wf.asarray(view, copy=False)
    del y
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    del x
    view[0] = 1
    assert base[1, 0] == 1


def test_read_only_arrays_stay_so():
    a = np.zeros(LARGE)
    a.flags.writeable = False
    x = wf.asarray(a)
    del x
    assert not a.flags.writeable


def test_small_arrays_are_copied():
    a = np.arange(10)
    x = wf.asarray(a)
    a[0] = 50
    assert x.tolist() == list(range(10))


def test_memory_that_others_may_write_is_copied():
    memory = bytearray(8 * LARGE)
    x = wf.asarray(np.frombuffer(memory, np.int64))
    memory[0] = 1
    assert int(x[0]) == 0
    with pytest.raises(ValueError, match="others may write"):
        wf.asarray(np.frombuffer(memory, np.int64), copy=False)


def test_writes_to_an_array_leave_borrowed_memory_alone():
    a = np.zeros(LARGE)
    x = wf.asarray(a, copy=False)
    x[:] = 3
    x += 1
    wf.eval(x)
    assert a.sum() == 0
    assert float(x.sum()) == 4 * LARGE


@pytest.mark.parametrize("order", ["C", "F"])
def test_both_orders_need_no_copy(order):
    a = np.asarray(np.arange(LARGE).reshape(100, -1), order=order)
    x = wf.asarray(a, copy=False)
    assert address(x.T if order == "F" else x) == a.ctypes.data
    np.testing.assert_array_equal(np.asarray(x), a)


def test_strided_and_foreign_byte_orders_are_copied():
    a = np.arange(LARGE)[::-3]
    np.testing.assert_array_equal(np.asarray(wf.asarray(a)), a)
    big = np.arange(10, dtype=">f4")
    np.testing.assert_array_equal(np.asarray(wf.asarray(big)), big)


def test_numpy_reads_where_weft_wrote():
    x = wf.arange(LARGE) * 2
    assert np.asarray(x).ctypes.data == address(x)
    assert np.asarray(x[5::7]).ctypes.data == address(x) + 40
    np.testing.assert_array_equal(np.asarray(x[::-1]), np.arange(LARGE)[::-1] * 2)
    assert np.array(x).flags.writeable
    view = memoryview(x)
    assert not view.readonly and view.format == "l" and view.shape == (LARGE,)


def test_what_is_no_array():
    for thing in ("text", object(), np.ma.array([1]), [1, "a"], np.array(["a"]), np.datetime64("2020-01-01")):
        with pytest.raises(TypeError):
            wf.asarray(thing)
    with pytest.raises(ValueError):
        wf.asarray([1, 2], copy=False)


def test_dlpack_both_ways():
    a = np.arange(LARGE, dtype=np.float32)
    x = wf.from_dlpack(a)
    np.testing.assert_array_equal(np.asarray(x), a)
    y = wf.arange(5) + 1
    z = np.from_dlpack(y)
    assert z.tolist() == [1, 2, 3, 4, 5] and not z.flags.writeable


def test_the_lock_ends_when_no_value_needs_the_memory():
    a = np.arange(LARGE, dtype=np.float64)
    x = wf.asarray(a, copy=False)
    y = wf.eval(x * 2)  # y has memory of its own
    del x
    a[0] = 7
    x = wf.asarray(a, copy=False)
    x += 1  # the new value still reads the memory …
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 5
    wf.eval(x)  # … until it is computed
    a[0] = 5
    assert float(x[0]) == 8 and float(y[0]) == 0 and a[0] == 5
    z = wf.asarray(a, copy=False)
    kept = z[10:20]
    del z
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 6
    del kept
    a[0] = 6


def test_the_lock_ends_after_an_error_and_in_another_thread():
    import threading

    a = np.ones(LARGE)
    with pytest.raises(wf.Error):
        wf.asarray(a, copy=False) + wf.ones(3)
    gc.collect()
    a[0] = 2
    held = [wf.asarray(a, copy=False) * 3]
    thread = threading.Thread(target=lambda: wf.eval(held.pop()))
    thread.start()
    thread.join()
    a[0] = 3
    for _ in range(50):  # a loop that reads a buffer which NumPy fills again each time
        a[:] = a[0] + 1
        total = float(wf.asarray(a, copy=False).sum())
        assert total == a[0] * LARGE


def test_writing_to_an_array_of_numpys_memory_makes_it_weft_s():
    a = np.zeros(LARGE)
    x = wf.asarray(a, copy=False)
    x[0] = 1
    assert a[0] == 0 and float(x[0]) == 1
    wf.eval(x)
    a[1] = 9
    assert float(x[1]) == 0
    y = wf.asarray(a, copy=True)
    a[2] = 9
    assert float(y[2]) == 0


def test_dlpack_copies_keep_signed_zeros():
    x = wf.asarray([-0.0, 0.0])
    assert np.signbit(np.from_dlpack(x, copy=True)).tolist() == [True, False]


def test_a_loop_holds_the_memory_of_the_turns_to_come_alone():
    a, b = wf.zeros(LARGE), wf.ones(LARGE)
    wf.eval(a, b)
    before = wf.device("cpu").memory_in_use
    for _ in range(600):
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])
    assert wf.device("cpu").memory_in_use - before <= 3 * 8 * LARGE


def test_a_taker_that_writes_to_what_is_lent_for_reading_gets_a_copy():
    # As torch.from_dlpack asks for memory: its version takes the mark for reading alone, which PyTorch does not heed.
    torchs: dict[str, object] = {"__name__": "torch.utils.dlpack"}
    exec("def take(x, **options): return x.__dlpack__(max_version=(1, 0), **options)", torchs)

    class Lent:
        def __init__(self, x, **options):
            self.x, self.options = x, options

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

        def __dlpack__(self, **_):
            return torchs["take"](self.x, **self.options)

    x = wf.eval(wf.arange(LARGE) * 1.0)
    assert np.from_dlpack(Lent(x)).ctypes.data != address(x)
    assert np.from_dlpack(Lent(x, copy=False)).ctypes.data == address(x)
    assert np.from_dlpack(x).ctypes.data == address(x)


class OnlyInterface:
    """Pillow and older libraries read arrays in this way alone."""

    def __init__(self, x):
        self.__array_interface__ = x.__array_interface__


@pytest.mark.parametrize("make", [
    lambda m: m.arange(12.0), lambda m: m.arange(12).reshape(3, 4)[:, ::2], lambda m: m.arange(12).reshape(3, 4).T, lambda m: m.zeros((0, 3)),
    lambda m: m.asarray(2.5), lambda m: m.ones(3, dtype="complex128"), lambda m: m.arange(3) > 1,
], ids=["row", "gaps", "columns", "empty", "rank 0", "complex", "bool"])  # fmt: skip
def test_the_array_interface_shows_the_values_to_read(make):
    got, want = np.asarray(OnlyInterface(make(wf))), make(np)
    np.testing.assert_array_equal(got, want)
    assert got.dtype == want.dtype and got.shape == want.shape and not got.flags.writeable


def test_the_array_interface_keeps_the_memory():
    x = wf.arange(100_000) * 1.0
    seen = np.asarray(OnlyInterface(x))
    x[0] = 7
    want = np.arange(100_000.0)
    np.testing.assert_array_equal(seen, want)
    del x
    gc.collect()
    wf.eval(wf.ones(100_000) * 3)
    np.testing.assert_array_equal(seen, want)


def test_what_numpy_has_no_name_for_has_no_array_interface():
    assert not hasattr(wf.ones(3, dtype=wf.bfloat16), "__array_interface__")
    with pytest.raises(AttributeError, match="bfloat16"):
        _ = wf.ones(3, dtype=wf.bfloat16).__array_interface__


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", ">f8", ">i4", "longlong", "ulonglong"])
def test_arrays_of_numpys_are_copied_as_they_are_whatever_they_hold_and_however_they_lie(dtype):
    table = np.arange(24).reshape(2, 3, 4).astype(dtype)
    frozen = table.copy()
    frozen.flags.writeable = False
    parts = [table, table[:, 1], table[..., ::-2], table.T, table[:0], table[0, 0, 1:2].reshape(()), frozen, np.asfortranarray(table), table[1]]
    for part in parts:
        ours = wf.asarray(part)
        want = part.astype(part.dtype.newbyteorder("="))
        assert (ours.dtype, ours.shape) == (want.dtype, part.shape) and ours.flags.writeable
        np.testing.assert_array_equal(np.asarray(ours), want)
    ours = wf.asarray(table[1])
    table[1] = 0
    assert np.asarray(ours).tolist() == np.arange(12, 24).reshape(3, 4).astype(dtype).tolist()
    with pytest.raises(TypeError):
        wf.asarray(np.ma.masked_array(table[0]))
    with pytest.raises(TypeError):
        wf.asarray(np.array(["a"]))
    with pytest.raises(TypeError):
        wf.asarray(np.zeros(2, [("a", "f4"), ("b", "i4")]))
