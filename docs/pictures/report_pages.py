"""Pictures of a profile's page for docs/seeing_inside.md: python docs/pictures/report_pages.py writes docs/pictures/report/*.png. Needs Chromium."""

import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np
import weft as wf

HERE = pathlib.Path(__file__).resolve().parent / "report"
BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
WIDE, HIGH = 1180, 1200

# What is hidden, or done first, for each picture.
KEEP = """
const keep = new Set(%s);
let on = keep.has("title");
for (const node of [...document.body.children]) {
  if (node.tagName === "H2") on = keep.has(node.textContent);
  if (node.id === "programs") on = keep.has("programs");
  if (!on && node.tagName !== "SCRIPT") node.style.display = "none";
}
"""
PROGRAM = """
const host = document.getElementById("program"), parts = [...host.children];
const shown = %s;
document.querySelectorAll("#programs > h2, #programs > p, #list").forEach(node => { node.style.display = "none"; });
let part = "top";
for (const node of parts) { if (node.tagName === "H3") part = node.textContent; node.style.display = part === shown ? "" : "none"; }
"""
LIGHT = "[...document.querySelectorAll('#loops div')].find(line => line.textContent.includes('= exp %')).click();"
PICTURES = {
    "glance": KEEP % '["title", "What to change", "Time line"]',
    "rows": KEEP % '["What ran"]' + "document.getElementById('kinds').style.display = 'none';",
    "speeds": KEEP % '["How near to the memory\'s speed", "How near to what the machine computes"]',
    "memory": KEEP % '["Memory"]',
    "graph": KEEP % '["programs"]' + PROGRAM % '"The graph"' + "document.querySelectorAll('#graph g[data-box]')[1].onclick();",
    "kernel": KEEP % '["programs"]' + PROGRAM % '"A kernel"' + LIGHT,
}


def softened(image):
    """A picture's brightness, blurred and set against its neighbourhood."""
    bright = image.astype("float64") @ wf.asarray([0.299, 0.587, 0.114])
    wide = wf.exp(bright / 64) ** 0.3
    near = (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]) / 4
    return near / wf.mean(near, axis=1, keepdims=True)


def page(path):
    image = wf.eval(wf.asarray(np.random.default_rng(1).random((512, 768, 3), dtype=np.float32)))
    wf.eval(wf.sqrt(image) * 2)  # opens the compiler
    wf.finish_kernels()
    with wf.set_tier("compile"), wf.profile() as p:
        for _ in range(12):
            wf.eval(softened(image))
        wf.histogram(wf.sqrt(image), 32)
    p.save(path)


def browse(*options):
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def shot(path, folder, script, picture):
    """A picture of the page after the script, as high as it is."""
    tried = folder / "tried.html"
    script += "document.documentElement.dataset.high = Math.ceil(document.body.getBoundingClientRect().bottom);"
    tried.write_text(path.read_text(encoding="utf-8").replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    own = f"--user-data-dir={folder / 'browser'}"
    high = int(re.search(r'data-high="(\d+)"', browse(own, f"--window-size={WIDE},800", "--dump-dom", tried.as_uri()))[1])
    browse(own, f"--window-size={WIDE},{min(high, HIGH)}", f"--screenshot={picture}", tried.as_uri())


def main():
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page(folder / "report.html")
        for picture, script in PICTURES.items():
            shot(folder / "report.html", folder, script, HERE / f"{picture}.png")
            print(picture, (HERE / f"{picture}.png").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
