"""The page of all Python names is what the package says of itself."""

import importlib.util
import os
import pathlib
import re

import pytest
import weft as wf

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page():
    where = ROOT / "frontend/python/src/make_reference.py"
    spec = importlib.util.spec_from_file_location("make_reference", where)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script.reference()


def test_the_page_is_current(page):
    kept = ROOT / "docs/python_api.md"
    if os.environ.get("WEFT_UPDATE_GOLDENS"):
        kept.write_text(page, encoding="utf-8")
    assert page == kept.read_text(encoding="utf-8"), "docs/python_api.md: run this test with WEFT_UPDATE_GOLDENS=1"


def test_the_page_has_every_public_name_and_no_private_one(page):
    named = set(re.findall(r"`(\w+)", page))
    functions = {name for name in wf.__all__ if callable(getattr(wf, name))}
    assert functions - named <= {"Error", "InternalError", "OutOfMemory", "Array", "ndarray"}
    assert not [name for name in named if name.startswith("_") and not name.startswith("__")]
    assert "0x" not in page and "<" not in re.sub(r"`[^`]*`", "", page).replace("<=", "").replace("< ", "")
