// One loop over vectors and elements, which statements that need all elements of the batch close and open
// again.
#include "compiler/emit/cuda/batch_elements.h"

#include <algorithm>

#include "compiler/emit/cuda/accumulators.h"
#include "compiler/emit/cuda/online_softmax.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/scan.h"
#include "compiler/emit/cuda/statement.h"
#include "compiler/emit/cuda/totals.h"
#include "compiler/emit/cuda/values.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// ---- stores of vectors

bool stores_vectors(const Batch& b) {
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (std::holds_alternative<Store>(b.sweep->body[k]) && b.routes[k].path == Path::Vector) return true;
  return false;
}

// Where all of a strip is in registers, each vector leaves them as soon as it is known.
bool stores_at_once(const Entry& e) {
  auto* columns = e.layout.columns();
  return columns && columns->strips_at_once > 0;
}

void store_vector(Entry& e, const Store& s, size_t number) {
  const VectorLayout& v = e.layout.vectors;
  const std::string at = format("b{} + ({})", s.buffer, index_text(e, s.at));
  auto last = [&] { return until_last(e, format("{} - {}", spell(e.extent(v.axis)), e.scope.axis[v.axis])); };
  if (v.shifted)
    e.code.line("weft_put_within({}, w{}[u], {}, {});", at, number, from_first(e, "-" + e.scope.axis[v.axis]),
                last());
  else if (v.ragged)
    e.code.line("weft_put_part({}, w{}[u], {});", at, number, last());
  else
    e.code.line("{}({}, w{}[u]);", e.layout.streaming ? "weft_put_once" : "weft_put", at, number);
}

// Those of vector u of the batch.
void store_vectors(Entry& e, const Batch& b) {
  const std::string when = both(e.layout.vectors.exact ? "" : "ok[u]", e.own.all_live ? "" : "live");
  if (!when.empty()) e.code.line("if ({}) {{", when);
  for (Value v : b.late) e.scope.home[v] = format("h{}[u]", v);
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (auto* s = std::get_if<Store>(&b.sweep->body[k]); s && b.routes[k].path == Path::Vector)
      store_vector(e, *s, k);
  for (Value v : b.late) e.scope.home.erase(v);
  if (!when.empty()) e.code.add("}");
}

// ---- the loop over elements

// What of the batch's statements asks whether an element is the row's own.
struct Asking {
  bool folds = false, stores = false, positions = false;
  bool once = false;  // what is folded twice changes the total
};

Asking asking_of(const Entry& e, const Batch& b) {
  Asking asks;
  for (size_t k = 0; k < b.routes.size(); ++k) {
    if (b.packed[k]) continue;
    const Stmt& s = b.sweep->body[k];
    const bool alone = b.routes[k].path == Path::Element, scans = std::holds_alternative<Scan>(s);
    auto* fold = std::get_if<Fold>(&s);
    const Accumulator* acc = fold ? &e.program.accumulators[fold->accumulator] : nullptr;
    const bool across = acc && acc->is_over_points();
    asks.folds |= scans || (acc && !across);
    // The largest of values stays what it is when the last of them is taken again.
    asks.once |= scans || (acc && !across && adds_up(*acc));
    const auto* let = std::get_if<Let>(&s);
    asks.stores |= across || (alone && std::holds_alternative<Store>(s)) || (let && !let->series.empty());
    asks.positions |= alone && index_of(s);
  }
  return asks;
}

// The loops over the vectors and the elements of a batch, which statements that need all elements interrupt.
class ElementLoop {
 public:
  ElementLoop(Entry& e, const Batch& b, bool is_inside) : e_(e), b_(b), asks_(asking_of(e, b)) {
    place_.batch = &b;
    place_.has_inverses = true;
    place_.is_inside = is_inside;
  }
  void open();
  void close();
  const Place& place() const { return place_; }

 private:
  std::string is_of_row() const;

  Entry& e_;
  const Batch& b_;
  Asking asks_;
  Place place_;
  std::string base_;  // the vector's position on the lane axis
  bool asks_of_vector_ = false;
};

