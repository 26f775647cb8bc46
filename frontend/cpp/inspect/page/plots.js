// How fast kernels are beside the machine: over the bytes of a run, and the roofline. Axes are logarithmic.
const leftOfPlot = 96, rightOfPlot = 24;

// Axes whose marks are powers of ten, over the numbers given.
function logAxes(svg, high, xs, ys, nameX, nameY) {
  const log = Math.log10, span = all => [Math.floor(log(Math.min(...all)) - .1), Math.ceil(log(Math.max(...all)) + .1)];
  const [x0, x1] = span(xs), [y0, y1] = span(ys);
  const x = v => leftOfPlot + (log(v) - x0) / (x1 - x0) * (wide - leftOfPlot - rightOfPlot), y = v => high - 30 - (log(v) - y0) / (y1 - y0) * (high - 50), parts = [];
  for (let k = x0; k <= x1; ++k) parts.push(draw("line", { x1: x(10 ** k), x2: x(10 ** k), y1: 20, y2: high - 30, stroke: "var(--line)" }), draw("text", { x: k === x1 ? wide - 2 : x(10 ** k), y: high - 14, "text-anchor": k === x1 ? "end" : "middle" }, nameX(10 ** k)));
  for (let k = y0; k <= y1; ++k) parts.push(draw("line", { x1: leftOfPlot, x2: wide - rightOfPlot, y1: y(10 ** k), y2: y(10 ** k), stroke: "var(--line)" }), draw("text", { x: leftOfPlot - 6, y: y(10 ** k) + 4, "text-anchor": "end" }, nameY(10 ** k)));
  svg.setAttribute("viewBox", "0 0 " + wide + " " + high);
  return { x, y, parts, left: 10 ** x0, right: 10 ** x1, low: 10 ** y0 };
}
// The dots of rows, numbered in the order of their time, and what the first ones are.
const namedAtMost = 12;
function dots(svg, kernels, axes, atX, atY, said) {
  const placed = [], parts = [], names = make("ol", { class: "names" });
  [...kernels].sort(([a], [b]) => b.wall_ns - a.wall_ns).forEach(([row, i], k) => {
    const cx = axes.x(atX(row)), cy = axes.y(atY(row)), r = 4 + 8 * Math.sqrt(Math.min(1, share(row.wall_ns) / 100));
    const dot = draw("circle", { cx, cy, r, fill: colours[row.kind], "fill-opacity": .7, "data-row": i });
    dot.append(draw("title", {}, row.what + " " + places(row.lines) + ", " + said(row)));
    dot.onclick = () => choose([i]);
    parts.push(dot);
    if (k >= namedAtMost) return;
    // The first place around the dot where no other number stands.
    const at = [[r + 8, 4], [-r - 8, 4], [0, -r - 4], [0, r + 12], [r + 8, -r - 4], [-r - 8, r + 12]].map(([dx, dy]) => [cx + dx, cy + dy]);
    const free = at.find(([x, y]) => x > leftOfPlot + 4 && x < wide - 4 && placed.every(([px, py]) => Math.abs(px - x) > 13 || Math.abs(py - y) > 11)) || at[0];
    placed.push(free, [cx, cy + 4]);
    parts.push(draw("text", { x: free[0], y: free[1], "text-anchor": "middle", class: "number" }, k + 1));
    const name = make("li", { "data-row": i, class: "code", tabindex: 0 }, cut(row.what, 60) + " at " + places(row.lines.slice(0, 3)) + ": " + said(row));
    name.onclick = dot.onclick;
    name.onkeydown = event => { if (event.key === "Enter") dot.onclick(); };
    names.append(name);
  });
  svg.replaceChildren(...axes.parts, ...parts);
  svg.after(names);
}
function roof() {
  const speed = data.memory_bytes_per_second, kernels = rows.map((row, i) => [row, i]).filter(([row]) => bytes(row) && (row.kind === "kernel" || row.kind === "blocks"));
  $("rooftext").textContent = kernels.length ? "Each dot is a row of kernels: to the right are those that move more in one run, above those that move faster." + (speed ? " The line is a large copy, " + (speed / 1e9).toFixed(1) + " GB/s; dots above it found their arrays in caches, dots far below it compute much, read with gaps, or are short." : "") : "No kernel moved bytes.";
  const svg = $("roof");
  if (!kernels.length) return svg.remove();
  const rate = row => bytes(row) / row.total_ns * 1e9, each = row => bytes(row) / row.count, short = v => size(v).replace(/\.0+(?= )/, "");
  const axes = logAxes(svg, 260, kernels.map(([row]) => each(row)), [...kernels.map(([row]) => rate(row)), ...(speed ? [speed] : [])], short, v => short(v) + "/s");
  if (speed) axes.parts.push(draw("line", { x1: leftOfPlot, x2: wide - rightOfPlot, y1: axes.y(speed), y2: axes.y(speed), stroke: "#d29922", "stroke-width": 2, id: "speed" }), draw("text", { x: leftOfPlot + 4, y: axes.y(speed) - 5 }, "a large copy"));
  dots(svg, kernels, axes, each, rate, row => digits(rate(row) / 1e9) + " GB/s, " + size(Math.round(each(row))) + " a run");
}

