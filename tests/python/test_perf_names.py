"""What other profilers see: kernels under their ops and the user's line, in perf's map and as ranges of NVIDIA's tools."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys
import numpy as np, weft as wf
x = wf.eval(wf.asarray(np.linspace(0, 1, 50_000)))
{before}
with wf.set_tier("compile"):
    wf.eval(wf.exp(x) * 2 + 0.125)
    wf.eval(wf.ones((40, 50)) @ wf.ones((50, 60)))
print("pid", os.getpid())
"""

needs_kernels = pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels")


def run(before="", **variables):
    return subprocess.run([sys.executable, "-c", PROGRAM.replace("{before}", before)], env={**os.environ, "WEFT_DEVICE": "cpu", **variables}, capture_output=True,
                          text=True, timeout=300)


@needs_kernels
def test_perf_is_told_the_ops_and_the_line_of_each_kernel():
    done = run(WEFT_PERF_MAP="1")
    assert done.returncode == 0, done.stderr
    path = f"/tmp/perf-{done.stdout.split()[-1]}.map"
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    os.remove(path)
    kernels = [line for line in lines if "exp, multiply, add at <string>:7" in line or "exp, fma at <string>:7" in line]
    assert kernels, lines
    for line in kernels:
        address, size = (int(number, 16) for number in line.split()[:2])
        assert address > 0 and size > 0
        assert re.match(r"weft_[0-9a-f]{16} ", line.split(" ", 2)[2])
    spans = sorted(tuple(int(number, 16) for number in line.split()[:2]) for line in lines)
    assert all(start + size <= following for (start, size), (following, _) in zip(spans, spans[1:]))


def test_without_the_setting_there_is_no_map():
    done = run()
    assert not os.path.exists(f"/tmp/perf-{done.stdout.split()[-1]}.map")


@needs_kernels
def test_a_map_that_is_another_file_is_not_written_to(tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    done = run(f"os.symlink({str(mine)!r}, '/tmp/perf-' + str(os.getpid()) + '.map')", WEFT_PERF_MAP="1")
    assert "WEFT_PERF_MAP: kernels cannot be named for perf: /tmp/perf-" in done.stderr
    assert mine.read_text() == "mine"
    for name in os.listdir("/tmp"):
        if name.startswith("perf-") and os.path.islink(f"/tmp/{name}") and os.readlink(f"/tmp/{name}") == str(mine):
            os.remove(f"/tmp/{name}")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_ranges_have_the_ops_and_the_line(tmp_path):
    source = tmp_path / "nvtx.c"
    source.write_text("""
#include <stdio.h>
#include <stdlib.h>
static int depth;
static void note(const char* text) { FILE* f = fopen(getenv("NOTES"), "a"); fprintf(f, "%d %s\\n", depth, text); fclose(f); }
int nvtxRangePushA(const char* text) { note(text); return depth++; }
int nvtxRangePop(void) { --depth; note("end"); return depth; }
""")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "libnvToolsExt.so.1", source], check=True)
    notes = tmp_path / "notes"
    done = run(WEFT_NVTX="1", LD_LIBRARY_PATH=f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}", NOTES=str(notes))
    assert done.returncode == 0, done.stderr
    told = notes.read_text().splitlines()
    assert "0 exp, multiply, add at <string>:7" in told and any(re.match(r"0 .*dot.* at <string>:8", line) for line in told), told
    assert told.count("0 end") * 2 == len(told)


def test_ranges_that_cannot_be_had_are_said(tmp_path):
    if any(os.path.exists(f"{folder}/libnvToolsExt.so.1") for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/local/cuda/lib64")):
        pytest.skip("the library is installed here")
    done = run(WEFT_NVTX="1")
    assert done.returncode == 0 and "no ranges for NVIDIA's tools: libnvToolsExt.so.1 cannot be opened" in done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_a_tool_that_injects_itself_is_told_by_the_headers_of_nvtx_3(tmp_path):
    source = tmp_path / "tool.c"
    source.write_text("""
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
static int depth;
static void note(const char* text) { FILE* f = fopen(getenv("NOTES"), "a"); fprintf(f, "%d %s\\n", depth, text); fclose(f); }
static int push(const char* text) { note(text); return depth++; }
static int pop(void) { --depth; note("end"); return depth; }
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables) {
  const NvtxExportTableCallbacks* callbacks = (const NvtxExportTableCallbacks*)tables(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable functions = 0;
  unsigned int size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size)) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
  *functions[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
""")
    package = importlib.util.find_spec("nvidia")
    headers = [f"-I{folder}/nvtx/include" for folder in package.submodule_search_locations] if package else []
    if subprocess.run(["cc", "-shared", "-fPIC", *headers, "-o", tmp_path / "tool.so", source], capture_output=True).returncode != 0:
        pytest.skip("no headers of NVTX 3 here")
    notes = tmp_path / "notes"
    done = run(WEFT_NVTX="1", NVTX_INJECTION64_PATH=str(tmp_path / "tool.so"), NOTES=str(notes))
    assert done.returncode == 0, done.stderr
    if "no ranges for NVIDIA's tools" in done.stderr:
        pytest.skip("the library was built without the headers of NVTX 3")
    told = notes.read_text().splitlines()
    assert any(re.fullmatch(r"0 exp, (multiply, add|fma) at <string>:7", line) for line in told), told
    assert told.count("0 end") * 2 == len(told)


@pytest.mark.parametrize("variable", ["WEFT_PERF_MAP", "WEFT_NVTX"])
def test_the_switches_take_0_or_1(variable):
    assert f"{variable}: takes 0 or 1: got 'yes'" in run(**{variable: "yes"}).stderr
