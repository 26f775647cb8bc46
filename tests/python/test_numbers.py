"""Elements that are read from memory are numbers: what is computed of them, or stored to elements, is what a recorded operation gives."""

import copy
import itertools
import operator
import pickle
import sys
import threading

import numpy as np
import pytest
import weft as wf

DTYPES = ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, wf.pow, operator.and_,
          operator.or_, operator.xor, operator.lt, operator.le, operator.eq, operator.ne, operator.gt,
          operator.ge, wf.maximum, wf.arctan2, wf.hypot, wf.nextafter, wf.logaddexp, wf.logical_and]
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert, wf.sqrt, wf.exp, wf.exp2, wf.sign, wf.isnan, wf.real, wf.conj,
         wf.reciprocal, wf.logical_not, wf.floor, wf.sin]
EDGES = {"b": [0, 1], "i": [0, 1, -1, 3, "least", "most"], "u": [0, 1, 3, "most"], "f": [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan],
         "c": [0, 1 - 2j, np.inf, complex(np.nan, 1)]}


def edges(dtype):
    kind = np.dtype(dtype).kind
    limits = np.iinfo(dtype) if kind in "iu" else None
    named = {"least": limits and limits.min, "most": limits and limits.max}
    return wf.asarray(np.array([named.get(x, x) if isinstance(x, str) else x for x in EDGES[kind]], dtype=dtype))


def outcome(f, *operands):
    """What a value is, to the last bit; or which error is raised."""
    try:
        result = np.asarray(f(*operands)).reshape(-1)
    except Exception as e:
        return type(e)
    return result.dtype, [str(x) for x in result]


@pytest.fixture(autouse=True)
def _on_cpu(on_cpu):
    pass


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_numbers_give_is_what_recorded_operations_give(dtype):
    x = edges(dtype)
    for f in UNARY:
        for i in range(len(x)):
            assert outcome(f, x[i]) == outcome(f, x[i : i + 1]), (f, x[i])
    for other in DTYPES:
        y = edges(other)
        for f in BINARY:
            for i, j in itertools.product(range(len(x)), range(len(y))):
                assert outcome(f, x[i], y[j]) == outcome(f, x[i : i + 1], y[j : j + 1]), (f, x[i], y[j])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 0, 2, -3, 300, 2**40, 2**63, 2**70, 0.5, -1e300, float("nan"), 1j, np.float32(2), np.int8(-3), np.uint64(5)], ids=repr)
def test_pythons_numbers_give_way_to_numbers_as_to_arrays(dtype, number):
    x = edges(dtype)
    for f in BINARY:
        for i in range(len(x)):
            assert outcome(f, x[i], number) == outcome(f, x[i : i + 1], number), (f, x[i])
            assert outcome(f, number, x[i]) == outcome(f, number, x[i : i + 1]), (f, x[i])


