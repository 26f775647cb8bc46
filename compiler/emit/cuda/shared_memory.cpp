// Where things lie is the layout's; here are the pointers and the copies.
#include "compiler/emit/cuda/shared_memory.h"

#include <algorithm>

#include "compiler/emit/cuda/lay_out_memory.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/values.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

bool has_parts(const Entry& e) { return e.layout.cluster.blocks > 1 || e.layout.parts.look_back; }

const Load& load_of(const Entry& e, Value v) { return std::get<Load>(*e.layout.facts.definitions.at(v)); }

const char* copying(const Entry& e) { return e.layout.loads_stay ? "weft_copy_to_stay" : "weft_copy_ahead"; }

}  // namespace

// ---- values that stay between sweeps

void shared_rows(Entry& e, const std::string& mine) {
  const std::string room = has_parts(e) ? e.numbers.part_length : "m";
  for (auto& [v, before] : e.layout.shared.values)
    e.code.line("{0}* z{1} = ({0}*)(weft_shared + {2} * {3}) + {4}{5};", e.vector_type(e.dtype(v)), v, room,
                before, mine, e.layout.columns() ? "" : format(" * {}", room));
}

namespace {

// How many elements before the strip's first of that row memory is aligned.
std::string strip_shift(const Entry& e, const std::string& row) {
  const Index& at = *e.layout.vectors.reference;
  std::string s = at.offset.param >= 0 || at.offset.value != 0 ? spell(at.offset) + " + strip" : "strip";
  for (auto& t : at.axes)
    if (t.axis != e.lane()) s += " + " + times(row, t.by);
  return format("({} & {})", s, e.layout.columns()->copied - 1);
}

}  // namespace

std::string place_in_shared(const Entry& e, const std::string& step) {
  std::string place = has_parts(e) ? step + " - begin" : step;
  const auto* columns = e.layout.columns();
  if (!columns) return place;
  const std::string in_strip = format("({}) * {}", place, columns->across + columns->copied);
  return columns->copied > 0 ? format("{} + {}", in_strip, strip_shift(e, step)) : in_strip;
}

namespace {

// Rows of the strip, by all threads of the block, each row from the last place before it where memory is
// aligned.
void copy_strip(Entry& e, const std::string& end) {
  Writer& code = e.code;
  const ColumnsShape& columns = *e.layout.columns();
  const int copied = columns.copied, vectors = columns.across / copied + 1;
  const bool is_cluster = e.layout.cluster.blocks > 1;
  const std::string first = is_cluster ? "begin" : "0";
  code.line("const I strip_end = weft_min({}, n - strip);", columns.across);
  code.add("#pragma unroll 4");
  code.line("for (I c = (I)threadIdx.x; c < ({} - {}) * {}; c += {}) {{", end, first, vectors, e.own.threads);
  code.line("const I down = {} + c / {}, back = {}, right = c % {} * {} - back;", first, vectors,
            strip_shift(e, "down"), vectors, copied);
  code.add("if (right < strip_end) {");
  {
    const Changed<std::string> lane(e.scope.axis[e.lane()], "(strip + right)");
    const Changed<std::string> row(e.scope.axis[1 - e.lane()], "down");
    for (Value v : e.layout.shared.ahead) {
      const Load& l = load_of(e, v);
      code.line("weft_copy_vector<{0}>(z{1} - tx + ({2}) * {3} + right + back, b{4} + ({5}));", copied, v,
                is_cluster ? "down - begin" : "down", columns.across + copied, l.buffer, index_text(e, l.at));
    }
  }
  code.add("}");
  code.add("}");
  code.add("weft_copied();");
  code.add("__syncthreads();");
}

}  // namespace

void copy_ahead(Entry& e, const std::string& start, const std::string& step, const std::string& end) {
  if (e.layout.shared.ahead.empty()) return;
  if (e.layout.columns() && e.layout.columns()->copied > 0) return copy_strip(e, end);
  Writer& code = e.code;
  code.add("#pragma unroll 4");
  code.line("for (I c = {}; c < {}; c += {}) {{", start, end, step);
  code.add("I q = c;");
  split_position(e, row_axes(e), false);
  for (Value v : e.layout.shared.ahead) {
    const Load& l = load_of(e, v);
    code.line("{}(z{} + {}, b{} + ({}));", copying(e), v, place_in_shared(e, "c"), l.buffer,
              index_text(e, l.at));
  }
  code.add("}");
  code.add("weft_copied();");
}

