"""What explain() gives as data is what docs/schemas/explain.json says."""

import json
import pathlib
import re

import jsonschema
import numpy as np
import pytest
import weft as wf

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/explain.json").read_text())
CHECK = jsonschema.Draft202012Validator(SCHEMA)


def strict(schema):
    """The schema, but that no object has fields that it does not name: all that is written has to be described."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if made.get("type") == "object" and "properties" in made:
        made["additionalProperties"] = False
    return made


def flat():
    """The strict schema, with the fields of programs in one object, as those of a part of `allOf` are unknown to the other."""
    made = strict(SCHEMA)
    decisions, own = made["$defs"]["decisions"], made["$defs"]["program"]["allOf"][1]
    made["$defs"]["program"] = {**own, "properties": {**own["properties"], **decisions["properties"]}, "required": own["required"] + decisions["required"]}
    return jsonschema.Draft202012Validator(made)


EVERYTHING = flat()


def stencil(x):
    return wf.exp(x[2:]) + wf.exp(x[:-2])


def scanned(x):
    return wf.scan(lambda carry, row: (carry + row, carry), wf.zeros(3), x)[0]


def looks(x):
    return x * float(wf.sum(wf.exp(x)))


def host_made(x):
    return wf.interp(x, x, x) + 1


CASES = {
    "a map": lambda x: wf.explain(wf.exp(x) * 2),
    "reductions": lambda x: wf.explain(wf.sum(x), wf.exp(x - wf.max(x))),
    "a product": lambda x: wf.explain(wf.exp(x[:400].reshape(20, 20)) @ x[:400].reshape(20, 20) + 1),
    "a stencil": lambda x: wf.explain(stencil, x),
    "a scan": lambda x: wf.explain(scanned, x[:30].reshape(10, 3)),
    "what compiling made": lambda x: wf.explain(wf.exp(x) * 3, detail="compiled"),
    "what lies in memory": lambda x: wf.explain(wf.eval(x + 1)),
    "a call in parts": lambda x: wf.explain(looks, x),
    "what NumPy made": lambda x: wf.explain(host_made(x)),
    "few elements": lambda x: wf.explain(x[:5] + 1),
    "widened": lambda x: wf.explain(wf.astype(x, "float32") * x),
    "what two kernels compute": lambda x: wf.explain((lambda e: e / wf.sum(e, axis=0))(wf.exp(x.reshape(500, 100)))),
    "a library's function, compiled": lambda x: wf.explain(wf.abs(wf.fft.fft(x)), detail="compiled"),
    "a decomposition": lambda x: wf.explain(lambda x: wf.linalg.inv(wf.eye(20) + x[:400].reshape(20, 20)), x),
    "callers": lambda x: wf.explain(lambda x: stencil(stencil(x)), x),
}


@pytest.mark.parametrize("case", CASES)
def test_what_explain_gives_follows_the_schema(case):
    said = CASES[case](wf.eval(wf.asarray(np.linspace(0, 1, 50_000)))).to_dict()
    CHECK.validate(said)
    EVERYTHING.validate(said)


def test_the_schema_is_one_and_refuses_what_is_none():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    said = wf.explain(wf.exp(wf.linspace(0, 1, 50_000))).to_dict()
    for wrong in ({**said, "version": said["version"] + 1}, {**said, "programs": None}, {key: said[key] for key in said if key != "computed"}):
        with pytest.raises(jsonschema.ValidationError):
            CHECK.validate(wrong)


def test_the_page_says_the_version_of_the_schema():
    page = (ROOT / "docs/seeing_inside.md").read_text()
    version = SCHEMA["properties"]["version"]["const"]
    assert re.search(rf'`schema` is `"weft.explain"`, `version` {version} ', page) and "(schemas/explain.json)" in page
