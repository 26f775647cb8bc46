"""The page of a profile: one file that asks for nothing, whose parts light up together in a headless browser."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
import weft as wf

BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    x = wf.eval(wf.asarray(np.linspace(0, 1, 200_000)))
    narrow = wf.eval(wf.asarray(np.ones(200_000, np.float32)))
    with wf.set_tier("compile"), wf.profile() as p:
        for turn in range(5):
            wf.eval(wf.exp(x) * (turn + 0.5))
        wf.eval(narrow * x)
        wf.partition(x, 3)
    p.save(path)
    return path, p


def data_of(path):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)[1])


def in_browser(path, script=""):
    """The page's text after a script ran in it."""
    tried = path.with_name("tried.html")
    tried.write_text(path.read_text(encoding="utf-8").replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={path.parent / 'browser'}", "--dump-dom",
               tried.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=300).stdout


needs_a_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium here")


def test_it_is_one_file_that_asks_for_nothing(page):
    text = page[0].read_text(encoding="utf-8")
    outside = [found for found in re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"'\s)>]+)""", text)]
    assert outside == []
    assert "http:" not in text.replace("http://www.w3.org/2000/svg", "") and "https:" not in text
    assert "default-src 'none'" in text


def test_it_holds_the_profile(page):
    path, p = page
    data = data_of(path)
    assert data["profile"] == p.to_dict()
    assert data["memory_bytes_per_second"] == 20e9
    assert len(data["events"]) == sum(row["count"] for row in p.to_dict()["rows"]) and data["left_out"] == 0
    for row, start, length, _ in data["events"]:
        assert p.to_dict()["rows"][row]["least_ns"] <= length <= p.to_dict()["rows"][row]["most_ns"] and start >= 0


def test_text_of_programs_cannot_end_the_script(tmp_path):
    x = wf.eval(wf.asarray(np.linspace(0, 1, 5000)))
    code = compile("with wf.profile() as p:\n    wf.eval(wf.exp(x) + 3)\n", "</script><script>evil()", "exec")
    names = {"wf": wf, "x": x}
    exec(code, names)
    names["p"].save(tmp_path / "a.html")
    assert "</script><script>evil" not in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert any("evil" in line["file"] for row in data_of(tmp_path / "a.html")["profile"]["rows"] for line in row["lines"])


@needs_a_browser
def test_a_browser_shows_rows_advice_and_the_time_line(page):
    path, p = page
    shown = in_browser(path)
    assert 'data-ready="yes"' in shown
    assert shown.count("<rect") == sum(row["count"] for row in p.to_dict()["rows"])
    assert shown.count("<tr data-row=") == len(p.to_dict()["rows"])
    assert "widened" in shown and "host round trip" in shown and 'id="speed"' in shown


@needs_a_browser
def test_a_click_lights_up_all_that_belongs_together(page):
    path, p = page
    kernel = next(i for i, row in enumerate(p.to_dict()["rows"]) if row["kind"] == "kernel" and row["count"] == 5)
    shown = in_browser(path, f"document.querySelector('#rows tr[data-row=\"{kernel}\"]').click();")
    assert len(re.findall(rf'<rect [^>]*data-row="{kernel}" class="on"', shown)) == 5
    assert len(re.findall(rf'<circle [^>]*data-row="{kernel}" class="on"', shown)) == 1
    assert len(re.findall(r'<tr tabindex="0" class="on">', shown)) == 1  # its line


@needs_a_browser
def test_search_keys_and_zoom(page):
    path, p = page
    press = "document.dispatchEvent(new KeyboardEvent('keydown', {key: '%s'}));"
    search = press % "/" + "document.activeElement.value = 'exp'; document.activeElement.oninput();"
    assert in_browser(path, search).count("<tr data-row=") == sum("exp" in row["what"] for row in p.to_dict()["rows"])
    assert in_browser(path, search + press % "Escape").count("<tr data-row=") == len(p.to_dict()["rows"])
    whole, part = in_browser(path), in_browser(path, "for (let k = 0; k < 6; ++k) document.getElementById('in').click();")
    assert 0 < part.count("<rect") < whole.count("<rect")
