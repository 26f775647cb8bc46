// A program's graph as boxes: kernels after the passes, your lines before them. A box is folded until it is opened.
const boxesAtMost = 160, opsAtMost = 250, partsAtMost = 40;

// The boxes of a stage: what is in each, and which give values to which.
function boxesOf(program, stage) {
  const { nodes, stages, steps } = program.graph, last = stage === stages.length - 1;
  const reached = new Set(), pending = [...stages[stage].outputs];
  while (pending.length) {
    const n = pending.pop();
    if (reached.has(n)) continue;
    reached.add(n);
    pending.push(...nodes[n][4]);
  }
  const boxes = [], of = new Map();
  const box = (name, kind) => boxes[boxes.push({ name, kind, index: boxes.length, nodes: [], to: new Map(), from: new Set() }) - 1];
  const put = (b, n) => { of.set(n, b.index); b.nodes.push(n); };
  if (last) steps.forEach((step, k) => {
    const b = box(step.text, "step");
    b.step = k;
    for (const n of [...step.nodes].sort((x, y) => x - y)) if (reached.has(n)) { if (of.has(n)) b.nodes.push(n); else put(b, n); }
  });
  // Numbers are in the box that reads them: there may be more of them than of all else.
  const byLine = new Map(), isNumber = n => nodes[n][2] === "given" && (nodes[n][0] === "scalar" || nodes[n][0] === "constant");
  for (const n of [...reached].sort((x, y) => x - y)) {
    if (of.has(n) || isNumber(n)) continue;
    const [op, type, kind, lines] = nodes[n];
    if (kind === "given" || (last && kind !== "view")) { put(box(op + " " + type, "given"), n); continue; }
    const key = lines.length ? lines.map(([file, line]) => place({ file, line })).join(", ") : last ? "views" : op;
    if (!byLine.has(key)) byLine.set(key, box(key, "line"));
    put(byLine.get(key), n);
  }
  for (const b of [...boxes]) for (const n of [...b.nodes]) for (const m of nodes[n][4]) if (isNumber(m) && !of.has(m)) put(b, m);
  for (const n of reached) if (!of.has(n)) put(box(nodes[n][0] + " " + nodes[n][1], "given"), n);
  // What is given stands first.
  boxes.sort((a, b) => (b.kind === "given") - (a.kind === "given"));
  const moved = [];
  boxes.forEach((b, k) => { moved[b.index] = k; b.index = k; });
  for (const [n, k] of of) of.set(n, moved[k]);
  for (const b of boxes) b.nodes.sort((x, y) => x - y);
  for (const b of boxes) b.has = new Set(b.nodes);
  boxes.forEach((b, k) => b.nodes.forEach(n => nodes[n][4].forEach(m => {
    const from = of.get(m);
    if (from === undefined || from === k || b.has.has(m) || isNumber(m)) return;  // what several compute goes through no memory
    const known = boxes[from].to.get(k) || new Set();
    known.add(m);
    boxes[from].to.set(k, known);
    b.from.add(from);
  })));
  const outputs = new Set(stages[stage].outputs);
  for (const b of boxes) b.gives = b.nodes.some(n => outputs.has(n));
  return { boxes, of, outputs };
}

// Of so many things in a row what is drawn: ranges from .. to - 1. More than partsAtMost are folded into as many parts or
// fewer, and of these the ones in `open`, each within the one before, are unfolded in their places.
function rangesOf(count, open) {
  const split = ([from, to]) => {
    let levels = 1;
    while (partsAtMost ** levels < to - from) ++levels;
    const size = levels === 1 ? 1 : Math.ceil((to - from) / Math.ceil((to - from) ** (1 / levels))), out = [];
    for (let k = from; k < to; k += size) out.push([k, Math.min(to, k + size)]);
    return out;
  };
  let out = split([0, count]);
  for (const [from, to] of open) {
    const at = out.findIndex(range => range[0] === from && range[1] === to && to - from > 1);
    if (at >= 0) out.splice(at, 1, ...split([from, to]));
  }
  return out;
}

// The parts to be unfolded for one of so many things to be drawn itself.
function pathTo(count, one) {
  const open = [];
  for (;;) {
    const [from, to] = rangesOf(count, open).find(([from, to]) => from <= one && one < to);
    if (to - from === 1) return open;
    open.push([from, to]);
  }
}

