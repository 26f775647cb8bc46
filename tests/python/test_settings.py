"""Settings that change while the package runs: what they do, what they take, and that a block sets them back."""

import os
import subprocess
import sys

import numpy as np
import pytest
import weft as wf


@pytest.fixture(autouse=True)
def as_before():
    before = wf.settings()
    yield
    assert wf.settings() == before


def test_threads_change_and_results_do_not():
    a = np.random.default_rng(0).normal(size=300_000)
    results = []
    for threads in (1, 2, 3):
        with wf.set_threads(threads) as setting:
            assert wf.settings()["threads"] == wf.device("cpu").processors == threads
            assert f"<threads: {threads}, was " in repr(setting)
            results.append(float(wf.sum(wf.exp(wf.asarray(a)))))
    assert results[0] == results[1] == results[2]
    with wf.set_threads(1), wf.set_threads(None):
        assert wf.settings()["threads"] >= 1


def test_numerics_hold_for_what_is_computed_from_then_on():
    a = np.random.default_rng(1).uniform(1, 2, (3, 5000))
    x, y, z = (wf.asarray(row) for row in a)

    def computed():
        return np.asarray(x * y + z)

    with wf.set_numerics("strict"):
        strict = computed()
        assert wf.settings()["numerics"] == "strict"
    np.testing.assert_array_equal(strict, a[0] * a[1] + a[2])
    with wf.set_numerics("standard"):
        np.testing.assert_allclose(computed(), strict, rtol=1e-15)
    with wf.set_numerics("strict"):
        np.testing.assert_array_equal(computed(), strict)


def test_the_cache_goes_where_it_is_told(tmp_path):
    was = wf.settings()["cache_directory"]
    with wf.set_tier("compile"), wf.set_cache(tmp_path / "kernels", limit=1 << 24):
        assert wf.settings()["cache_directory"] == str(tmp_path / "kernels") and wf.settings()["cache_limit"] == 1 << 24
        wf.eval(wf.sin(wf.arange(1234.0)) * 3.25 + wf.cos(wf.arange(1234.0)) ** 5)
        assert [name for name in os.listdir(tmp_path / "kernels") if name.endswith(".kernel")] or not wf.stats()["compiles"]
    assert wf.settings()["cache_directory"] == was
    with wf.set_cache(None):
        assert wf.settings()["cache_directory"] is None
    with wf.set_cache(limit=1 << 21):
        assert wf.settings()["cache_limit"] == 1 << 21 and wf.settings()["cache_directory"] == was
    with pytest.raises(TypeError, match="set_cache: takes a directory, None for none, a limit, or both: got neither"):
        wf.set_cache()
    (tmp_path / "file").touch()
    with pytest.raises(wf.Error, match="cache: cannot be used: .*file"):
        wf.set_cache(tmp_path / "file")
    assert wf.settings()["cache_directory"] == was


def test_a_setting_stays_without_a_block_and_an_error_sets_it_back():
    before = wf.settings()["log_level"]
    wf.set_log_level("debug")
    assert wf.settings()["log_level"] == "debug"
    wf.set_log_level(before)
    with pytest.raises(KeyError), wf.set_log_level("error"):
        raise KeyError
    assert wf.settings()["log_level"] == before
    with wf.set_tier("blocks"):
        assert wf.tier() == "blocks"


@pytest.mark.parametrize("call, error, says", [
    (lambda: wf.set_threads(-1), ValueError, "set_threads: takes a number of 0 or more: got -1"),
    (lambda: wf.set_threads(1025), ValueError, "threads: takes a number from 1 to 1024, or 0 for all: got 1025"),
    (lambda: wf.set_threads(10**9), ValueError, "threads: takes a number from 1 to 1024, or 0 for all: got 1000000000"),
    (lambda: wf.set_threads(True), TypeError, "set_threads: takes a whole number: got bool"),
    (lambda: wf.set_threads(1.5), TypeError, "set_threads: takes a whole number: got float"),
    (lambda: wf.set_threads(1 << 80), ValueError, "set_threads: takes a number of 0 or more: got"),
    (lambda: wf.set_numerics("loose"), ValueError, "numerics: takes strict, standard or fast: got 'loose'"),
    (lambda: wf.set_numerics(1), TypeError, "set_numerics: takes a string: got int"),
    (lambda: wf.set_log_level("loud"), ValueError, "log: takes trace, debug, info, warn, error or off, and recompiles, with commas between them: got 'loud'"),
    (lambda: wf.set_callers(2), TypeError, "set_callers: on is True or False: got 2"),
    (lambda: wf.debug_nans("yes"), TypeError, "debug_nans: on is True or False: got 'yes'"),
    (lambda: wf.debug_nans(infinities=2), TypeError, "debug_nans: infinities is True or False: got 2"),
    (lambda: wf.show(wf.ones(3) + 1, "foo"), ValueError, "show: takes one of graph, .*, dot or svg: got 'foo'"),
    (lambda: wf.set_tier("slow"), ValueError, "tier: takes auto, compile or blocks: got 'slow'"),
    (lambda: wf.set_cache("/x", limit=-5), ValueError, "set_cache: limit: takes a number of 0 or more: got -5"),
    (lambda: wf.set_cache(3), TypeError, "expected str, bytes or os.PathLike object, not int"),
])  # fmt: skip
def test_what_means_nothing_is_an_error(call, error, says):
    with pytest.raises(error, match=says.replace("(", r"\(")):
        call()


