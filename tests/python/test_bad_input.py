"""What cannot be done says so: a TypeError, ValueError or IndexError that names the operation, the rule and what was got."""

import gc
import inspect

import numpy as np
import pytest
import weft as wf

HELD = r"dtype: arrays hold bool, integers, floats and complex numbers in the machine's byte order: got "
NUMPY = "asarray: takes bools, integers, floats of at most 64 bits and complex numbers of two such: got a NumPy array of dtype "
SHAPE = ": a shape is an integer or a sequence of integers: got "

CALLS = {
    "strings": (lambda: wf.asarray(np.array(["a"])), TypeError, NUMPY + "<U1"),
    "longdouble": (lambda: wf.asarray(np.zeros(3, np.longdouble)), TypeError, NUMPY + "float128"),
    "objects": (lambda: wf.asarray(np.array([None])), TypeError, NUMPY + "object"),
    "dates": (lambda: wf.asarray(np.zeros(3, "M8[s]")), TypeError, NUMPY),
    "records": (lambda: wf.asarray(np.zeros(3, [("a", "i4")])), TypeError, NUMPY),
    "dtype": (lambda: wf.zeros(3, dtype=np.longdouble), TypeError, HELD + "float128"),
    "dtype_name": (lambda: wf.zeros(3, dtype="complex512"), TypeError, "complex512"),
    "astype": (lambda: wf.zeros(3).astype("foo"), TypeError, "foo"),
    "shape_text": (lambda: wf.zeros("a"), TypeError, "zeros" + SHAPE + "'a'"),
    "text_times": (lambda: wf.ones(3) * "a", TypeError, "multiply: takes arrays and numbers: got str"),
    "text_plus": (lambda: "a" + wf.ones(3), TypeError, "add: takes arrays and numbers: got str"),
    "torchs_method": (lambda: wf.ones(3).detach(), AttributeError, r"no attribute 'detach': write weft.stop_gradient\(x\)"),
    "a_functions_name": (lambda: wf.ones(3).sin(), AttributeError, r"no attribute 'sin': weft.sin\(x\) is a function"),
    "no_arrays": (lambda: wf.concatenate([]), wf.Error, "concatenate: needs at least one array: got none"),
    "shape_float": (lambda: wf.ones((2, 1.5)), TypeError, "ones" + SHAPE + r"\(2, 1.5\)"),
    "shape_negative": (lambda: wf.zeros((-1,)), ValueError, "extents must not be negative"),
    "shape_huge": (lambda: wf.zeros((2**62, 2**62)), ValueError, "too many elements"),
    "reshape": (lambda: wf.zeros(6).reshape(1.5), TypeError, "reshape" + SHAPE + "1.5"),
    "reshape_count": (lambda: wf.zeros(6).reshape(4), ValueError, r"reshape: cannot view 6 elements as \(4,\)"),
    "random_shape": (lambda: wf.random.default_rng(1).random(2.5), TypeError, "uniform" + SHAPE),
    "random_bounds": (lambda: wf.random.default_rng(1).integers(5, 2.5), TypeError, "integers: the bounds are integers"),
    "operand": (lambda: wf.add(wf.zeros(3), None), TypeError, "add: takes arrays and numbers: got NoneType"),
    "axis": (lambda: wf.sum(wf.zeros(6), axis=3), IndexError, "sum: axis out of range for rank 1: got 3"),
    "axis_text": (lambda: wf.sum(wf.zeros(6), axis="a"), TypeError, "sum: axis is an integer or a tuple of integers: got 'a'"),
    "axis_float": (lambda: wf.zeros(6).mean(axis=1.5), TypeError, "mean: axis is an integer or a tuple of integers: got 1.5"),
    "axis_of_a_scan": (lambda: wf.cumsum(wf.zeros(6), axis="a"), TypeError, "cumulative_sum: axis is an integer: got 'a'"),
    "axis_of_concat": (lambda: wf.concat([wf.zeros(6)], axis=0.5), TypeError, "concat: axis is an integer: got 0.5"),
    "axis_of_flip": (lambda: wf.flip(wf.zeros(6), axis=["a"]), TypeError, "flip: axis is an integer: got 'a'"),
    "axis_of_sort": (lambda: wf.sort(wf.zeros(6), axis="a"), TypeError, "sort: axis is an integer: got 'a'"),
    "axis_of_moveaxis": (lambda: wf.moveaxis(wf.zeros((2, 3)), 0.5, 1), TypeError, "moveaxis: axis is an integer: got 0.5"),
    "keepdims": (lambda: wf.sum(wf.zeros(6), keepdims="a"), TypeError, "sum: keepdims is True or False: got 'a'"),
    "keepdims_none": (lambda: wf.zeros(6).std(keepdims=None), TypeError, "std: keepdims is True or False: got None"),
    "arange": (lambda: wf.arange("x"), TypeError, "arange: stop is a number: got 'x'"),
    "arange_of_a_list": (lambda: wf.arange(0, 5, [1]), TypeError, r"arange: step is a number: got \[1\]"),
    "arange_of_an_array": (lambda: wf.arange(wf.zeros(3), 5), TypeError, "arange: start is a number: got"),
    "pad_text": (lambda: wf.pad(wf.zeros(3), "a"), TypeError, "pad: widths are integers, before and after each axis: got 'a'"),
    "pad_float": (lambda: wf.pad(wf.zeros(3), 1.5), TypeError, "pad: widths are integers, before and after each axis: got 1.5"),
    "pad_triple": (lambda: wf.pad(wf.zeros(3), (1, 2, 3)), ValueError, r"pad: widths are one pair, or one for each of 1 axes: got shape \(3,\)"),
    "pad_value": (lambda: wf.pad(wf.zeros(3), 1, constant_values="z"), TypeError, "pad: constant_values are numbers: got 'z'"),
    "shift": (lambda: wf.roll(wf.zeros(6), "a"), TypeError, "roll: shift is an integer: got 'a'"),
    "condition": (lambda: wf.where("a", 1, 2), TypeError, "where: takes arrays and numbers: got str"),
    "nan_as_integer": (lambda: wf.zeros(3, dtype="int32").__setitem__(0, float("nan")), ValueError, "assign: integers are finite: got nan for i32"),
    "infinity_as_integer": (lambda: wf.full(3, float("inf"), dtype="int8"), OverflowError, "full: integers are finite: got inf for i8"),
    "too_large_to_fill": (lambda: wf.full(3, 300, dtype="int8"), OverflowError, "full: the number does not fit"),
    "numpys_too_large": (lambda: wf.zeros(3, dtype="int8").__setitem__(0, np.int64(200)), OverflowError, "assign: the number does not fit"),
    "numpys_too_large_everywhere": (lambda: wf.zeros(3, dtype="int32").fill(np.uint64(2**63)), OverflowError, "assign: the number does not fit"),
    "extents": (lambda: wf.zeros((2, 3)) @ wf.zeros((2, 3)), ValueError, "matmul: inner extents differ"),
    "device": (lambda: wf.zeros(3, device="tpu"), ValueError, "device: takes cpu or cuda:N: got 'tpu'"),
    "stream": (lambda: wf.Stream("tpu"), ValueError, "device: takes cpu or cuda:N: got 'tpu'"),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_says_what_is_wrong(name):
    call, kind, text = CALLS[name]
    with pytest.raises(kind, match=text):
        call()


def test_errors_leave_no_memory_behind():
    cpu = wf.device("cpu")
    x = wf.eval(wf.ones(1_000_000) * 2)
    y = wf.eval(wf.ones(1_000_001) * 2)
    kept: list = []
    gc.collect()
    before = cpu.memory_in_use
    for _ in range(3):
        for wrong in (
            lambda: (x * 3 + 1) + y,
            lambda: wf.concat([x.reshape(1000, 1000) * 2, y]),
            lambda: wf.take(x * 2, [2_000_000]),
            lambda: wf.compile(lambda a: object())(x),
            lambda: wf.compile(lambda a: kept.append(a * 2))(x),
            lambda: wf.compile(lambda a: a + float(a[0]))(x),
            lambda: wf.one_kernel((x * 2).reshape(1000, 1000) @ (x * 3).reshape(1000, 1000)),
            lambda: (x * 2).__setitem__(slice(None), y),
            lambda: np.add.at(x * 1, [5_000_000], 1.0),
        ):
            with pytest.raises((wf.Error, IndexError, TypeError)):
                wrong()
    gc.collect()
    assert cpu.memory_in_use == before


@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("take_along_axis", lambda x, i: wf.take_along_axis(x, i, axis=0)),
        ("put_along_axis", lambda x, i: wf.put_along_axis(x, i, 1.0, axis=0)),
        ("put_along_axis", lambda x, i: wf.put_along_axis(x, wf.zeros((1, 4), dtype=wf.int64), wf.zeros(7), axis=0)),
        ("clip", lambda x, i: wf.clip(x, wf.zeros(7), 1)),
        ("clip", lambda x, i: wf.clip(wf.zeros(2, dtype=wf.int8), 1000, 2000)),
        ("where", lambda x, i: wf.where(x > 0, wf.zeros(7), x)),
        ("transpose", lambda x, i: wf.transpose(x, (0, 0))),
        ("transpose", lambda x, i: x.transpose(0, 5)),
        ("matmul", lambda x, i: x @ x),
        ("matmul", lambda x, i: wf.zeros((2, 3, 4)) @ wf.zeros((3, 4, 5))),
        ("std", lambda x, i: wf.std(x, axis=9)),
        ("vector_norm", lambda x, i: wf.linalg.vector_norm(x, axis=5)),
    ],
)
def test_errors_name_what_was_called(op, call):
    with pytest.raises((ValueError, IndexError, TypeError, OverflowError), match=rf"^{op}: .*got"):
        call(wf.zeros((3, 4)), wf.zeros((2, 5), dtype=wf.int64))