// The roofline: how much is computed for each byte, and how fast, below what memory and arithmetic allow.
function flops() {
  const speed = data.memory_bytes_per_second, tops = Object.entries(data.operations_per_second).filter(([, top]) => top > 0);
  const kernels = rows.map((row, i) => [row, i]).filter(([row]) => bytes(row) && row.operations && ["kernel", "blocks", "library"].includes(row.kind));
  const svg = $("flops"), giga = v => digits(v / 1e9) + " GFLOP/s";
  $("flopstext").textContent = kernels.length ? "To the right are rows that compute more for each byte, above those that compute faster. An addition or a product is one operation, exp twelve." + (speed && tops.length ? " The slope is what memory gives; the flat lines are multiply-adds in registers on all threads, as measured here: " + tops.map(([dtype, top]) => dtype + " " + giga(top)).join(", ") + ". Dots near the slope wait for memory, dots near a flat line for arithmetic." : "") : "No row computed with floats.";
  if (!kernels.length) return svg.remove();
  const rate = row => row.operations / row.total_ns * 1e9, dense = row => row.operations / bytes(row), most = Math.max(0, ...tops.map(([, top]) => top));
  const axes = logAxes(svg, 300, [...kernels.map(([row]) => dense(row)), ...(speed && most ? [most / speed * 2] : [])], [...kernels.map(([row]) => rate(row)), ...(most ? [most] : [])], v => +v.toPrecision(1) + " FLOP/B", v => v < 1e9 ? v / 1e6 + " MFLOP/s" : v / 1e9 + " GFLOP/s");
  // Names stand above the upper line and below the lower one, which may be near.
  for (const [dtype, top] of tops) {
    const start = Math.min(axes.right, Math.max(axes.left, speed ? top / speed : axes.left));
    axes.parts.push(draw("line", { x1: axes.x(start), x2: wide - rightOfPlot, y1: axes.y(top), y2: axes.y(top), stroke: "#d29922", "stroke-width": 2, "data-top": dtype }), draw("text", { x: wide - rightOfPlot - 4, y: axes.y(top) + (top === most ? -5 : 14), "text-anchor": "end" }, "arithmetic in " + dtype));
  }
  if (speed && most) {
    const start = Math.max(axes.left, axes.low / speed), stop = Math.min(axes.right, most / speed);
    axes.parts.push(draw("line", { x1: axes.x(start), y1: axes.y(start * speed), x2: axes.x(stop), y2: axes.y(stop * speed), stroke: "#d29922", "stroke-width": 2, id: "slope" }));
  }
  dots(svg, kernels, axes, dense, rate, row => giga(rate(row)) + ", " + digits(dense(row)) + " operations a byte");
}

