// What happened in one glance, and what to change.
const causes = {
  "compiled again": "the same lines become other kernels again and again",
  "copies between devices": "arrays travel between devices in a loop",
  denormals: "numbers too small for the usual form make a processor slow",
  "host round trip": "NumPy computes this, not Weft",
  "recorded again": "a compiled function is recorded again and again",
  "small kernels": "a loop of little work: starting it takes longer than doing it",
  spill: "more values at once than a processor has registers",
  "split reduction": "one long row, which several threads share",
  "stored stencil": "a costly value that neighbours need is stored",
  "thread oversubscription": "more threads than processors",
  widened: "numbers become wider, so more bytes move",
};
const groups = [
  ["your operations", "kernels, libraries, copies, and what NumPy answers", row => !groups.slice(1).some(group => group[2](row)), "#4493f8"],
  ["first calls", "compiling, planning, loading and recording what had not run before; the same again has none of it", row => ["compile", "load", "plan", "record", "setup"].includes(row.kind), "#cf222e"],
  ["overhead", "what Weft does around your operations: it finds what was compiled, and memory for results", row => row.kind === "overhead", "#8c959f"],
  ["your code", "outside of Weft: your own code, Python, and recording operations", row => row.kind === "your code", "#afb8c1"],
];

function glance() {
  document.title = $("title").textContent = "Weft: " + time(profile.wall_ns) + (data.title ? " of " + data.title : "");
  if (!rows.length) return $("glance").append(profile.error ? "Nothing ran before it ended with " + profile.error + "." : "Nothing ran: what is recorded runs when somebody looks at it.");
  if (profile.error) $("glance").append(make("b", {}, "It ended with " + profile.error + ": what would have come after that is missing."), " ");
  if (profile.first_calls) $("glance").append(make("b", {}, profile.first_calls + "."), " ");
  if (profile.busy) $("glance").append(make("b", {}, profile.busy[0].toUpperCase() + profile.busy.slice(1) + "."), " ");
  const count = kinds => rows.filter(row => kinds.includes(row.kind)).reduce((sum, row) => sum + row.count, 0);
  const part = (n, what) => n ? n + " " + what + (n === 1 ? "" : "s") : "";
  const parts = [part(count(["kernel", "blocks"]), "kernel run"), part(count(["interpret"]), "piece") && part(count(["interpret"]), "piece") + " of small work", part(count(["library"]), "library call"), part(count(["compile"]), "compilation"), count(["host"]) ? part(count(["host"]), "answer") + " of NumPy" : ""];
  $("glance").append(...worded(parts.filter(text => text).join(", ") + "."));
  for (const [name, means, of, colour] of groups) {
    const ns = rows.filter(of).reduce((sum, row) => sum + row.wall_ns, 0);
    if (!ns) continue;
    $("bar").append(make("span", { style: "width:" + share(ns) + "%;background:" + colour, title: name + " " + time(ns) }));
    $("key").append(make("tr", {}, make("td", {}, make("i", { style: "background:" + colour }), make("b", {}, name)), make("td", { class: "n" }, time(ns)), make("td", { class: "n" }, share(ns).toFixed(1) + " %"), make("td", { class: "soft" }, means)));
  }
}

// "31 % of the time: 3.21 ms of 10.4 ms".
function adviceSize(one) {
  if (!one.ns || !one.of_ns) return "";
  const ns = Math.min(one.ns, one.of_ns), part = 100 * ns / one.of_ns;
  return (part < 10 ? part.toFixed(1) : part.toFixed(0)) + " %: about " + time(ns) + " of " + time(one.of_ns) + (one.of_ns < profile.wall_ns ? " without first calls" : "");
}
function adviceBox(one) {
  return make("div", { class: "advice" }, make("b", {}, one.cause), causes[one.cause] ? ": " + causes[one.cause] : "", make("span", { class: "size" }, adviceSize(one)),
    one.lines.length ? make("div", { class: "soft" }, "at " + places(one.lines)) : "", make("div", {}, ...prose(sentence(one.text))), ...listings(one.lines.slice(0, 6)));
}
// Names that begin a text stay as they are written: "numpy.histogram is", "exp is".
const sentence = text => (/^(an?|the|these|many|of) /.test(text) ? text[0].toUpperCase() + text.slice(1) : text) + ".";
// A text of advice: what stands between backticks is code.
function prose(text) {
  return text.split(/(`[^`]*`)/).map(part => part.length > 1 && part.startsWith("`") ? make("code", {}, part.slice(1, -1)) : part);
}
function advice() {
  const host = $("advice"), large = profile.advice.filter(one => !one.small), small = profile.advice.filter(one => one.small);
  if (profile.conclusion) host.append(make("p", { id: "conclusion" }, profile.conclusion[0].toUpperCase() + profile.conclusion.slice(1) + "."));
  host.append(...large.map(adviceBox));
  if (!small.length) return;
  host.append(make("details", { id: "small" }, make("summary", {}, small.length === 1 ? "One thing is small: less than 5 % of the time" : small.length + " things are small: less than 5 % of the time each"), ...small.map(adviceBox)));
}
