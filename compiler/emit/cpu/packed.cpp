// A function whose loop lanes leave at different turns takes several vectors at once: the span computes its arguments for all of
// them, calls it, and then does for each what is left to do.
#include <algorithm>

#include "compiler/emit/cpu/span.h"
#include "compiler/emit/packed_function.h"
#include "compiler/machine/tuning.h"

namespace weft::emit::cpu {

using namespace plan;

// What is added up joins a wider sum after as many vectors as it does elsewhere.
static_assert(kPackedVectors == tuning::kNarrowTerms);

namespace {

// What is computed of memory and of other values alone may be computed twice.
bool may_be_repeated(const Stmt& stmt) {
  return !std::holds_alternative<Store>(stmt) && !std::holds_alternative<Fold>(stmt) &&
         !std::holds_alternative<Scan>(stmt);
}

bool is_before(const Span& s, const Let& let) {
  for (const SpanStmt& one : s.layout.stmts) {
    if (std::get_if<Let>(one.stmt) == &let) return true;
    const auto* other = std::get_if<Let>(one.stmt);
    if (!may_be_repeated(*one.stmt) || (other && other->function)) return false;
  }
  return false;
}

}  // namespace

bool takes_packed(const Span& s, const Let& let, const std::string& call) {
  if (s.packed.let) return s.packed.call == call;
  if (s.masked() || s.layout.walks_series || s.layout.scans || s.many_rows()) return false;
  return let.args.size() == let.function->block.params.size() &&
         packs(*let.function, s.entry.layout.lanes.count) && is_before(s, let);
}

void write_packed_call(Span& s, const Let& let, const std::string& call) {
  if (!s.packed.let) {
    s.packed.let = &let;
    s.packed.call = call;
    s.packed.before = s.text.body;
    for (const Value a : let.args)
      s.packed.varies.push_back(s.entry.layout.lanes.varies[static_cast<size_t>(a)]);
    if (s.entry.functions.names.insert(packed_name(*let.function, s.packed.varies)).second)
      s.entry.functions.text += write_packed(*let.function, s.packed.varies);
  }
  define(s, let.out, format("given{}[k - from]", let.result));
}

std::string packed_loop(const Span& s, const Pointers& pointers, const std::string& body) {
  const Let& let = *s.packed.let;
  const ir::Function& f = *let.function;
  std::string arrays, taken, args, keeps, back;
  for (size_t k = 0; k < let.args.size(); ++k) {
    const std::string type = s.entry.type(f.argument(k));
    args += s.packed.varies[k] ? format(", taken{}", k) : ", " + name_of(let.args[k]);
    if (!s.packed.varies[k]) continue;
    arrays += format("    {} taken{}[{}];\n", type, k, kPackedVectors);
    taken += format("    taken{}[k - from] = {};\n", k, name_of(let.args[k]));
  }
  for (size_t k = 0; k < f.block.gives.size(); ++k) {
    arrays += format("    {} given{}[{}];\n", s.entry.type(f.result(k)), k, kPackedVectors);
    args += format(", given{}", k);
  }
  for (const std::string& one : pointers.moved) {
    keeps += format("    const auto {0}_first = {0};\n", one);
    back += format("    {0} = {0}_first;\n", one);
  }
  const std::string before = pointers.step + s.text.load + s.packed.before + taken + pointers.advance;
  return format(
      "  for (long from = 0; from < n; from += {0}) {{\n    const long to = weft_least(n, from + "
      "{0});\n{1}{2}"
      "    for (long k = from; k < to; ++k) {{\n{3}    }}\n{4}    {5}(to - from{6});\n"
      "    for (long k = from; k < to; ++k) {{\n{7}    }}\n{8}  }}\n",
      kPackedVectors, arrays, keeps, before, back, packed_name(f, s.packed.varies), args, body, s.text.widen);
}

}  // namespace weft::emit::cpu
