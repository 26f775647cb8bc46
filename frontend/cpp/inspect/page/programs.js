// A program: its summary, its graph, the three texts of a kernel that light up together, and the reasons.
let current = 0;
function programs() {
  const all = data.programs;
  if (!all.length) return;
  const host = $("programs");
  host.append(make("h2", {}, all.length === 1 ? "The operations as a graph" : "The operations as graphs"), make("p", { class: "soft" }, ...worded("What is looked at together is one graph of operations. Passes rewrite it, and it is cut into kernels. "), data.more_runs ? data.more_runs + " runs were of graphs that are not shown." : ""));
  if (all.length > 1) {
    const body = make("tbody");
    all.map((program, k) => [program, k]).sort(([a], [b]) => b.runs - a.runs).forEach(([program, k]) => {
      const s = program.explain.summary, line = make("tr", { tabindex: 0, "data-program": k }, make("td", { class: "n" }, String(program.runs)), make("td", { class: "n" }, s.kernels + s.library_calls + s.loops + s.copies), make("td", { class: "n" }, String(s.operations)), make("td", { class: "n" }, size(s.bytes_read + s.bytes_written)), make("td", { class: "code" }, cut(linesOfProgram(program).map(place).join(", ") || "no line is known", 120)));
      line.onclick = () => showProgram(k);
      line.onkeydown = event => { if (event.key === "Enter") showProgram(k); };
      body.append(line);
    });
    host.append(make("table", { id: "list" }, make("thead", {}, make("tr", {}, ...["runs", "steps", "operations", "bytes a run"].map(text => make("th", { class: "n" }, text)), make("th", {}, "lines"))), body));
  }
  host.append(make("div", { id: "program" }));
  showProgram(all.reduce((best, program, k) => program.runs * (program.explain.summary.bytes_read + 1) > all[best].runs * (all[best].explain.summary.bytes_read + 1) ? k : best, 0));
}

function linesOfProgram(program) {
  const found = new Map();
  for (const value of program.explain.values) for (const line of value.lines) found.set(line.file + ":" + line.line, line);
  return [...found.values()];
}

const adviceKey = one => one.cause + " " + one.lines.map(place).sort().join(" ");
function showProgram(k) {
  current = k;
  document.querySelectorAll("#list tbody tr").forEach(line => line.classList.toggle("now", +line.dataset.program === k));
  const program = data.programs[k], host = $("program"), s = program.explain.summary;
  host.replaceChildren(make("p", {}, s.operations + (s.operations === 1 ? " operation" : " operations") + " in " + program.explain.steps.length + (program.explain.steps.length === 1 ? " step: " : " steps: ") + size(s.bytes_read) + " read and " + size(s.bytes_written) + " written" + (s.op_by_op_bytes ? "; op by op, as NumPy computes, it would be " + size(s.op_by_op_bytes) : "") + "."));
  const known = new Set(profile.advice.map(adviceKey)), more = program.explain.advice.filter(one => !known.has(adviceKey(one)));
  host.append(...more.map(adviceBox));
  host.append(make("h3", {}, "The graph"));
  showGraph(program, host);
  host.append(make("h3", {}, "A kernel"), make("div", { id: "kernel" }));
  host.append(make("h3", {}, "Every step, and why"));
  showSteps(program, host);
  showKernel(program, program.kernels.length ? 0 : -1);
}