def test_flags_are_what_numpy_takes():
    x = wf.ones((2, 3))
    for flag in (True, 1, np.True_, np.int64(2)):
        assert wf.sum(x, axis=1, keepdims=flag).shape == (2, 1)
    for flag in (False, 0, np.False_):
        assert wf.sum(x, axis=1, keepdims=flag).shape == (2,)


def test_numbers_that_no_dtype_holds():
    for number, dtype in [(300, "uint8"), (-1, "uint64"), (2**64, "uint64"), (10**30, "int64"), (10**30, None)]:
        with pytest.raises(OverflowError, match="^full: .*got"):
            wf.full(2, number, dtype=dtype)
    assert float(wf.full(2, 10**30, dtype="float64")[0]) == 1e30


# What is neither a misuse that NumPy's own words explain nor one in ours.
FOREIGN = ("incompatible function arguments", "Invoked with types", "nanobind", "std::")
WRONG = (None, "a", object(), {}, b"x", 1j, -5, 2.5, (), wf.ones((3, 4)))


def wrong_calls(owner):
    for name in sorted(name for name in set(dir(owner)) - {"tune", "seed", "data"} if not name.startswith("_")):
        f = getattr(owner, name)
        if not callable(f) or inspect.isclass(f):
            continue
        yield from ((name, f, args, {}) for args in ((), *((one,) for one in WRONG), *((3, one) for one in WRONG), *((WRONG[-1], one) for one in WRONG)))
        yield from ((name, f, (WRONG[-1],), {key: object()}) for key in ("nonsense", "axis", "dtype", "out", "keepdims", "device", "size"))


