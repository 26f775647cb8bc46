"""Programs of tests/inside that are slow for a known cause: the profile's advice names the cause and the line.

Each opens with a comment `# cause: ...`; the line that has it ends with `# here`. `main()` is profiled, after `prepare()`. Where the cause is
`refused: ...`, the error says it, at that line.
"""

import pathlib
import runpy

import pytest
import weft as wf

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "inside"
PROGRAMS = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_the_advice_names_cause_and_line(on_cpu, path):
    lines = path.read_text(encoding="utf-8").splitlines()
    cause = lines[0].removeprefix("# cause: ")
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("# here")}
    if lines[1] == "# needs: cuda" and not wf.devices("cuda"):
        pytest.skip("no GPU here")
    names = runpy.run_path(str(path))
    given = names["prepare"]()
    if cause.startswith("refused: "):
        with pytest.raises(wf.Error, match=cause.removeprefix("refused: ")) as told:
            names["main"](*given)
        assert marked & {entry.lineno + 1 for entry in told.traceback if str(entry.path) == str(path)}
        return
    with wf.set_tier("compile"), wf.profile() as p:
        names["main"](*given)
    advice = p.advice()
    found = [one for one in advice if one["cause"] == cause]
    if cause == "none":
        assert advice == []
        return
    assert found, (advice, str(p))
    assert marked & {line["line"] for one in found for line in one["lines"] if line["file"] == str(path)}, found
    assert f"advice: {cause} at {path.name}:" in str(p)


def test_there_are_programs():
    assert len([path for path in PROGRAMS if not path.read_text(encoding="utf-8").startswith("# cause: none")]) >= 30


def test_the_wide_operand_is_named_as_the_line_names_it(on_cpu):
    x, y = (wf.eval(wf.asarray([0.5] * 20_000, dtype=dtype)) for dtype in ("float32", "float64"))
    with wf.profile() as p:
        wf.eval(x * wf.linspace(1, 2, 20_000))
        wf.eval(x + wf.exp(y))
        wf.eval(wf.reshape(x, (100, 200)) - wf.eye(100, 200))
    told = [one["text"] for one in p.advice() if one["cause"] == "widened"]
    assert len(told) == 3
    assert any("is f64(20000,) at test_advice.py:" in text and "(`wf.eval(x * wf.linspace(1, 2, 20_000))`)" in text for text in told), told
    assert any("is exp : f64(20000,) at test_advice.py:" in text for text in told), told
    assert any("is f64(100, 200) at test_advice.py:" in text and "wf.eye(100, 200))`)" in text for text in told), told
    assert wf.explain(x * wf.linspace(1, 2, 20_000), detail="summary").count("`assert wf.explain(x * wf.linspace(1, 2, 20_000)") == 1


def test_a_program_that_runs_for_two_lines_has_the_advice_of_both(on_cpu):
    x, y = (wf.eval(wf.asarray([0.5] * 20_000, dtype=dtype)) for dtype in ("float32", "float64"))
    with wf.set_tier("compile"), wf.profile() as p:
        for _ in range(3):
            wf.eval(x / y - 3.25)
            wf.eval(x / y - 3.25)
    lines = {line["line"] for one in p.advice() if one["cause"] == "widened" for line in one["lines"]}
    assert len(lines) == 2
    kernels = [row for row in p.to_dict()["rows"] if row["kind"] in ("kernel", "blocks")]
    assert sorted(row["count"] for row in kernels) == [3, 3]
