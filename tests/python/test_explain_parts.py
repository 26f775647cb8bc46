"""explain() of a function that looks at values on the way: it runs, and each part says what looked."""

import pytest
import weft as wf

HERE = "test_explain_parts.py"


def line_of(text):
    with open(__file__) as file:
        return next(number for number, line in enumerate(file, 1) if text in line and "line_of(" not in line)


def normalized(x):
    scale = float(wf.max(wf.exp(x)))  # the first look
    if wf.sum(x) > 0:  # the second
        x = x * 2
    return x / scale


def parts_of(said):
    return said.to_dict()["parts"]


@pytest.fixture(name="x")
def made():
    return wf.eval(wf.linspace(0.5, 1, 50_000))


def test_each_look_is_a_part_with_what_looked(x):
    said = wf.explain(normalized, x)
    first, second, rest = parts_of(said)
    assert (first["kind"], first["by"], first["lines"][0]["line"], first["times"]) == ("look", "float()", line_of("# the first look"), 1)
    assert (second["kind"], second["lines"][0]["line"]) == ("look", line_of("# the second"))
    assert rest["kind"] == "rest" and rest["by"] is None
    programs = said.to_dict()["programs"]
    assert [one["program"] for one in (first, second, rest)] == [0, 1, 2] and len(programs) == 3
    assert "exp" in programs[0]["steps"][0]["text"] and programs[0]["summary"]["kernels"] == 1
    assert said.startswith("the call runs in 3 parts: nothing fuses from one to another\n\npart 1: as float() at ")
    assert f"part 1: as float() at {HERE}:{line_of('# the first look')} looked at a value\n1 kernel does 2 operations: " in said
    assert "\npart 3: what is left to be computed of the results\n" in said


def test_what_can_be_recorded_is_recorded(x):
    said = wf.explain(lambda x: wf.exp(x) * 2, x)
    assert parts_of(said) is None and said.startswith("1 kernel does 2 operations")


def test_equal_parts_are_one_that_says_how_often(x):
    def stepped(x):
        total = 0.0
        for _ in range(5):
            total += float(wf.sum(x))  # looks in a loop
            x = wf.eval(x * 0.5)
        return total

    said = wf.explain(stepped, x, detail="summary")
    looks = [part for part in parts_of(said) if part["by"] == "float()"]
    assert [part["times"] for part in looks] == [5] and "part 1, 5 times: as float() at " in said
    assert said.startswith("the call runs in 10 parts: nothing fuses from one to another; 2 of them differ\n")


def test_what_numpy_answers_is_a_part(x):
    def interpolated(x):
        y = wf.interp(wf.exp(x), wf.linspace(0, 3, 50), wf.linspace(0, 1, 50))  # on the host
        return float(y[0])

    said = wf.explain(interpolated, x)
    (host,) = (part for part in parts_of(said) if part["kind"] == "host")
    assert (host["by"], host["lines"][0]["line"], host["program"]) == ("numpy.interp", line_of("# on the host"), None)
    assert f": numpy.interp at {HERE}:{line_of('# on the host')}: NumPy answered, on the host" in said


def test_calls_of_compiled_functions_are_parts(x):
    doubled = wf.compile(lambda x: wf.exp(x) * 2)

    def called(x):
        return float(doubled(x)[0])

    assert "call" in [part["kind"] for part in parts_of(wf.explain(called, x))]


def test_the_values_are_those_of_the_call(x):
    seen = []
    wf.explain(lambda x: seen.append(float(wf.sum(x * 0 + 1))), x)
    assert seen[-1] == 50_000


def test_errors_of_the_function_are_its_own(x):
    def wrong(x):
        float(x[0])
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        wf.explain(wrong, x)
    with pytest.raises(TypeError, match="positional argument"):
        wf.explain(lambda x, y: float(x[0]) + y, x)
    wf.explain(normalized, x)  # nobody listens to what ended so


def test_compiled_functions_cannot_look(x):
    with pytest.raises(wf.Error, match="while it is recorded"):
        wf.explain(wf.compile(normalized), x)
    with pytest.raises(wf.Error, match="detail is summary"):
        wf.explain(normalized, x, detail="most")


def test_show_gives_the_stage_of_each_part(x):
    said = wf.show(normalized, x, "graph")
    assert said.startswith("the call runs in 3 parts: nothing fuses from one to another\n\npart 1: as float() at ")
    assert f"part 1: as float() at {HERE}:{line_of('# the first look')} looked at a value\ngraph {{\n" in said
    assert said.count("graph {") == 3 and "\npart 3: what is left to be computed of the results\n" in said
    assert "exp" in said.split("part 2")[0] and "divide" in said.split("part 3")[1]
    assert "== plan" in wf.show(normalized, x)
    with pytest.raises(wf.Error, match="show: takes one of graph"):
        wf.show(normalized, x, "most")


def test_show_draws_the_parts_beside_each_other(x):
    drawing = wf.show(normalized, x, "dot")
    assert drawing.startswith("digraph weft {\n") and drawing.count("digraph") == 1
    assert [f"subgraph cluster_p{part}_ {{" in drawing for part in (1, 2, 3, 4)] == [True, True, True, False]
    assert f'label="part 1: as float() at {HERE}:{line_of("# the first look")} looked at a value\\ntimes: ' in drawing
    assert drawing.count("{") == drawing.count("}") and "p2_n0 -> p2_n" in drawing


def test_show_of_a_compiled_function_that_looks_raises(x):
    with pytest.raises(wf.Error, match="while it is recorded"):
        wf.show(wf.compile(normalized), x, "graph")
    with pytest.raises(LookupError):
        wf.show(lambda x: [float(x[0]), {}["mine"]], x)


def test_what_gives_no_array_is_run(x):
    def told(x):
        print(wf.sum(x))  # all that it does
        return "done"

    said = wf.explain(told, x)
    assert [(part["kind"], part["by"]) for part in parts_of(said)] == [("look", "print or str")]
    assert said.startswith("the call runs in 1 part\n") and "graph {" in wf.show(told, x, "graph")
    assert wf.explain(lambda x: None, x) == "the call computed nothing\n"


def test_keywords_are_the_functions(x):
    def summed(x, axis=0):
        return wf.sum(wf.exp(x), axis=axis)

    rows = x.reshape(500, 100)
    assert wf.explain(summed, rows, axis=1, detail="summary") == wf.explain(summed, rows, 1, detail="summary")
    assert wf.explain(summed, rows, axis=1).to_dict()["programs"][0]["steps"][0]["outer"] == [500]
    assert "[500]" in wf.show(summed, rows, axis=1, stage="graph")
    assert wf.verify(summed, rows, axis=1) and wf.bisect(summed, rows, axis=1)
    for op in (wf.explain, wf.show, wf.verify, wf.bisect):
        with pytest.raises(TypeError, match=rf"{op.__name__}: axis= is for a function's arguments, as {op.__name__}\(f, x, axis=\.\.\.\): got arrays"):
            op(x * 2, axis=1)
