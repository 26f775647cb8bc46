// Each statement of the body has its part of the first step, by its route; loads with guards follow, by their
// bits.
#include "compiler/emit/cuda/batch_loads.h"

#include <algorithm>

#include "compiler/emit/cuda/lay_out_memory.h"
#include "compiler/emit/cuda/plan_batch.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/statement.h"
#include "compiler/emit/cuda/totals.h"
#include "compiler/emit/cuda/values.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// ---- neighbours on the row

namespace {

std::vector<const Load*> run_loads(const Batch& b) {
  std::vector<const Load*> loads;
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (b.routes[k].path == Path::Run) loads.push_back(&std::get<Load>(b.sweep->body[k]));
  return loads;
}

std::string run_type(const Entry& e, const Batch& b, const Load& l) {
  return format("Vec<{}, {}>", e.dialect.element_type(e.dtype(l.out)), b.together);
}

}  // namespace

void declare_runs(Entry& e, const Batch& b) {
  for (auto* l : run_loads(b)) e.code.line("{} g{};", run_type(e, b, *l), l->out);
}

void load_runs(Entry& e, const Batch& b, const std::string& step) {
  const std::vector<const Load*> loads = run_loads(b);
  if (loads.empty()) return;
  e.code.add("{");
  e.code.line("I q = {};", step);
  split_position(e, row_axes(e), false);
  for (auto* l : loads)
    e.code.line("g{} = weft_get<{}>(b{} + ({}));", l->out, run_type(e, b, *l), l->buffer,
                index_text(e, l->at));
  e.code.add("}");
}

// ---- flattened rows

namespace {

// The first element's row, and how many elements behind it the next one begins.
void find_rows(Entry& e, const Batch& b) {
  for (size_t k = 0; k < b.flat_rows.size(); ++k) {
    const FlatRows& rows = b.flat_rows[k];
    const std::string length = length_of(rows), row = format("row{}[u]", k);
    e.code.line("{} = {};", row, e.scope.axis[e.lane()]);
    e.code.line("left{}[u] = {} - {};", k, length,
                rows.is_short ? format("weft_split({}, {})", row, length)
                              : e.arguments.split(row, length, rows.length.value));
  }
}

// All rows of the array that the vector may have elements of.
void load_of_rows(Entry& e, const Batch& b, const Load& l) {
  const Value row = l.at.values[0].value;
  const int number = b.row_of.at(row);
  const FlatRows& rows = b.flat_rows[static_cast<size_t>(number)];
  e.scope.home[row] = format("weft_min(row{}[u] + j, {})", number, last_flat_row(e, rows));
  e.code.unrolled("j", rows.touched);
  e.code.line("m{}[u][j] = weft_unpack_{}(b{}[{}]);", l.out, suffix(e.dtype(l.out)), l.buffer,
              index_text(e, l.at));
  e.code.add("}");
  e.scope.home.erase(row);
}

}  // namespace

// ---- arrays

void batch_arrays(Entry& e, const Batch& b) {
  Writer& code = e.code;
  for (Value v : b.late) code.line("{} h{}[{}];", e.value_type(v), v, b.unroll);
  for (size_t k = 0; k < b.flat_rows.size(); ++k) code.line("I row{0}[{1}], left{0}[{1}];", k, b.unroll);
  for (size_t k = 0; k < b.routes.size(); ++k) {
    const Path path = b.routes[k].path;
    if (auto* l = std::get_if<Load>(&b.sweep->body[k]); l && path == Path::Rows) {
      const int rows = b.row_of.at(l->at.values[0].value);
      // ptxas takes more instructions to choose one of two predicates than one of two words.
      const std::string type = e.dtype(l->out) == DType::Bool ? "int" : e.value_type(l->out);
      code.line("{} m{}[{}][{}];", type, l->out, b.unroll, b.flat_rows[static_cast<size_t>(rows)].touched);
    } else if (l) {
      if ((path == Path::Vector || path == Path::Staged) && !is_kept_as_loaded(e, *l, path))
        code.line("{} m{}[{}];", loaded_type(e, b, *l), l->out, b.unroll);
    } else if (auto* s = std::get_if<Store>(&b.sweep->body[k]); s && path == Path::Vector) {
      code.line("{} w{}[{}];", e.vector_type(e.program.buffers[s->buffer].dtype), k, b.unroll);
    }
  }
  for (size_t k = 0; k < b.blocks.size(); ++k)
    code.line("{} c{}[{}];", e.vector_type(e.program.buffers[b.blocks[k].load->buffer].dtype), k,
              b.unroll + b.blocks[k].span);
}

// ---- loads

std::string block_load(const Entry& e, const Block& block) {
  return format("weft_get<{}>(b{} + ({}))", e.vector_type(e.program.buffers[block.load->buffer].dtype),
                block.load->buffer, index_text(e, block.load->at, block.shift));
}

