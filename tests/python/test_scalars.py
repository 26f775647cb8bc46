"""What NumPy answers with scalars: results of rank 0 and elements are values, that nothing changes; arrays of rank 0 are arrays."""

import copy
import math
import operator
import pickle

import numpy as np
import pytest
import weft as wf

values = [
    "a.sum()", "np.dot(a, a)", "np.linalg.norm(a)", "np.median(a)", "np.asarray(2.) + 1", "a[0]", "np.mean(a)", "np.einsum('i,i', a, a)",
    "np.einsum('i->', a)", "copy.copy(a.sum())", "pickle.loads(pickle.dumps(a.sum()))", "a.sum().astype('f4')", "np.take(a, 1)", "a.sum().copy()",
    "np.nanmin(a * 1.)", "np.nanmax(a * 1.)", "np.nanmin(a)", "np.nan_to_num(a.sum())", "np.nan_to_num(np.asarray(2.))", "np.real(a[0])", "np.imag(a.sum() * 1j)", "a[0].real", "a[0].imag", "np.real(np.float32(2))",
    "np.squeeze(a[0])", "a[0].squeeze()", "np.transpose(a[0])", "a.sum().transpose()", "a[0].T", "np.permute_dims(a[0], ())", "np.moveaxis(a[0], (), ())", "a[0].reshape(())", "np.reshape(a[0], ())", "a[0].view()",
    "a[0].view('u8')", "np.flip(a[0])", "np.flip(np.asarray(2))", "a[0].byteswap().byteswap()", "np.sinc(a[0] * 1.)", "np.sinc(np.asarray(2.))", "np.clip(a[0], 0, 9)", "np.round(a[0], 1)", "np.isposinf(a[0] * 1.)",
    "np.bitwise_count(a[0])", "np.heaviside(a[0], a[1])", "np.fmax(a[0], a[1])", "np.average(a, returned=True)[1]", "np.choose(0, [a[0]])", "np.astype(np.float32(2), 'f8')", "np.squeeze(np.int8(3))",
    "np.asarray(3)[()]", "a.max()", "np.quantile(a, 0.5)", "np.argmax(a)", "np.vdot(a, a)", "next(iter(a))",
]  # fmt: skip
arrays = [
    "np.asarray(a.sum())", "np.array(a.sum())", "np.asarray(3.)", "np.zeros(())", "np.full((), 3.)", "np.tensordot(a, a, 1)", "np.where(True, 1, 2)",
    "copy.deepcopy(np.asarray(2))", "pickle.loads(pickle.dumps(np.asarray(2)))", "np.asarray(2.).copy()", "np.asarray(2.).astype('f4')",
    "np.ones_like(a.sum())", "a.sum()[...]", "np.squeeze(np.asarray([3.]))", "a[..., 1]", "np.copy(a.sum())", "np.copy(a[0])", "np.real(np.asarray(2.))", "np.asarray(2.).T",
    "np.pad(a.sum(), 1)", "np.tile(a.sum(), ())", "np.i0(a.sum())", "np.asarray(2.).view()", "np.asarray(2.).reshape(())", "np.array(a[0])",
]  # fmt: skip


def both(expression, **names):
    scope = {"copy": copy, "pickle": pickle, "math": math}
    return [eval(expression, {**scope, "np": lib, **{k: lib.asarray(v) for k, v in names.items()}}) for lib in (np, wf)]


@pytest.mark.parametrize("expression", values)
def test_what_numpy_answers_with_a_scalar_is_a_value(expression):
    for x in both(expression, a=[1, 2, 3]):
        before, same = float(x), x
        x += 5
        assert (float(same), float(x)) == (before, before + 5)
        assert hash(same) == hash(before)
        assert not same.flags.writeable


@pytest.mark.parametrize("expression", arrays)
def test_arrays_of_rank_0_stay_arrays(expression):
    for x in both(expression, a=[1, 2, 3]):
        before, same = float(x), x
        x += 5
        assert float(same) == float(x) == before + 5
        same[...] = 1
        assert float(x) == 1
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)


def test_totals_of_a_loop_are_kept_as_they_were():
    for lib in (np, wf):
        a = lib.asarray([1, 2, 3])
        total, held = a.sum() * 0, []
        for v in a:
            total += v
            held.append(total)
        assert [int(x) for x in held] == [1, 3, 6]


@pytest.mark.parametrize("change", ["x /= 6", "x += 1j", "x += a", "x **= 0.5", "x -= 0.5", "x //= 4"])
def test_a_value_in_place_becomes_what_the_operation_gives(change):
    results = []
    for lib in (np, wf):
        a = lib.asarray(np.arange(6))
        scope = {"x": a.sum(), "a": a}
        exec(change, scope)
        results.append(np.asarray(scope["x"]))
    want, have = results
    np.testing.assert_allclose(have, want)
    assert have.dtype == want.dtype


def test_views_of_a_value_are_views_of_a_copy():
    for lib in (np, wf):
        s = lib.asarray([1, 2, 3]).sum()
        for view in (s.reshape(1), s[None], lib.asarray(s), lib.reshape(s, (1, 1)), lib.atleast_1d(s) if lib is np else s[None, None]):
            view[...] = 99
            assert int(s) == 6 and int(view.ravel()[0]) == 99


def test_a_value_is_no_place_to_write_to():
    s = wf.asarray([1, 2, 3]).sum()
    for write in (lambda: wf.add(1, 2, out=s), lambda: wf.sum(wf.ones(3), out=s), lambda: wf.copyto(s, 1), lambda: s.fill(1)):
        with pytest.raises(TypeError, match="one value"):
            write()
    with pytest.raises(AttributeError, match="one value"):
        s.shape = (1,)
    assert int(s) == 6


