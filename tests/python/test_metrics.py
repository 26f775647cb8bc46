"""Counters for services: a dict and Prometheus' text under documented names."""

import os
import re

import numpy as np
import pytest
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
            match = re.fullmatch(r'(weft_[a-z_]+(?:\{(?:device="[a-z0-9:]+"|le="(?:[0-9.]+|\+Inf)")\})?) ([0-9.e+-]+)', line)
            assert match, line
            samples[match[1]] = float(match[2])
    assert samples == {name: float(value) for name, value in found.items()}
    assert set(kinds) == {family_of(name) for name in found}
    assert all(kind == ("counter" if name.endswith("_total") else "histogram" if name.endswith("_seconds") else "gauge") for name, kind in kinds.items())


def family_of(name):
    return re.sub("_(bucket|sum|count)$", "", name.split("{")[0]) if "_seconds_" in name else name.split("{")[0]


def test_histograms_count_how_long_work_took():
    before = wf.metrics()
    x = wf.eval(wf.asarray(np.linspace(0, 1, 50_001)))
    with wf.set_tier("compile"), wf.set_cache(None):
        wf.eval(wf.cbrt(x) * 3.5 + wf.arctan(x))
    after = wf.metrics()
    for work, least in (("plan", 1), ("kernel_compile", after["weft_compiles_total"] - before["weft_compiles_total"])):
        name = f"weft_{work}_seconds"
        assert after[f"{name}_count"] >= before[f"{name}_count"] + least and least > 0
        assert after[f"{name}_sum"] > before[f"{name}_sum"]
        buckets = [value for key, value in after.items() if key.startswith(f"{name}_bucket")]
        assert buckets == sorted(buckets) and buckets[-1] == after[f"{name}_count"] and len(buckets) > 5
    assert after["weft_kernel_compile_seconds_sum"] == pytest.approx(after["weft_compile_seconds_total"])


def test_the_page_has_every_name():
    page = open(os.path.join(os.path.dirname(__file__), "../../docs/seeing_inside.md"), encoding="utf-8").read()
    for name in {family_of(name) for name in wf.metrics()}:
        assert f"`{name}`" in page, name
