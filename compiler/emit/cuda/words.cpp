// Folds of elements that are narrower than a word, as they were loaded: whole words of them at a time.
#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;
using ir::Op;

// The load whose elements the fold takes as they are; for truth, and for sums of wide integers, also through
// a cast. Null where elements have to be looked at one by one.
const Load* CudaEmitter::loaded_for(const Batch& b, const Fold& f) const {
  const Accumulator& acc = p_.accumulators[f.accumulator];
  if (acc.is_over_points() || acc.is_over_section() || acc.relative_to()) return nullptr;
  auto definition = [&](Value v) {
    auto found = definitions_.find(v);
    return found == definitions_.end() ? nullptr : found->second;
  };
  const Stmt* from = definition(f.value);
  auto* cast = from ? std::get_if<Let>(from) : nullptr;
  if (cast && cast->op == Op::cast) from = definition(cast->args[0]);
  auto* l = from ? std::get_if<Load>(from) : nullptr;
  if (!l || kept(l->out)) return nullptr;
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (&b.sweep->body[k] == from && (b.routes[k].path != Path::Vector || !l->guards.empty())) return nullptr;
  const DType t = p_.values[l->out].dtype, to = p_.values[f.value].dtype;
  const bool bytes = t == DType::Bool || t == DType::I8 || t == DType::U8;
  const bool halves = t == DType::I16 || t == DType::U16;
  bool fits = false;
  switch (acc.op) {
    case Op::any:
    case Op::all:
      fits = bytes && to == DType::Bool;
      break;
    case Op::sum:
      fits = (bytes || halves) && is_integer(to) && (t == to || size_of(to) >= 4);
      break;
    case Op::max:
    case Op::min:
      fits = (bytes || halves) && t != DType::Bool && t == to;
      break;
    default:
      break;
  }
  return fits && static_cast<size_t>(s_.lanes) * size_of(t) % 4 == 0 ? l : nullptr;
}

// Which folds go by words, and what nobody else needs.
void CudaEmitter::find_words(Batch& b) const {
  auto& body = b.sweep->body;
  b.by_words.assign(body.size(), false);
  if (columns_ || s_.lanes == 1 || scans_) return;
  std::map<Value, int> readers;
  for (size_t k = body.size(); k-- > 0;) {
    auto* fold = std::get_if<Fold>(&body[k]);
    if (fold) b.by_words[k] = loaded_for(b, *fold) != nullptr;
    const bool load = std::holds_alternative<Load>(body[k]) && b.routes[k].path == Path::Vector,
               let = std::holds_alternative<Let>(body[k]) && b.routes[k].path == Path::Element;
    if ((load || let) && !kept(defines(body[k]))) b.by_words[k] = readers[defines(body[k])] == 0;
    if (!b.by_words[k])
      for (Value u : uses(body[k])) ++readers[u];
  }
  // Nothing else may be left out.
  if (std::ranges::none_of(body, [&](auto& s) {
        auto* fold = std::get_if<Fold>(&s);
        return fold && loaded_for(b, *fold);
      }))
    b.by_words.assign(body.size(), false);
}

// What a vector is loaded as: elements, each of which a compiler takes from its word, or the words where
// nobody asks for an element.
std::string CudaEmitter::loaded_type(const Batch& b, const Load& l) const {
  const DType t = p_.values[l.out].dtype;
  bool by_words = false;
  for (size_t k = 0; k < b.by_words.size(); ++k)
    by_words |= b.by_words[k] && std::get_if<Load>(&b.sweep->body[k]) == &l;
  if (!by_words) return vector_type(t);
  return format("Vec<unsigned int, {}>", static_cast<size_t>(s_.lanes) * size_of(t) / 4);
}

// The folds of a batch that go by words, when its vectors are there.
void CudaEmitter::fold_words(const Batch& b) {
  auto& body = b.sweep->body;
  size_t number = 0;
  for (size_t k = 0; k < body.size(); ++k) {
    auto* f = std::get_if<Fold>(&body[k]);
    if (!f || !b.by_words[k]) continue;
    const Accumulator& acc = p_.accumulators[f->accumulator];
    const Load& l = *loaded_for(b, *f);
    const DType from = p_.values[l.out].dtype;
    const bool truth = acc.op == Op::any || acc.op == Op::all, sum = acc.op == Op::sum;
    const std::string how = truth ? std::string(name(acc.op))
                            : sum ? format("sum_{}", suffix(from))
                                  : format("extreme<{}, {}>", dialect_.element_type(from), acc.op == Op::max);
    // What changes nothing, in each element of a word; and what words are folded into, of which the lower
    // half of each pair of bytes means nothing.
    const auto one = static_cast<uint64_t>(truth ? acc.op == Op::all : sum ? 0 : identity_of(acc, from).i);
    const size_t size = size_of(from);
    const uint64_t none = size == 1 ? (one & 0xff) * 0x01010101 : (one & 0xffff) * 0x00010001;
    code_.line("unsigned int f{0}[2] = {{{1:#x}u, {1:#x}u}};", number, truth || sum ? 0 : none);
    code_.unrolled("u", s_.unroll);
    // Left out without a branch: the vector's load would be moved there, behind what the others wait for.
    const bool cut = ragged_ && !inside_, once = (sum || cut) && !exact_ && !inside_;
    std::string words = format("m{}[u]", l.out);
    if (cut) {
      code_.line("{} of = {};", loaded_type(b, l), words);
      words = "of";
      std::string last = until_last(format("{} - {}", spell(extent(lane_)), axis_[lane_]));
      if (once) last = format("!ok[u] ? 0 : {}", last);
      code_.line("weft_cut<{}>(of, {}, {}, {:#x}u);", 8 * size, from_first("-" + axis_[lane_]), last, none);
    }
    code_.unrolled("e", static_cast<int>(static_cast<size_t>(s_.lanes) * size / 4));
    std::string word = format("((const unsigned int*)&{})[e]", words);
    if (once && !cut) word = format("ok[u] ? {} : {:#x}u", word, none);
    code_.line("weft_fold_{}(f{}, {});", how, number, word);
    code_.add("}");
    code_.add("}");
    size_t sweep = 0;
    while (std::ranges::count(p_.sweeps[sweep].accumulators, f->accumulator) == 0) ++sweep;
    const DType t = has_run(acc) ? span_dtype(acc) : total_of(acc);
    const std::string total =
        has_run(acc) ? format("r{}", f->accumulator) : format("s{}.t{}", sweep, f->accumulator);
    code_.line("{} = {};", total, joined(acc, t, total, format("weft_folded_{}(f{})", how, number)));
    ++number;
  }
}

}  // namespace weft::emit
