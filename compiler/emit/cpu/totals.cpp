#include "compiler/emit/cpu/totals.h"

#include "compiler/emit/cpu/uniform.h"

namespace weft::emit::cpu {

using namespace plan;

std::string add_to_total(const Entry& e, int a, const std::string& total, const std::string& value) {
  const Accumulator& acc = e.accumulator(a);
  const DType t = e.total(a).total;
  return combine(
      acc.op, t, total,
      e.total(a).is_number ? format("weft_join_{}_{}({})[0]", ir::name(acc.op), suffix(t), value) : value);
}

std::string total_type(const Entry& e, int a) {
  const DType t = e.total(a).row;
  return e.total(a).is_number ? e.element(t) : e.type(t);
}

std::string declare_total(const Entry& e, int a) {
  const Accumulator& acc = e.accumulator(a);
  const DType t = e.total(a).row;
  if (e.total(a).is_number)
    return format("      {} T{} = {};\n", e.element(t), a, literal(identity_of(acc, t)));
  std::string out = format("      {} T{} = {};\n", e.type(t), a, identity(e, acc, t));
  if (ir::gives_index(acc.op)) out += format("      i64v J{} = (i64v)(0x7fffffffffffffffL);\n", a);
  return out;
}

std::string clear_total(const Entry& e, int a) {
  const Accumulator& acc = e.accumulator(a);
  const DType t = e.total(a).total;
  const ScratchLayout& scratch = e.layout.scratch;
  const auto k = static_cast<size_t>(a);
  std::string out = format("      for (long k = 0; k < {}; k += L) {{\n", word(e, e.entry.chunk));
  out += format("        weft_store_{0}(({1}*){2} + k, {3});\n", suffix(t), e.element(t),
                in_scratch(e, scratch.totals[k].at), identity(e, acc, t));
  if (ir::gives_index(acc.op))
    out += format("        weft_store_i64((long*){} + k, (i64v)(0x7fffffffffffffffL));\n",
                  in_scratch(e, scratch.positions[k].at));
  return out + "      }\n";
}

namespace {

// The total as a value; once a row is over.
std::string total_value(const Entry& e, int a) {
  const DType t = e.total(a).row;
  return e.total(a).is_number ? e.dialect.splat(t, format("T{}", a))
                              : format("weft_join_{}_{}(T{})", ir::name(e.accumulator(a).op), suffix(t), a);
}

// Defines an accumulator's result, given in the dtype of its total.
std::string define_total(const Entry& e, int a, DType total, const std::string& value) {
  const Value out = e.accumulator(a).out;
  return e.layout.unrounded.contains(out)
             ? define_rounded(out, value)
             : define_uniform(e, out, convert(total, e.program.values[out].dtype, value));
}

std::string define_position(const Entry& e, int a, DType t) {
  const Accumulator& acc = e.accumulator(a);
  return format("      weft_join_{0}_{1}(T{2}, J{2});\n      {3}\n", ir::name(acc.op), suffix(t), a,
                define_uniform(e, acc.out, format("J{}", a)));
}

std::string partial_at(const Entry& e, int a, bool position, const std::string& part) {
  const DType t = position ? DType::I64 : e.total(a).total;
  const PartialLayout& partials = e.layout.partials;
  const PartialLayout::Place& place = partials.places[static_cast<size_t>(a)];
  const std::string column =
      e.layout.columns() ? format("o * {} + left", spell(e.extent(e.layout.lanes.axis))) : "o";
  return format("(({}*)(partials + {}) + {} * {} + {})", e.element(t),
                word(e, position ? place.positions : place.values), part, word(e, partials.points), column);
}

std::string join_columns(const Entry& e, int a) {
  const Accumulator& acc = e.accumulator(a);
  const DType total = e.total(a).total;
  const std::string t = suffix(total), element = e.element(total);
  const auto k = static_cast<size_t>(a);
  std::string out = "\n        for (long k = 0; k < right - left; k += L) {\n";
  out += format("          {0}* to = ({0}*){1} + k;\n          {2} x = weft_load_{3}(to);\n", element,
                in_scratch(e, e.layout.scratch.totals[k].at), e.type(total), t);
  out += format("          {} y = weft_load_{}({} + k);\n", e.type(total), t, partial_at(e, a, false, "q"));
  if (ir::gives_index(acc.op)) {
    out += format("          long* r = (long*){} + k;\n          i64v i = weft_load_i64(r);\n",
                  in_scratch(e, e.layout.scratch.positions[k].at));
    out += format("          weft_take_{}_{}(x, i, y, weft_load_i64({} + k));\n", ir::name(acc.op), t,
                  partial_at(e, a, true, "q"));
    out += "          weft_store_i64(r, i);\n";
  } else {
    out += format("          x = {};\n", combine(acc.op, total, "x", "y"));
  }
  return out + format("          weft_store_{}(to, x);\n        }}\n", t);
}

}  // namespace

std::string finish_total(const Entry& e, int a) {
  const DType t = e.total(a).row;
  if (ir::gives_index(e.accumulator(a).op)) return define_position(e, a, t);
  return "      " + define_total(e, a, t, total_value(e, a)) + "\n";
}

std::string store_partials(const Entry& e) {
  std::string out;
  for (int a = 0; a < static_cast<int>(e.program.accumulators.size()); ++a) {
    const bool positions = ir::gives_index(e.accumulator(a).op);
    const std::string t = suffix(e.total(a).total), to = partial_at(e, a, false, "part");
    if (e.layout.columns()) {
      const auto k = static_cast<size_t>(a);
      out += format("      __builtin_memcpy({}, {}, (right - left) * sizeof({}));\n", to,
                    in_scratch(e, e.layout.scratch.totals[k].at), e.element(e.total(a).total));
      if (positions)
        out += format("      __builtin_memcpy({}, {}, (right - left) * 8);\n", partial_at(e, a, true, "part"),
                      in_scratch(e, e.layout.scratch.positions[k].at));
    } else if (positions) {
      out += format("      weft_store_one_{}({}, T{});\n", t, to, a);
      out += format("      weft_store_one_i64({}, J{});\n", partial_at(e, a, true, "part"), a);
    } else {
      out += format("      weft_store_one_{}({}, {});\n", t, to, total_value(e, a));
    }
  }
  return out;
}

std::string load_partials(const Entry& e) {
  std::string out;
  for (int a = 0; a < static_cast<int>(e.program.accumulators.size()); ++a) {
    out += (e.layout.columns() ? clear_total(e, a) : declare_total(e, a)) +
           join_partials(e, a, word(e, e.layout.tasks.parts));
    if (e.layout.columns()) continue;
    const DType total = e.total(a).total;
    if (ir::gives_index(e.accumulator(a).op)) {
      out += define_position(e, a, total);
      continue;
    }
    // What comes from memory is the same in every lane.
    const std::string joined = e.total(a).is_number ? total_value(e, a) : format("T{}", a);
    out += "      " + define_total(e, a, total, joined) + "\n";
  }
  return out;
}

std::string join_partials(const Entry& e, int a, const std::string& count) {
  const Accumulator& acc = e.accumulator(a);
  const DType total = e.total(a).total;
  const std::string t = suffix(total), from = partial_at(e, a, false, "q");
  const std::string loop = format("      for (long q = 0; q < {}; ++q)", count);
  if (e.layout.columns()) return loop + join_columns(e, a);
  if (ir::gives_index(acc.op))
    return loop + format(
                      "\n        weft_take_{0}_{1}(T{2}, J{2}, weft_load_one_{1}({3}), "
                      "weft_load_one_i64({4}));\n",
                      ir::name(acc.op), t, a, from, partial_at(e, a, true, "q"));
  const std::string part = e.total(a).is_number ? "*" + from : format("weft_load_one_{}({})", t, from);
  return loop + format("\n        T{0} = {1};\n", a, combine(acc.op, total, format("T{}", a), part));
}

}  // namespace weft::emit::cpu
