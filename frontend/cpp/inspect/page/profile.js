"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const profile = data.profile, rows = profile.rows;
const colours = { kernel: "#4493f8", blocks: "#8250df", library: "#1a7f64", copy: "#bf8700", upload: "#bc4c00", download: "#953800", compile: "#cf222e", load: "#e5534b", plan: "#bf3989", interpret: "#6e7781", host: "#d4a72c", record: "#57606a", setup: "#b87333", overhead: "#8c959f", "your code": "#afb8c1" };
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
// Three digits, however small.
const digits = x => x >= 100 ? x.toFixed(0) : +x.toPrecision(3) >= .001 ? String(+x.toPrecision(3)) : x.toExponential(1);
const bytes = row => row.bytes_read + row.bytes_written;
const share = ns => profile.wall_ns ? 100 * ns / profile.wall_ns : 0;
const wide = 1000;
let chosen = new Set();

const looks = row => !row.asked.length ? "" : ", as " + row.asked.slice(0, 2).map(one => one.by + (one.file ? " at " + place(one) : "")).join(" and ") + (row.asked.length > 2 ? " and " + (row.asked.length - 2) + " more" : "") + " asked";
const columns = [["share", row => row.wall_ns, row => share(row.wall_ns).toFixed(1) + " %"], ["count", row => row.count, row => row.count], ["total", row => row.total_ns, row => time(row.total_ns)], ["each", row => row.total_ns / row.count, row => time(row.total_ns / row.count)], ["bytes", bytes, row => bytes(row) ? size(bytes(row)) : ""], ["GB/s", row => bytes(row) / row.total_ns, row => bytes(row) ? digits(bytes(row) / row.total_ns) : ""], ["kind", row => row.kind, row => row.kind], ["what", row => row.what, row => row.what + (kernelOps.has(row.what) ? ": " + kernelOps.get(row.what) : "") + (row.operations ? ", " + digits(row.operations / row.total_ns) + " GFLOP/s" : "") + (row.behind ? ", " + row.behind + " while nobody waited" : "") + (row.waited_ns * 20 > row.total_ns ? ", " + time(row.waited_ns) + " of it without a processor" : "") + looks(row)], ["lines", row => places(row.lines), row => places(row.lines)]];
const meanings = { kernel: "a compiled kernel", blocks: "a kernel's work while its kernel is not compiled, or without one", library: "a matrix product or a sort by a library", copy: "within a device, or between two", upload: "from the host", download: "to the host", compile: "of a kernel, by Clang or NVRTC, once for each", load: "of a kernel from the disk cache", plan: "deciding for new operations which of them share a kernel, and how its loops run; once", interpret: "what is too small for a kernel: the library's own loops compute it op by op", host: "NumPy's answer: values left Weft, and came back", record: "a call of a function of compile() that runs its Python code, to record its operations", setup: "what Weft does around a first call: libraries opened, threads started, memory asked for", overhead: "what Weft does around the other rows: it finds what was compiled, and memory for results", "your code": "your own code, Python, and recording operations: what no other row covers" };
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
  const value = columns[by][1], rank = row => by === 0 && falling ? ["overhead", "your code"].indexOf(row.kind) : 0;
  const shown = rows.map((row, i) => [row, i]).filter(([row]) => words.every(word => (row.kind + " " + row.what + looks(row) + " " + places(row.lines)).toLowerCase().includes(word)))
    .sort(([a], [b]) => rank(a) - rank(b) || (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (falling ? -1 : 1));
  $("kinds").replaceChildren("Share: each moment counts once, so all shares are 100 %; threads that work at the same time share it, and \u201ctotal\u201d, which counts each thread, may be more. GB/s: the bytes that a kernel reads and writes over its time; more than the memory gives where arrays stay in a cache. The kinds: ", ...[...new Set(rows.map(row => row.kind))].flatMap((kind, k) => [k ? "; " : "", make("b", {}, kind), " " + meanings[kind]]), ".");
  $("found").textContent = shown.length === rows.length ? rows.length + " rows" : shown.length + " of " + rows.length + " rows";
  document.querySelector("#rows tbody").replaceChildren(...shown.slice(0, 2000).map(([row, i]) => {
    const line = make("tr", { "data-row": i, tabindex: 0 }, ...columns.map(([, , text], k) => make("td", k < 6 ? { class: "n" } : k > 6 ? { class: "code" } : { class: "kind" }, String(text(row)))));
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

function choose(numbers) { chosen = new Set(numbers); mark(); }
function mark() {
  document.querySelectorAll("[data-row]").forEach(node => node.classList.toggle("on", chosen.has(+node.dataset.row)));
  document.querySelectorAll("#lines tbody tr, #compiled tbody tr, details").forEach(node => node.classList.toggle("on", chosen.size > 0 && (node.rows || []).some(i => chosen.has(i))));
}
