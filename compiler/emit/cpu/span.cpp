#include "compiler/emit/cpu/span.h"

#include "compiler/base/error.h"
#include "compiler/emit/cpu/uniform.h"
#include "compiler/emit/function.h"
#include "compiler/machine/tuning.h"

namespace weft::emit::cpu {

using namespace plan;

void add_member(Span& s, const std::string& type, const std::string& name, const std::string& value) {
  s.text.state.push_back({format("  {} {};\n", type, name), format("  const {0} {1} = s->{1};\n", type, name),
                          value.empty() ? "" : format("      s.{} = {};\n", name, value)});
}

std::string members(const SpanText& text, std::string Member::* column) {
  std::string out;
  for (auto& m : text.state) out += m.*column;
  return out;
}

std::string add_stream(Span& s, Stream stream) {
  stream.step = stream.name + "_by";
  // A walk stands still where there is nothing to read, each stream for itself.
  if (!stream.stride.empty() && stream.stride != "0" && stream.only_if.empty() && stream.tests.empty())
    stream.step = s.steps.try_emplace({stream.stride, stream.count}, stream.step).first->second;
  s.text.streams.push_back(std::move(stream));
  return s.text.streams.back().step;
}

std::string add_array(Span& s, const std::string& name, const std::string& pointer, DType dtype, bool rows,
                      bool in, bool out) {
  const Entry& e = s.entry;
  const std::string element = e.element(dtype);
  std::string start = format("({}*){}", element, pointer);
  if (rows && e.row != "0") start += format(" + {} * {}", e.row, word(e, e.layout.scratch.line));
  add_stream(s, {name, element, start + " - left", "", in, out, size_of(dtype)});
  return name;
}

std::string add_array(Span& s, const std::string& name, const Array& array, bool in, bool out) {
  return add_array(s, name, in_scratch(s.entry, array.at), array.dtype, array.rows, in, out);
}

namespace {

// The accumulator whose result a value is, or -1.
int accumulator_of(const Entry& e, Value v) {
  for (size_t a = 0; a < e.program.accumulators.size(); ++a)
    if (e.program.accumulators[a].out == v) return static_cast<int>(a);
  return -1;
}

}  // namespace

std::string import(Span& s, Value v) {
  if (s.layout.own.contains(v) || !s.imported.insert(v).second) return name_of(v);
  const Entry& e = s.entry;
  const Stmt* definition = e.layout.lanes.definitions[v];
  if (is_stretch(e.layout.lanes, v)) {
    write_test(s, std::get<Test>(*definition), Way::Stretch);
    return name_of(v);
  }
  const DType t = e.program.values[v].dtype;
  const ScratchLayout& scratch = e.layout.scratch;
  const int acc = accumulator_of(e, v);
  if (acc >= 0 && (e.layout.columns() || e.accumulator(acc).is_over_points())) {
    const auto& of = ir::gives_index(e.accumulator(acc).op) ? scratch.positions : scratch.totals;
    const Array& array = of[static_cast<size_t>(acc)];
    const std::string q = add_array(s, format("z{}", v), array, true, false);
    s.text.load += format("    {} v{} = {};\n", e.type(t), v,
                          convert(array.dtype, t, format("weft_load_{}({})", suffix(array.dtype), q)));
  } else if (auto it = scratch.arrays.find(v); it != scratch.arrays.end()) {
    const std::string q = add_array(s, format("z{}", v), it->second, true, false);
    s.text.load += format("    {} v{} = weft_load_{}({});\n", e.type(t), v, suffix(it->second.dtype), q);
  } else if (auto* one = definition ? std::get_if<Literal>(definition) : nullptr) {
    s.text.state.push_back(
        {"", format("  const {} v{} = {};\n", e.type(t), v, e.dialect.splat(t, literal(one->value))), ""});
  } else {
    add_member(s, e.type(t), name_of(v), name_of(v));
  }
  return name_of(v);
}

void define(Span& s, Value v, const std::string& expression) {
  s.text.body += format("    {} v{} = {};\n", s.entry.type(s.entry.program.values[v].dtype), v, expression);
}

std::string lanes_index(Span& s, const Index& at, const std::string& name, bool with_offset) {
  std::string out;
  auto add = [&](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
  if (with_offset) {
    add_member(s, "long", "o" + name, offset(s.entry, at));
    add(format("(i64v)(o{})", name));
  }
  auto scaled = [&](const std::string& x, const Num& by, const std::string& number) {
    if (by.param < 0 && by.value == 1) return x;
    add_member(s, "long", number, spell(by));
    return format("{} * (i64v)({})", x, number);
  };
  if (const Num* by = along_lanes(s.entry.layout.lanes, at)) add(scaled("at", *by, "k" + name));
  int k = 0;
  for (auto& t : at.values)
    if (s.entry.layout.lanes.varies[t.value])
      add(scaled(import(s, t.value), t.by, format("k{}_{}", name, k++)));
  return out;
}

std::string both(Span& s, const std::string& mask, const std::string& test) {
  const auto [known, added] = s.masks.try_emplace(mask + " & " + test, format("m{}", s.masks.size()));
  if (added) s.text.body += format("    const boolv {} = {};\n", known->second, known->first);
  return known->second;
}

void write_test(Span& s, const Test& t, Way way) {
  const Entry& e = s.entry;
  if (way == Way::Stretch) {
    s.stretches.push_back(&t);
    add_member(s, "bool", format("g{}", t.out), "");
    return define(s, t.out, format("weft_splat_bool(g{})", t.out));
  }
  if (way == Way::Bounds) {
    s.text.state.push_back(
        {format("  int low{0}, high{0};\n", t.out),
         format("  const i32v low{0} = (i32v)(s->low{0}), high{0} = (i32v)(s->high{0});\n", t.out),
         format("      {{\n        long low, high;\n        weft_bounds({0}, {1}, {2}, low, high);\n"
                "        s.low{3} = (int)weft_least(weft_most(low - left, 0), right - left);\n"
                "        s.high{3} = (int)weft_least(weft_most(high - left, 0), right - left);\n      }}\n",
                offset(e, t.at), spell(*along_lanes(e.layout.lanes, t.at)), spell(t.extent), t.out)});
    const std::string test = format(
        "weft_bitwise_and_bool(weft_greater_equal_i32(lane, low{0}), weft_less_i32(lane, high{0}))", t.out);
    return define(s, t.out,
                  has_inside(s.layout)
                      ? format("inside ? weft_splat_bool({}) : {}", holds_inside(e, t) ? -1 : 0, test)
                      : test);
  }
  const std::string d = format("d{}", t.out), n = std::to_string(t.out);
  add_member(s, "long", d, spell(t.extent));
  const std::string index = lanes_index(s, t.at, n, true);
  s.text.body += format("    i64v t{} = {};\n", n, index);
  define(s, t.out,
         format("weft_bitwise_and_bool(weft_greater_equal_i64(t{0}, (i64v)(0)), "
                "weft_less_i64(t{0}, (i64v)({1})))",
                n, d));
}

namespace {

// A series' memory and step, which the span's state has, and how it lies for the lanes.
std::string series_text(Span& s, const Series& series, Value at) {
  const Entry& e = s.entry;
  const BufferUse& buffer = e.program.buffers[static_cast<size_t>(series.buffer)];
  const auto take = [&](const std::string& type, const std::string& name, const std::string& value) {
    if (s.taken.insert(name).second)
      s.text.state.push_back({format("  {} {};\n", type, name), format("  {0} {1} = s->{1};\n", type, name),
                              format("      s.{} = {};\n", name, value)});
    return name;
  };
  const std::string name = format("b{}", series.buffer);
  const std::string memory =
      take(format("{}{}*", buffer.written ? "" : "const ", e.element(buffer.dtype)), name, name);
  const std::string by = series.step.param < 0
                             ? spell(series.step)
                             : take("long", format("by{}", series.step.param), spell(series.step));
  return format("{}, {}, {}, {}", memory, name_of(at), by, series_of(e, at));
}

// Results of one call are members of one struct.
void write_function_call(Span& s, const Let& let) {
  const bool alive = s.masked() || s.layout.walks_series;
  const std::string call =
      call_of(let, alive ? "alive" : s.entry.dialect.splat(DType::Bool, "true"), name_of,
              [&](const Series& series, Value at) { return series_text(s, series, at); });
  if (takes_packed(s, let, call)) return write_packed_call(s, let, call);
  add_function(s.entry, let);
  const auto [known, added] = s.calls.try_emplace(call, format("t{}", let.out));
  if (added) s.text.body += format("    const auto {} = {};\n", known->second, call);
  define(s, let.out, format("{}.r{}", known->second, let.result));
}

struct WriteStmt {
  Span& s;
  const SpanStmt& how;

  void operator()(const Let& let) const {
    const Entry& e = s.entry;
    for (Value a : let.args) import(s, a);
    if (let.function) return write_function_call(s, let);
    if (e.layout.unrounded.contains(let.out))
      s.text.body +=
          "    " + define_rounded(let.out, spell_unrounded(let, e.program, e.dialect, name_of)) + "\n";
    else
      define(s, let.out, spell(let, e.program, e.dialect, name_of));
  }
  // These are the same in every lane.
  void operator()(const Literal&) const {}
  void operator()(const Argument&) const {}
  void operator()(const Position& p) const {
    define(s, p.out, lanes_index(s, p.at, std::to_string(p.out), true));
  }
  void operator()(const Divide& d) const {
    const std::string divisor = format("d{}", d.out), v = import(s, d.of);
    add_member(s, "long", divisor, spell(d.divisor));
    define(s, d.out,
           format("weft_{}_i64({}, (i64v)({}))", d.remainder ? "remainder" : "floor_divide", v, divisor));
  }
  void operator()(const Clamp& c) const {
    const std::string extent = format("d{}", c.out), v = import(s, c.index);
    add_member(s, "long", extent, spell(c.extent));
    const std::string counted =
        format("weft_select_i64(weft_less_i64({0}, (i64v)(0)), {0} + (i64v)({1}), {0})", v, extent);
    define(s, c.out,
           format("weft_maximum_i64(weft_minimum_i64({}, (i64v)({} - 1)), (i64v)(0))", counted, extent));
  }
  void operator()(const Test& t) const { write_test(s, t, how.way); }
  void operator()(const Load& l) const { write_load(s, how, l); }
  void operator()(const Store& st) const { write_store(s, how, st); }
  void operator()(const Fold& f) const { write_fold(s, f); }
  void operator()(const Scan& sc) const { write_scan(s, sc); }
  void operator()(const Largest&) const {
    throw InternalError("emit cpu: sums are rescaled on CUDA only\n" + plan::print(s.entry.program));
  }
};

// Streams without a step are addressed by one count for all, others move their pointers.
Pointers pointers_of(Span& s) {
  Pointers p;
  // Masked, the first lanes may be done alone, up to where memory is aligned.
  const std::string done = s.masked() && s.layout.aligned ? "rest" : "L";
  for (auto& q : s.text.streams) {
    if (!q.rows.empty()) {
      s.text.state.push_back(
          {format("  long {}_rows;\n", q.name), "", format("      s.{}_rows = {};\n", q.name, q.rows)});
      p.begin += format("  const long {0}_rows = s->{0}_rows;\n", q.name);
    }
    const std::string type = format("{}{}*", q.out ? "" : "const ", q.element);
    s.text.state.push_back({format("  {} {};\n", type, q.name), "", ""});
    if (q.has_step()) {
      p.begin += format("  {0} {1} = s->{1};\n", type, q.name);
      if (q.owns_step()) {
        s.text.state.push_back({format("  long {};\n", q.step), "", ""});
        p.begin += format("  const long {0} = s->{0};\n", q.step);
      }
      p.advance += format("    {} += {} * {};\n", q.name, q.step, done);
      p.moved.push_back(q.name);
    } else {
      p.begin += format("  {0} const {1}_row = s->{1};\n", type, q.name);
      p.step += format("    {0} const {1} = {1}_row + done;\n", type, q.name);
    }
  }
  if (!p.step.empty()) {
    p.begin += "  long done = 0;\n";
    p.advance += format("    done += {};\n", done);
    p.moved.emplace_back("done");
  }
  if (s.layout.takes_positions) {
    s.text.state.push_back({"  long i, final;\n", "", ""});
    p.begin += "  long i = s->i;\n  const long final = s->final;\n";
    p.step += "    i64v at = weft_minimum_i64(weft_lanes_i64() + (i64v)(i), (i64v)(final));\n";
    p.advance += format("    i += {};\n", done);
    p.moved.emplace_back("i");
  }
  if (s.many_rows()) {
    s.text.state.push_back({"  long rows;\n", "", ""});
    p.begin += "  const long rows = s->rows;\n";
  }
  return p;
}

}  // namespace

std::string write_loop(const Span& s, const std::string& count, const std::string& step) {
  if (s.text.widen.empty()) return format("  for (long k = 0; k < {}; ++k) {}\n", count, step);
  return format(
      "  for (long k = 0; k < {0};) {{\n  for (const long most = weft_least({0}, k + {1}); k < most; ++k) "
      "{2}\n{3}  }}\n",
      count, tuning::kNarrowTerms, step, s.text.widen);
}

std::string write_span(Entry& e, const SpanLayout& layout) {
  Span s{.entry = e, .layout = layout, .id = e.functions.spans++};
  s.families.resize(layout.families.size());
  for (auto& stmt : layout.stmts) std::visit(WriteStmt{s, stmt}, *stmt.stmt);
  for (Value v : layout.own)
    if (auto it = e.layout.scratch.arrays.find(v); it != e.layout.scratch.arrays.end()) {
      const std::string q = add_array(s, format("y{}", v), it->second, false, true);
      s.text.store += format("    weft_store_{}({}, v{});\n", suffix(it->second.dtype), q, v);
    }
  const Pointers p = pointers_of(s);
  std::string body = s.text.body;
  if (s.many_rows()) body = "    for (long u = 0; u < rows; ++u) {\n" + body + "    }\n";
  body = p.step + s.text.load + body + s.text.store + p.advance;
  const std::string declared = members(s.text, &Member::declared);
  const std::string function = s.masked() ? masked_function(s, p.begin, body) : walked_function(s, p, body);
  e.functions.text += format("struct S{} {{\n{}}};\n", s.id, declared) + function;
  return s.masked() ? masked_call(s) : walked_call(s);
}

}  // namespace weft::emit::cpu
