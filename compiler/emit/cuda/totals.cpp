// A fold goes to a run, a run to a total, a total is a member of its sweep's state.
#include "compiler/emit/cuda/totals.h"

#include <algorithm>

#include "compiler/emit/cuda/accumulators.h"
#include "compiler/emit/cuda/online_softmax.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/values.h"
#include "compiler/emit/reduction.h"

namespace weft::emit {

using namespace plan;
using fmt::format;
using ir::Op;

namespace {

const char* first_of(const Accumulator& acc) { return acc.op == Op::argmax ? "max" : "min"; }

std::string state_struct(const RowProgram& p, const CudaLayout& l, size_t sweep) {
  struct Member {
    size_t bytes;
    std::string text;
  };
  std::vector<Member> members;
  std::string body;
  const bool wide = l.facts.wide;
  size_t align = 4;
  for (int a : l.states[sweep].accumulators) {
    auto& acc = p.accumulators[a];
    const DType t = l.totals[a].dtype;
    members.push_back({size_of(t), format("{} t{};", CudaDialect().value_type(t), a)});
    align = std::max(align, size_of(t));
    if (ir::gives_index(acc.op)) {
      members.push_back({wide ? 8u : 4u, format("I i{};", a)});
      if (wide) align = std::max<size_t>(align, 8);
      body += format("  weft_first_{0}(a.t{1}, a.i{1}, b.t{1}, b.i{1});\n", first_of(acc), a);
    } else if (acc.relative_to()) {
      body.insert(0, joined_relative(p, l, a));
    } else {
      body += format("  a.t{0} = {1};\n", a, joined(acc, t, format("a.t{}", a), format("b.t{}", a)));
    }
  }
  if (members.empty()) return "";
  // The largest first: no padding between members.
  std::stable_sort(members.begin(), members.end(), [](auto& a, auto& b) { return a.bytes > b.bytes; });
  std::string text = format("struct __align__({}) S{} {{", align, sweep);
  for (auto& m : members) text += " " + m.text;
  return text +
         format(" }};\nstatic __device__ __forceinline__ void join{0}(S{0}& a, const S{0}& b) {{\n{1}}}\n",
                sweep, body);
}

std::string scan_structs(const RowProgram& p, const CudaLayout& l, size_t sweep) {
  std::string text;
  for (int a : p.sweeps[sweep].accumulators) {
    if (!p.accumulators[a].is_running()) continue;
    const DType t = l.totals[a].dtype;
    text += format("struct __align__({}) R{} {{ {} t; }};\n", size_of(t) > 8 ? 16 : 8, a,
                   CudaDialect().value_type(t));
  }
  return text;
}

}  // namespace

std::string state_structs(const RowProgram& p, const CudaLayout& l) {
  std::string text;
  for (size_t k = 0; k < p.sweeps.size(); ++k) text += state_struct(p, l, k) + scan_structs(p, l, k);
  return text + state_struct(p, l, p.sweeps.size());
}

const std::vector<int>& joined_after(const Entry& e, size_t sweep) { return e.own.joined[sweep]; }

void start_state(Entry& e, const std::string& state, const std::vector<int>& accumulators) {
  for (int a : accumulators) {
    e.code.line("{}.t{} = {};", state, a, start_text(e, a));
    if (ir::gives_index(e.program.accumulators[a].op))
      e.code.line("{}.i{} = {};", state, a, e.layout.facts.wide ? "0x7fffffffffffffffll" : "0x7fffffff");
  }
}

void start_totals(Entry& e, size_t sweep, bool declare) {
  const std::vector<int>& accumulators = joined_after(e, sweep);
  if (accumulators.empty()) return;
  if (declare) e.code.line("S{0} s{0}{1};", sweep, columns_of_thread(e));
  each_column(e, [&] { start_state(e, format("s{}{}", sweep, e.each()), accumulators); });
}

void start_runs(Entry& e, size_t sweep) {
  for (int a : joined_after(e, sweep)) {
    if (!e.layout.totals[a].has_run) continue;
    auto& acc = e.program.accumulators[a];
    const DType t = span_dtype(acc);
    e.code.line("{} r{}{};", e.dialect.value_type(t), a, columns_of_thread(e));
    each_column(e, [&] { e.code.line("{} = {};", run_text(e, a), identity_of(acc, t, e.dialect)); });
  }
}

void flush_runs(Entry& e, size_t sweep) {
  for (int a : joined_after(e, sweep)) {
    if (!e.layout.totals[a].has_run) continue;
    auto& acc = e.program.accumulators[a];
    const DType to = e.layout.totals[a].dtype;
    const std::string run = converted(span_dtype(acc), to, run_text(e, a)), total = total_text(e, sweep, a);
    each_column(e, [&] { e.code.line("{} = {};", total, joined(acc, to, total, run)); });
  }
}

void fold(Entry& e, const Fold& f, const Place& place) {
  auto& acc = e.program.accumulators[f.accumulator];
  const TotalLayout& layout = e.layout.totals[f.accumulator];
  if (acc.is_over_points()) {
    const std::string total = format("across{}[u][e]", f.accumulator);
    e.code.line("{}{} = {};", place.store_if, total,
                joined(acc, span_dtype(acc), total, name_of(e, f.value)));
    return;
  }
  std::string total = total_text(e, layout.sweep, f.accumulator);
  if (ir::gives_index(acc.op)) {
    e.code.line("{}weft_first_{}({}, s{}{}.i{}, {}, (I){});", place.fold_if, first_of(acc), total,
                layout.sweep, e.each(), f.accumulator, name_of(e, f.value), name_of(e, f.position));
    return;
  }
  const DType t = layout.has_run ? span_dtype(acc) : layout.dtype;
  if (layout.has_run) total = run_text(e, f.accumulator);
  e.code.line("{}{} = {};", place.fold_if, total, joined(acc, t, total, name_of(e, f.value)));
}

std::string loaded_type(const Entry& e, const Batch& b, const Load& l) {
  const DType t = e.dtype(l.out);
  bool is_packed = false;
  for (size_t k = 0; k < b.packed.size(); ++k)
    is_packed |= b.packed[k] && std::get_if<Load>(&b.sweep->body[k]) == &l;
  if (!is_packed) return e.vector_type(t);
  return format("Vec<unsigned int, {}>", static_cast<size_t>(b.lanes) * size_of(t) / 4);
}

namespace {

// Fold `number` of packed words.
void fold_words(Entry& e, const Batch& b, bool is_inside, const Fold& f, const Load& l, int number) {
  Writer& code = e.code;
  const VectorLayout& v = e.layout.vectors;
  const Accumulator& acc = e.program.accumulators[f.accumulator];
  const DType from = e.dtype(l.out);
  const bool truth = acc.op == Op::any || acc.op == Op::all, sum = acc.op == Op::sum;
  const std::string how = truth ? std::string(name(acc.op))
                          : sum ? format("sum_{}", suffix(from))
                                : format("extreme<{}, {}>", e.dialect.element_type(from), acc.op == Op::max);
  // What changes nothing, in each element of a word; and what words are folded into, of which the lower
  // half of each pair of bytes means nothing.
  const auto one = static_cast<uint64_t>(truth ? acc.op == Op::all : sum ? 0 : identity_of(acc, from).i);
  const size_t size = size_of(from);
  const uint64_t none = size == 1 ? (one & 0xff) * 0x01010101 : (one & 0xffff) * 0x00010001;
  code.line("unsigned int f{0}[2] = {{{1:#x}u, {1:#x}u}};", number, truth || sum ? 0 : none);
  code.unrolled("u", b.unroll);
  // Left out without a branch: the vector's load would be moved there, behind what the others wait for.
  const bool cut = v.ragged && !is_inside, once = (sum || cut) && !v.exact && !is_inside;
  std::string words = format("m{}[u]", l.out);
  if (cut) {
    code.line("{} of = {};", loaded_type(e, b, l), words);
    words = "of";
    const std::string& first = e.scope.axis[v.axis];
    std::string last = until_last(e, format("{} - {}", spell(e.extent(v.axis)), first));
    if (once) last = format("!ok[u] ? 0 : {}", last);
    code.line("weft_cut<{}>(of, {}, {}, {:#x}u);", 8 * size, from_first(e, "-" + first), last, none);
  }
  code.unrolled("e", static_cast<int>(static_cast<size_t>(b.lanes) * size / 4));
  std::string word = format("((const unsigned int*)&{})[e]", words);
  if (once && !cut) word = format("ok[u] ? {} : {:#x}u", word, none);
  code.line("weft_fold_{}(f{}, {});", how, number, word);
  code.add("}");
  code.add("}");
  const TotalLayout& layout = e.layout.totals[f.accumulator];
  const DType t = layout.has_run ? span_dtype(acc) : layout.dtype;
  const std::string total =
      layout.has_run ? run_text(e, f.accumulator) : total_text(e, layout.sweep, f.accumulator);
  code.line("{} = {};", total, joined(acc, t, total, format("weft_folded_{}(f{})", how, number)));
}

}  // namespace

void fold_packed(Entry& e, const Batch& b, bool is_inside) {
  int number = 0;
  for (size_t k = 0; k < b.packed.size(); ++k)
    if (auto* f = std::get_if<Fold>(&b.sweep->body[k]); f && b.packed[k])
      fold_words(e, b, is_inside, *f, *b.packed_load[k], number++);
}

void finish_totals(Entry& e, size_t sweep) {
  for (int a : joined_after(e, sweep)) {
    auto& acc = e.program.accumulators[a];
    const std::string state = format("s{}{}", sweep, e.each());
    const bool is_index = ir::gives_index(acc.op);
    std::string from = acc.relative_to() ? finished_relative(e, a, state)
                                         : format("{}.{}{}", state, is_index ? 'i' : 't', a);
    if (!is_index) from = converted(e.layout.totals[a].dtype, acc.dtype, from);
    if (!e.layout.columns()) {
      e.code.line("const {} v{} = {};", e.value_type(acc.out), acc.out, from);
      continue;
    }
    e.code.line("{} h{}[{}];", e.value_type(acc.out), acc.out, e.own.lanes);
    each_column(e, [&] { e.code.line("h{}[e] = {};", acc.out, from); });
    e.scope.outer.insert(acc.out);
  }
}

}  // namespace weft::emit
