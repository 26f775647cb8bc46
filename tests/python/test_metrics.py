"""Counters for services: a dict and Prometheus' text under documented names."""

import os
import re

import numpy as np
import weft as wf


def test_counters_count_what_was_done():
    x = wf.eval(wf.asarray(np.linspace(0, 1, 50_000)))
    before = wf.metrics()
    with wf.set_tier("compile"):
        wf.eval(wf.cbrt(x) + 8.5)
    after = wf.metrics()
    assert after["weft_kernels_launched_total"] == before["weft_kernels_launched_total"] + 1
    assert after["weft_read_bytes_total"] == before["weft_read_bytes_total"] + x.nbytes
    assert after["weft_program_misses_total"] == before["weft_program_misses_total"] + 1
    assert all(after[name] >= before[name] for name in after if name.endswith("_total"))
    assert after['weft_memory_in_use_bytes{device="cpu"}'] == wf.device("cpu").memory_in_use


def test_every_statistic_has_a_name():
    assert len([name for name in wf.metrics() if name.endswith("_total")]) == len(wf.stats())


def test_the_text_is_prometheus():
    found = wf.metrics()
    text = found.prometheus()
    assert text.endswith("\n")
    samples, kinds = {}, {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            assert re.fullmatch(r"# HELP weft_[a-z_]+ .+\.", line)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            kinds[name] = kind
        else:
            match = re.fullmatch(r'(weft_[a-z_]+(?:\{device="[a-z0-9:]+"\})?) ([0-9.e+-]+)', line)
            assert match, line
            samples[match[1]] = float(match[2])
    assert samples == {name: float(value) for name, value in found.items()}
    assert set(kinds) == {name.split("{")[0] for name in found}
    assert all(kind == ("counter" if name.endswith("_total") else "gauge") for name, kind in kinds.items())


def test_the_page_has_every_name():
    page = open(os.path.join(os.path.dirname(__file__), "../../docs/seeing_inside.md"), encoding="utf-8").read()
    for name in {name.split("{")[0] for name in wf.metrics()}:
        assert f"`{name}`" in page, name