namespace {

int64_t number_of(const Batch& b, const std::vector<Value>& guards) {
  return std::distance(b.guard_sets.begin(), b.guard_sets.find(guards));
}

// For each set of guards of vector loads, which elements of the vector pass.
void guard_bits(Entry& e, const Batch& b, const Place& place) {
  if (b.guard_sets.empty()) return;
  Writer& code = e.code;
  int number = 0;
  std::set<Value> slice;
  for (auto& guards : b.guard_sets) {
    slice_of(e.layout, *b.sweep, guards, slice);
    code.line("unsigned int g{} = 0;", number++);
  }
  code.unrolled("e", b.lanes);
  {
    const Changed<bool> at_element(e.scope.at_element, true);
    lane_position(e, false);
    const Changed<std::string> position(e.scope.axis[e.lane()], "y");
    for (auto& s : b.sweep->body)
      if (Value v = defines(s); v >= 0 && slice.contains(v)) write_statement(e, s, place);
    number = 0;
    for (auto& guards : b.guard_sets)
      code.line("g{} |= (unsigned int)({}) << e;", number++, guards_text(e, guards));
  }
  code.add("}");
}

void vector_load(Entry& e, const Batch& b, const Load& l) {
  const char* get = !read_once(e.program, l.buffer) ? "weft_get"
                    : e.layout.loads_stay           ? "weft_get_to_stay"
                    : e.layout.streaming            ? "weft_get_once"
                                                    : "weft_get";
  const bool is_kept = e.layout.facts.crossing.contains(l.out);
  e.code.line("{}{}{}[u] = {}<{}>(b{} + ({}));",
              l.guards.empty() ? "" : format("if (g{}) ", number_of(b, l.guards)), is_kept ? "k" : "m", l.out,
              get, loaded_type(e, b, l), l.buffer, index_text(e, l.at));
}

// The elements of a vector that is not aligned.
void staged_load(Entry& e, const Load& l, const Stmt& stmt) {
  Writer& code = e.code;
  const int lanes = e.own.lanes;
  const bool once = read_once(e.program, l.buffer) && lanes == 1 && !is_complex(e.dtype(l.out)) &&
                    !is_bundled(e.program, e.layout, stmt);
  auto write = [&](const char* element) {
    std::string from = place_of(e, stmt, l.buffer);
    if (once && e.layout.loads_stay)
      from = format("weft_get_to_stay<{}>(&{})", e.dialect.element_type(e.program.buffers[l.buffer].dtype),
                    from);
    else if (once && e.layout.streaming)
      from = format("__ldcs(&{})", from);
    code.line("m{}[u].e[{}] = {};", l.out, element, from);
  };
  if (lanes == 1) return write("0");
  code.unrolled("e", lanes);
  lane_position(e, false);
  {
    const Changed<std::string> position(e.scope.axis[e.lane()], "y");
    write("e");
  }
  code.add("}");
}

// One statement's part of the step.
void load_statement(Entry& e, const Batch& b, size_t k, const Place& place) {
  const Stmt& stmt = b.sweep->body[k];
  const Path path = b.routes[k].path;
  const Value v = defines(stmt);
  if (path == Path::Same)
    write_statement(e, stmt, place);
  else if (path == Path::Run)
    e.code.line("const {} v{} = weft_unpack_{}(g{}.e[u]);", e.value_type(v), v, suffix(e.dtype(v)), v);
  if (path == Path::Same || path == Path::Run) {
    if (b.late.contains(v)) e.code.line("h{0}[u] = v{0};", v);
    return;
  }
  auto* l = std::get_if<Load>(&stmt);
  if (!l || e.layout.shared.ahead.contains(l->out)) return;
  if (path == Path::Vector && l->guards.empty())
    vector_load(e, b, *l);
  else if (path == Path::Rows)
    load_of_rows(e, b, *l);
  else if (path == Path::Staged)
    staged_load(e, *l, stmt);
}

}  // namespace

void batch_loads(Entry& e, const Batch& b, bool has_inverses) {
  const Place place{.batch = &b, .has_inverses = has_inverses};
  auto& body = b.sweep->body;
  find_rows(e, b);
  for (size_t k = 0; k < body.size(); ++k) load_statement(e, b, k, place);
  guard_bits(e, b, place);
  for (size_t k = 0; k < body.size(); ++k)
    if (auto* l = std::get_if<Load>(&body[k]); l && b.routes[k].path == Path::Vector && !l->guards.empty())
      vector_load(e, b, *l);
  const bool is_stacked = std::holds_alternative<StackedShape>(e.layout.shape);
  for (size_t k = 0; k < b.blocks.size(); ++k) {
    const Block& block = b.blocks[k];
    if (is_stacked && block.guards.empty()) continue;
    const std::string when =
        block.guards.empty() ? "" : format("if (g{} & {:#x}u) ", number_of(b, block.guards), block.needed);
    e.code.line("{}c{}[u] = {};", when, k, block_load(e, block));
  }
}

}  // namespace weft::emit