@pytest.fixture
def settings_stay():
    """Some calls are right ones: of debug_nans(), set_callers(), set_cache(), set_threads(), set_printoptions()."""
    before, printed = wf.settings(), np.get_printoptions()
    yield
    np.set_printoptions(**printed)
    wf.debug_nans(False)
    wf.set_callers(before["callers"])
    wf.set_cache(before["cache_directory"], before["cache_limit"])
    wf.set_threads(before["threads"])
    for name in ("numerics", "tier", "log_level"):
        getattr(wf, "set_" + name)(before[name])
    assert wf.settings() == before


@pytest.mark.parametrize("owner", [wf, wf.linalg, wf.fft, wf.random, wf.random.default_rng(1), wf.ones((2, 3))], ids=lambda o: getattr(o, "__name__", type(o).__name__))
@pytest.mark.filterwarnings("ignore")
def test_every_public_function_names_what_is_wrong_with_its_arguments(owner, tmp_path, monkeypatch, settings_stay):
    monkeypatch.chdir(tmp_path)  # some write files
    calls = 0
    for name, f, args, options in wrong_calls(owner):
        calls += 1
        try:
            f(*args, **options)
        except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, NotImplementedError, OSError, BufferError, wf.Error, np.linalg.LinAlgError) as error:
            assert not any(word in str(error) for word in FOREIGN), (name, args, options, error)
    assert calls > 100


def test_arguments_of_the_wrong_type_are_told_with_what_is_taken():
    for f, text in (
        (lambda: wf.eval(3), "eval: takes arrays, or lists of them: got int"),
        (lambda: wf.explain(3), "explain: takes arrays, or lists of them: got int"),
        (lambda: wf.explain(), "explain: takes arrays, lists of them, or a function and its arguments: got none"),
        (lambda: wf.explain([]), "explain: takes arrays, lists of them, or a function and its arguments: got none"),
        (lambda: wf.tril(3, None), r"tril: takes \(x: .*, k: .*\): got \(Array, None\)"),
        (lambda: wf.put(3, 0, 1), "put: takes a weft.Array, which it writes to: got int"),
        (lambda: wf.random.random(out=3), "out: results are written to arrays of Weft or of NumPy: got int"),
        (lambda: wf.linalg.eigvalsh(wf.ones((2, 2)), [1]), r"eigvalsh: .*: got \(Array, list\)"),
        (lambda: wf.from_dlpack(3), "from_dlpack: takes what has __dlpack__ .*: got int"),
    ):
        with pytest.raises(TypeError, match=text):
            f()


def test_positions_of_several_axes_that_do_not_broadcast():
    x = wf.arange(12).reshape(3, 4)
    with pytest.raises(IndexError, match=r"index: .* broadcast: got \(2,\) and \(3,\)"):
        x[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError, match=r"index: .* broadcast: got \(2,\) and \(3,\)"):
        x[[0, 1], [0, 1, 2]] = 0
