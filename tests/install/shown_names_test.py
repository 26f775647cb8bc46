"""A self-contained library shows what cmake/weft.symbols names: all that Python's module asks of it must be there.

    python3 shown_names_test.py SYMBOLS MODULE
"""

import fnmatch
import re
import subprocess
import sys

symbols, module = sys.argv[1:]
with open(symbols, encoding="utf-8") as file:
    text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
in_cpp = text[text.index("{", text.index('extern "C++"')) + 1 : text.index("};")]
patterns = [one.strip() for one in in_cpp.split(";") if one.strip()]
assert patterns and not any('"' in one for one in patterns), "a name in quotes is taken as it is, and matches nothing"
asked = subprocess.run(["nm", "--dynamic", "--demangle", "--undefined-only", module], check=True, capture_output=True, text=True).stdout
names = [line.split(" U ", 1)[1] for line in asked.splitlines() if " U " in line and "weft::" in line]
# Names of functions begin with what they give, where they are templates.
names = [name for name in names if re.match(r"(?:[a-z-]+ )*weft::", name)]
hidden = [name for name in names if not any(fnmatch.fnmatchcase(name, one) for one in patterns)]
assert len(names) > 100, f"{module} asks for {len(names)} names"
assert not hidden, f"cmake/weft.symbols does not show {hidden}"