// What holds where the element is the row's own; empty where all are.
std::string ElementLoop::is_of_row() const {
  const VectorLayout& v = e_.layout.vectors;
  if (!v.ragged || place_.is_inside) return "";
  if (!asks_of_vector_) {
    const char* type = e_.layout.facts.wide ? "unsigned long long" : "unsigned int";
    return format("({0})({1} + e) < ({0}){2}", type, base_, spell(e_.extent(v.axis)));
  }
  if (v.shifted) return format("u < {} ? u > 0 || {} + e >= 0 : e < left", v.sure, base_);
  return v.sure > 0 ? format("u < {} || e < left", v.sure) : "e < left";
}

void ElementLoop::open() {
  const VectorLayout& v = e_.layout.vectors;
  Writer& code = e_.code;
  code.unrolled("u", b_.unroll);
  if (v.skips_last) code.line("if (u < {} || ok[u]) {{", v.sure);
  for (Value folded : b_.folded) code.line("{} y{}[{}];", e_.value_type(folded), folded, b_.lanes);
  base_ = v.axis < 0 ? "" : e_.scope.axis[v.axis];
  // Of the vector, so that an element's number alone tells whether the row has it.
  asks_of_vector_ = v.ragged && !place_.is_inside && (!v.shifted || v.sure > 0);
  if (asks_of_vector_) code.line("const I left = {} - {};", spell(e_.extent(v.axis)), base_);
  if (b_.lanes > 1)
    code.unrolled("e", b_.lanes);
  else
    code.add("const int e = 0;");
  e_.scope.at_element = true;
  const std::string of_row = is_of_row(), ok = v.exact || place_.is_inside || v.skips_last ? "" : "ok[u]",
                    in_fold = both(asks_.once ? ok : "", e_.layout.columns() ? "" : of_row),
                    in_store = both(both(ok, e_.own.all_live ? "" : "live"), of_row);
  place_.of_row = of_row;
  place_.fold_if = in_fold.empty() ? "" : "if (in_fold) ";
  place_.store_if = in_store.empty() ? "" : "if (in_store) ";
  if (asks_.folds && !in_fold.empty()) code.line("const bool in_fold = {};", in_fold);
  if (asks_.stores && !in_store.empty()) code.line("const bool in_store = {};", in_store);
  if (asks_.positions) lane_position(e_, place_.is_inside);
  if (b_.lanes > 1) e_.scope.axis[v.axis] = "y";
  for (Value late : b_.late) e_.scope.home[late] = format("h{}[u]", late);
}

void ElementLoop::close() {
  const VectorLayout& v = e_.layout.vectors;
  for (Value late : b_.late) e_.scope.home.erase(late);
  if (v.axis >= 0) e_.scope.axis[v.axis] = base_;
  e_.scope.at_element = false;
  if (b_.lanes > 1) e_.code.add("}");
  if (v.skips_last) e_.code.add("}");
  if (stores_at_once(e_) && stores_vectors(b_)) store_vectors(e_, b_);
  e_.code.add("}");
}

// ---- elements

// What was loaded for the element's row, where a vector may have elements of several.
std::string of_rows(const Batch& b, const Load& l) {
  const int number = b.row_of.at(l.at.values[0].value);
  const FlatRows& rows = b.flat_rows[static_cast<size_t>(number)];
  const std::string within = within_row(rows), next = format("{0} > 0 && {0} >= left{1}[u]", within, number);
  if (!rows.is_short) return format("{0} ? m{1}[u][1] : m{1}[u][0]", next, l.out);
  // Which two rows it may be is known of each element, and that the second is no further than the last.
  const std::string first = format("e / {}", rows.length.value);
  return format("{0} ? m{1}[u][{2} < {3} ? {2} + 1 : {3}] : m{1}[u][{2}]", next, l.out, first,
                rows.touched - 1);
}

std::string block_text(int block, int64_t row) {
  return row == 0 ? format("c{}[u]", block) : format("c{}[u + {}]", block, row);
}

// The element of what the first step loaded.
std::string staged_element(const Entry& e, const Batch& b, const Load& l, const Route& r) {
  const DType t = e.dtype(l.out);
  auto unpacked = [&](const std::string& raw) { return format("weft_unpack_{}({})", suffix(t), raw); };
  if (r.path == Path::Rows) return of_rows(b, l);
  if (r.path == Path::Cover && r.phase == 0) return element_of(e, t, block_text(r.first, r.first_row), "e");
  if (r.path == Path::Cover)
    return unpacked(format("weft_pick({}, {}, e + {})", block_text(r.first, r.first_row),
                           block_text(r.second, r.second_row), r.phase));
  if (r.path == Path::Tile)
    return unpacked(format("tile{}[ty + u * {}][tx + e]", l.out,
                           e.own.threads * b.lanes / std::get<TransposedShape>(e.layout.shape).side));
  return element_of(e, t, format("{}{}[u]", is_kept_as_loaded(e, l, r.path) ? "k" : "m", l.out), "e");
}

