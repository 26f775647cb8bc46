"""What others wrote of a self-contained Weft: a CycloneDX list of it, and the licences.

usage: parts_inside.py VERSION OUT [--nanobind FOLDER] [--nvtx FOLDER] [--files]

Writes OUT/weft.cdx.json and OUT/LICENSES.third_party.txt. The versions and the licences are those of the Debian packages of this machine.
--nanobind adds what the Python module is compiled with, --nvtx the headers for NVIDIA's tools, of a package of Python's index; --files adds what auditwheel grafts into a wheel and lists there by itself.
"""

import argparse
import json
import pathlib
import re
import subprocess
from typing import NamedTuple
from urllib.parse import quote


class Part(NamedTuple):
    """A library inside: the Debian package that brings its code, its licence as an SPDX expression, and where it is."""

    name: str
    package: str
    licence: str
    place: str


LINKED = (
    Part("Clang", "libclang-19-dev", "Apache-2.0 WITH LLVM-exception", "libweft_jit.so"),
    Part("LLVM", "llvm-19-dev", "Apache-2.0 WITH LLVM-exception", "libweft_jit.so"),
    Part("Zstandard", "libzstd-dev", "BSD-3-Clause", "libweft_jit.so"),
    Part("zlib", "zlib1g-dev", "Zlib", "libweft_jit.so"),
    Part("fmt", "libfmt-dev", "MIT", "libweft.so"),
    Part("spdlog", "libspdlog-dev", "MIT", "libweft.so"),
    Part("Highway", "libhwy-dev", "Apache-2.0", "libweft.so"),
    Part("xxHash", "libxxhash-dev", "BSD-2-Clause", "libweft.so"),
    Part("robin-map", "robin-map-dev", "MIT", "libweft.so"),
    Part("CLI11", "libcli11-dev", "BSD-3-Clause", "the program weft"),
    Part("libstdc++ (templates)", "libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", "every library"),
)
FILES = (
    Part("oneTBB", "libtbb12", "Apache-2.0", "a library of its own"),
    Part("libpng", "libpng16-16", "libpng-2.0", "a library of its own"),
    Part("minizip", "libminizip1", "Zlib", "a library of its own"),
    Part("zlib", "zlib1g", "Zlib", "a library of its own"),
)


# Text of others that the tree holds: the place of its licence, and of its version.
VENDORED = (
    (Part("dagre", "frontend/cpp/inspect/page/dagre", "MIT", "libweft.so"), "npm/%40dagrejs/dagre"),
    (Part("pocketfft", "runtime/cpu/pocketfft", "BSD-3-Clause", "libweft.so"), "github/mreineck/pocketfft"),
)


def vendored(part: Part, source: str) -> tuple[dict, str]:
    """The part's entry and licence text; its version stands in the title of its README.md."""
    folder = pathlib.Path(__file__).resolve().parents[1] / part.package
    version = re.search(r"^# \S+ (\S+)$", (folder / "README.md").read_text(), re.M).group(1)
    return entry(part, version, f"pkg:{source}@{version}"), (folder / "LICENSE").read_text()


def debian(part: Part) -> tuple[dict, str]:
    """The part's entry and licence text."""
    asked = ["dpkg-query", "--show", "--showformat=${source:Package} ${source:Version} ${Architecture}", part.package]
    source, version, architecture = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    text = pathlib.Path("/usr/share/doc", part.package, "copyright").read_text(encoding="utf-8", errors="replace")
    return entry(part, version, f"pkg:deb/debian/{source}@{quote(version)}?arch={architecture}"), text


def entry(part: Part, version: str, purl: str) -> dict:
    return {
        "type": "library", "bom-ref": f"{purl}#{part.package}", "name": part.name, "version": version, "purl": purl,
        "licenses": [{"expression": part.licence}], "properties": [{"name": "weft:place", "value": part.place}],
    }  # fmt: skip


def nanobind(folder: pathlib.Path) -> list[tuple[dict, str]]:
    """Nanobind and the hash map that it brings, from an installed package of Python's index."""
    header = (folder / "include/nanobind/nanobind.h").read_text()
    version = ".".join(re.search(rf"#define NB_VERSION_{part}\s+(\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
    (licence,) = folder.parent.glob("nanobind-*.dist-info/licenses/LICENSE")
    growth = (folder / "ext/robin_map/include/tsl/robin_growth_policy.h").read_text()
    robin = ".".join(re.search(rf"#define TSL_RH_VERSION_{part}\s+(\d+)", growth).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
    return [
        (entry(Part("nanobind", "nanobind", "BSD-3-Clause", "the Python module"), version, f"pkg:pypi/nanobind@{version}"), licence.read_text()),
        (entry(Part("robin-map", "robin-map", "MIT", "the Python module"), robin, f"pkg:github/Tessil/robin-map@v{robin}"),
         re.match(r"/\*\*(.*?)\*/", growth, re.DOTALL).group(1)),
    ]  # fmt: skip


def nvtx(folder: pathlib.Path) -> list[tuple[dict, str]]:
    """The headers of NVTX 3, of the package of Python's index that has this folder; CUDA's toolkit says no version of them."""
    found = [one for one in folder.parents[2].glob("nvidia_nvtx*.dist-info")] if len(folder.parents) > 2 else []
    if not found:
        return []
    name, version = found[0].name.removesuffix(".dist-info").split("-")
    part = Part("NVTX", "nvtx", "Apache-2.0 WITH LLVM-exception", "libweft.so")
    (licence,) = [*found[0].glob("**/License.txt")]
    return [(entry(part, version, f"pkg:pypi/{name.replace('_', '-')}@{version}"), licence.read_text())]


def bill(version: str, parts: list[dict]) -> dict:
    """The CycloneDX list. It says no time and no serial number, so that two builds of one tree give one file."""
    weft = {"type": "library", "bom-ref": "weft", "name": "weft", "version": version, "licenses": [{"expression": "Apache-2.0"}]}
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": weft}, "components": parts,
        "dependencies": [{"ref": "weft", "dependsOn": [part["bom-ref"] for part in parts]}],
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--nanobind", type=pathlib.Path)
    parser.add_argument("--nvtx", type=pathlib.Path)
    parser.add_argument("--files", action="store_true")
    asked = parser.parse_args()
    found = [debian(part) for part in LINKED + (FILES if asked.files else ())]
    found += [vendored(*one) for one in VENDORED]
    if asked.nanobind:
        found += nanobind(asked.nanobind)
    if asked.nvtx:
        found += nvtx(asked.nvtx)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "weft.cdx.json").write_text(json.dumps(bill(asked.version, [part for part, _ in found]), indent=1) + "\n")
    texts: dict[str, list[str]] = {}
    for part, text in found:
        texts.setdefault(text.strip("\n"), []).append(f"{part['name']} {part['version']}")
    rule = "=" * 100
    licences = "".join(f"{rule}\n{', '.join(names)}\n{rule}\n\n{text}\n\n" for text, names in texts.items())
    (asked.out / "LICENSES.third_party.txt").write_text(licences)


if __name__ == "__main__":
    main()
