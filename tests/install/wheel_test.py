"""A wheel that is installed in this interpreter's environment: what is inside, and whether it needs nothing else. `./dev wheel` runs it.

usage: wheel_test.py WHEEL
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from importlib import metadata

WHEEL = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else None
MOST_BYTES = 50_000_000
# Beside what is in the wheel: glibc, libstdc++ with libgcc, and zlib, which every Python has.
OF_THE_SYSTEM = re.compile(r"(ld-linux[^/]*|lib(c|m|dl|rt|pthread|util|stdc\+\+|gcc_s|z|[^/]*cuda|nvidia[^/]*))(-[0-9.]+)?\.so[.0-9]*$")


def package() -> pathlib.Path:
    return pathlib.Path(metadata.distribution("weft").locate_file("weft"))


def python(text: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", text], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Wheel(unittest.TestCase):
    def test_size(self):
        self.assertIsNotNone(WHEEL, __doc__)
        self.assertLess(WHEEL.stat().st_size, MOST_BYTES)

    def test_compiles_with_what_is_inside(self):
        text = """
import weft as wf
x = wf.arange(100_000.0)
print(float(((x * 2 + 1) ** 2).sum()), wf.__file__)
for line in open("/proc/self/maps"):
    if ".so" in line:
        print(line.split(maxsplit=5)[-1].strip())
"""
        said, *mapped = python(text, WEFT_TIER="compile", WEFT_CACHE_DIR="off", WEFT_DEVICE="cpu").splitlines()
        self.assertEqual(said.split()[0], str(float(sum((2 * i + 1) ** 2 for i in range(100_000)))))
        inside = str(package().resolve())
        self.assertIn(f"{inside}/libweft_jit.so", {os.path.realpath(one) for one in mapped})
        site = str(package().parent.resolve())
        foreign = {one for one in mapped if not os.path.realpath(one).startswith((site, sys.base_prefix, sys.prefix))}
        self.assertEqual({one for one in foreign if not OF_THE_SYSTEM.search(one)}, set())

    def test_ranges_for_nvidias_tools_need_no_library(self):
        # A tool that is told of, and is not there: NVTX's own code looks for it, and says nothing.
        text = "import weft as wf; print(float(wf.exp(wf.ones(100_000)).max() > 2))"
        done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "WEFT_NVTX": "1", "NVTX_INJECTION64_PATH": "/nowhere/tool.so", "WEFT_DEVICE": "cpu"},
                              capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
        self.assertEqual((done.stdout, "no ranges" in done.stderr), ("1.0\n", False), done.stderr)

    def test_products_are_computed_by_what_numpy_brings_if_by_nothing_else(self):
        text = """
import numpy as np, weft as wf
a = np.random.default_rng(1).random((300, 200))
for dtype in ("f4", "f8", "c8", "c16"):
    x = a.astype(dtype)
    np.testing.assert_allclose(np.asarray(wf.asarray(x) @ wf.asarray(x).T), x @ x.T, rtol=1e-4)
    square = x[:200] + 200 * np.eye(200, dtype=dtype)
    np.testing.assert_allclose(np.asarray(wf.linalg.solve(wf.asarray(square), wf.asarray(x[0]))), np.linalg.solve(square, x[0]), rtol=1e-3)
print([what for name, what in wf._core.libraries() if name == "OpenBLAS"])
"""
        self.assertIn("OpenBLAS ", python(text, WEFT_DEVICE="cpu"))

    def test_no_name_of_others_leaves(self):
        for library in (*package().glob("*.so*"), package() / "bin/weft"):
            said = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True).stdout
            names = [line.split()[-1] for line in said.splitlines()]
            self.assertTrue(names, library)
            # Weft's own may take what is theirs.
            foreign = [name for name in names if not re.match(r"_Z(T[VTIS])?NK?4weft", name)]
            self.assertEqual([name for name in foreign if re.search(r"4llvm|5clang|^LLVM|^clang_|3tbb|3fmt2|6spdlog|^png_|^unz|^_ZNSt18condition_variable|^hypotf?$|^arc4random", name)], [], library)

    def test_lists_its_parts_and_their_licences(self):
        info = {str(file) for file in metadata.files("weft")}
        (ours,) = (file for file in info if file.endswith("sboms/weft.cdx.json"))
        (grafted,) = (file for file in info if file.endswith("sboms/auditwheel.cdx.json"))
        names = [{part["name"] for part in json.loads(package().parent.joinpath(file).read_text())["components"]} for file in (ours, grafted)]
        self.assertLessEqual({"Clang", "LLVM", "fmt", "spdlog", "xxHash", "zlib", "Zstandard", "CLI11", "nanobind", "robin-map", "NVTX"}, names[0])
        grafted_files = [file for file in info if file.startswith("weft.libs/")]
        self.assertEqual(sorted(re.sub(r"-[0-9a-f]{8}.*", "", pathlib.Path(file).name) for file in grafted_files), ["libminizip", "libpng16", "libtbb"])
        self.assertEqual(len(names[1]), 1 + len(grafted_files), names[1])
        (licences,) = (file for file in info if file.endswith("licenses/LICENSES.third_party.txt"))
        text = package().parent.joinpath(licences).read_text()
        for words in ("LLVM", "Victor Zverovich", "Yann Collet", "Wenzel Jakob", "Goetghebuer-Planchon", "Mark Adler"):
            self.assertIn(words, text)

    def test_serves_programs_in_cpp(self):
        said = subprocess.run([sys.executable, "-m", "weft", "--cmake-dir"], capture_output=True, text=True, check=True).stdout.strip()
        self.assertTrue(pathlib.Path(said, "weftConfig.cmake").is_file())
        said = subprocess.run([sys.executable, "-m", "weft", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(metadata.version("weft"), said)

    @unittest.skipUnless(shutil.which("c++") and shutil.which("pkg-config"), "needs c++ and pkg-config")
    def test_pkg_config_links_what_is_inside(self):
        folder = subprocess.run([sys.executable, "-m", "weft", "--pkgconfig-dir"], capture_output=True, text=True, check=True).stdout.strip()
        uses = {"weft": ("<weft/weft.h>", "weft::sum(weft::arange(10)).item<int64_t>() == 45"), "weft_runtime": ("<weft_runtime.h>", "weft_last_error() != nullptr")}
        for name, (header, holds) in uses.items():
            flags = subprocess.run(["pkg-config", "--cflags", "--libs", name], env={**os.environ, "PKG_CONFIG_PATH": folder}, capture_output=True, text=True, check=True)
            with tempfile.TemporaryDirectory() as made:
                source, program = pathlib.Path(made, "uses.cpp"), pathlib.Path(made, "uses")
                source.write_text(f"#include {header}\nint main() {{ return {holds} ? 0 : 1; }}\n")
                subprocess.run(["c++", "-std=c++20", source, *flags.stdout.split(), "-o", program], check=True)
                subprocess.run([program], check=True)

    def test_import_time(self):
        """Printed, and not held to a limit: the machine may be busy."""
        took = []
        for _ in range(7):
            start = time.perf_counter()
            python("")
            middle = time.perf_counter()
            python("import weft")
            took.append(time.perf_counter() - middle - (middle - start))
        print(f"import weft takes {min(took) * 1e3:.0f} ms beyond Python's own start, at best of {len(took)}")


if __name__ == "__main__":
    unittest.main()
