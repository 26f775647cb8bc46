// What was compiled, the most time first, and the memory that was held, with whom it was for.
function compiled() {
  const kinds = ["record", "plan", "compile", "load"], of = new Map();
  rows.forEach((row, i) => {
    if (!kinds.includes(row.kind)) return;
    const key = places(row.lines) || "no line is known";
    const known = of.get(key) || { ns: 0, counts: {}, rows: [] };
    known.ns += row.total_ns; known.rows.push(i);
    known.counts[row.kind] = (known.counts[row.kind] || 0) + row.count;
    of.set(key, known);
  });
  if (!of.size) return $("compiled").append(make("h2", {}, "What was compiled"), make("p", { class: "soft" }, "Nothing: all that ran had been compiled before."));
  const again = [...of].filter(([, one]) => (one.counts.plan || 0) >= 3).length;
  const body = make("tbody");
  for (const [key, one] of [...of].sort(([, a], [, b]) => b.ns - a.ns).slice(0, 200)) {
    const own = one.rows.flatMap(i => rows[i].lines), reason = whyOf(own);
    const line = make("tr", { tabindex: 0 }, make("td", { class: "n" }, time(one.ns)), ...kinds.map(kind => make("td", { class: "n" }, String(one.counts[kind] || ""))), make("td", { class: "code" }, key), make("td", {}, reason));
    line.rows = one.rows;
    line.onclick = () => choose(one.rows);
    line.onkeydown = event => { if (event.key === "Enter") choose(one.rows); };
    body.append(line);
  }
  $("compiled").append(make("h2", {}, "What was compiled"),
    make("p", { class: "soft" }, "A line is planned once, and again where its shapes, dtypes or operations change. " + (again ? again + (again === 1 ? " line was" : " lines were") + " planned again two times or more: see what to change above." : "No line was planned again more than once.")),
    make("table", {}, make("thead", {}, make("tr", {}, ...["time", "recorded", "planned", "kernels compiled", "kernels loaded"].map(text => make("th", { class: "n" }, text)), make("th", {}, "lines"), make("th", {}, "why the last one was new"))), body));
}

// Of the program that these lines became last.
function whyOf(lines) {
  const key = all => [...new Set(all)].sort().join(" "), wanted = key(lines.map(place));
  const found = data.planned.filter(one => key(one.lines.map(([file, line]) => place({ file, line }))) === wanted);
  return found.length ? found[found.length - 1].reason : "";
}

const areaColours = ["#4493f8", "#1a7f64", "#d29922", "#8250df", "#cf222e", "#bf3989", "#6e7781"];
function memory() {
  const { changes, owners, bytes_before } = data.memory, svg = $("memory"), high = 220, left = 70, columns = 400;
  const nameOf = n => owners[n] || "data that was given, or results of small work";
  if (!changes.length) {
    $("memorytext").textContent = "No memory was asked for or given back.";
    return svg.remove();
  }
  const length = Math.max(profile.wall_ns, ...changes.map(c => c[0])) || 1, held = owners.map(() => 0);
  let total = 0, peak = { total: -1 };
  const tops = Array(columns).fill(null);
  const note = column => { if (!tops[column] || total > tops[column].total) tops[column] = { total, held: [...held] }; };
  let column = 0;
  for (const [at, bytes, owner] of changes) {
    const next = Math.min(columns - 1, Math.max(0, Math.floor(at / length * columns)));
    for (; column <= next; ++column) note(column);
    column = next;
    held[owner] += bytes; total += bytes;
    note(column);
    if (total > peak.total) peak = { total, at, held: [...held] };
  }
  for (; column < columns; ++column) note(column);
  const most = owners.map((_, n) => [Math.max(...tops.map(top => top.held[n])), n]).sort((a, b) => b[0] - a[0]);
  const drawn = most.slice(0, 6).map(one => one[1]), max = Math.max(1, peak.total);
  $("memorytext").textContent = "At most " + size(peak.total) + " more than the " + size(bytes_before) + " that were held when the profile began, " + time(peak.at) + " after that. Click for what is held at another time.";
  svg.setAttribute("viewBox", "0 0 " + wide + " " + high);
  const x = c => left + c / columns * (wide - left - 10), y = bytes => high - 26 - Math.max(0, bytes) / max * (high - 40);
  const parts = [], below = Array(columns).fill(0);
  const layers = [...drawn.map((n, k) => [k, top => top.held[n], nameOf(n)]), [6, top => top.total - drawn.reduce((sum, n) => sum + top.held[n], 0), "others"]];
  for (const [k, of, text] of layers) {
    const lower = [...below];
    tops.forEach((top, c) => { below[c] += Math.max(0, of(top)); });
    const line = below.map((v, c) => x(c) + "," + y(v) + " " + x(c + 1) + "," + y(v)).join(" ");
    const back = lower.map((v, c) => x(c + 1) + "," + y(v) + " " + x(c) + "," + y(v));
    const area = draw("polygon", { points: line + " " + back.reverse().join(" "), fill: areaColours[k], "fill-opacity": .75 });
    area.append(draw("title", {}, text));
    parts.push(area);
  }
  for (const share of [0, .5, 1]) parts.push(draw("text", { x: 2, y: y(share * max) + 4 }, size(Math.round(share * max))));
  for (let tick = 0; tick <= 4; ++tick) parts.push(draw("text", { x: Math.min(wide - 70, x(tick * columns / 4)), y: high - 8 }, time(tick * length / 4)));
  const marker = draw("line", { y1: 8, y2: high - 26, stroke: "var(--text)", "stroke-dasharray": "3 3", id: "then" });
  svg.replaceChildren(...parts, marker);
  const show = (top, at) => {
    const place = x(Math.min(columns, at / length * columns));
    marker.setAttribute("x1", place); marker.setAttribute("x2", place);
    const found = top.held.map((bytes, n) => [bytes, n]).filter(one => one[0] > 0).sort((a, b) => b[0] - a[0]);
    $("owners").replaceChildren(make("p", {}, "Held at " + time(at) + ": " + size(top.total)), make("table", {}, make("tbody", {}, ...found.slice(0, 12).map(([bytes, n]) => make("tr", { class: "owner" }, make("td", { class: "n" }, size(bytes)), make("td", {}, make("i", { style: "display:inline-block;width:.8rem;height:.8rem;border-radius:2px;background:" + areaColours[drawn.includes(n) ? drawn.indexOf(n) : 6] })), make("td", { class: "code" }, nameOf(n)))))),
      found.length > 12 ? make("p", { class: "soft" }, "and " + (found.length - 12) + " more") : "");
  };
  svg.onclick = event => {
    const box = svg.getBoundingClientRect(), c = Math.floor(((event.clientX - box.left) / box.width * wide - left) / (wide - left - 10) * columns);
    if (c >= 0 && c < columns) show(tops[c], (c + .5) * length / columns);
  };
  show(peak, peak.at);
}