def run(code, **variables):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, check=False)


def test_more_threads_than_processors_compute_without_a_word():
    code = "import weft as wf; wf.set_threads(40); print(wf.settings()['threads'], float(wf.sum(wf.exp2(wf.ones(300_000)))))"
    ran = run(code)
    assert (ran.stdout, ran.stderr) == ("40 600000.0\n", "")


@pytest.mark.parametrize("name, value, says", [
    ("WEFT_DEVICE", "gpu", "WEFT_DEVICE: device: takes cpu or cuda:N: got 'gpu'"),
    ("WEFT_THREADS", "5000", "WEFT_THREADS: takes a number from 1 to 1024, or 0 for all: got 5000"),
    ("WEFT_THREADS", "many", "WEFT_THREADS: takes a number of 0 or more: got 'many'"),
])  # fmt: skip
def test_a_variable_that_means_nothing_is_named(name, value, says):
    assert says in run("import weft as wf; wf.ones(3) + 1", **{name: value}).stderr


@pytest.mark.parametrize("name, meant", [
    ("WEFT_LOGLEVEL", "WEFT_LOG"), ("WEFT_LOG_LEVEL", "WEFT_LOG"), ("WEFT_CACHE", "WEFT_CACHE_DIR"), ("WEFT_NTHREADS", "WEFT_THREADS"), ("weft_device", "WEFT_DEVICE"),
    ("WEFT_NUM_THREADS", "WEFT_THREADS"), ("WEFT_MY_OWN", None), ("WEFT_X", None), ("WEAVE_CACHE", None),
])  # fmt: skip
def test_misspelt_variables_are_named(name, meant, monkeypatch):
    monkeypatch.setenv(name, "1")
    assert [found for found in wf._core.misspelt_variables() if found[0] == name] == ([(name, meant)] if meant else [])


def test_values_that_mean_nothing_are_told_when_the_package_is_imported():
    told = run("import weft", WEFT_THREADS="5000", WEFT_PROGRESS="yes", WEFT_MEMORY_SPEED="fast", WEFT_TIER="blocks").stderr
    assert told.count("UserWarning: weft: the environment: ") == 3
    assert "WEFT_THREADS: takes a number from 1 to 1024, or 0 for all: got 5000" in told
    assert "WEFT_PROGRESS: takes 0 or 1: got 'yes'" in told and "WEFT_MEMORY_SPEED: takes GB/s, a number above 0: got 'fast'" in told


def test_settings_say_what_variables_set_and_warnings_come_once():
    said = run("import weft as wf; print(wf.settings())", WEFT_NUMERICS="fast", WEFT_THREADS="1", WEFT_LOG="off", WEFT_GRAPH_LIMIT="7", WEFT_CUDA_GRAPHS="0").stdout
    settings = eval(said)
    assert settings["numerics"] == "fast" and settings["threads"] == 1 and settings["log_level"] == "off" and settings["graph_limit"] == 7
    assert settings["cuda_graphs"] is False and wf.settings()["cuda_graphs"] is True
    told = run("import weft as wf; print(wf.arange(3) + 1); print(wf.settings()['log_level'])", WEFT_CACHE_DIR="/dev/null/x")
    assert told.stdout.splitlines()[-1] == "warn" and told.stderr.count("no disk cache") == 1


def test_show_versions_says_what_compiles_and_computes_here(capsys):
    wf.show_versions()
    said = {line.partition(": ")[0]: line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()}
    assert f"weft {wf.__version__}" in said
    for name in ("Clang and LLVM", "oneTBB", "OpenBLAS", "oneDNN", "NVRTC", "nanobind"):
        assert said[name]
    assert said["OpenBLAS"].startswith("OpenBLAS ") and said["oneTBB"][0].isdigit() and "threads" in said["cpu"]
