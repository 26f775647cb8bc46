// What CUDA spells otherwise than the op table says stands before the general case, one reason each.
#include "compiler/emit/cuda/statement.h"

#include <algorithm>

#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/scan.h"
#include "compiler/emit/cuda/totals.h"
#include "compiler/emit/cuda/values.h"
#include "compiler/emit/function.h"
#include "compiler/ir/function.h"

namespace weft::emit {

using namespace plan;
using fmt::format;
using ir::Op;

// ---- quotients

void open_divisors(Entry& e, const Batch& b) {
  if (b.divisors.empty()) return;
  Writer& code = e.code;
  const auto& definitions = e.layout.facts.definitions;
  code.add("{");
  for (Value v : b.divisors) {
    const std::string of = suffix(e.dtype(v));
    auto body = definitions.find(v);
    if (body != definitions.end()) {
      code.line("const double inverse{} = weft_inverse_{}(a{});", v, of,
                std::get<Argument>(*body->second).scalar);
    } else if (e.layout.columns()) {
      code.line("double inverse{}[{}];", v, e.own.lanes);
      code.unrolled("e", e.own.lanes);
      code.line("inverse{0}[e] = weft_inverse_{1}(h{0}[e]);", v, of);
      code.add("}");
    } else {
      code.line("const double inverse{} = weft_inverse_{}({});", v, of, name_of(e, v));
    }
  }
}

void close_divisors(Entry& e, const Batch& b) {
  if (!b.divisors.empty()) e.code.add("}");
}

namespace {

bool has_inverse(const Place& place, Value v) {
  return place.has_inverses && place.batch && place.batch->divisors.contains(v);
}

std::string by_inverse(const Entry& e, const Let& l, DType t) {
  const Value divisor = l.args[1];
  const bool is_array = e.layout.columns() && !e.layout.facts.definitions.contains(divisor);
  const char* element = !is_array ? "" : e.scope.at_element ? "[e]" : "[0]";
  return format("weft_divide_by_{}({}, {}inverse{}{})", suffix(t), name_of(e, l.args[0]),
                t == DType::F64 ? name_of(e, divisor) + ", " : "", divisor, element);
}

// Quotients that may round otherwise than the instruction; empty for others.
std::string quick_quotient(const Entry& e, const Let& l, DType t, const Place& place) {
  if (has_inverse(place, l.args[1])) return by_inverse(e, l, t);
  if (!e.layout.facts.contract) return "";
  const std::string a = name_of(e, l.args[0]), b = name_of(e, l.args[1]);
  // The instruction's seldom needed second half takes NVRTC as long as ten others.
  if (!place.batch && t == DType::F32) return format("weft_divide_by_f32({}, weft_inverse_f32({}))", a, b);
  // Two 8-bit significands' quotient is never so near to the middle of two bf16 that 2 ulp of f32 matter.
  if (t == DType::BF16) return format("weft_round_bf16(weft_quotient({}, {}))", a, b);
  if (t == DType::F16) return format("weft_round_f16(weft_quotient_f16({}, {}))", a, b);
  return "";
}

// Operations of halves that have instructions of their own; empty for others.
std::string half_operation(const Entry& e, const Let& l, DType t, DType to) {
  auto arg = [&](size_t k) { return name_of(e, l.args[k]); };
  // Its error is lost in the rounding.
  if (e.layout.facts.contract && l.op == Op::exp && is_half(t))
    return format("weft_round_{0}(weft_exp_within_{0}({1}))", suffix(t), arg(0));
  if (is_half(t) && (l.op == Op::add || l.op == Op::subtract))
    return format("weft_{}_{}({}, {})", name(l.op), suffix(t), arg(0), arg(1));
  if (t == DType::F16 && l.op == Op::multiply) return format("weft_multiply_f16({}, {})", arg(0), arg(1));
  // Through f32 a NaN would lose its bits.
  if (l.op == Op::select && to == DType::F16)
    return format("weft_select_f16({}, {}, {})", arg(0), arg(1), arg(2));
  if (t == DType::F16 && l.op == Op::square) return format("weft_square_f16({})", arg(0));
  return "";
}

// What CUDA computes otherwise than the op table says; empty for all else.
std::string own_spelling(const Entry& e, const Let& l, const Place& place) {
  const DType t = e.dtype(l.args[0]);
  const bool contract = e.layout.facts.contract;
  // __fmul_rn is never contracted into a multiply-add.
  if (!contract && (l.op == Op::multiply || l.op == Op::square) && is_float(t) && !is_half(t))
    return format("__{}mul_rn({}, {})", t == DType::F64 ? "d" : "f", name_of(e, l.args[0]),
                  name_of(e, l.args.back()));
  if (t == DType::Bool && (l.op == Op::add || l.op == Op::bitwise_or))
    return format("weft_either({}, {})", name_of(e, l.args[0]), name_of(e, l.args[1]));
  if (l.op == Op::divide) return quick_quotient(e, l, t, place);
  if (contract && l.op == Op::erf && e.layout.facts.beside_one.contains(l.out))
    return format("weft_erf_beside_one({})", name_of(e, l.args[0]));
  if (l.op == Op::rsqrt && place.batch && place.batch->normal.contains(l.args[0]))
    return format("weft_rsqrt_normal({})", name_of(e, l.args[0]));
  return half_operation(e, l, t, e.dtype(l.out));
}

// Threads that have no element left take the last one's again, so they are not to walk along its series. What lies behind
// the row in the last vector may be anything, for which a loop might never end.
std::string mask_of(const Let& l, const Place& place) {
  if (!l.series.empty()) return place.store_if.empty() ? "true" : "in_store";
  return l.function->loops && !place.of_row.empty() ? format("({})", place.of_row) : "true";
}

// Results of one call are members of one struct, while it is in scope.
void write_function_call(Entry& e, const Let& l, const Place& place) {
  const std::string call = call_of(
      l, mask_of(l, place), [&](Value v) { return name_of(e, v); },
      [&](const Series& series, Value at) {
        return format("b{}, {}, (long long){}", series.buffer, name_of(e, at), spell(series.step));
      });
  auto& known = e.scope.calls[call];
  if (!e.code.is_open_since(known.second)) {
    known.first = format("t{}", l.out);
    e.code.line("const auto {} = {};", known.first, call);
    known.second = e.code.text().size();
  }
  e.code.line("const {} v{} = {}.r{};", e.value_type(l.out), l.out, known.first, l.result);
}

void write_let(Entry& e, const Let& l, const Place& place) {
  if (l.function) return write_function_call(e, l, place);
  std::string text = own_spelling(e, l, place);
  if (text.empty()) text = spell(l, e.program, e.dialect, [&](Value v) { return name_of(e, v); });
  e.code.line("const {} v{} = {};", e.value_type(l.out), l.out, text);
}

// One division is enough for a vector: each of its elements is in the first one's row, or in the next.
std::string divide_flat(Entry& e, const Divide& d, const Batch& b) {
  const int number = b.row_of.at(d.out);
  const FlatRows& rows = b.flat_rows[static_cast<size_t>(number)];
  const std::string within = within_row(rows), left = format("left{}[u]", number),
                    next = format("{0} > 0 && {0} >= {1}", within, left);
  if (d.remainder) return format("(long long)({} - {} + ({} ? 0 : {}))", within, left, next, length_of(rows));
  std::string quotient = format("row{}[u] + {}({} ? 1 : 0)", number,
                                rows.is_short ? format("e / {} + ", rows.length.value) : "", next);
  if (e.layout.vectors.ragged) quotient = format("weft_min({}, {})", quotient, last_flat_row(e, rows));
  return format("(long long)({})", quotient);
}

std::string divide(Entry& e, const Divide& d, const Place& place) {
  if (e.scope.at_element && place.batch && place.batch->row_of.contains(d.out))
    return divide_flat(e, d, *place.batch);
  const Range& of = e.layout.facts.ranges[d.of];
  const std::string value = name_of(e, d.of), by = spell(d.divisor);
  if (!of.known || of.low < 0)
    return format("weft_{}_i64({}, {})", d.remainder ? "remainder" : "floor_divide", value, by);
  if (of.high > INT32_MAX)
    return format("(long long)((unsigned long long){} {} (unsigned long long){})", value,
                  d.remainder ? '%' : '/', by);
  const std::string x = "(unsigned int)" + value;
  return format("(long long)({})", d.remainder ? e.arguments.remainder(x, by, d.divisor.value)
                                               : e.arguments.quotient(x, by, d.divisor.value));
}

}  // namespace

std::string within_row(const FlatRows& rows) {
  return rows.is_short ? format("e % {}", rows.length.value) : "e";
}

std::string length_of(const FlatRows& rows) {
  return rows.is_short ? std::to_string(rows.length.value) : spell(rows.length);
}

std::string last_flat_row(Entry& e, const FlatRows& rows) {
  return e.arguments.last_row_of(rows.length.value, (e.extent(e.lane()).value - 1) / rows.length.value);
}

// ---- memory

namespace {

void element_load(Entry& e, const Load& l, const Stmt& stmt) {
  const std::string type = e.value_type(l.out);
  const std::string at = format("weft_unpack_{}({})", suffix(e.dtype(l.out)), place_of(e, stmt, l.buffer));
  if (l.guards.empty()) return e.code.line("const {} v{} = {};", type, l.out, at);
  e.code.line("{} v{} = {{}};", type, l.out);
  e.code.line("if ({}) v{} = {};", guards_text(e, l.guards), l.out, at);
}

// Of two strips that have the column the one with the first column of its sector stores it.
std::string is_own(const Entry& e, const Store& s, const ColumnsShape& columns) {
  const int64_t sector = sector_elements(e.program, s.buffer);
  const std::string past =
      stride_along(s.at, e.lane()) == 1 ? format("({}) & {}", index_text(e, s.at), sector - 1) : "0";
  return format("weft_is_own(column - ({}), own, {})", past, columns.own);
}

void element_store(Entry& e, const Store& s, const Stmt& stmt, const Place& place) {
  if (s.how == Storing::Largest)
    return e.code.line("{}atomicMax(b{} + {}, {});", place.store_if, s.buffer, index_text(e, s.at),
                       name_of(e, s.value));
  if (s.how == Storing::Sum) {
    // The hardware adds unsigned words; signed ones have the same bits.
    const bool wide = size_of(e.program.buffers[s.buffer].dtype) == 8;
    const char* word = wide ? "unsigned long long" : "unsigned int";
    return e.code.line("{}atomicAdd(({}*)(b{} + {}), ({}){});", place.store_if, word, s.buffer,
                       index_text(e, s.at), word, name_of(e, s.value));
  }
  std::string when = place.store_if;
  const auto* columns = e.layout.columns();
  if (columns && columns->overlap > 0 && e.scope.at_element)
    when = format("if ({}) ", both(when.empty() ? "" : "in_store", is_own(e, s, *columns)));
  e.code.line("{}{} = {};", when, place_of(e, stmt, s.buffer),
              packed(e.program.buffers[s.buffer].dtype, name_of(e, s.value)));
}

// Writes the statement that it is called for; scans of rows and the largest so far are written with their
// batch.
struct StatementWriter {
  Entry& e;
  const Stmt& stmt;
  const Place& place;

