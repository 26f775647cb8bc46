"""Trust: verify() compares with the interpreter, debug_nans() names the op and the line that made a NaN."""

import inspect
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import weft as wf

HERE = "test_trust.py"


def line_here():
    return inspect.currentframe().f_back.f_lineno


def data(*shape, dtype="float64"):
    return wf.asarray(np.linspace(0.25, 2, int(np.prod(shape)), dtype=dtype).reshape(shape))


def softmax(x):
    e = wf.exp(x - wf.max(x, axis=1, keepdims=True))
    return e / wf.sum(e, axis=1, keepdims=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_right_agrees_in_a_few_ulps(dtype):
    found = wf.verify(softmax, data(40, 300, dtype=dtype))
    assert found and found.agrees and str(found).startswith("agrees: ")
    (output,) = found.to_dict()["outputs"]
    assert output["dtype"] == {"float32": "f32", "float64": "f64"}[dtype] and output["shape"] == [40, 300]
    for way in ("fused", "op_by_op"):
        assert output[way]["agrees"] and output[way]["ulps"] <= 16
    assert found.to_dict()["first"] is None and json.loads(found.to_json())["schema"] == "weft.verify"


def test_integers_have_to_be_equal_and_are():
    x = wf.asarray(np.arange(5000, dtype="int32"))
    found = wf.verify([x * 3 + 1, wf.cumsum(x)])
    assert [one["fused"]["ulps"] for one in found.to_dict()["outputs"]] == [0, 0]
    assert "every element is equal" in str(found)


def test_functions_give_containers_and_may_be_compiled():
    @wf.compile
    def f(x, scale):
        return {"a": x * scale, "b": (wf.sin(x), 3)}

    found = wf.verify(f, data(2000), 2.5)
    assert len(found.to_dict()["outputs"]) == 2 and found
    assert f.recordings == 0


def test_arrays_stay_pending_and_the_program_is_that_of_all():
    x = data(3000)
    y = wf.exp(x)
    assert wf.verify(y)
    assert "lies in memory" not in wf.explain(y)
    np.testing.assert_allclose(np.asarray(y), np.exp(np.asarray(x)), rtol=1e-14)
    with pytest.raises(wf.Error, match="computed already"):
        wf.verify(y)


def test_zero_sizes_and_zero_d_are_verified():
    assert wf.verify(lambda x: (x + 1, wf.sum(x)), wf.asarray(np.zeros((0, 3))))
    assert wf.verify(lambda x: wf.sqrt(x), wf.asarray(2.0))


def _turn(_, s):
    return s * 0.5 + wf.sin(s)


@pytest.mark.parametrize(("f", "parts", "none"), [
    (lambda x: wf.exp(x) * 2, 0, 0),
    (lambda x: wf.fori_loop(0, 20, _turn, x), 1, 0),
    (lambda x: wf.fori_loop(0, 20, _turn, x) + 1, 2, 0),
    (wf.grad(lambda x: wf.sum(wf.sin(x) ** 2)), 1, 0),
    (lambda x: x - 0.1 * wf.grad(lambda t: wf.sum(wf.tanh(t) ** 2))(x), 2, 0),
    (lambda x: x * float(wf.sum(x)), 2, 0),
    (lambda x: wf.interp(x, wf.asarray([0.0, 1.0]), wf.asarray([0.0, 2.0])) + 1, 2, 1),
    (lambda x: wf.compile(lambda t: wf.exp(t))(x) + 1, 2, 1),
])  # fmt: skip
def test_what_a_function_computes_on_the_way_is_compared_part_by_part(f, parts, none, on_cpu):
    x = wf.asarray(np.linspace(-2, 2, 5000))
    found = wf.verify(f, x)
    assert found, str(found)
    data = found.to_dict()
    assert len(data.get("parts", [])) == parts and sum(one["agrees"] is None for one in data.get("parts", [])) == none
    assert str(found).count("agrees: ") == max(parts - none, 1)
    assert wf.bisect(f, x), str(wf.bisect(f, x))


def test_where_nothing_of_a_function_is_compared_it_is_said(on_cpu):
    x = wf.asarray(np.linspace(-2, 2, 5000))
    with pytest.raises(wf.Error, match=r"^verify: nothing was compared: it was recorded before: give the compiled function to verify\(\)"):
        wf.verify(lambda x: wf.compile(lambda t: wf.exp(t))(x), x)
    assert wf.verify(wf.compile(lambda x: wf.exp(x)), x)
    assert "kernel" in str(wf.compile(lambda x: wf.exp(x)).explain(x, detail="summary"))


def test_what_verify_does_not_take():
    with pytest.raises(TypeError, match="got none"):
        wf.verify(lambda x: 3, data(3))
    with pytest.raises(TypeError, match="got none"):
        wf.verify()


def test_the_op_that_made_a_nan_is_named_with_line_and_values():
    x = wf.asarray(np.linspace(-1, 1, 1001))
    with wf.debug_nans():
        a = wf.log(x); line = line_here()  # noqa: E702
        b = a * 2 + 1
        with pytest.raises(wf.Error, match=rf"debug_nans: log\(-1\.0\) at {HERE}:{line} made NaN at \(0,?\)"):
            wf.eval(b)
    assert np.isnan(np.asarray(b)[0]), "and it can be looked at afterwards"


@pytest.mark.parametrize("n", [5, 3000])
def test_nans_that_a_mask_hides_are_no_fault(n):
    x = wf.asarray(np.linspace(-1, 1, n))
    with wf.debug_nans():
        y = wf.sum(wf.where(x > 0, wf.log(x), 0.0))
        assert np.isfinite(float(y))
        z = wf.where(x > 0, wf.log(x), wf.sqrt(x)); line = line_here()  # noqa: E702
        with pytest.raises(wf.Error, match=rf"sqrt\(-1\.0\) at {HERE}:{line} "):
            wf.eval(z)


def test_nans_of_inputs_are_no_ops_fault():
    x = wf.asarray(np.array([1.0, np.nan, 3.0] * 500))
    with wf.debug_nans():
        np.testing.assert_array_equal(np.asarray(x + 1), np.asarray(x) + 1)
        y = wf.log(x - 2); line = line_here()  # noqa: E702
        with pytest.raises(wf.Error, match=rf"log\(-1\.0\) at {HERE}:{line} made NaN at \(0,?\)"):
            wf.eval(y)


def test_infinities_are_looked_for_when_asked():
    x = wf.asarray(np.full(2000, 800.0))
    with wf.debug_nans():
        wf.eval(wf.exp(x))
    with wf.debug_nans(infinities=True):
        y = 1 / (wf.exp(x) + 1); line = line_here()  # noqa: E702
        wf.eval(y)  # 1 / inf is 0: no infinity in the result
        z = wf.exp(x) - wf.exp(x + 1); line = line_here()  # noqa: E702
        with pytest.raises(wf.Error, match=rf"exp\(800\.0\) at {HERE}:{line} made inf"):
            wf.eval(z)
    with wf.debug_nans():
        with pytest.raises(wf.Error, match=r"subtract\(inf, inf\)"):
            wf.eval(wf.exp(x) - wf.exp(x + 1))


def test_reductions_and_products_name_their_operands():
    x = wf.asarray(np.array([[np.inf, -np.inf], [1, 2]] * 600).reshape(-1, 2))
    with wf.debug_nans(), pytest.raises(wf.Error, match=r"sum\(f64\[?\(?1200, 2"):
        wf.eval(wf.sum(x, axis=1))


def test_functions_of_compile_run_as_they_are_written_while_nans_are_watched():
    @wf.compile
    def f(x):
        return wf.sqrt(x) + 1

    x = wf.asarray(np.linspace(-1, 1, 2000))
    wf.eval(f(x))
    with wf.debug_nans(), pytest.raises(wf.Error, match=r"sqrt\(-1\.0\)"):
        wf.eval(f(x))
    assert np.isnan(np.asarray(f(x))[0])


def test_it_is_set_back_and_may_be_for_good():
    x = wf.asarray(np.full(2000, -1.0))
    was = wf.debug_nans()
    with pytest.raises(wf.Error, match="debug_nans"):
        wf.eval(wf.sqrt(x))
    assert wf.settings()["debug_nans"] == "nans" and "debug_nans" in repr(was)
    wf.debug_nans(False)
    assert wf.settings()["debug_nans"] == "off"
    wf.eval(wf.sqrt(x))


def test_arrays_that_are_written_in_place_keep_what_they_held():
    x = wf.asarray(np.linspace(1, 2, 300_000))
    wf.eval(x)
    want = np.sqrt(np.asarray(x) * 2)
    with wf.debug_nans():
        for _ in range(2):
            y = x * 2
            y = wf.sqrt(y)
            wf.eval(y)
        with pytest.raises(wf.Error, match=r"log\(-1\.0\)"):
            x[:10] = wf.log(wf.zeros(10) - 1)
            wf.eval(x)
    np.testing.assert_allclose(np.asarray(y), want)


# ---- what makes results wrong, and dumps


def test_bisect_says_where_nothing_is_wrong():
    found = wf.bisect(softmax, data(40, 300))
    assert found and "nothing to search" in str(found)
    assert json.loads(found.to_json()) == {"schema": "weft.bisect", "version": 1, "agrees": True, "text": "", "pass": None, "op": None, "group": [], "edges": []}
    y = wf.exp(data(3000))
    assert wf.bisect([y], {"z": y * 2})
    wf.eval(y)
    with pytest.raises(wf.Error, match="bisect: what is given was computed already"):
        wf.bisect(y)
    with pytest.raises(TypeError, match="bisect: takes arrays"):
        wf.bisect(lambda x: 3, data(3))


def test_bisect_names_the_pass_that_fast_numerics_let_go_too_far():
    x = wf.asarray(np.array([1.0, np.inf] * 1000))
    with wf.set_numerics("fast"):
        found = wf.bisect(lambda x: wf.sqrt(x * 0.0 + wf.exp(x)), x)
    assert not found
    assert found.to_dict()["pass"]["name"] == "simplify" and found.to_dict()["pass"]["right_without"]
    assert "the pass simplify" in str(found)


def test_a_part_that_is_wrong_is_what_is_said_of_the_whole():
    def f(x):
        wf.eval(wf.sqrt(x * 0.0 + wf.exp(x)))  # wrong in fast numerics, and looked at
        return x * 2

    x = wf.asarray(np.array([1.0, np.inf] * 1000))
    with wf.set_numerics("fast"):
        verified, bisected = wf.verify(f, x), wf.bisect(f, x)
    assert not verified and not bisected
    data = verified.to_dict()
    assert not data["agrees"] and data["outcome"] == "differs" and data["first"] is not None
    assert [one["agrees"] for one in data["parts"]] == [False, True]
    assert bisected.to_dict()["pass"]["name"] == "simplify"


PROGRAM = """
import numpy as np
import weft as wf
x = wf.asarray(np.arange(5000, dtype="float32"))
wf.eval(wf.exp(x * 0.001) + 2)
f = wf.compile(lambda x: wf.sum(x * x))
print(float(f(x)))
"""


def replayed(*arguments):
    run = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, **dict(one.split("=", 1) for one in arguments)}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run