function showGraph(program, host) {
  const g = program.graph;
  if (g.too_many_nodes) return host.append(make("p", { class: "advice" }, "The graph has " + g.too_many_nodes + " nodes, too many for a page: look at a part of it, as by eval of what is on the way."));
  const bar = make("p", { id: "stages" }), where = make("div", { class: "scroll", id: "drawing" }), said = make("p", { class: "soft", id: "graphnote" });
  const view = { program, stage: g.stages.length - 1, open: new Set(), parts: [], within: new Map(), models: new Map(), zoom: 1, host: where, note: text => { said.textContent = text; } };
  view.toggle = k => {
    if (!view.open.delete(k)) view.open.add(k);
    drawGraph(view);
    const b = view.model.boxes[k];
    if (b.kind === "step") showKernelOfStep(program, b.step);
  };
  // A part that is unfolded lies within the one before: another one at its side folds it.
  const nested = (open, [from, to]) => [...open.filter(range => range[0] <= from && to <= range[1] && range[1] - range[0] > to - from), [from, to]];
  view.unfold = part => { view.parts = nested(view.parts, part); redraw(); };
  view.unfoldOps = (k, from, to) => { view.within.set(k, nested(view.within.get(k) || [], [from, to])); redraw(); };
  view.chooseNode = (n, box) => {
    const lines = program.graph.nodes[n][3].map(([file, line]) => place({ file, line }));
    choose(rows.map((row, i) => [row, i]).filter(([row]) => row.lines.some(line => lines.includes(place(line)))).map(([, i]) => i));
    document.querySelectorAll("#graph g").forEach(one => one.classList.toggle("on", +one.dataset.node === n));
    const b = view.model.boxes[box];
    if (b && b.kind === "step") showKernelOfStep(program, b.step);
    lightLines(new Set(lines));
  };
  const refold = () => { view.open.clear(); view.within.clear(); view.parts = []; };
  const buttons = g.stages.map((stage, k) => {
    const button = make("button", { "data-stage": k }, k === g.stages.length - 1 ? "after all passes: kernels" : k === 0 ? "as it was recorded" : "after " + stage.name);
    button.onclick = () => { view.stage = k; refold(); redraw(); };
    return button;
  });
  const find = make("input", { type: "search", id: "find", placeholder: "find an op, a line or a type", "aria-label": "find in the graph" });
  const act = (text, id, f) => { const button = make("button", { id }, text); button.onclick = f; return button; };
  const redraw = () => { buttons.forEach((button, k) => button.classList.toggle("now", k === view.stage)); drawGraph(view); };
  let looked = "", turn = 0;  // for this word, so many times
  const look = next => {
    const word = find.value.toLowerCase();
    turn = word === looked ? turn + next : 0;
    looked = word;
    if (!word) return redraw();
    const { boxes, of } = view.model, nodes = g.nodes;
    const has = n => (nodes[n][0] + " " + nodes[n][1] + " " + nodes[n][3].map(([file, line]) => place({ file, line })).join(" ")).toLowerCase().includes(word);
    const isFound = b => b.name.toLowerCase().includes(word) || b.nodes.some(has), found = boxes.filter(isFound).map(b => b.index);
    if (!found.length) return view.note("Nothing in this stage is called \u201c" + find.value + "\u201d.");
    const at = found[turn % found.length];
    if (boxes.length > boxesAtMost) view.parts = pathTo(boxes.length, at);
    const own = boxes[at].nodes.filter(n => of.get(n) === at), one = own.findIndex(has);
    if (view.open.has(at) && own.length > opsAtMost && one >= 0) view.within.set(at, pathTo(own.length, one));
    redraw();
    document.querySelectorAll("#graph g").forEach(one => one.classList.toggle("found", one.dataset.box !== undefined ? isFound(boxes[+one.dataset.box]) : one.dataset.part !== undefined ? boxes.slice(...one.dataset.part.split("-").map(Number)).some(isFound) : one.dataset.node !== undefined && has(+one.dataset.node)));
    if (found.length > 1) view.note(said.textContent + " \u201c" + find.value + "\u201d is in " + found.length + " boxes, of which this is number " + (turn % found.length + 1) + "; Enter shows the next one.");
    const first = document.querySelector('#graph g.found[data-box="' + at + '"]') || document.querySelector("#graph g.found");
    if (first && first.scrollIntoView) first.scrollIntoView({ block: "nearest" });
  };
  find.onchange = () => look(0);
  find.onkeydown = event => { if (event.key === "Enter") look(1); };
  bar.append(...buttons, " ", find, " ", act("Open all", "openall", () => { const drawn = new Set([...document.querySelectorAll("#graph [data-box]")].map(one => +one.dataset.box)); view.model.boxes.forEach((b, k) => { if (b.kind !== "given" && drawn.has(k) && view.open.size < 12) view.open.add(k); }); redraw(); }), " ", act("Fold all", "foldall", () => { refold(); redraw(); }), " ", act("+", "larger", () => { view.zoom *= 1.25; redraw(); }), " ", act("\u2212", "smaller", () => { view.zoom /= 1.25; redraw(); }));
  if (buttons.length === 1) buttons[0].textContent = "the kernels; they are made of the graph as it was recorded";
  host.append(make("p", { class: "soft" }, "After the passes a box is a step that runs; before them, one of your lines. A click opens a box; arrows are arrays that go through memory, and inside of a box values that stay in registers."), bar, said, where);
  redraw();
}

function showKernelOfStep(program, step) {
  const at = program.kernels.findIndex(kernel => program.explain.steps[kernel.step].group === step);
  if (at >= 0) showKernel(program, at);
}

// The ops of a kernel in the graph that fusion got, with their lines.
function opsOf(program, kernel) {
  if (program.graph.too_many_nodes) return [];
  const step = program.graph.steps[program.explain.steps[kernel.step].group];
  return step ? [...step.nodes].sort((a, b) => a - b).map(n => program.graph.nodes[n]) : [];
}