  void operator()(const Let& l) const { write_let(e, l, place); }
  void operator()(const Literal& c) const {
    e.code.line("const {} v{} = {};", e.value_type(c.out), c.out,
                e.dialect.splat(c.value.dtype, literal(c.value)));
  }
  void operator()(const Argument& a) const {
    e.code.line("const {} v{} = a{};", e.value_type(a.out), a.out, a.scalar);
  }
  void operator()(const Position& at) const {
    e.code.line("const long long v{} = (long long)({});", at.out, index_text(e, at.at));
  }
  void operator()(const Divide& d) const {
    e.code.line("const long long v{} = {};", d.out, divide(e, d, place));
  }
  void operator()(const Clamp& c) const {
    e.code.line("const long long v{} = weft_clamp({}, {});", c.out, name_of(e, c.index), spell(c.extent));
  }
  void operator()(const Test& t) const {
    const char* type = e.layout.facts.wide ? "unsigned long long" : "unsigned int";
    e.code.line("const bool v{} = ({})({}) < ({}){};", t.out, type, index_text(e, t.at), type,
                spell(t.extent));
  }
  void operator()(const Load& l) const { element_load(e, l, stmt); }
  void operator()(const Fold& f) const { fold(e, f, place); }
  void operator()(const Scan& s) const {
    e.own.totals_scans ? fold(e, {s.accumulator, s.value}, place) : scan_column(e, s, place);
  }
  void operator()(const Largest&) const {}
  void operator()(const Store& s) const { element_store(e, s, stmt, place); }
};

}  // namespace

void write_statement(Entry& e, const Stmt& stmt, const Place& place) {
  std::visit(StatementWriter{e, stmt, place}, stmt);
}

// ---- outer code

namespace {

// Outer code of a thread's columns, whose values are h<value>[e].
void outer_code_of_columns(Entry& e, const std::vector<Stmt>& stmts, const std::string& when) {
  Writer& code = e.code;
  for (auto& s : stmts)
    if (Value v = defines(s); v >= 0) code.line("{} h{}[{}];", e.value_type(v), v, e.own.lanes);
  code.unrolled("e", e.own.lanes);
  std::string& axis = e.scope.axis[e.lane()];
  const std::string base = axis;
  e.scope.at_element = true;
  code.line("const bool in_store = {}{};", when,
            e.layout.vectors.ragged ? format(" && {} + e < {}", base, spell(e.extent(e.lane()))) : "");
  lane_position(e, false);
  if (e.own.lanes > 1) axis = "y";
  const Place place{.store_if = "if (in_store) "};
  for (auto& s : stmts) {
    write_statement(e, s, place);
    if (Value v = defines(s); v >= 0) {
      code.line("h{0}[e] = v{0};", v);
      e.scope.outer.insert(v);
    }
  }
  axis = base;
  e.scope.at_element = false;
  code.add("}");
}

}  // namespace

void outer_code(Entry& e, const std::vector<Stmt>& stmts, const std::string& when) {
  if (stmts.empty()) return;
  if (e.layout.columns()) return outer_code_of_columns(e, stmts, when);
  const bool stores = std::ranges::any_of(stmts, [](auto& s) { return std::holds_alternative<Store>(s); });
  if (stores) e.code.line("if ({}) {{", when);
  for (auto& s : stmts) write_statement(e, s, {});
  if (stores) e.code.add("}");
}

}  // namespace weft::emit