def test_a_process_dumps_the_graphs_that_it_runs(on_cpu, tmp_path):
    folder = tmp_path / "dumps"
    replayed(f"WEFT_DUMP={folder}")
    dumps = sorted(folder.iterdir())
    assert len(dumps) == 2
    results = []
    for one in dumps:
        assert json.loads((one / "dump.json").read_text())["schema"] == "weft.dump"
        assert (one / "graph.weft").read_text().startswith("graph {")
        inputs, outputs = np.load(one / "inputs.npz"), np.load(one / "outputs.npz")
        assert inputs["0"].shape == (5000,)
        results.append(outputs["0"])
    x = np.arange(5000, dtype="float32")
    np.testing.assert_allclose(next(r for r in results if r.shape), np.exp(x * np.float32(0.001)) + 2, rtol=1e-6)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    replayed(f"WEFT_DUMP={folder}")  # what is there stays
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_dumps_of_shapes_alone_and_folders_that_cannot_be_written_to(on_cpu, tmp_path):
    replayed(f"WEFT_DUMP={tmp_path / 'dumps'}", "WEFT_DUMP_DATA=0")
    assert {path.name for path in (tmp_path / "dumps").glob("*/*")} == {"dump.json", "graph.weft"}
    (tmp_path / "file").write_text("x")
    run = replayed(f"WEFT_DUMP={tmp_path / 'file' / 'dumps'}")
    assert "WEFT_DUMP: " in run.stderr and "cannot be written" in run.stderr and run.stderr.count("RuntimeWarning") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dumps", "file"]