// What a line of the loops defines, folds and stores, and which of your lines asked for it.
function readLoops(plan, ops) {
  const loops = plan.split("\n").filter((line, k, all) => line !== "program" && (line || k < all.length - 1)).map(text => {
    const define = /^\s*%(\d+) : \S+ = (\S+)/.exec(text), fold = /^\s*(?:fold|%\d+ : \S+ = (?:finish|scan)) a(\d+)(?: (\w+))?/.exec(text), store = /^\s*b\d+\[.*\] = %(\d+)/.exec(text);
    return { text, value: define ? +define[1] : store ? +store[1] : undefined, total: fold ? +fold[1] : undefined, op: fold ? fold[2] : define ? define[2] : undefined, lines: [] };
  });
  const byOp = new Map();
  for (const [op, , , lines] of ops) byOp.set(op, [...(byOp.get(op) || []), lines.map(([file, line]) => place({ file, line }))]);
  for (const [op, all] of byOp) {
    const those = loops.filter(one => one.op === op);
    // As many as there are ops: they are in the same order. Else each may be of any of them.
    those.forEach((one, k) => { one.lines = those.length === all.length ? all[k] : [...new Set(all.flat())]; });
  }
  for (const one of loops) if (!one.lines.length && one.total !== undefined) one.lines = (loops.find(other => other.total === one.total && other.lines.length) || one).lines;
  for (const one of loops) if (!one.op && one.value !== undefined && !one.lines.length) one.lines = (loops.find(other => other.value === one.value && other.lines.length) || one).lines;
  return loops;
}

const mostMachineLines = 5000;
let lit = () => {};
const lightLines = lines => lit({ lines });
function showKernel(program, at) {
  const host = $("kernel");
  if (at < 0) return host.replaceChildren(make("p", { class: "soft" }, "There is no kernel's text: libraries, copies or loops do the work."));
  const kernel = program.kernels[at], ops = opsOf(program, kernel), loops = readLoops(kernel.plan || "", ops);
  const pick = make("select", { id: "pick", "aria-label": "kernel" }, ...program.kernels.map((one, k) => make("option", k === at ? { value: k, selected: "" } : { value: k }, cut("step " + one.step + ": " + program.explain.steps[one.step].text, 110))));
  pick.onchange = () => showKernel(program, +pick.value);
  const own = new Map();
  for (const [, , , lines] of ops) for (const [file, line] of lines) own.set(place({ file, line }), { file, line });
  const yours = [];
  for (const [key, { file, line }] of [...own].sort(([, a], [, b]) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line)) {
    const text = (data.sources[file] || {})[line] || "", one = new Set([...own.values()].map(other => other.file)).size === 1;
    yours.push({ key, text: (one ? String(line) : key) + "  " + (one ? text : text.trim()) });
  }
  const texts = kernel.text.split("\n"), first = texts.findIndex(line => /^(struct S\d|extern "C"|__global__|static __global__)/.test(line));
  const row = (text, light, words) => {
    const line = make("div", light ? { tabindex: 0 } : {}, ...(words ? worded(text || " ") : [text || " "]));
    if (light) { line.onclick = () => lit(light); line.onkeydown = event => { if (event.key === "Enter") lit(light); }; }
    return line;
  };
  const valuesIn = text => new Set([...text.matchAll(/\b[vyzkr](\d+)\b/g)].map(found => +found[1])), totalsIn = text => new Set([...text.matchAll(/\b[Tt](\d+)\b/g)].map(found => +found[1]));
  const left = yours.map(one => row(one.text, { lines: new Set([one.key]) }));
  const middle = loops.map(one => row(one.text, one.value === undefined && one.total === undefined ? null : { values: new Set(one.value === undefined ? [] : [one.value]), totals: new Set(one.total === undefined ? [] : [one.total]) }, true));
  const right = texts.slice(Math.max(0, first)).map(text => row(text, valuesIn(text).size || totalsIn(text).size ? { values: valuesIn(text), totals: totalsIn(text) } : null));
  const code = make("pre", { id: "code" }, first > 0 ? row("// " + first + " lines of helper functions come before; wf.show(x, \"" + (kernel.language === "CUDA" ? "cuda" : "cpp") + "\") has them") : "", ...right);
  const machine = typeof kernel.assembly === "number" ? program.kernels[kernel.assembly].assembly : kernel.assembly;
  // Of a line of machine code what its line of the kernel's text has.
  const machineLines = machine ? machine.text.split("\n").slice(0, mostMachineLines) : [], behind = machineLines.map((text, k) => { const own = texts[(machine.lines[k] || 0) - 1] || ""; return { values: valuesIn(own), totals: totalsIn(own) }; });
  const bottom = machineLines.map((text, k) => row(text, behind[k].values.size || behind[k].totals.size ? behind[k] : null));
  const assembly = make("pre", { id: "assembly", hidden: "" }, ...(machine ? bottom : ["There is none: wf.show(x, \"" + (kernel.language === "CUDA" ? "ptx" : "asm") + "\") says why."]));
  const tab = (text, id, mine, other) => { const button = make("button", { id }, text); button.onclick = () => { mine.hidden = false; other.hidden = true; tabs.querySelectorAll("button").forEach(one => one.classList.toggle("now", one === button)); }; return button; };
  const tabs = make("h3", { class: "tabs" });
  tabs.append(tab(kernel.language, "tabcode", code, assembly), " ", tab("assembly", "tabassembly", assembly, code));
  tabs.firstChild.classList.add("now");
  host.replaceChildren(make("p", {}, pick), make("p", { class: "soft" }, "A click on a line of one text lights up what belongs to it in the others."),
    make("div", { class: "panels" }, make("div", {}, make("h3", {}, "Your lines" + (own.size && new Set([...own.values()].map(line => line.file)).size === 1 ? " of " + place([...own.values()][0]).replace(/:\d+$/, "") : "")), make("pre", { class: "scroll", id: "yours" }, ...(left.length ? left : [row("no line is known")]))),
      make("div", {}, make("h3", {}, ...worded("The kernel's loops")), make("pre", { class: "scroll", id: "loops" }, ...(middle.length ? middle : [row("not known")]))),
      make("div", {}, tabs, make("div", { class: "scroll" }, code, assembly))));
  lit = light => {
    const values = new Set(light.values || []), totals = new Set(light.totals || []);
    if (light.lines) for (const one of loops) if (one.lines.some(line => light.lines.has(line))) {
      if (one.value !== undefined) values.add(one.value);
      if (one.total !== undefined) totals.add(one.total);
    }
    const of = one => (one.value !== undefined && values.has(one.value)) || (one.total !== undefined && totals.has(one.total));
    const lines = light.lines || new Set(loops.filter(of).flatMap(one => one.lines));
    const on = (line, is) => line.classList.toggle("on", is);
    yours.forEach((one, k) => on(left[k], lines.has(one.key)));
    loops.forEach((one, k) => on(middle[k], of(one)));
    texts.slice(Math.max(0, first)).forEach((text, k) => on(right[k], [...valuesIn(text)].some(v => values.has(v)) || [...totalsIn(text)].some(v => totals.has(v))));
    bottom.forEach((line, k) => on(line, [...behind[k].values].some(v => values.has(v)) || [...behind[k].totals].some(v => totals.has(v))));
    for (const list of [left, middle, right, bottom]) { const shown = list.find(line => line.classList.contains("on")); if (shown) shown.parentNode.scrollTop = Math.max(0, shown.offsetTop - shown.parentNode.offsetTop - 80); }
  };
}