// The title that fits: ops of a kernel, a line, an input.
function titleOf(b) {
  if (b.kind !== "step") return b.name;
  const ops = b.name.replace(/^kernel over .*?: (?=[^:]*$)/, "").replace(/^.*: (?=[a-z_]+(, |$))/, "");
  return "step " + b.step + ": " + ops.replace(/\b(\w+)(?:, \1\b)+/g, (all, op) => op + " \u00d7" + all.split(", ").length);
}
const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "\u2026" : text;

function drawGraph(view) {
  const { program, stage, open, host } = view, { nodes } = program.graph, models = view.models, model = models.get(stage) || models.set(stage, boxesOf(program, stage)).get(stage), { boxes, of, outputs } = model;
  view.model = model;
  const note = [], many = boxes.length > boxesAtMost, ranges = many ? rangesOf(boxes.length, view.parts) : boxes.map((b, k) => [k, k + 1]);
  const shown = new Set(ranges.filter(([from, to]) => to - from === 1).map(([from]) => from)), partOf = new Map();
  ranges.forEach(([from, to], r) => { if (to - from > 1) for (let k = from; k < to; ++k) partOf.set(k, "r" + r); });
  if (many) note.push("This graph has " + boxes.length + " boxes, too many to draw at once: those that follow each other are folded into parts. Drawn are " + shown.size + (shown.size === 1 ? " box" : " boxes") + " and " + (ranges.length - shown.size) + " parts. A click unfolds a part, and a search unfolds the one that has what is found, so each box can be reached.");
  const graph = new dagre.graphlib.Graph({ compound: true });
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 34, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const name = n => "n" + n, inside = new Map();
  const size2 = (text, small) => ({ width: Math.max(60, 7.4 * Math.max(text.length, small.length * .9) + 18), height: 40 });
  ranges.forEach(([from, to], r) => {
    if (to - from === 1) return;
    const title = cut(titleOf(boxes[from]), 28) + " \u2026 " + cut(titleOf(boxes[to - 1]), 28), ops = boxes.slice(from, to).reduce((sum, b) => sum + b.nodes.filter(n => nodes[n][2] === "op").length, 0);
    const small = to - from + " boxes, " + ops + " operations";
    graph.setNode("r" + r, { ...size2(title, small), title, small, part: [from, to], full: "boxes " + (from + 1) + " to " + to + ": a click unfolds them" });
  });
  for (const k of shown) {
    const b = boxes[k], title = cut(titleOf(b), 46);
    if (!open.has(k) || b.kind === "given") {
      const ops = b.nodes.filter(n => nodes[n][2] === "op").length, small = b.kind === "given" ? "" : ops + (ops === 1 ? " operation" : " operations") + (b.gives ? ", a result" : "");
      graph.setNode("b" + k, { ...size2(title, small), title, small, box: k, full: b.name });
      continue;
    }
    const own = b.nodes.filter(n => of.get(n) === k), within = view.within.get(k) || [];
    if (b.nodes.length > own.length) note.push("\u201c" + title + "\u201d computes " + (b.nodes.length - own.length) + " more operations, which are drawn in the first box that does.");
    if (own.length > opsAtMost) note.push("\u201c" + title + "\u201d has " + own.length + " operations, folded into parts: a click unfolds one.");
    graph.setNode("b" + k, { title, open: k });
    for (const [from, to] of own.length > opsAtMost ? rangesOf(own.length, within) : own.map((n, at) => [at, at + 1])) {
      if (to - from > 1) {
        const id = "b" + k + "r" + from, title = nodes[own[from]][0] + " \u2026 " + nodes[own[to - 1]][0], small = "operations " + (from + 1) + " to " + to;
        graph.setNode(id, { ...size2(title, small), title, small, ops: [k, from, to], full: small + ": a click unfolds them" });
        graph.setParent(id, "b" + k);
        for (let at = from; at < to; ++at) inside.set(own[at], id);
        continue;
      }
      const n = own[from];
      const [op, type, , lines] = nodes[n], small = type + (lines.length ? " " + place({ file: lines[0][0], line: lines[0][1] }) : "");
      graph.setNode(name(n), { ...size2(op, small), title: op, small, node: n, box: k });
      graph.setParent(name(n), "b" + k);
      inside.set(n, name(n));
    }
  }
  const end = n => inside.get(n) || partOf.get(of.get(n)) || (shown.has(of.get(n)) && !graph.children("b" + of.get(n)).length ? "b" + of.get(n) : undefined);
  const edges = new Map(), edge = (a, b, n) => {
    if (!a || !b || a === b) return;
    const key = a + " " + b, known = edges.get(key) || { a, b, values: new Set() };
    known.values.add(n);
    edges.set(key, known);
  };
  for (const k of shown) {
    if (inside.size && open.has(k)) for (const n of boxes[k].nodes) if (inside.has(n)) for (const m of nodes[n][4]) edge(end(m), inside.get(n), m);
  }
  boxes.forEach(b => b.to.forEach((values, to) => { if (!(shown.has(to) && open.has(to))) for (const m of values) edge(end(m), partOf.get(to) || "b" + to, m); }));
  for (const { a, b, values } of edges.values()) graph.setEdge(a, b, { title: [...values].slice(0, 4).map(n => nodes[n][0] + " " + nodes[n][1]).join(", ") });
  dagre.layout(graph);
  const { width, height } = graph.graph(), svg = draw("svg", { id: "graph", viewBox: "0 0 " + Math.ceil(width) + " " + Math.ceil(height), width: Math.ceil(width * view.zoom), height: Math.ceil(height * view.zoom), role: "img", "aria-label": "graph" });
  const marks = draw("defs", {}), arrow = draw("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  arrow.append(draw("path", { d: "M0 0 L8 4 L0 8 z", style: "fill:var(--soft);stroke:none" }));
  marks.append(arrow);
  svg.append(marks);
  const labels = graph.nodes().map(n => graph.node(n));
  for (const at of labels.filter(at => at.open !== undefined)) {
    const group = draw("g", { tabindex: 0, "data-open": at.open });
    group.append(draw("rect", { x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width, height: at.height, rx: 6, class: "open" }), draw("text", { x: at.x - at.width / 2 + 6, y: at.y - at.height / 2 + 13, class: "small" }, "\u25be " + at.title));
    group.onclick = () => view.toggle(at.open);
    group.onkeydown = event => { if (event.key === "Enter") view.toggle(at.open); };
    svg.append(group);
  }
  for (const e of graph.edges()) {
    const { points, title } = graph.edge(e), path = draw("path", { d: "M" + points.map(p => p.x.toFixed(1) + " " + p.y.toFixed(1)).join(" L"), "marker-end": "url(#arrow)" });
    path.append(draw("title", {}, title));
    svg.append(path);
  }
  for (const at of labels.filter(at => at.open === undefined)) {
    const isPart = at.part !== undefined || at.ops !== undefined, b = boxes[isPart ? 0 : at.box], isOp = at.node !== undefined;
    const group = draw("g", { tabindex: 0, ...(at.part ? { "data-part": at.part.join("-") } : at.ops ? { "data-ops": at.ops.join("-") } : isOp ? { "data-node": at.node } : { "data-box": at.box }) });
    group.append(draw("rect", { x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width, height: at.height, rx: 5, class: "box" + (isPart ? " part" : !isOp && b.kind === "given" ? " given" : "") }),
      draw("text", { x: at.x, y: at.y + (at.small ? -3 : 4), "text-anchor": "middle" }, (isPart ? "\u25b8\u25b8 " : isOp || b.kind === "given" ? "" : "\u25b8 ") + at.title),
      draw("text", { x: at.x, y: at.y + 12, "text-anchor": "middle", class: "small" }, at.small || ""), draw("title", {}, at.full || at.title + " " + at.small + (isOp && outputs.has(at.node) ? ", a result" : "")));
    if (at.part) group.onclick = () => view.unfold(at.part);
    else if (at.ops) group.onclick = () => view.unfoldOps(...at.ops);
    else if (isOp) group.onclick = () => view.chooseNode(at.node, at.box);
    else group.onclick = () => b.kind === "given" ? view.chooseNode(b.nodes[0], at.box) : view.toggle(at.box);
    group.onkeydown = event => { if (event.key === "Enter") group.onclick(); };
    svg.append(group);
  }
  host.replaceChildren(svg);
  view.note(note.join(" "));
}
