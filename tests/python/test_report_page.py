"""The page of a profile: one file that asks for nothing, whose parts light up together in a headless browser."""

import json
import linecache
import os
import pathlib
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


needs_kernels = pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels")
needs_a_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium here")


def test_it_is_one_file_that_asks_for_nothing(page):
    text = page[0].read_text(encoding="utf-8")
    outside = [found for found in re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"'\s)>]+)""", text)]
    assert outside == ["#arrow"]  # a part of the drawing
    assert "http:" not in text.replace("http://www.w3.org/2000/svg", "") and "https:" not in text
    assert "default-src 'none'" in text


def test_it_holds_the_profile(page):
    path, p = page
    data = data_of(path)
    assert data["profile"] == p.to_dict()
    assert data["memory_bytes_per_second"] == 20e9
    rows = p.to_dict()["rows"]
    assert len(data["events"]) == sum(row["count"] for row in rows if row["kind"] != "your code") and data["left_out"] == 0
    for row, start, length, _ in data["events"]:
        # What is around other work counts without it.
        assert rows[row]["least_ns"] <= length and start >= 0
        assert length <= rows[row]["most_ns"] or rows[row]["kind"] in ("overhead", "setup")


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
    drawn = re.search(r'<svg id="timeline".*?</svg>', shown, re.S)[0]
    assert drawn.count("<rect") == sum(row["count"] for row in p.to_dict()["rows"] if row["kind"] != "your code")
    assert shown.count("<tr data-row=") == len(p.to_dict()["rows"])
    assert "widened" in shown and "host round trip" in shown and 'id="speed"' in shown


@needs_a_browser
def test_the_top_says_where_the_time_went_and_that_is_all_of_it(page):
    path, p = page
    said, shown = p.to_dict(), in_browser(path)
    parts = re.findall(r'<span style="width:([\d.e-]+)%;', re.search(r'<div class="bar".*?</div>', shown, re.S)[0])
    assert abs(sum(map(float, parts)) - 100) < 0.01
    first = sum(row["wall_ns"] for row in said["rows"] if row["kind"] in ("compile", "load", "plan", "record", "setup"))
    assert first == said["first_calls_ns"] > 0
    top = re.search(r'<p id="glance">.*?</p>', shown, re.S)[0]
    if first > said["wall_ns"] / 10:
        assert "The same again in this process takes about" in top and said["first_calls"] in top
    # What nobody asked for stands below what a line did.
    kinds = re.findall(r"<tr data-row=.*?</tr>", shown, re.S)
    assert ">your code<" in kinds[-1] and any(">overhead<" in row for row in kinds[-3:])
    assert any(", as eval() at test_report_page.py:" in row and " asked" in row for row in kinds if ">overhead<" in row)


@needs_a_browser
def test_advice_says_how_much_it_is_about_and_stands_beside_its_lines(page):
    path, p = page
    shown = in_browser(path)
    (host,) = (one for one in p.advice() if one["cause"] == "host round trip")
    assert 0 < host["ns"] and host["of_ns"] == p.to_dict()["wall_ns"] - p.to_dict()["first_calls_ns"]
    (box,) = re.findall(r'<div class="advice"><b>host round trip</b>.*?</pre>', shown, re.S)
    assert re.search(r'class="size">[\d.]+ %: about [\d.]+ [mu]s of [\d.]+ [mu]s', box)
    assert re.search(r'<div class="here"> *\d+      wf.partition\(x, 3\)</div>', box) is None  # as it is indented in the file
    assert re.search(r'<div class="here"> *\d+          wf.partition\(x, 3\)</div>', box) and "def page(tmp_path_factory):" in box


@needs_a_browser
def test_your_lines_stand_in_the_loop_and_the_function_that_they_are_in(page):
    table = re.search(r'<table id="lines">.*?</table>', in_browser(page[0]), re.S)[0]
    around = [text for text in re.findall(r'<td class="code soft">(.*?)</td>', table, re.S)]
    assert "        for turn in range(5):" in around and "def page(tmp_path_factory):" in around
    assert re.search(r'<tr tabindex="0"[^>]*>(<td class="n[ \w]*">[^<]*</td>){3}<td class="code">            wf.eval\(wf.exp\(x\)', table)


