// A program's graph as boxes: kernels after the passes, your lines before them. A box is folded until it is opened.
const boxesAtMost = 160, opsAtMost = 250;

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
  const byLine = new Map();
  for (const n of [...reached].sort((x, y) => x - y)) {
    if (of.has(n)) continue;
    const [op, type, kind, lines] = nodes[n];
    if (kind === "given" || (last && kind !== "view")) { put(box(op + " " + type, "given"), n); continue; }
    const key = lines.length ? lines.map(([file, line]) => place({ file, line })).join(", ") : last ? "views" : op;
    if (!byLine.has(key)) byLine.set(key, box(key, "line"));
    put(byLine.get(key), n);
  }
  for (const b of boxes) b.has = new Set(b.nodes);
  boxes.forEach((b, k) => b.nodes.forEach(n => nodes[n][4].forEach(m => {
    const from = of.get(m);
    if (from === undefined || from === k || b.has.has(m)) return;  // what several compute goes through no memory
    const known = boxes[from].to.get(k) || new Set();
    known.add(m);
    boxes[from].to.set(k, known);
    b.from.add(from);
  })));
  const outputs = new Set(stages[stage].outputs);
  for (const b of boxes) b.gives = b.nodes.some(n => outputs.has(n));
  return { boxes, of, outputs };
}

// The boxes that are nearest to one of them, that one first.
function nearest(boxes, from, most) {
  const found = [from], seen = new Set(found);
  for (let k = 0; k < found.length && found.length < most; ++k)
    for (const next of [...boxes[found[k]].from, ...boxes[found[k]].to.keys()])
      if (!seen.has(next) && found.length < most) { seen.add(next); found.push(next); }
  return new Set(found);
}

// The title that fits: ops of a kernel, a line, an input.
function titleOf(b) {
  if (b.kind !== "step") return b.name;
  const ops = b.name.replace(/^kernel over .*?: (?=[^:]*$)/, "").replace(/^.*: (?=[a-z_]+(, |$))/, "");
  return "step " + b.step + ": " + ops.replace(/\b(\w+)(?:, \1\b)+/g, (all, op) => op + " \u00d7" + all.split(", ").length);
}
const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "\u2026" : text;

function drawGraph(view) {
  const { program, stage, open, host } = view, { nodes } = program.graph, model = boxesOf(program, stage), { boxes, of, outputs } = model;
  view.model = model;
  const most = view.focus !== undefined && view.focus < boxes.length ? view.focus : boxes.reduce((best, b, k) => b.nodes.length > boxes[best].nodes.length ? k : best, 0);
  const shown = boxes.length > boxesAtMost ? nearest(boxes, most, boxesAtMost / 2) : new Set(boxes.keys());
  const note = [];
  if (boxes.length > boxesAtMost) note.push("This graph is too large to draw at once: it has " + boxes.length + " boxes. These are the " + shown.size + " nearest to \u201c" + cut(titleOf(boxes[most]), 60) + "\u201d: search for an op, a line or a type to see another part.");
  const graph = new dagre.graphlib.Graph({ compound: true });
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 34, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  const name = n => "n" + n, inside = new Map();
  const size2 = (text, small) => ({ width: Math.max(60, 7.4 * Math.max(text.length, small.length * .9) + 18), height: 40 });
  for (const k of shown) {
    const b = boxes[k], title = cut(titleOf(b), 46);
    if (!open.has(k) || b.kind === "given") {
      const ops = b.nodes.filter(n => nodes[n][2] === "op").length, small = b.kind === "given" ? "" : ops + (ops === 1 ? " operation" : " operations") + (b.gives ? ", a result" : "");
      graph.setNode("b" + k, { ...size2(title, small), title, small, box: k, full: b.name });
      continue;
    }
    const own = b.nodes.filter(n => of.get(n) === k).slice(0, opsAtMost);
    if (b.nodes.length > own.length) note.push("Of \u201c" + title + "\u201d the first " + own.length + " of " + b.nodes.length + " operations are drawn; what other kernels compute too is in the first of them.");
    graph.setNode("b" + k, { title, open: k });
    for (const n of own) {
      const [op, type, , lines] = nodes[n], small = type + (lines.length ? " " + place({ file: lines[0][0], line: lines[0][1] }) : "");
      graph.setNode(name(n), { ...size2(op, small), title: op, small, node: n, box: k });
      graph.setParent(name(n), "b" + k);
      inside.set(n, name(n));
    }
  }
  const end = n => inside.get(n) || (shown.has(of.get(n)) && !graph.children("b" + of.get(n)).length ? "b" + of.get(n) : undefined);
  const edges = new Map(), edge = (a, b, n) => {
    if (!a || !b || a === b) return;
    const key = a + " " + b, known = edges.get(key) || { a, b, values: new Set() };
    known.values.add(n);
    edges.set(key, known);
  };
  for (const k of shown) {
    if (inside.size && open.has(k)) for (const n of boxes[k].nodes) if (inside.has(n)) for (const m of nodes[n][4]) edge(end(m), inside.get(n), m);
    for (const [to, values] of boxes[k].to) if (shown.has(to) && !open.has(to)) for (const m of values) edge(end(m), "b" + to, m);
  }
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
    const b = boxes[at.box], isOp = at.node !== undefined, group = draw("g", isOp ? { tabindex: 0, "data-node": at.node } : { tabindex: 0, "data-box": at.box });
    group.append(draw("rect", { x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width, height: at.height, rx: 5, class: "box" + (!isOp && b.kind === "given" ? " given" : "") }),
      draw("text", { x: at.x, y: at.y + (at.small ? -3 : 4), "text-anchor": "middle" }, (isOp || b.kind === "given" ? "" : "\u25b8 ") + at.title),
      draw("text", { x: at.x, y: at.y + 12, "text-anchor": "middle", class: "small" }, at.small || ""), draw("title", {}, at.full || at.title + " " + at.small + (isOp && outputs.has(at.node) ? ", a result" : "")));
    if (isOp) group.onclick = () => view.chooseNode(at.node, at.box);
    else group.onclick = () => b.kind === "given" ? view.chooseNode(b.nodes[0], at.box) : view.toggle(at.box);
    group.onkeydown = event => { if (event.key === "Enter") group.onclick(); };
    svg.append(group);
  }
  host.replaceChildren(svg);
  view.note(note.join(" "));
}
