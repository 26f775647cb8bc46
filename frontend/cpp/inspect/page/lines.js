// Your lines, with those around them, and the loops and functions that they are in.
const numbersOf = file => Object.keys(data.sources[file] || {}).map(Number).sort((a, b) => a - b);
const indentOf = text => text.search(/\S/);
const isHeader = text => /^\s*(async\s|def\s|class\s|for\b|while\b|with\b|if\b|elif\b|else\b|try\b|@)/.test(text) || /\{\s*$/.test(text);

// Of a file's lines those to show around some of them.
function around(file, wanted) {
  const text = data.sources[file] || {}, shown = new Set();
  for (const line of wanted) {
    if (text[line] === undefined) continue;
    for (let n = line - 2; n <= line + 2; ++n) if (text[n] !== undefined) shown.add(n);
    let indent = indentOf(text[line]);
    for (const n of numbersOf(file).filter(n => n < line).reverse()) {
      const own = indentOf(text[n]);
      if (own < 0 || own >= indent || !isHeader(text[n])) continue;
      shown.add(n);
      indent = own;
    }
  }
  // An empty line is worth a place between two others.
  return [...shown].sort((a, b) => a - b).filter(n => text[n].trim() || (shown.has(n - 1) && shown.has(n + 1) && text[n - 1].trim() && text[n + 1].trim()));
}

// A piece of source, the lines in question marked; nothing where it is not known.
function listing(lines) {
  const file = lines[0].file, wanted = new Set(lines.map(line => line.line)), shown = around(file, wanted), text = data.sources[file] || {};
  if (!shown.length) return null;
  const pre = make("pre", { class: "source" });
  shown.forEach((n, k) => {
    if (k && n > shown[k - 1] + 1) pre.append(make("div", { class: "soft" }, "   \u22ee"));
    pre.append(make("div", wanted.has(n) ? { class: "here" } : {}, String(n).padStart(4) + "  " + text[n]));
  });
  return pre;
}

// One for each file.
const listings = lines => [...new Set(lines.map(line => line.file))].map(file => listing(lines.filter(line => line.file === file))).filter(list => list);

const linesAtMost = 300;
function lines() {
  const of = new Map();
  rows.forEach((row, i) => row.lines.forEach(line => {
    const key = line.file + ":" + line.line, known = of.get(key) || { line, ns: 0, rows: [] };
    known.ns += row.wall_ns; known.rows.push(i); of.set(key, known);
  }));
  const most = [...of.values()].sort((a, b) => b.ns - a.ns).slice(0, linesAtMost), files = [...new Set(most.map(one => one.line.file))];
  const cells = (one, text) => [make("td", { class: "n" }, one ? share(one.ns).toFixed(1) + " %" : ""), make("td", { class: "n" }, one ? time(one.ns) : "")].concat(text);
  const body = [];
  for (const file of files) {
    const here = new Map(most.filter(one => one.line.file === file).map(one => [one.line.line, one])), text = data.sources[file] || {};
    const shown = [...new Set([...around(file, here.keys()), ...here.keys()])].sort((a, b) => a - b);
    body.push(make("tr", { class: "file" }, make("td", { colspan: 4, class: "code", title: file }, place({ file, line: 0 }).slice(0, -2))));
    shown.forEach((n, k) => {
      if (k && n > shown[k - 1] + 1) body.push(make("tr", {}, make("td", { colspan: 2 }), make("td", { class: "n soft" }, "\u22ee"), make("td", {})));
      const one = here.get(n), code = make("td", { class: "code" + (one ? "" : " soft") }, text[n] || "");
      const row = make("tr", one ? { tabindex: 0 } : {}, ...cells(one, [make("td", { class: "n soft" }, String(n)), code]));
      if (one) {
        row.rows = one.rows;
        row.style.setProperty("--heat", Math.round(Math.min(60, share(one.ns))) + "%");
        row.onclick = () => choose(one.rows);
        row.onkeydown = event => { if (event.key === "Enter") choose(one.rows); };
      }
      body.push(row);
    });
  }
  document.querySelector("#lines thead").replaceChildren(make("tr", {}, ...["share", "time", "line"].map(text => make("th", { class: "n" }, text)), make("th", {}, "code")));
  document.querySelector("#lines tbody").replaceChildren(...body);
  if (of.size > most.length) $("linestext").append(" The " + (of.size - most.length) + " lines of the least time are left out.");
}