def test_words_of_the_page_are_those_of_the_glossary():
    root = pathlib.Path(__file__).resolve().parents[2]
    words = re.search(r"const glossary = \{(.*?)\};", (root / "frontend/cpp/inspect/page/words.js").read_text(encoding="utf-8"), re.S)[1]
    known = (root / "docs/glossary.md").read_text(encoding="utf-8")
    found = re.findall(r'^  (\w+): "(.*)",$', words, re.M)
    assert len(found) > 10
    for word, means in found:
        assert f"| {word} | {means} |" in known, word


@needs_a_browser
def test_the_page_keeps_names_and_says_no_word_of_its_own(page):
    path, _ = page
    shown = in_browser(path)
    assert "numpy.partition is NumPy" in shown and "Numpy." not in shown and "An array of f32 becomes f64 here" in shown
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<(script|style|pre)\b.*?</\1>", " ", shown, flags=re.S))
    assert not re.search(r"(?<!row )\bprograms?\b", text), re.findall(r".{0,60}\bprograms?\b.{0,60}", text)


@needs_a_browser
def test_advice_on_lines_that_are_compiled_again_says_what_was_new(on_cpu, tmp_path):
    arrays = [wf.eval(wf.asarray(np.ones(9000, dtype))) for dtype in ("f4", "f8", "i4")]
    with wf.set_tier("compile"), wf.profile() as p:
        for x in arrays:
            wf.eval(x * x * x - x)
    p.save(tmp_path / "again.html")
    (box,) = re.findall(r'<div class="advice"><b>compiled again</b>.*?</pre>', in_browser(tmp_path / "again.html"), re.S)
    assert "2 times for another dtype. The last time array 0: its dtype is i32, and was f64. Give arrays of one dtype" in box


@needs_a_browser
def test_a_click_lights_up_all_that_belongs_together(page):
    path, p = page
    kernel = next(i for i, row in enumerate(p.to_dict()["rows"]) if row["kind"] == "kernel" and row["count"] == 5)
    shown = in_browser(path, f"document.querySelector('#rows tr[data-row=\"{kernel}\"]').click();")
    assert len(re.findall(rf'<rect [^>]*data-row="{kernel}" class="on"', shown)) == 5
    assert len(re.findall(rf'<circle [^>]*data-row="{kernel}" class="on"', shown)) == 2  # in both plots
    assert len(re.findall(r'<tr tabindex="0" class="on"', shown)) == 1  # its line


@needs_a_browser
def test_search_keys_and_zoom(page):
    path, p = page
    press = "document.dispatchEvent(new KeyboardEvent('keydown', {key: '%s'}));"
    search = press % "/" + "document.activeElement.value = 'exp'; document.activeElement.oninput();"
    assert in_browser(path, search).count("<tr data-row=") == sum("exp" in row["what"] for row in p.to_dict()["rows"])
    assert in_browser(path, search + press % "Escape").count("<tr data-row=") == len(p.to_dict()["rows"])
    whole, part = in_browser(path), in_browser(path, "for (let k = 0; k < 6; ++k) document.getElementById('in').click();")
    assert 0 < part.count("<rect") < whole.count("<rect")


# ---- the programs


def blurred(x):
    wide = wf.exp(wf.sin(x)) ** 0.3
    total = 0
    for i in range(3):
        total = total + wide[i : 998 + i]
    return total / wf.sum(wide, axis=1, keepdims=True)[1:-1]


@pytest.fixture(scope="module")
def program_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "report.html"
    x = wf.eval(wf.asarray(np.linspace(0, 1, 500_000).reshape(1000, 500)))
    with wf.set_tier("compile"), wf.profile() as p:
        for _ in range(2):
            wf.eval(blurred(x))
    p.save(path)
    return path, p


def graph_of(shown):
    return re.search(r'<svg id="graph".*?</svg>', shown, re.S)[0]