def stored(dtype, value, way):
    x = wf.asarray(np.zeros((3, 2), dtype))
    try:
        way(x, value)
    except Exception as e:
        return type(e)
    return [str(v) for v in np.asarray(x).reshape(-1)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_an_element_is_set_to_is_what_a_part_of_one_is_set_to(dtype):
    def element(x, value):
        x[1, -1] = value

    def part(x, value):
        x[1:2, 1:] = value

    numbers = [True, 0, 2, -3, 300, 2**40, 2**63, 2**70, 0.5, -1e300, float("nan"), 1j, "2", None]
    for value in numbers:
        assert stored(dtype, value, element) == stored(dtype, value, part), value
    for other in DTYPES:
        y = edges(other)
        whole = np.dtype(dtype).kind in "iu" and np.promote_types(dtype, other) != np.dtype(dtype) and np.dtype(other).kind != "c"
        for i in range(len(y)):
            # Where NumPy's scalar has to fit, that is what is stored.
            value = y[i].item() if whole and np.dtype(other).kind == "f" else np.asarray(y[i])[()] if whole else y[i : i + 1]
            assert stored(dtype, y[i], element) == stored(dtype, value, part), (other, y[i])


def test_a_number_stays_what_it_was_whatever_is_written():
    x = wf.asarray(np.arange(6.0).reshape(2, 3))
    view = x[1]
    before, other = x[1, 2], view[-1]
    x[1, 2] = 9
    assert (float(before), float(other), float(x[1, 2]), float(view[2])) == (5, 5, 9, 9)
    total = before
    total += 1
    assert (float(before), float(total)) == (5, 6)
    with pytest.raises(TypeError):
        x[1, 2][...] = 4
    before[...] = 4  # an array of its own from here on
    assert (float(before), float(before + 1), float(x[1, 2])) == (4, 5, 9)


def test_numbers_are_arrays_of_rank_0_to_whoever_asks():
    x = wf.asarray(np.arange(4, dtype="int16"))
    one = x[3]
    assert isinstance(one, wf.Array) and one.base is None and not one.flags.writeable
    assert (one.shape, one.ndim, one.size, one.dtype, one.nbytes) == ((), 0, 1, np.int16, 2)
    assert (repr(one), str(one)) == (repr(x[3:].sum().astype("int16")), "3")
    assert one.device == x.device
    for made in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert (made.dtype, made.shape, int(made)) == (np.int16, (), 3)
    assert hash(one) == hash(3) and {one: 1}[3] == 1
    assert [10, 20, 30, 40][one] == 40 and np.asarray(one).dtype == np.int16
    assert np.from_dlpack(one) == 3 and memoryview(np.asarray(one)).itemsize == 2
    assert not x[0] and x[1] and (divmod(x[3], x[2]) == (1, 1)) and round(float(x[2] / x[3]), 3) == 0.667
    with pytest.raises(TypeError):
        len(one)
    with pytest.raises(TypeError):
        iter(one)


def test_numbers_are_positions():
    x, at = wf.asarray(np.arange(12).reshape(3, 4)), wf.asarray(np.array([1, -1, 3]))
    assert int(x[at[0], at[1]]) == 7 and int(x[2, at[2]]) == 11 and x[at[0]].shape == (4,)
    x[at[0], at[2]] = at[1]
    assert int(x[1, 3]) == -1
    with pytest.raises(IndexError):
        x[at[2], 0]
    mask = wf.asarray(np.array([True, False]))
    assert x[mask[0]].shape == (1, 3, 4)
    large = wf.asarray(np.array([2**64 - 1], dtype="uint64"))
    with pytest.raises(IndexError):
        x[large[0], 0]


def test_a_compiled_function_reads_the_numbers_that_its_names_stand_for():
    x = wf.asarray(np.arange(4.0))
    factor = x[2]

    @wf.compile
    def f(y):
        return y * factor + x[3] + factor * factor

    y = wf.asarray(np.ones(3))
    assert np.asarray(f(y)).tolist() == [9, 9, 9]
    factor = x[1]
    x[3] = 10
    assert np.asarray(f(y)).tolist() == [12, 12, 12]

    @wf.compile
    def g(y, a):
        return y * a, a + a

    assert [np.asarray(v).tolist() for v in g(y, x[2])] == [[2, 2, 2], 4]
    assert [np.asarray(v).tolist() for v in g(y, x[3])] == [[10, 10, 10], 20]


def test_elements_are_read_and_written_without_recording_and_keep_what_pending_work_reads():
    x = wf.asarray(np.arange(8.0))
    pending = x * 2
    x[3] = 100  # which `pending` does not see
    assert float(x[3]) == 100 and np.asarray(pending).tolist() == (np.arange(8) * 2).tolist()
    before = wf.stats()
    for i in range(1, 8):
        x[i] = x[i - 1] + i * x[0]
        if x[i] > 5:
            x[i] = True
    after = wf.stats()
    assert {k: after[k] - before[k] for k in ("kernels_launched", "interpreted", "program_misses")} == {"kernels_launched": 0, "interpreted": 0, "program_misses": 0}
    assert np.asarray(x).tolist() == [0.0] * 8


def test_numbers_are_freed():
    x = wf.asarray(np.arange(1000.0))
    for _ in range(3):
        held = [v + 1 for v in x]
    assert [float(v) for v in held[:3]] == [1, 2, 3]
    one = x[5]
    references = sys.getrefcount(one)
    for _ in range(100):
        wf.asarray([1.0, 2.0]) * one
    assert sys.getrefcount(one) == references


def test_threads_that_write_elements_lose_none():
    x = wf.asarray(np.zeros(400))

    def write(first):
        for _ in range(20):
            for i in range(first, 400, 4):
                x[i] = x[i] + 1

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.asarray(x).tolist() == [20.0] * 400
