"""Pickles name what users call; those that name modules of before still load."""

import pickle

import numpy as np
import pytest
import weft as wf

BEFORE = {
    "_methods _unpickled": None,
    "_methods reshape": wf.Array.reshape,
    "_host UniqueAll": type(wf.unique_all(wf.asarray([1]))),
    "_host sort": wf.sort,
    "_host nonzero": wf.nonzero,
    "_devices Device": wf.device,
    "_dtypes FloatInfo": type(wf.finfo("float32")),
    "_dtypes IntegerInfo": type(wf.iinfo("int32")),
    "_generator Generator": wf.random.Generator,
    "_reductions sum": wf.sum,
    "_reductions softmax": wf.softmax,
    "_creation arange": wf.arange,
    "_numpy_names shape": wf.shape,
    "_protocols from_dlpack": wf.from_dlpack,
    "_compiled compile": wf.compile,
    "_streams Stream": wf.Stream,
    "stride_tricks as_strided": wf.lib.stride_tricks.as_strided,
}


@pytest.mark.parametrize("place", BEFORE)
def test_what_pickles_of_before_name_is_found(place):
    module, name = place.split()
    found = pickle.loads(f"cweft.{module}\n{name}\n.".encode())
    assert callable(found) if BEFORE[place] is None else found is BEFORE[place]


def test_an_array_pickled_before_loads():
    values = np.arange(3.0)
    inner = pickle.dumps(values, 2)[2:-1]
    pickled = b"\x80\x02cweft._methods\n_unpickled\n(" + inner + b"X\x03\x00\x00\x00cputR."
    restored = pickle.loads(pickled)
    assert isinstance(restored, wf.Array) and restored.tolist() == [0.0, 1.0, 2.0]


def test_what_was_never_there_is_not_found():
    with pytest.raises(AttributeError, match="nothing"):
        pickle.loads(b"cweft._host\nnothing\n.")
    with pytest.raises(ModuleNotFoundError):
        pickle.loads(b"cweft._never\nsort\n.")


LARGE = np.arange(120_000.0).reshape(300, 400)


def read_at(x):
    """Where the array's values lie."""
    return np.frombuffer(memoryview(wf._core.memory(x)), np.uint8).ctypes.data


def handed_over(x):
    """What protocol 5 says, and the memory that it hands over beside."""
    buffers = []
    return pickle.dumps(x, protocol=5, buffer_callback=buffers.append), [one.raw() for one in buffers]


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_large_arrays_are_handed_over_without_copies(on_cpu, kind):
    x = wf.eval(wf.asarray(LARGE) * 2)
    said, (memory,) = handed_over(x)
    assert len(said) < 1000 and np.frombuffer(memory, np.uint8).ctypes.data == read_at(x)
    sent = kind(memory)
    restored = pickle.loads(said, buffers=[sent])  # noqa: S301
    assert read_at(restored) == np.frombuffer(sent, np.uint8).ctypes.data
    np.testing.assert_array_equal(np.asarray(restored), LARGE * 2)


def test_what_is_written_later_is_not_in_the_pickle_nor_in_its_buffer(on_cpu):
    x = wf.eval(wf.asarray(LARGE) * 1)
    said, (memory,) = handed_over(x)
    x[0] = 7
    x += 1
    first, second = (pickle.loads(said, buffers=[memory]) for _ in range(2))  # noqa: S301
    first *= 3
    first[1] = -1
    np.asarray(first)[2] = -2
    np.testing.assert_array_equal(np.asarray(second), LARGE)
    assert first[0].tolist() == (LARGE[0] * 3).tolist() and first[1, 0] == -1 and first[2, 0] == -2
    assert x[0, 0] == 8 and x[1, 0] == LARGE[1, 0] + 1


@pytest.mark.parametrize("view", [
    lambda x: x.T, lambda x: x[::2, ::3], lambda x: x[::-1], lambda x: wf.broadcast_to(x[0], (400, 400)), lambda x: x.astype("bfloat16"),
    lambda x: x.astype("complex64"), lambda x: x > 5, lambda x: x[:0], lambda x: x[3, 4], lambda x: x[:3, :4],
])  # fmt: skip
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_every_layout_is_pickled(view, protocol):
    x = view(wf.asarray(LARGE))
    restored = pickle.loads(pickle.dumps(x, protocol))  # noqa: S301
    assert restored.dtype == x.dtype and restored.shape == x.shape and restored.tolist() == x.tolist()
    said, buffers = handed_over(x)
    assert pickle.loads(said, buffers=buffers).tolist() == x.tolist()  # noqa: S301


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
def test_a_buffer_at_an_odd_address_is_read_where_it_lies(on_cpu, dtype):
    values = (LARGE % 97).astype(dtype)
    said, (memory,) = handed_over(wf.asarray(values) + 0)
    odd = memoryview(bytearray(memory.nbytes + 1))[1:]
    odd[:] = memory
    x = pickle.loads(said, buffers=[odd])  # noqa: S301
    assert read_at(x) % 2 == 1
    for ours, numpys in ((x * 2 + 1, values * 2 + 1), (x[1:] + x[:-1], values[1:] + values[:-1]), (x.T + 0, values.T), (x.max(axis=0), values.max(axis=0))):
        np.testing.assert_array_equal(np.asarray(ours), numpys)
    np.testing.assert_allclose(np.asarray(x.sum(axis=1)), values.sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize("f", [wf.sum, wf.sort, wf.compile, wf.einsum, wf.nan_to_num, wf.atan2], ids=lambda f: f.__name__)
def test_pickles_name_what_users_call(f):
    assert b"weft" in pickle.dumps(f) and b"weft." not in pickle.dumps(f, 0).replace(b"cweft\n", b"")
    assert pickle.loads(pickle.dumps(f)) is f