def test_programs_have_their_graph_steps_and_texts(program_page):
    (program,) = data_of(program_page[0])["programs"]
    graph, kernels = program["graph"], program["kernels"]
    assert program["runs"] == 2 and [stage["name"] for stage in graph["stages"]][0] == "recorded"
    assert {node[0] for node in graph["nodes"]} >= {"input", "sin", "exp", "slice", "add", "sum", "divide"}
    assert all(number < k for k, node in enumerate(graph["nodes"]) for number in node[4])
    assert len(graph["steps"]) == len(kernels) == len(program["explain"]["steps"]) > 1
    for kernel in kernels:
        assert kernel["plan"].startswith("program\n") and "schedule" in kernel["plan"] and kernel["name"] in kernel["text"]


def test_your_lines_stand_in_it(program_page):
    sources = data_of(program_page[0])["sources"][__file__]
    at = blurred.__code__.co_firstlineno + 1
    assert sources[str(at)] == "    wide = wf.exp(wf.sin(x)) ** 0.3"


def test_memory_has_owners_and_is_given_back(program_page):
    memory = data_of(program_page[0])["memory"]
    assert any(owner.startswith("pow : f64(1000, 500) at test_report_page.py") for owner in memory["owners"])
    held = {}
    for _, change, owner in memory["changes"]:
        held[owner] = held.get(owner, 0) + change
        assert held[owner] >= 0
    assert sum(held.values()) < sum(change for _, change, _ in memory["changes"] if change > 0)


@needs_a_browser
def test_boxes_are_folded_until_they_are_opened(program_page):
    path, _ = program_page
    (program,) = data_of(path)["programs"]
    folded = graph_of(in_browser(path))
    given = sum(node[2] == "given" for node in program["graph"]["nodes"])
    assert len(program["graph"]["steps"]) < folded.count("data-box=") <= len(program["graph"]["steps"]) + given and "data-node=" not in folded
    opened = graph_of(in_browser(path, "document.querySelectorAll('#graph g[data-box] .box:not(.given)')[0].parentNode.onclick();"))
    assert "data-open=" in opened and opened.count("data-node=") >= 3
    before = graph_of(in_browser(path, "document.querySelector('[data-stage=\"0\"]').click();"))
    line = f"test_report_page.py:{blurred.__code__.co_firstlineno + 1}"
    assert (line in before) == (len(program["graph"]["stages"]) > 1)


@needs_a_browser
def test_a_click_on_one_text_lights_up_the_others(program_page):
    path, _ = program_page
    find = "const line = [...document.querySelectorAll('#loops div')].find(one => one.textContent.includes('= sin %')); line.click();"
    shown = in_browser(path, f"showKernel(data.programs[0], data.programs[0].kernels.findIndex(one => one.plan.includes('= sin %'))); {find}")
    value = re.search(r"%(\d+) : f64 = sin %", shown)[1]
    parts = {name: re.search(rf'<pre [^>]*id="{name}".*?</pre>', shown, re.S)[0] for name in ("yours", "loops", "code")}
    lit = {name: re.findall(r'<div tabindex="0" class="on">(.*?)</div>', part) for name, part in parts.items()}
    assert any("wf.exp(wf.sin(x)) ** 0.3" in text for text in lit["yours"]), lit["yours"]
    assert len(lit["loops"]) == 1 and "= sin %" in lit["loops"][0]
    assert lit["code"] and all(re.search(rf"\b[vyzkr]{value}\b", text) for text in lit["code"])


@needs_kernels
def test_each_kernel_has_machine_code_whose_lines_are_those_of_its_text(program_page):
    (program,) = data_of(program_page[0])["programs"]
    for kernel in program["kernels"]:
        machine = kernel["assembly"]
        if isinstance(machine, int):
            machine = program["kernels"][machine]["assembly"]
        told = machine["lines"]
        assert len(told) == machine["text"].count("\n") and ".loc\t" not in machine["text"] and ".debug" not in machine["text"]
        assert 0 < max(told) <= kernel["text"].count("\n") + 1