// Whether the first step has the load's vector.
bool is_staged(const Batch& b, size_t k) {
  const Path path = b.routes[k].path;
  return std::holds_alternative<Load>(b.sweep->body[k]) && path != Path::Element && path != Path::Same;
}

// A statement that needs all elements: those before it, then the threads of the row, or the thread's own
// state, then those after it.
void write_barrier(Entry& e, const Batch& b, const Stmt& s, ElementLoop& loop) {
  auto* scan = std::get_if<Scan>(&s);
  auto* let = std::get_if<Let>(&s);
  if (scan) scan_row(e, *scan, loop.place());
  for (Value before : b.across) e.scope.home.erase(before);
  loop.close();
  if (let)
    e.code.line("weft_{}_all(y{}, y{});", name(let->op), let->out, fmt::join(let->args, ", y"));
  else if (scan)
    join_scan(e, *scan);
  else
    rescale(e, std::get<Largest>(s), static_cast<size_t>(b.number));
  loop.open();
  for (Value before : b.across) e.scope.home[before] = format("y{}[u][e]", before);
  if (scan) finish_scan(e, *scan);
}

void element_statement(Entry& e, const Batch& b, size_t k, ElementLoop& loop) {
  const Stmt& s = b.sweep->body[k];
  const Route& r = b.routes[k];
  const Value v = defines(s);
  const bool is_kept = v >= 0 && e.layout.facts.crossing.contains(v);
  if (is_staged(b, k)) {
    auto& l = std::get<Load>(s);
    e.code.line("const {} v{} = {};", e.value_type(v), v, staged_element(e, b, l, r));
    if (is_kept && !is_kept_as_loaded(e, l, r.path))
      set_element(e, e.dtype(v), format("k{}[u]", v), name_of(e, v));
  } else if (auto* store = std::get_if<Store>(&s); store && r.path == Path::Vector) {
    set_element(e, e.program.buffers[store->buffer].dtype, format("w{}[u]", k), name_of(e, store->value));
  } else if (b.needs_all[k]) {
    write_barrier(e, b, s, loop);
    if (std::holds_alternative<Let>(s)) return;
  } else if (r.path != Path::Same) {
    write_statement(e, s, loop.place());
  }
  if (b.across.contains(v)) e.code.line("y{0}[u][e] = v{0};", v);
  if (b.folded.contains(v)) e.code.line("y{0}[e] = v{0};", v);
  if (is_kept && !is_staged(b, k)) set_element(e, e.dtype(v), format("k{}[u]", v), name_of(e, v));
}

// What waits for the results of a vector's other statements.
void last_statements(Entry& e, const Batch& b, const Place& place) {
  e.code.add("}");
  e.code.unrolled("e", b.lanes);
  for (Value v : b.folded) e.scope.home[v] = format("y{}[e]", v);
  for (size_t k = 0; k < b.last.size(); ++k)
    if (b.last[k]) write_statement(e, b.sweep->body[k], place);
  for (Value v : b.folded) e.scope.home.erase(v);
}

}  // namespace

void batch_elements(Entry& e, const Batch& b, bool is_inside) {
  if (std::ranges::count(b.packed, false) == 0) return;
  for (Value v : b.across) e.code.line("{} y{}[{}][{}];", e.value_type(v), v, b.unroll, b.lanes);
  ElementLoop loop(e, b, is_inside);
  loop.open();
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (b.routes[k].path != Path::Run && !b.packed[k] && (b.last.empty() || !b.last[k]))
      element_statement(e, b, k, loop);
  for (Value v : b.across) e.scope.home.erase(v);
  if (!b.last.empty()) last_statements(e, b, loop.place());
  loop.close();
}

void batch_stores(Entry& e, const Batch& b) {
  if (stores_at_once(e) || !stores_vectors(b)) return;
  e.code.unrolled("u", b.unroll);
  store_vectors(e, b);
  e.code.add("}");
}

}  // namespace weft::emit