// ---- rows and strips in turn

void declare_ahead(Entry& e) {
  for (auto& [v, before] : e.layout.shared.values)
    e.code.line("{0}* const z{1} = ({0}*)(weft_shared + {2}) + threadIdx.x;", e.vector_type(e.dtype(v)), v,
                before);
}

void take_ahead(Entry& e) {
  if (e.layout.shared.ahead.empty()) return;
  e.code.add("weft_copied();");
  e.code.unrolled("u", e.own.unroll);
  for (Value v : e.layout.shared.ahead) e.code.line("k{0}[u] = z{0}[u * {1}];", v, e.own.threads);
  e.code.add("}");
}

void copy_next(Entry& e, const std::string& point, const std::string& step, const std::string& end) {
  if (e.layout.shared.ahead.empty()) return;
  Writer& code = e.code;
  code.add("{");
  code.line("I q = {};", point);
  split_position(e, outer_axes(e), false);
  code.unrolled("u", e.own.unroll);
  code.line("I q = {};", step);
  if (!e.layout.vectors.exact) code.line("q = weft_min(q, {} - 1);", end);
  split_position(e, row_axes(e), false);
  for (Value v : e.layout.shared.ahead) {
    const Load& l = load_of(e, v);
    code.line("{}(z{} + u * {}, b{} + ({}));", copying(e), v, e.own.threads, l.buffer, index_text(e, l.at));
  }
  code.add("}");
  code.add("}");
}

// ---- short rows

void bundle_rows(Entry& e) {
  Writer& code = e.code;
  const bool ahead = e.layout.rows()->is_ahead;
  if (!e.layout.facts.totals_across) {
    code.line("const I first = (I)blockIdx.x * {};", e.beside());
    declare_bundles(e);
  } else if (!ahead) {
    // Others may still read the rows before.
    code.add("__syncthreads();");
  }
  code.line("const I here = weft_min(n - first, {});", e.beside());
  if (!ahead) copy_bundle(e, "first", "here");
  if (std::ranges::none_of(e.layout.shared.rows, [](auto& rows) { return rows.is_read; })) return;
  code.add("weft_copied();");
  code.add("__syncthreads();");
}

void declare_bundles(Entry& e) {
  for (auto& rows : e.layout.shared.rows)
    e.code.line("{0}* const z{1} = ({0}*)(weft_shared + {2} * m);",
                e.dialect.element_type(e.program.buffers[rows.buffer].dtype), rows.buffer, rows.before);
}

void copy_bundle(Entry& e, const std::string& first, const std::string& here) {
  for (auto& rows : e.layout.shared.rows)
    if (rows.is_read)
      e.code.line("weft_copy_run<{1}, {2}, {3}>(z{0}, b{0} + {4} * m, {5});", rows.buffer, e.own.threads,
                  e.beside(), e.program.row_count(), first, here);
}

void copy_next_bundle(Entry& e) {
  e.code.line("if (first + {} < rows_end) {{", e.beside());
  e.code.add("__syncthreads();");
  e.code.line("const I next = first + {0}, here = weft_min(n - next, {0});", e.beside());
  copy_bundle(e, "next", "here");
  e.code.add("}");
}

void unbundle_rows(Entry& e) {
  bool any = false;
  for_each_stmt(e.program, [&](const Stmt& s) {
    auto* store = std::get_if<Store>(&s);
    if (!store || !is_bundled(e.program, e.layout, s)) return;
    if (!any) e.code.add("__syncthreads();");
    any = true;
    e.code.line("weft_put_run<{1}, {2}, {3}>(b{0} + first * m, z{0}, here);", store->buffer, e.own.threads,
                e.beside(), e.program.row_count());
  });
}

}  // namespace weft::emit
