"""The Python of the pages runs, and gives what they say.

The ```python blocks of a page run in order, in one namespace. `VALUE  # -> TEXT` says what repr() of a value is, line breaks aside;
`STATEMENT  # raises KIND: TEXT` what it raises. A ```text block that follows at once is what the block before it prints. Lines of the
program are named after the page and counted from the block's first. Blocks for a GPU run on one where there is one, else on the
CPU in its place.
"""

import ast
import contextlib
import io
import itertools
import linecache
import os
import pathlib
import re

import numpy as np
import pytest
import weft as wf

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|cpp|text)\n(.*?)^```$", re.M | re.S)


def blocks(page):
    """Each Python block, and the text that it prints where the page says so. C++ may stand between both."""
    text = page.read_text(encoding="utf-8")
    found, end = [], 0
    for match in BLOCK.finditer(text):
        beside = not text[end : match.start()].strip()
        end = match.end()
        if match[1] == "python":
            found.append([match[2], None])
        elif match[1] == "text" and beside and found:
            found[-1][1] = match[2]
    return found


WITH_PYTHON = [page for page in PAGES if blocks(page)]


def told(line):
    """What the comment at the end of a line says: "->" or "raises", and the rest."""
    match = re.search(r"  # (->|raises) (.*)$", line)
    return (match[1], match[2]) if match else (None, "")


def squeezed(text):
    return re.sub(r"\s+", "", text)


def run_block(code, names, printed, file):
    """Runs the statements of a block one by one, each held to its comment."""
    lines = code.split("\n")
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)  # for what reads source
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for statement in ast.parse(code).body:
            how, text = told(lines[statement.end_lineno - 1])
            if how == "->":
                assert isinstance(statement, ast.Expr), lines[statement.lineno - 1]
                value = eval(compile(ast.Expression(statement.value), file, "eval"), names)
                assert squeezed(repr(value)) == squeezed(text), f"{lines[statement.lineno - 1]}\ngives {value!r}"
                continue
            run = compile(ast.Module([statement], []), file, "exec")
            if how == "raises":
                kind, _, message = text.partition(": ")
                with pytest.raises(Exception) as error:
                    exec(run, names)
                assert type(error.value).__name__ == kind, f"{lines[statement.lineno - 1]}\nraises {error.value!r}"
                assert message in str(error.value), f"{lines[statement.lineno - 1]}\nraises {error.value!r}"
            else:
                exec(run, names)
    if printed is not None:
        assert out.getvalue().rstrip() == printed.rstrip()


@pytest.fixture(autouse=True)
def compiled_first():
    """What `explain` says of a step that would run in blocks depends on the machine's threads and on what the disk knows."""
    before = wf.tier()
    wf.set_tier("compile")
    yield
    wf.set_tier(before)


def needs_a_gpu(block):
    return '"cuda:' in block[0]


def before_a_gpu(page):
    return list(itertools.takewhile(lambda block: not needs_a_gpu(block), blocks(page)))


def prepared(page, monkeypatch, tmp_path):
    """Sets up what the page's Python takes for granted."""
    if page.stem == "export":  # which writes files
        monkeypatch.chdir(tmp_path)
    if page.stem in ("export", "first_calls", "ladder", "your_code") and "WEFT_TEST_WITHOUT_JIT" in os.environ:
        pytest.skip("this library compiles no kernels")


@pytest.mark.parametrize("page", list(filter(before_a_gpu, WITH_PYTHON)), ids=lambda page: page.stem)
def test_the_page_says_what_its_python_gives(page, on_cpu, monkeypatch, tmp_path):
    prepared(page, monkeypatch, tmp_path)
    names = {"__name__": "page"}
    for code, printed in before_a_gpu(page):
        run_block(code, names, printed, page.stem + ".py")


@pytest.mark.parametrize("page", [page for page in WITH_PYTHON if any(map(needs_a_gpu, blocks(page)))], ids=lambda page: page.stem)
def test_the_page_says_what_its_python_gives_on_a_gpu(page, on_cpu, monkeypatch, tmp_path):
    prepared(page, monkeypatch, tmp_path)
    there = "cuda:0" if wf.devices("cuda") else "cpu"
    if there == "cpu":
        monkeypatch.setattr(wf, "pinned", np.array)
        monkeypatch.setattr(wf, "pinned_empty", np.empty)
    names = {"__name__": "page"}
    for code, printed in blocks(page):
        run_block(code.replace("cuda:0", there), names, printed, page.stem + ".py")


def test_a_page_that_is_wrong_is_found():
    run_block("x = 3\nx  # -> 3\nint('a')  # raises ValueError: invalid literal\nprint(x)\n", {}, "3\n", "page.py")
    for wrong in ("3  # -> 4", "int('a')  # raises TypeError: invalid", "int('a')  # raises ValueError: valid for no one"):
        with pytest.raises(AssertionError):
            run_block(wrong, {}, None, "page.py")
    with pytest.raises(pytest.fail.Exception):
        run_block("3  # raises ValueError: three", {}, None, "page.py")
    with pytest.raises(AssertionError):
        run_block("print(3)", {}, "4\n", "page.py")


def test_every_block_is_found():
    assert sum(len(blocks(page)) for page in WITH_PYTHON) == sum(page.read_text(encoding="utf-8").count("\n```python\n") for page in PAGES)