@needs_a_browser
@needs_kernels
def test_machine_code_lights_up_with_the_others(program_page):
    path, _ = program_page
    find = "const line = [...document.querySelectorAll('#loops div')].find(one => one.textContent.includes('= sin %')); line.click();"
    shown = in_browser(path, f"showKernel(data.programs[0], data.programs[0].kernels.findIndex(one => one.plan.includes('= sin %'))); {find}")
    machine = re.search(r'<pre [^>]*id="assembly".*?</pre>', shown, re.S)[0]
    lit, all_lines = re.findall(r'<div tabindex="0" class="on">(.*?)</div>', machine), re.findall(r"<div", machine)
    assert 3 < len(lit) < len(all_lines) and all(text.startswith("\t") for text in lit)
    back = in_browser(path, "showKernel(data.programs[0], data.programs[0].kernels.findIndex(one => one.plan.includes('= sin %'))); document.querySelector('#assembly div[tabindex]').click();")
    assert 'class="on"' in re.search(r'<pre [^>]*id="code".*?</pre>', back, re.S)[0]


@needs_a_browser
@needs_kernels
def test_the_roofline_has_the_ceilings_of_the_machine(page):
    path, p = page
    tops = data_of(path)["operations_per_second"]
    assert min(tops["f32"], tops["f64"]) > 0  # measured: what they are is the machine's
    shown = re.search(r'<svg id="flops".*?</svg>', in_browser(path), re.S)[0]
    kernels = [row for row in p.to_dict()["rows"] if row["kind"] == "kernel"]
    assert shown.count("<circle") == len(kernels) > 0 and shown.count("data-top=") == 2 and 'id="slope"' in shown
    exp = next(step for program in data_of(path)["programs"] for step in program["explain"]["steps"] if ": exp" in step["text"])
    assert exp["operations"] == 200_000 * (12 + 1)  # exp is twelve, the product one


def test_the_text_of_a_notebooks_cell_stands_in_it(tmp_path):
    name = "/tmp/ipykernel_1/2345.py"
    text = "with wf.profile() as p:\n    wf.eval(wf.exp(x) * 3.75)\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"wf": wf, "x": wf.eval(wf.asarray(np.linspace(0, 1, 5000)))}
    exec(compile(text, name, "exec"), names)
    names["p"].save(tmp_path / "cell.html")
    assert data_of(tmp_path / "cell.html")["sources"][name]["2"] == "    wf.eval(wf.exp(x) * 3.75)"


@needs_a_browser
def test_memory_shows_who_holds_it_and_what_was_compiled_is_ranked(program_page):
    shown = in_browser(program_page[0])
    drawn = re.search(r'<svg id="memory".*?</svg>', shown, re.S)[0]
    assert drawn.count("<polygon") >= 2 and 'id="then"' in drawn
    assert "pow : f64(1000, 500) at test_report_page.py" in re.search(r'<div id="owners">.*?</div>', shown, re.S)[0]
    table = re.search(r'<div id="compiled">.*?</table>', shown, re.S)[0]
    assert ">planned<" in table and "test_report_page.py" in table


LARGE = """
  const nodes = [["input", "f32[9]", "given", [], []]];
  for (let k = 1; k <= 10000; ++k) nodes.push(["exp", "f32[9]", "op", [["long.py", k]], [k - 1]]);
  const program = data.programs[0], all = what => [...document.querySelectorAll("#graph [data-" + what + "]")];
  program.graph = { nodes, stages: [{ name: "recorded", outputs: [10000] }], steps: STEPS };
  const tell = (name, text) => { const said = document.createElement("pre"); said.id = name; said.textContent = text; document.body.append(said); };
  showProgram(0);
  const find = document.getElementById("find");
"""


def told_by(path, script, names):
    shown = in_browser(path, script)
    return {name: re.search(rf'<pre id="{name}">(.*?)</pre>', shown, re.S)[1] for name in names}, shown