function showSteps(program, host) {
  const { steps, values, edges, repeated } = program.explain;
  steps.slice(0, 300).forEach((step, k) => {
    const named = new Set([...step.writes, ...step.keeps]), inside = make("ul");
    for (const n of step.keeps) inside.append(make("li", { class: "code" }, "keeps " + values[n].text));
    for (const n of step.writes) inside.append(make("li", { class: "code" }, "writes " + values[n].text + " (" + size(values[n].bytes) + ")"));
    for (const note of step.notes) inside.append(make("li", { class: "code" }, ...worded(note)));
    for (const edge of edges) if (named.has(edge.to)) inside.append(make("li", { class: "code" }, (edge.fused ? "fused: " : "not fused: ") + values[edge.from].text + " \u2192 " + values[edge.to].text + ": " + (edge.fused ? size(edge.bytes_saved) + " stay inside" : edge.reason)));
    const own = new Set([...named].flatMap(n => values[n].lines.map(place)));
    const box = make("details", { "data-step": k }, make("summary", { class: "code" }, ...worded("step " + k + ": " + step.text)), inside);
    box.rows = rows.map((row, i) => [row, i]).filter(([row]) => row.lines.some(line => own.has(place(line)))).map(([, i]) => i);
    box.querySelector("summary").onclick = () => { choose(box.rows); const at = program.kernels.findIndex(kernel => kernel.step === k); if (at >= 0) showKernel(program, at); };
    host.append(box);
  });
  if (steps.length > 300) host.append(make("p", { class: "soft" }, "and " + (steps.length - 300) + " more steps: explain says all"));
  for (const one of repeated) host.append(make("p", { class: "code" }, "computed by " + one.kernels + " kernels: " + one.ops + (one.lines.length ? " at " + places(one.lines) : "") + ": less work than to write the value and read it again"));
}