def test_where_every_element_is_nan_nothing_was_compared():
    x = data(3000)
    found = wf.verify(lambda x: (wf.log(-x), wf.exp(x)), x)
    said = found.to_dict()
    assert not found and not found.agrees and said["outcome"] == "nothing compared" and said["first"] is None
    assert str(found).startswith("NOTHING COMPARED, as every element of an output is NaN: give other data: ")
    assert [one["fused"]["compared"] for one in said["outputs"]] == [False, True]
    assert said["outputs"][1]["fused"]["agrees"] and not said["outputs"][0]["fused"]["agrees"]
    some = wf.verify(lambda x: wf.log(x - 1), x)
    assert some and some.to_dict()["outcome"] == "agrees"
    assert wf.verify(wf.zeros((0, 3)) + x[:3]), "of no elements none is NaN"


MADE = {
    "constants": (lambda x: wf.zeros(3) / wf.zeros(3), r"divide\(0\.0, 0\.0\)"), "numbers": (lambda x: float(wf.asarray(0.0) / wf.asarray(0.0)), r"divide\(0\.0, 0\.0\)"),
    "a number's function": (lambda x: wf.log(x[0] - 5), r"log\(-4\.75\)"),
    "an item": (lambda x: x.__setitem__(3, wf.sqrt(x[0] - 5)), r"sqrt\(-4\.75\)"),
    "the host's covariance": (lambda x: wf.corrcoef(wf.zeros((2, 5))), r"numpy\.corrcoef"),
    "the mean of nothing": (lambda x: wf.mean(x[:0]), r"divide\(0\.0, 0\.0\)"),
    "the means of no rows": (lambda x: wf.mean(wf.zeros((0, 5000)), axis=0), r"divide\(0\.0, 0\.0\)"),
    "the spread of one": (lambda x: wf.eval(wf.std(x[:1], ddof=1)), r"divide\(0\.0, 0\.0\)"),
    "an addition in place": (lambda x: wf.eval(at_infinity(x)), r"debug_nans: "),
}  # fmt: skip