@needs_a_browser
def test_graphs_that_are_too_large_to_draw_are_folded_into_parts_that_reach_every_box(program_page):
    path, _ = program_page
    steps = "nodes.slice(1).map((node, k) => ({ text: 'kernel ' + (k + 1), nodes: [k + 1] }))"
    script = LARGE.replace("STEPS", steps) + """
      tell("folded", all("box").length + " " + all("part").length);
      // Every part, and the parts in it, to the last one.
      const reached = new Set();
      const walk = depth => {
        for (const box of all("box")) reached.add(+box.dataset.box);
        for (const key of all("part").map(part => part.dataset.part)) {
          const [from, to] = key.split("-").map(Number);
          if (depth > 3 || [...Array(to - from).keys()].every(k => reached.has(from + k))) continue;
          const part = all("part").find(part => part.dataset.part === key);
          if (part) { part.onclick(); tell("most", all("box").length + all("part").length); walk(depth + 1); }
        }
      };
      document.getElementById("foldall").click();
      const few = all("part").map(part => part.dataset.part).filter((key, k, keys) => k === 0 || k === keys.length - 1);
      for (const key of few) { document.getElementById("foldall").click(); all("part").find(part => part.dataset.part === key).onclick(); walk(2); }
      tell("reached", few.every(key => { const [from, to] = key.split("-").map(Number); return [...Array(to - from).keys()].every(k => reached.has(from + k)); }));
      find.value = "long.py:7777"; find.onchange();
      tell("one", all("box").filter(box => box.classList.contains("found")).map(box => nodes[program.graph.steps[+box.dataset.box - 1].nodes[0]][3][0][1]));
      find.value = "exp"; find.onchange(); find.onkeydown({ key: "Enter" });
      tell("next", document.getElementById("graphnote").textContent);
    """
    told, shown = told_by(path, script, ("folded", "reached", "one", "next"))
    boxes, parts = map(int, told["folded"].split())
    assert boxes <= 1 and 10 <= parts <= 41
    assert told["reached"] == "true" and told["one"] == "7777"
    assert max(map(int, re.findall(r'<pre id="most">(\d+)</pre>', shown))) <= 160
    assert "This graph has 10001 boxes, too many to draw at once: those that follow each other are folded into parts." in told["next"]
    assert "is in 10000 boxes, of which this is number 2; Enter shows the next one." in told["next"]


@needs_a_browser
def test_a_box_of_many_operations_opens_in_parts(program_page):
    path, _ = program_page
    steps = "[{ text: 'kernel', nodes: nodes.slice(1).map((node, k) => k + 1) }]"
    script = LARGE.replace("STEPS", steps) + """
      all("box").find(box => box.querySelector(".box:not(.given)")).onclick();
      tell("opened", all("node").length + " " + all("ops").length + " " + document.getElementById("graphnote").textContent);
      find.value = "long.py:7777"; find.onchange();
      tell("one", all("node").filter(node => node.classList.contains("found")).map(node => node.dataset.node));
    """
    told, _ = told_by(path, script, ("opened", "one"))
    nodes, parts = map(int, told["opened"].split()[:2])
    assert nodes == 0 and 10 <= parts <= 40 and "has 10000 operations, folded into parts" in told["opened"]
    assert told["one"] == "7777"


@needs_a_browser
def test_numbers_are_in_the_box_that_reads_them(program_page):
    path, _ = program_page
    many = """
      const nodes = [["input", "f32[9]", "given", [], []]];
      for (let k = 0; k < 300; ++k) nodes.push(["scalar", "f32[9]", "given", [], []], ["add", "f32[9]", "op", [["long.py", 1]], [Math.max(0, 2 * k), 2 * k + 1]]);
      data.programs[0].graph = { nodes, stages: [{ name: "recorded", outputs: [600] }], steps: [{ text: "kernel", nodes: nodes.map((node, k) => k).filter(k => nodes[k][2] === "op") }] };
      showProgram(0);
    """
    drawn = graph_of(in_browser(path, many))
    assert drawn.count("data-box=") == 2 and drawn.count("<path d=") == 1 + 1  # the arrow's head
