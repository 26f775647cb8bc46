"""Columns of Arrow over arrays' memory, read as Arrow's C data interface says."""

import ctypes
import gc

import numpy as np
import pytest
import weft as wf


class Schema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private", ctypes.c_void_p)]


class Column(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
                ("release", ctypes.c_void_p), ("private", ctypes.c_void_p)]


def pointer(capsule, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name)


def taken(x):
    """The format and the column, and the capsules, which hold them."""
    schema, array = x.__arrow_c_array__()
    column = Column.from_address(pointer(array, b"arrow_array"))
    assert (column.null_count, column.offset, column.n_buffers, column.n_children, column.buffers[0]) == (0, 0, 2, 0, None)
    return Schema.from_address(pointer(schema, b"arrow_schema")).format, column, (schema, array)


@pytest.mark.parametrize(("dtype", "spelled"), [("int8", b"c"), ("int16", b"s"), ("int32", b"i"), ("int64", b"l"), ("uint8", b"C"), ("uint16", b"S"),
                                                ("uint32", b"I"), ("uint64", b"L"), ("float16", b"e"), ("float32", b"f"), ("float64", b"g")])
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_numbers_have_arrows_names_and_their_own_memory(dtype, spelled, n):
    expected = (np.arange(n) % 100).astype(dtype)
    format_, column, capsules = taken(wf.asarray(expected) + 0)
    gc.collect()  # the capsules alone hold the memory
    assert format_ == spelled and column.length == n
    if n:
        values = np.frombuffer(ctypes.string_at(column.buffers[1], expected.nbytes), dtype)
        np.testing.assert_array_equal(values, expected)
    del capsules


def test_memory_is_shared_and_what_is_written_later_is_not_seen(on_cpu):
    x = wf.eval(wf.arange(1000) * 2)
    _, column, capsules = taken(x)
    assert column.buffers[1] == taken(x)[1].buffers[1]
    x[3] = 77
    assert np.frombuffer(ctypes.string_at(column.buffers[1], 8000), "int64")[3] == 6
    del capsules


def test_views_with_gaps_are_copied():
    x = wf.arange(20).reshape(4, 5)
    for view in (x[:, 1], x[1, ::-1], x[2, 1:4], wf.broadcast_to(wf.ones(1), (7,))):
        _, column, capsules = taken(view)
        nbytes = view.size * view.dtype.itemsize
        assert np.frombuffer(ctypes.string_at(column.buffers[1], nbytes), str(view.dtype)).tolist() == view.tolist()
        del capsules


@pytest.mark.parametrize("n", [0, 1, 8, 13])
def test_bools_are_bits(n):
    mask = np.arange(n) % 3 == 0
    format_, column, capsules = taken(wf.asarray(mask))
    bits = np.frombuffer(ctypes.string_at(column.buffers[1], -(-n // 8)), "uint8")
    assert format_ == b"b" and column.length == n
    np.testing.assert_array_equal(np.unpackbits(bits, bitorder="little")[:n].astype(bool), mask)
    del capsules


def test_a_taker_moves_the_content_out():
    _, column, capsules = taken(wf.arange(100))
    moved = Column.from_buffer_copy(column)
    column.release = None
    del column, capsules
    gc.collect()
    assert np.frombuffer(ctypes.string_at(moved.buffers[1], 800), "int64").tolist() == list(range(100))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(moved.release)(ctypes.addressof(moved))
    assert not moved.release


def test_a_taker_asks_for_a_dtype():
    x = wf.arange(5)
    asked = wf.ones(1, dtype="float32").__arrow_c_array__()[0]
    schema, array = x.__arrow_c_array__(asked)
    assert Schema.from_address(pointer(schema, b"arrow_schema")).format == b"f"
    column = Column.from_address(pointer(array, b"arrow_array"))
    assert np.frombuffer(ctypes.string_at(column.buffers[1], 20), "float32").tolist() == x.tolist()
    for no_schema in (array, "float32"):
        with pytest.raises(ValueError, match="PyCapsule"):
            x.__arrow_c_array__(no_schema)


def test_what_arrow_has_no_column_for_is_refused():
    with pytest.raises(wf.Error, match=r"__arrow_c_array__: a column of Arrow has one axis: got shape \(2, 3\); give a row"):
        wf.ones((2, 3)).__arrow_c_array__()
    for dtype in ("complex64", "complex128", wf.bfloat16):
        with pytest.raises(TypeError, match="__arrow_c_array__: Arrow has no numbers of this dtype: got"):
            wf.ones(3, dtype=dtype).__arrow_c_array__()


def test_pyarrow_and_polars_take_arrays():
    x = wf.linspace(0, 1, 5)
    arrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    assert arrow.array(x).to_pylist() == x.tolist()
    assert arrow.array(wf.arange(3), type=arrow.float64()).to_pylist() == [0.0, 1.0, 2.0]
    assert arrow.table({"x": arrow.array(x)})["x"].to_pylist() == x.tolist()
    assert polars.Series("x", x).to_list() == x.tolist()
    assert polars.DataFrame({"x": arrow.array(x), "y": x > 0.5})["y"].to_list() == (x > 0.5).tolist()