def at_infinity(x):
    y = wf.eval(x * 0) + np.inf
    wf.add.at(y, np.array([1]), np.array([-np.inf]))
    return y


@pytest.mark.parametrize("case", MADE)
def test_what_is_computed_at_once_is_looked_at_too(case, on_cpu):
    make, says = MADE[case]
    x = wf.eval(wf.copy(data(2000)))
    with wf.debug_nans(), pytest.raises(wf.Error, match=rf"debug_nans: .*{HERE}:\d+ made ") as found:
        make(x)
    assert re.search(says, str(found.value)), found.value
    with np.errstate(all="ignore"):
        make(x)  # and nothing is said without it


def test_nans_that_were_given_are_no_fault_of_what_is_computed_at_once():
    nan = wf.asarray(np.nan)
    with wf.debug_nans():
        assert np.isnan(float(nan * 2 + 1)) and np.isnan(float(wf.sqrt(nan)))
        assert np.isnan(np.asarray(wf.interp(wf.asarray([np.nan, 1.0]), wf.ones(2), wf.ones(2)))[0])
        wf.eval(wf.full(5, np.nan) + 1)
    with wf.debug_nans(infinities=True), pytest.raises(wf.Error, match=r"divide\(1\.0, 0\.0\) .* made inf"):
        float(1.0 / wf.asarray(0.0))