@pytest.mark.parametrize("key", [(), ..., True, np.asarray(True), wf.asarray(True), wf.asarray([True])[0]])
def test_a_value_that_is_assigned_to_becomes_an_array(key):
    x = wf.asarray([1, 2, 3])
    s, other = x.sum(), x.sum()
    assert s == other
    with pytest.raises((TypeError, ValueError)):
        s[key] = "text"
    assert isinstance(hash(s), int)  # what could not be written is the value that it was
    s[key] = 9
    assert (int(s), int(other), x.tolist()) == (9, 6, [1, 2, 3])
    with pytest.raises(TypeError, match="unhashable"):
        hash(s)
    same = s
    s += 1
    assert same is s and int(same) == 10 and s.flags.writeable
    element = x[0]
    element[key] = 7
    assert x.tolist() == [1, 2, 3]


def test_a_compiled_function_assigns_to_values_of_its_own_alone():
    outside = wf.asarray([1.0, 2.0]).sum()

    @wf.compile
    def own(x):
        total = x.sum()
        total[total > 2] = 2
        return total

    @wf.compile
    def arguments(x):
        x[...] = 1
        return x

    @wf.compile
    def from_outside(x):
        outside[...] = x.sum()
        return x

    for values, want in (([1.0, 2.0], 2), ([0.5, 1.0], 1.5)):
        assert float(own(wf.asarray(values))) == want
    for f, x in ((arguments, outside), (from_outside, wf.ones(3))):
        with pytest.raises(TypeError, match="one value"):
            f(x)
    assert outside == 3


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "std"])
def test_reductions_of_one_value_take_the_axes_that_numpys_take(name):
    for axis in (0, -1, 1):
        outcomes = []
        for lib in (np, wf):
            try:
                outcomes.append(getattr(lib, name)(lib.asarray(3.0), axis=axis).item())
            except np.exceptions.AxisError:
                outcomes.append(None)
        assert outcomes[0] == outcomes[1]


def test_values_are_keys():
    for lib in (np, wf):
        a = lib.asarray([3, 1, 3])
        assert {1: "one", 3: "three"}[a[1]] == "one" and len(set(a)) == 2
        assert hash(lib.asarray(np.float32([0.1]))[0]) == hash(float(np.float32(0.1)))


@pytest.mark.parametrize("expression", [
    "round(a.mean(), 1)", "round(a.mean())", "round(a[0], -1)", "type(round(a.mean()))", "math.trunc(a.mean())", "a.mean().is_integer()", "a.sum().is_integer()",
    "[0] * a[0]", "a[0] * [0]", "(1,) * a[0]", "'ab' * a[0]", "(np.asarray(2) * [1, 2]).tolist()", "([1, 2] * np.asarray(2)).tolist()",
    "(a == None).tolist()", "(a != None).tolist()", "(a == 'a').tolist()", "(a == object()).tolist()", "bool(a[0] == None)", "a[0] in {11: 1}",
])  # fmt: skip
def test_python_takes_a_value_for_a_number(expression):
    want, have = both(expression, a=[11, 2, 34])
    assert want == have


@pytest.mark.parametrize("expression", ["round(np.asarray(2.5))", "round(a)", "[0] * a.mean()", "a.mean() * [1, 2]", "hash(a)", "{a: 1}"])
def test_what_is_no_number_is_refused(expression):
    for lib in (np, wf):
        with pytest.raises(TypeError):
            eval(expression, {"np": lib, "a": lib.asarray([11, 2, 34])})


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "uint64", "bool", "complex64"])
@pytest.mark.parametrize("scalar", [np.float64(2.5), np.float64(np.nan), np.float64(-0.0), np.float32(2.5), np.int64(3), np.bool_(True)], ids=repr)
def test_numpys_scalars_beside_elements_and_arrays_have_their_dtype(scalar, dtype):
    numbers = np.array([3, 0, 1]).astype(dtype)
    ours = wf.array(numbers)
    operators = [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq, operator.ge]
    with np.errstate(all="ignore"):
        for of in operators:
            for theirs, mine in [(numbers, ours), *((numbers[k], ours[k]) for k in range(3))]:
                for swapped in (False, True):
                    call = (lambda a: of(scalar, a)) if swapped else (lambda a: of(a, scalar))  # noqa: B023
                    try:
                        want = np.asarray(call(theirs))
                    except TypeError:
                        with pytest.raises((TypeError, ValueError)):
                            call(mine)
                        continue
                    got = np.asarray(call(mine))
                    assert got.dtype == want.dtype and got.shape == want.shape
                    np.testing.assert_allclose(got, want, rtol=1e-3 if dtype == "float16" else 1e-6)


_NUMPYS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("its", _NUMPYS)
@pytest.mark.parametrize("ours", _NUMPYS)
def test_values_beside_numpys_scalars_are_numpys(ours, its):
    values = np.array([3, 1, 0]).astype(ours)
    numbers = np.array([2, 1, 0]).astype(its)
    x = wf.asarray(values)
    for op in (operator.add, operator.mul, operator.sub, operator.eq, operator.lt):
        for i in range(3):
            for j in range(3):
                for swapped in (False, True):
                    theirs, mine = (values[i], numbers[j]), (x[i], numbers[j])
                    if swapped:
                        theirs, mine = theirs[::-1], mine[::-1]
                    with np.errstate(all="ignore"):
                        try:
                            expected = op(*theirs)
                        except TypeError:  # a difference of bools
                            with pytest.raises(TypeError):
                                op(*mine)
                            continue
                    got = op(*mine)
                    assert np.asarray(got).dtype == expected.dtype and np.asarray(got) == expected, (op, theirs)
