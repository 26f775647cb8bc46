// What the words mean that are no everyday ones: docs/glossary.md has the same.
const glossary = {
  accumulator: "a value that a kernel adds to: a sum, a maximum",
  epilogue: "what is computed once for each row, after its sweeps",
  finish: "the small second launch that joins parts",
  fold: "a step of a reduction: one more element goes into a sum or a maximum",
  fusion: "several operations become one kernel",
  kernel: "a function that runs over many points at once",
  lane: "one element's place in a vector register",
  part: "a piece of a row that one task has",
  pass: "one step from graph to graph: a rewrite that leaves the results as they are",
  row: "the axes that are reduced or scanned",
  schedule: "how the loops of a kernel run on a machine",
  step: "a kernel, a library call or a copy, one of those that run one after another",
  sweep: "one walk over the row; a softmax has three",
  task: "what one thread of the CPU takes at once",
  turn: "one pass through a loop of your code",
};
const wordForms = { accumulators: "accumulator", folds: "fold", fused: "fusion", kernels: "kernel", lanes: "lane", parts: "part", passes: "pass", rows: "row", steps: "step", sweeps: "sweep", tasks: "task", turns: "turn" };
const anyWord = new RegExp("\\b(" + [...Object.keys(glossary), ...Object.keys(wordForms)].join("|") + ")\\b", "g");

// The text, with what each of its words means to be seen by pointing at it.
function worded(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(anyWord)) {
    parts.push(text.slice(end, found.index), make("abbr", { title: found[0] + ": " + glossary[wordForms[found[0]] || found[0]] }, found[0]));
    end = found.index + found[0].length;
  }
  parts.push(text.slice(end));
  return parts.filter(part => part !== "");
}

function wordList() {
  $("words").append(...Object.entries(glossary).flatMap(([word, means]) => [make("dt", {}, word), make("dd", {}, means)]));
}
