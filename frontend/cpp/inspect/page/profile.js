"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const profile = data.profile, rows = profile.rows;
const colours = { kernel: "#4493f8", blocks: "#8250df", library: "#1a7f64", copy: "#bf8700", upload: "#bc4c00", download: "#953800", compile: "#cf222e", load: "#e5534b", plan: "#bf3989", interpret: "#6e7781", host: "#d4a72c", record: "#57606a", evaluate: "#8c959f", program: "#afb8c1" };
const $ = id => document.getElementById(id);
const make = (name, attributes, ...inside) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};
const draw = (name, attributes, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
};
const time = ns => ns < 1e3 ? ns.toFixed(0) + " ns" : ns < 1e6 ? (ns / 1e3).toPrecision(3) + " us" : ns < 1e9 ? (ns / 1e6).toPrecision(4) + " ms" : (ns / 1e9).toPrecision(4) + " s";
const size = b => b < 1e3 ? b + " B" : b < 1e6 ? (b / 1e3).toFixed(1) + " kB" : b < 1e9 ? (b / 1e6).toFixed(1) + " MB" : (b / 1e9).toFixed(2) + " GB";
const place = line => line.file.replace(/^.*\//, "") + ":" + line.line;
const places = lines => lines.length > 6 ? lines.slice(0, 6).map(place).join(", ") + " and " + (lines.length - 6) + " more" : lines.map(place).join(", ");
const codeOf = line => ((data.sources[line.file] || {})[line.line] || "").trim();
// Of a kernel's name what it computes, where its program is on the page.
const kernelOps = new Map(data.programs.flatMap(program => program.kernels.map(kernel => [kernel.name, program.explain.steps[kernel.step].text.replace(/^kernel over .*?: (?=[^:]*$)/, "")])));
// Of rows of kernels how much they compute, where their programs are on the page.
for (const program of data.programs) for (const step of program.explain.steps) for (const row of rows)
  if (!row.operations && step.operations && ["kernel", "blocks"].includes(row.kind) && step.text.endsWith(": " + row.lines.map(place).join(", ") + ": " + row.what)) row.operations = step.operations * row.count;
const bytes = row => row.bytes_read + row.bytes_written;
const share = ns => profile.wall_ns ? 100 * ns / profile.wall_ns : 0;
const wide = 1000;
let chosen = new Set();

function glance() {
  document.title = $("title").textContent = "Weft: " + time(profile.wall_ns) + (data.title ? " of " + data.title : "");
  const of = kind => rows.filter(row => row.kind === kind).reduce((sum, row) => sum + row.count, 0);
  const compiling = rows.filter(row => row.kind === "compile").reduce((sum, row) => sum + row.total_ns, 0);
  const part = (count, what) => count ? count + " " + what + (count === 1 ? "" : "s") : "";
  const parts = [part(of("kernel") + of("blocks"), "kernel run"), part(of("library"), "library call"), part(of("compile"), "compilation") + (compiling ? " in " + time(compiling) : ""), part(of("host"), "answer") + (of("host") ? " of NumPy" : "")];
  $("glance").textContent = parts.filter(text => text).join(", ") + ". " + share(profile.accounted_ns).toFixed(1) + " % of the time is Weft's work; the rest is your program, Python and recording." + (rows.length ? "" : " Nothing ran: what is recorded runs when somebody looks at it.");
  const kinds = new Map();
  for (const row of rows) kinds.set(row.kind, (kinds.get(row.kind) || 0) + row.total_ns);
  const all = Math.max(profile.wall_ns, [...kinds.values()].reduce((a, b) => a + b, 0)) || 1;
  for (const [kind, ns] of kinds) {
    $("bar").append(make("span", { style: "width:" + 100 * ns / all + "%;background:" + colours[kind], title: kind + " " + time(ns) }));
    $("key").append(make("span", {}, make("i", { style: "background:" + colours[kind] }), kind + " " + time(ns)));
  }
  if (!profile.advice.length) $("advice").append(make("p", { class: "soft" }, "Nothing was found."));
  for (const one of profile.advice) $("advice").append(make("div", { class: "advice" }, make("b", {}, one.cause), one.lines.length ? " at " + places(one.lines) : "", make("br"), one.text, ...one.lines.slice(0, 3).filter(codeOf).map(line => make("div", { class: "code" }, place(line) + "  " + codeOf(line)))));
}

const columns = [["share", row => row.total_ns, row => share(row.total_ns).toFixed(1) + " %"], ["count", row => row.count, row => row.count], ["total", row => row.total_ns, row => time(row.total_ns)], ["each", row => row.total_ns / row.count, row => time(row.total_ns / row.count)], ["bytes", bytes, row => bytes(row) ? size(bytes(row)) : ""], ["GB/s", row => bytes(row) / row.total_ns, row => bytes(row) ? (bytes(row) / row.total_ns).toFixed(2) : ""], ["kind", row => row.kind, row => row.kind], ["what", row => row.what, row => row.what + (kernelOps.has(row.what) ? ": " + kernelOps.get(row.what) : "") + (row.operations ? ", " + (row.operations / row.total_ns).toFixed(1) + " GFLOP/s" : "") + (row.behind ? ", " + row.behind + " behind programs that ran" : "")], ["lines", row => places(row.lines), row => places(row.lines)]];
const meanings = { kernel: "a compiled kernel", blocks: "a kernel's work while its kernel is not compiled, or without one", library: "a matrix product or a sort by a library", copy: "within a device, or between two", upload: "from the host", download: "to the host", compile: "Clang or NVRTC, once for each kernel", load: "of a kernel from the disk cache", plan: "a new graph to a program", interpret: "what is too small for a kernel: the library's own loops compute it op by op", host: "NumPy's answer: values left Weft, and came back", record: "a call of a function of compile(), which records it", evaluate: "what Weft does around the other rows: it finds programs, and memory for results", program: "your program, Python, and recording operations: what no other row covers" };
let by = 0, falling = true;
function table() {
  const head = make("tr");
  columns.forEach(([name], k) => {
    const cell = make("th", k < 6 ? { class: "n", tabindex: 0 } : { tabindex: 0 }, name + (k === by ? (falling ? " \u25be" : " \u25b4") : ""));
    cell.onclick = () => { falling = k === by ? !falling : k < 6; by = k; table(); };
    cell.onkeydown = event => { if (event.key === "Enter") cell.onclick(); };
    head.append(cell);
  });
  document.querySelector("#rows thead").replaceChildren(head);
  const words = $("search").value.toLowerCase().split(/\s+/).filter(word => word);
  const value = columns[by][1];
  const shown = rows.map((row, i) => [row, i]).filter(([row]) => words.every(word => (row.kind + " " + row.what + " " + places(row.lines)).toLowerCase().includes(word)))
    .sort(([a], [b]) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (falling ? -1 : 1));
  $("kinds").textContent = [...new Set(rows.map(row => row.kind))].map(kind => kind + ": " + meanings[kind]).join("; ") + ". GB/s are the bytes that a kernel reads and writes over its time; more than the memory gives where arrays stay in a cache.";
  $("found").textContent = shown.length === rows.length ? rows.length + " rows" : shown.length + " of " + rows.length + " rows";
  document.querySelector("#rows tbody").replaceChildren(...shown.slice(0, 2000).map(([row, i]) => {
    const line = make("tr", { "data-row": i, tabindex: 0 }, ...columns.map(([, , text], k) => make("td", k < 6 ? { class: "n" } : k > 6 ? { class: "code" } : {}, String(text(row)))));
    line.onclick = () => choose([i]);
    line.onkeydown = event => {
      if (event.key === "Enter") choose([i]);
      const next = event.key === "ArrowDown" ? line.nextElementSibling : event.key === "ArrowUp" ? line.previousElementSibling : null;
      if (next) { next.focus(); choose([+next.dataset.row]); event.preventDefault(); }
    };
    return line;
  }));
  mark();
}

function lines() {
  const of = new Map();
  rows.forEach((row, i) => row.lines.forEach(line => {
    const key = line.file + ":" + line.line, known = of.get(key) || { line, ns: 0, rows: [] };
    known.ns += row.total_ns; known.rows.push(i); of.set(key, known);
  }));
  document.querySelector("#lines thead").replaceChildren(make("tr", {}, make("th", { class: "n" }, "share"), make("th", { class: "n" }, "time of what it is in"), make("th", {}, "line"), make("th", {}, "code")));
  document.querySelector("#lines tbody").replaceChildren(...[...of.values()].sort((a, b) => b.ns - a.ns).slice(0, 500).map(one => {
    const line = make("tr", { tabindex: 0 }, make("td", { class: "n" }, share(one.ns).toFixed(1) + " %"), make("td", { class: "n" }, time(one.ns)), make("td", { class: "code", title: one.line.file }, place(one.line)), make("td", { class: "code" }, codeOf(one.line)));
    line.rows = one.rows;
    line.onclick = () => choose(one.rows);
    line.onkeydown = event => { if (event.key === "Enter") choose(one.rows); };
    return line;
  }));
}

const drawnAtMost = 4000;
let from = 0, to = Math.max(1, ...data.events.map(e => e[1] + e[2]), profile.wall_ns);
const end = to;
function timeline() {
  const svg = $("timeline"), lanes = Math.max(1, ...data.events.map(e => e[3] + 1)), high = 26;
  svg.setAttribute("viewBox", "0 0 " + wide + " " + (lanes * high + 20));
  const inside = data.events.filter(e => e[1] < to && e[1] + e[2] > from);
  const shown = [...inside].sort((a, b) => b[2] - a[2]).slice(0, drawnAtMost), x = ns => (ns - from) / (to - from) * wide;
  const parts = [];
  for (let tick = 0; tick <= 5; ++tick) parts.push(draw("text", { x: Math.min(wide - 60, tick * wide / 5 + 2), y: lanes * high + 14 }, time(from + tick * (to - from) / 5)));
  for (const e of shown) {
    const left = Math.max(0, x(e[1])), right = Math.min(wide, x(e[1] + e[2]));
    const box = draw("rect", { x: left, y: e[3] * high + 3, width: Math.max(.6, right - left), height: high - 6, fill: colours[rows[e[0]].kind], "data-row": e[0] });
    box.append(draw("title", {}, rows[e[0]].kind + ": " + rows[e[0]].what + " " + places(rows[e[0]].lines) + ", " + time(e[2])));
    box.onclick = () => choose([e[0]]);
    parts.push(box);
  }
  svg.replaceChildren(...parts);
  const left = inside.length - shown.length + data.left_out;
  $("span").textContent = time(from) + " to " + time(to) + (left > 0 ? "; the shortest " + left + " pieces of work are not drawn" : "");
  mark();
}
function zoom(factor, shift) {
  const middle = (from + to) / 2 + shift * (to - from), half = Math.min(end, Math.max(100, (to - from) * factor)) / 2;
  from = Math.max(0, Math.min(end - 2 * half, middle - half)); to = from + 2 * half;
  timeline();
}

// Axes whose marks are powers of ten, over the numbers given.
function logAxes(svg, high, xs, ys, nameX, nameY) {
  const log = Math.log10, span = all => [Math.floor(log(Math.min(...all)) - .1), Math.ceil(log(Math.max(...all)) + .1)];
  const [x0, x1] = span(xs), [y0, y1] = span(ys);
  const x = v => 90 + (log(v) - x0) / (x1 - x0) * (wide - 110), y = v => high - 30 - (log(v) - y0) / (y1 - y0) * (high - 50), parts = [];
  for (let k = x0; k <= x1; ++k) parts.push(draw("line", { x1: x(10 ** k), x2: x(10 ** k), y1: 20, y2: high - 30, stroke: "var(--line)" }), draw("text", { x: x(10 ** k), y: high - 14, "text-anchor": k === x1 ? "end" : "middle" }, nameX(10 ** k)));
  for (let k = y0; k <= y1; ++k) parts.push(draw("line", { x1: 90, x2: wide - 20, y1: y(10 ** k), y2: y(10 ** k), stroke: "var(--line)" }), draw("text", { x: 2, y: y(10 ** k) + 4 }, nameY(10 ** k)));
  svg.setAttribute("viewBox", "0 0 " + wide + " " + high);
  return { x, y, parts, left: 10 ** x0, right: 10 ** x1, low: 10 ** y0 };
}
function dots(kernels, axes, atX, atY, said) {
  return kernels.map(([row, i]) => {
    const dot = draw("circle", { cx: axes.x(atX(row)), cy: axes.y(atY(row)), r: 4 + 8 * Math.sqrt(Math.min(1, share(row.total_ns) / 100)), fill: colours[row.kind], "fill-opacity": .7, "data-row": i });
    dot.append(draw("title", {}, row.what + " " + places(row.lines) + ", " + said(row)));
    dot.onclick = () => choose([i]);
    return dot;
  });
}
function roof() {
  const speed = data.memory_bytes_per_second, kernels = rows.map((row, i) => [row, i]).filter(([row]) => bytes(row) && (row.kind === "kernel" || row.kind === "blocks"));
  $("rooftext").textContent = kernels.length ? "Each dot is a row of kernels: to the right are those that move more in one run, above those that move faster." + (speed ? " The line is a large copy, " + (speed / 1e9).toFixed(1) + " GB/s; dots above it found their arrays in caches, dots far below it compute much, read with gaps, or are short." : "") : "No kernel moved bytes.";
  const svg = $("roof");
  if (!kernels.length) return svg.remove();
  const rate = row => bytes(row) / row.total_ns * 1e9, each = row => bytes(row) / row.count, short = v => size(v).replace(/\.0+(?= )/, "");
  const axes = logAxes(svg, 260, kernels.map(([row]) => each(row)), [...kernels.map(([row]) => rate(row)), ...(speed ? [speed] : [])], short, v => short(v) + "/s");
  if (speed) axes.parts.push(draw("line", { x1: 90, x2: wide - 20, y1: axes.y(speed), y2: axes.y(speed), stroke: "#d29922", "stroke-width": 2, id: "speed" }));
  svg.replaceChildren(...axes.parts, ...dots(kernels, axes, each, rate, row => (rate(row) / 1e9).toFixed(2) + " GB/s"));
}

// The roofline: how much is computed for each byte, and how fast, below what memory and arithmetic allow.
function flops() {
  const speed = data.memory_bytes_per_second, tops = Object.entries(data.operations_per_second).filter(([, top]) => top > 0);
  const kernels = rows.map((row, i) => [row, i]).filter(([row]) => bytes(row) && row.operations && ["kernel", "blocks", "library"].includes(row.kind));
  const svg = $("flops"), giga = v => (v / 1e9).toPrecision(3) + " GFLOP/s";
  $("flopstext").textContent = kernels.length ? "To the right are rows that compute more for each byte, above those that compute faster. An addition or a product is one operation, exp twelve." + (speed && tops.length ? " The slope is what memory gives; the flat lines are multiply-adds in registers on all threads, as measured here: " + tops.map(([dtype, top]) => dtype + " " + giga(top)).join(", ") + ". Dots near the slope wait for memory, dots near a flat line for arithmetic." : "") : "No row computed with floats.";
  if (!kernels.length) return svg.remove();
  const rate = row => row.operations / row.total_ns * 1e9, dense = row => row.operations / bytes(row), most = Math.max(0, ...tops.map(([, top]) => top));
  const axes = logAxes(svg, 300, [...kernels.map(([row]) => dense(row)), ...(speed && most ? [most / speed * 2] : [])], [...kernels.map(([row]) => rate(row)), ...(most ? [most] : [])], v => +v.toPrecision(1) + " FLOP/B", v => v < 1e9 ? v / 1e6 + " MFLOP/s" : v / 1e9 + " GFLOP/s");
  for (const [dtype, top] of tops) {
    const start = Math.min(axes.right, Math.max(axes.left, speed ? top / speed : axes.left));
    axes.parts.push(draw("line", { x1: axes.x(start), x2: wide - 20, y1: axes.y(top), y2: axes.y(top), stroke: "#d29922", "stroke-width": 2, "data-top": dtype }), draw("text", { x: wide - 50, y: axes.y(top) - 4 }, dtype));
  }
  if (speed && most) {
    const start = Math.max(axes.left, axes.low / speed), stop = Math.min(axes.right, most / speed);
    axes.parts.push(draw("line", { x1: axes.x(start), y1: axes.y(start * speed), x2: axes.x(stop), y2: axes.y(stop * speed), stroke: "#d29922", "stroke-width": 2, id: "slope" }));
  }
  svg.replaceChildren(...axes.parts, ...dots(kernels, axes, dense, rate, row => giga(rate(row)) + ", " + dense(row).toPrecision(3) + " operations a byte"));
}

function choose(numbers) { chosen = new Set(numbers); mark(); }
function mark() {
  document.querySelectorAll("[data-row]").forEach(node => node.classList.toggle("on", chosen.has(+node.dataset.row)));
  document.querySelectorAll("#lines tbody tr, #compiled tbody tr, details").forEach(node => node.classList.toggle("on", chosen.size > 0 && (node.rows || []).some(i => chosen.has(i))));
}
