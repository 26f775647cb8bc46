"""Writes weft/_help.py, what help() says of public functions: python make_help.py FILE.

It goes on where a function has no example or a parameter is not described; tests/python/test_help.py does not.

The first lines are the function's own. Parameters come from help_texts/parameters.py, by their names; what an example of
help_texts/examples.txt gives is computed here.
"""

import ast
import contextlib
import importlib
import inspect
import io
import pathlib
import re
import sys
import tempfile

import numpy

sys.modules["weft._help"] = None  # what an earlier build wrote
import weft
from weft._array.elementwise import Composed
from weft._names import NAMES

TEXTS = pathlib.Path(__file__).resolve().parent / "help_texts"
MODULES = {"": "weft", "fft.": "weft.fft", "linalg.": "weft.linalg", "random.": "weft.random"}
# Which page tells of functions that are not NumPy's, by the module that has them.
PAGES = {"_compile": "compile", "_derive": "derivatives", "_vectorize": "your_code", "random": "random", "settings": "settings", "devices": "devices",
         "streams": "devices", "session": "debugging"}  # fmt: skip


def functions():
    """Each public function once, with the name that it is called by."""
    seen = set()
    for prefix, module in MODULES.items():
        names = {n for listed in NAMES.values() for n in listed} if not prefix else importlib.import_module(module).__all__
        for name in sorted(names, key=lambda n: (getattr(getattr(importlib.import_module(module), n), "__name__", n) != n, n)):
            f = getattr(importlib.import_module(module), name)
            if callable(f) and not inspect.isclass(f) and id(f) not in seen and hasattr(f, "__doc__"):
                seen.add(id(f))
                yield prefix + name, f


def read_parameters():
    scope = {}
    exec(compile((TEXTS / "parameters.py").read_text(encoding="utf-8"), "parameters.py", "exec"), scope)
    return scope["BY_NAME"], scope["BY_FUNCTION"]


def read_examples():
    lines = [line for line in (TEXTS / "examples.txt").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return dict(line.split(" ", 1) for line in lines)


def parameters(name, f, by_name, by_function):
    lines = []
    for one in inspect.signature(f).parameters.values():
        said = by_function.get((name, one.name)) or by_name.get(one.name)
        if said is None:
            print(f"make_help: help_texts/parameters.py does not say what `{one.name}` of {name} is", file=sys.stderr)
            said = "any"
        kind, _, meaning = said.partition(": ")
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty else f", default {one.default!r}"
        lines += [f"{stars}{one.name} : {kind if meaning else 'any'}{default}", f"    {meaning or kind}"]
    return lines


def example_of(name, f, examples):
    if name in examples:
        return examples[name]
    if getattr(f, "nin", 0) in (1, 2) and isinstance(f, (Composed, type(weft.sqrt))):
        return examples["__maps__" if f.nin == 1 else "__maps2__"].format(name=name)
    print(f"make_help: help_texts/examples.txt has no example of {name}", file=sys.stderr)
    return f"wf.{name}  # see the pages"


def shown(example):
    """The lines of the example as the interpreter shows them."""
    if "  # " in example:  # for other machines, or different on each
        return [">>> import weft as wf", f">>> {example}"]
    with tempfile.TemporaryDirectory() as folder:
        scope = {"wf": weft}
        at = f"{folder}/x.npz" if "savez" in example else f"{folder}/x.npy"
        code = example.replace("{file}", repr(at))
        lines = [">>> import weft as wf"]
        for statement in ast.parse(code).body:
            text = ast.get_source_segment(code, statement)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                block = isinstance(statement, ast.With)
                if block or isinstance(statement, ast.Expr):
                    exec(compile(ast.Interactive([statement]), name_of_file, "single"), scope)
                else:
                    exec(compile(ast.Module([statement], []), name_of_file, "exec"), scope)
            given = out.getvalue().replace(folder + "/", "")
            lines += [f">>> {text}".replace(folder + "/", "")] + (["..."] if block else []) + given.rstrip().splitlines()
    return lines


name_of_file = "<example>"


def shapes_and_dtypes(f):
    if not isinstance(f, (Composed, type(weft.sqrt))):
        return []
    text = "Element by element: " + ("the result has the shape of x" if f.nin == 1 else "the operands' shapes broadcast to the result's, and their dtypes promote")
    return ["", text + ". docs/ops.md says which dtypes it takes, and how exact it is."]


def link(name, f):
    if hasattr(numpy, name.split(".")[0]) and (not "." in name or hasattr(getattr(numpy, name.split(".")[0]), name.split(".")[1])) and not name.startswith("random."):
        return f"NumPy's function of this name: https://numpy.org/doc/stable/reference/generated/numpy.{name}.html"
    home = next((module for module, listed in NAMES.items() if name in listed), "weft." + name.split(".")[0])
    page = next((page for part, page in PAGES.items() if part in home), "python_api")
    return f"See docs/{page}.md."


def help_of(name, f, tables, examples):
    own = inspect.getdoc(f)
    taken = parameters(name, f, *tables)
    lines = own.splitlines() + shapes_and_dtypes(f)
    if taken:
        lines += ["", "Parameters", "----------", *taken]
    lines += ["", "Examples", "--------", *shown(example_of(name, f, examples)), "", link(name, f)]
    return "\n".join(lines)


def main(path):
    examples = read_examples()
    tables = read_parameters()
    everything = dict(functions())
    texts = {name: help_of(name, f, tables, examples) for name, f in everything.items()}
    unknown = [name for name in examples if name not in everything and not name.startswith("__maps")]
    if unknown:
        print(f"make_help: examples of no function: {', '.join(unknown)}", file=sys.stderr)
    parts = ['"""What help() says of public functions. Written by make_help.py."""', "", "TEXTS = {"]
    parts += [f"    {name!r}: {text!r}," for name, text in texts.items()]
    pathlib.Path(path).write_text("\n".join([*parts, "}", ""]), encoding="utf-8")


if __name__ == "__main__":
    weft.random.seed(0)
    main(sys.argv[1])
