"""The program `weft` as `python -m weft`, and as the command that pip installs.

`python -m weft --cmake-dir`, `--include-dir` and `--pkgconfig-dir` say where C++ programs find the package's library and headers.
"""

import os
import sys
from pathlib import Path


def main() -> None:
    package = Path(__file__).absolute().parent
    asked = sys.argv[1:]
    if asked in (["--cmake-dir"], ["--include-dir"], ["--pkgconfig-dir"]):
        folder = package / asked[0].removeprefix("--").removesuffix("-dir")
        if not folder.is_dir():
            sys.exit(f"weft {asked[0]}: this installation has no C++ headers; a wheel or `cmake --install` has them")
        print(folder)
        return
    program = package / "bin" / "weft"
    if not program.exists():
        sys.exit(f"weft: this installation has no program weft: {program} is not there; a wheel has it, and `./dev build` makes build/bin/weft")
    os.execv(program, ["weft", *asked])


if __name__ == "__main__":
    main()