HIDDEN = {
    "integers": lambda x: wf.floor(wf.log(x) * 10).astype("int64"),
    "bools": lambda x: wf.log(x).astype(bool),
    "a mask": lambda x: wf.where(wf.log(x).astype(bool), 1.0, 2.0),
    "behind a view": lambda x: wf.log(x)[::-1].reshape(40, -1).T.astype("int32"),
    "a sum": lambda x: wf.sum(wf.log(x)).astype("int64"),
    "positions": lambda x: x[wf.clip(wf.log(x).astype("int64"), 0, 5)],
    "the place of the largest": lambda x: wf.argmax(wf.log(x)),
    "places in rows": lambda x: wf.argmin(wf.log(x).reshape(4, -1), axis=1),
}


@pytest.mark.parametrize("case", HIDDEN)
@pytest.mark.parametrize("n", [40, 20_000])
def test_a_nan_that_becomes_an_integer_is_seen(case, n, on_cpu):
    x = wf.eval(wf.linspace(-1, 1, n))
    with wf.debug_nans(), pytest.raises(wf.Error, match=rf"debug_nans: log\(-1\.0\) at {HERE}:\d+ made NaN at \(0,?\)"):
        wf.eval(HIDDEN[case](x))


SOUND = {
    "chosen": lambda x: wf.where(x > 0, wf.log(x), 0).astype("int64"),
    "cast and then chosen": lambda x: wf.where(x > 0, wf.log(x).astype("int64"), 0),
    "cut away": lambda x: wf.log(x)[-5:].astype("int64"),
    "tested": lambda x: wf.isnan(wf.log(x)),
    "of data": lambda x: (wf.where(x > 0, x, np.nan) * 2).astype(bool),
    "numbers": lambda x: wf.floor(x * 10).astype("int64"),
    "padded": lambda x: wf.pad(wf.log(x)[-5:], 3).astype("int64"),
    "joined": lambda x: wf.concatenate([wf.log(x), x])[-5:].astype("int64"),
}


@pytest.mark.parametrize("case", SOUND)
@pytest.mark.parametrize("n", [40, 20_000])
def test_a_nan_that_no_integer_is_made_of_is_no_error(case, n, on_cpu):
    x = wf.eval(wf.linspace(-1, 1, n))
    with wf.debug_nans():
        wf.eval(SOUND[case](x))


def test_infinities_that_become_integers_are_seen():
    x = wf.eval(wf.linspace(0, 1, 2000))
    with wf.debug_nans():
        wf.eval((1 / x).astype("int64"))
    with wf.debug_nans(infinities=True), pytest.raises(wf.Error, match=r"debug_nans: divide\(1\.0, 0\.0\) .* made inf at \(0,?\)"):
        wf.eval((1 / x).astype("int64"))


OVERFLOWS = {
    "a constant": (lambda x: wf.full(5, 1e308) * 10, r"multiply\(1e\+308, 10\.0\)"), "a narrower constant": (lambda x: wf.full(5, 1e300).astype("float32"), r"cast\(1e\+300\)"),
    "a number beside f32": (lambda x: x.astype("float32") * 1e300, r"cast\(1e\+300\)"), "a number to fill with": (lambda x: wf.full(5, 1e300, dtype="float32"), r"cast\(1e\+300\)"),
    "a narrower array": (lambda x: wf.eval((x + 1e300).astype("float32")), r"cast\(1e\+300\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", OVERFLOWS)
def test_what_overflows_is_named(case, on_cpu):
    make, says = OVERFLOWS[case]
    x = wf.eval(wf.copy(data(2000)))
    with wf.debug_nans():
        make(x)
    with wf.debug_nans(infinities=True), pytest.raises(wf.Error, match=rf"debug_nans: {says} at {HERE}:\d+ made inf"):
        make(x)
    with wf.debug_nans(infinities=True):
        wf.eval(wf.full(2000, np.inf, dtype="float32") * 0.5 + x.astype("float32") + np.inf)
