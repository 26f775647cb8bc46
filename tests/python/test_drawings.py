"""Drawings of programs: Graphviz's text, and the picture that Graphviz makes of it."""

import os

import numpy as np
import pytest
import weft as wf

# Stands for Graphviz: says what it was called with and how much it read.
DOT = """#!/bin/sh
[ "$1" = -Tsvg ] || exit 1
echo "<svg>$(wc -l)</svg>"
"""


def graph():
    return (wf.sin(wf.arange(5000.0)) * 2.5).sum()


def test_a_drawing_has_a_frame_for_each_kernel_with_what_it_moves():
    text = wf.show(graph(), "dot")
    assert text.startswith("digraph") and text.count("subgraph") == 1 and "sin" in text
    large = wf.show(wf.exp(wf.asarray(np.ones((500, 1000)))), "dot")
    assert "step 0: kernel\\n4.0 MB read, 4.0 MB written\\nabout " in large and "GB/s of this machine's memory" in large
    assert wf.compile(lambda x: (wf.sin(x) * 2.5).sum()).lower(wf.arange(5000.0)).show("dot").count("subgraph") == 1


def test_a_drawing_of_what_is_computed_says_so_and_is_one():
    assert wf.show(wf.eval(graph()), "dot") == 'digraph {\n  nothing [shape=note, label="the value lies in memory: nothing to compute"]\n}\n'


def test_a_function_is_shown_as_it_is_recorded_for_its_arguments():
    x = wf.arange(5000.0)
    assert wf.show(lambda x: (wf.sin(x) * 2.5).sum(), x, "dot").count("subgraph") == 1
    assert "sin" in wf.show(wf.sin, x, stage="graph") and wf.show(wf.sin, x).startswith("== graph")
    with pytest.raises(TypeError, match="show: takes an array or a list of them and a stage, or a function with its arguments: got 1 more: 3"):
        wf.show(x, 3)


def test_a_picture_is_what_graphviz_makes_of_it(tmp_path, monkeypatch):
    (tmp_path / "dot").write_text(DOT)
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    x = graph()
    lines = wf.show(x, "dot").count("\n")
    assert wf.show(x, "svg") == f"<svg>{lines}</svg>\n"
    assert wf.compile(lambda x: x * 2.5).lower(wf.arange(5000.0)).show("svg").startswith("<svg>")
    assert wf.show(wf.eval(graph()), "svg") == "<svg>3</svg>\n"
    (tmp_path / "dot").write_text("#!/bin/sh\necho cannot draw >&2\nexit 3\n")
    with pytest.raises(wf.Error, match="show: dot failed: cannot draw"):
        wf.show(x, "svg")


def test_without_graphviz_an_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(wf.Error, match='"svg" needs the program dot of Graphviz.*ask for "dot"'):
        wf.show(graph(), "svg")


def test_a_stage_that_there_is_not_is_an_error():
    with pytest.raises(wf.Error, match="show: takes one of graph, simplified, .*, dot or svg: got 'picture'"):
        wf.show(graph(), "picture")
