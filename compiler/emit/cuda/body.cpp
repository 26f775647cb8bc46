#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// The parts of a batch: arrays, loads, elements, stores.

// Vectors of neighbours on the row, of which each batch takes one whole.
std::vector<const Load*> CudaEmitter::run_loads(const Batch& b) const {
  std::vector<const Load*> loads;
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (b.routes[k].path == Path::Run) loads.push_back(&std::get<Load>(b.sweep->body[k]));
  return loads;
}

std::string CudaEmitter::run_type(const Load& l) const {
  return format("Vec<{}, {}>", dialect_.element_type(p_.values[l.out].dtype), s_.together);
}

// The first element's row, and how many elements behind it the next one begins.
void CudaEmitter::flat_rows(const Batch& b) {
  for (size_t k = 0; k < b.flat_rows.size(); ++k) {
    const FlatRows& rows = b.flat_rows[k];
    const std::string length = length_of(rows);
    code_.line("row{}[u] = {};", k, axis_[lane_]);
    const std::string row = format("row{}[u]", k);
    code_.line(
        "left{}[u] = {} - {};", k, length,
        rows.is_short ? format("weft_split({}, {})", row, length) : split(row, length, rows.length.value));
  }
}

// All rows of the array that the vector may have elements of.
void CudaEmitter::load_of_rows(const Batch& b, const Load& l) {
  const Value row = l.at.values[0].value;
  const int number = b.row_of.at(row);
  const FlatRows& rows = b.flat_rows[static_cast<size_t>(number)];
  home_[row] = format("weft_min(row{}[u] + j, {})", number, last_flat_row(rows));
  code_.unrolled("j", rows.touched);
  code_.line("m{}[u][j] = weft_unpack_{}(b{}[{}]);", l.out, suffix(p_.values[l.out].dtype), l.buffer,
             index_text(l.at));
  code_.add("}");
  home_.erase(row);
}

// What was loaded for the element's row.
std::string CudaEmitter::of_rows(const Batch& b, const Load& l) const {
  const int number = b.row_of.at(l.at.values[0].value);
  const FlatRows& rows = b.flat_rows[static_cast<size_t>(number)];
  const std::string within = within_row(rows), next = format("{0} > 0 && {0} >= left{1}[u]", within, number);
  if (!rows.is_short) return format("{0} ? m{1}[u][1] : m{1}[u][0]", next, l.out);
  // Which two rows it may be is known of each element, and that the second is no further than the last.
  const std::string first = format("e / {}", rows.length.value);
  return format("{0} ? m{1}[u][{2} < {3} ? {2} + 1 : {3}] : m{1}[u][{2}]", next, l.out, first,
                rows.touched - 1);
}

void CudaEmitter::declare_runs(const Batch& b) {
  for (auto* l : run_loads(b)) code_.line("{} g{};", run_type(*l), l->out);
}

// Those of the batch that begins at `step`.
void CudaEmitter::load_runs(const Batch& b, const std::string& step) {
  const std::vector<const Load*> loads = run_loads(b);
  if (loads.empty()) return;
  code_.add("{");
  code_.line("I q = {};", step);
  split_position(order_of(false), false);
  for (auto* l : loads)
    code_.line("g{} = weft_get<{}>(b{} + ({}));", l->out, run_type(*l), l->buffer, index_text(l->at));
  code_.add("}");
}

void CudaEmitter::batch_arrays(const Batch& b) {
  for (Value v : b.late) code_.line("{} h{}[{}];", value_type(v), v, s_.unroll);
  for (size_t k = 0; k < b.flat_rows.size(); ++k) code_.line("I row{0}[{1}], left{0}[{1}];", k, s_.unroll);
  for (size_t k = 0; k < b.routes.size(); ++k) {
    Path path = b.routes[k].path;
    if (auto* l = std::get_if<Load>(&b.sweep->body[k]); l && path == Path::Rows) {
      const int rows = b.row_of.at(l->at.values[0].value);
      // ptxas takes more instructions to choose one of two predicates than one of two words.
      const std::string type = p_.values[l->out].dtype == DType::Bool ? "int" : value_type(l->out);
      code_.line("{} m{}[{}][{}];", type, l->out, s_.unroll, b.flat_rows[static_cast<size_t>(rows)].touched);
    } else if (l) {
      if ((path == Path::Vector || path == Path::Staged) && !in_place(*l, path))
        code_.line("{} m{}[{}];", loaded_type(b, *l), l->out, s_.unroll);
    } else if (auto* s = std::get_if<Store>(&b.sweep->body[k]); s && path == Path::Vector) {
      code_.line("{} w{}[{}];", vector_type(p_.buffers[s->buffer].dtype), k, s_.unroll);
    }
  }
  for (size_t k = 0; k < b.blocks.size(); ++k)
    code_.line("{} c{}[{}];", vector_type(p_.buffers[b.blocks[k].load->buffer].dtype), k,
               s_.unroll + b.blocks[k].span);
}

// For each set of guards of vector loads, which elements of the vector pass.
void CudaEmitter::guard_bits(const Batch& b) {
  if (b.guard_sets.empty()) return;
  int number = 0;
  std::set<Value> slice;
  for (auto& guards : b.guard_sets) {
    slice_of(*b.sweep, guards, slice);
    code_.line("unsigned int g{} = 0;", number++);
  }
  code_.unrolled("e", s_.lanes);
  at_element_ = true;
  batch_ = &b;
  std::string base = axis_[lane_];
  lane_position();
  axis_[lane_] = "y";
  for (auto& s : b.sweep->body)
    if (Value v = defines(s); v >= 0 && slice.contains(v)) statement(s);
  number = 0;
  for (auto& guards : b.guard_sets)
    code_.line("g{} |= (unsigned int)({}) << e;", number++, guards_text(guards));
  axis_[lane_] = base;
  at_element_ = false;
  batch_ = nullptr;
  code_.add("}");
}

void CudaEmitter::batch_loads(const Batch& b) {
  auto number_of = [&](const std::vector<Value>& guards) {
    return std::distance(b.guard_sets.begin(), b.guard_sets.find(guards));
  };
  flat_rows(b);
  auto& body = b.sweep->body;
  auto vector_load = [&](const Load& l) {
    const char* get = !read_once(p_, l.buffer) ? "weft_get"
                      : s_.loads_stay          ? "weft_get_to_stay"
                      : s_.streaming           ? "weft_get_once"
                                               : "weft_get";
    std::string to = format("{}{}[u]", kept(l.out) ? "k" : "m", l.out);
    std::string from = format("{}<{}>(b{} + ({}))", get, loaded_type(b, l), l.buffer, index_text(l.at));
    if (l.guards.empty())
      code_.line("{} = {};", to, from);
    else
      code_.line("if (g{}) {} = {};", number_of(l.guards), to, from);
  };
  for (size_t k = 0; k < body.size(); ++k) {
    Path path = b.routes[k].path;
    if (path == Path::Same) {
      statement(body[k]);
      if (Value v = defines(body[k]); b.late.contains(v)) code_.line("h{0}[u] = v{0};", v);
    } else if (path == Path::Run) {
      Value v = defines(body[k]);
      code_.line("const {} v{} = weft_unpack_{}(g{}.e[u]);", value_type(v), v, suffix(p_.values[v].dtype), v);
      if (b.late.contains(v)) code_.line("h{0}[u] = v{0};", v);
    } else if (auto* l = std::get_if<Load>(&body[k]); l && ahead_.contains(l->out)) {
      continue;
    } else if (l && path == Path::Vector && l->guards.empty()) {
      vector_load(*l);
    } else if (l && path == Path::Rows) {
      load_of_rows(b, *l);
    } else if (l && path == Path::Staged) {
      std::string base = lane_ < 0 ? "" : axis_[lane_];
      if (s_.lanes > 1) {
        code_.unrolled("e", s_.lanes);
        lane_position();
        axis_[lane_] = "y";
      }
      const bool once =
          read_once(p_, l->buffer) && s_.lanes == 1 && !is_complex(p_.values[l->out].dtype) && !bundled(*l);
      std::string from = place_of(*l, l->buffer);
      if (once && s_.loads_stay)
        from = format("weft_get_to_stay<{}>(&{})", dialect_.element_type(p_.buffers[l->buffer].dtype), from);
      else if (once && s_.streaming)
        from = format("__ldcs(&{})", from);
      code_.line("m{}[u].e[{}] = {};", l->out, s_.lanes > 1 ? "e" : "0", from);
      if (s_.lanes > 1) {
        axis_[lane_] = base;
        code_.add("}");
      }
    }
  }
  guard_bits(b);
  for (size_t k = 0; k < body.size(); ++k)
    if (auto* l = std::get_if<Load>(&body[k]); l && b.routes[k].path == Path::Vector && !l->guards.empty())
      vector_load(*l);
  for (size_t k = 0; k < b.blocks.size(); ++k) {
    const Block& block = b.blocks[k];
    if (down_ >= 0 && block.guards.empty()) continue;
    std::string when =
        block.guards.empty() ? "" : format("if (g{} & {:#x}u) ", number_of(block.guards), block.needed);
    code_.line("{}c{}[u] = weft_get<{}>(b{} + ({}));", when, k,
               vector_type(p_.buffers[block.load->buffer].dtype), block.load->buffer,
               index_text(block.load->at, block.shift));
  }
}

void CudaEmitter::open_elements(const Batch& b) {
  code_.unrolled("u", s_.unroll);
  if (skips_last_) code_.line("if (u < {} || ok[u]) {{", sure_);
  for (Value v : b.folded) code_.line("{} y{}[{}];", value_type(v), v, s_.lanes);
  // Of the vector, so that an element's number alone tells whether the row has it.
  const bool asks = ragged_ && !inside_ && (!s_.shifted || sure_ > 0);
  if (asks) code_.line("const I left = {} - {};", spell(extent(lane_)), axis_[lane_]);
  if (s_.lanes > 1)
    code_.unrolled("e", s_.lanes);
  else
    code_.add("const int e = 0;");
  at_element_ = true;
  batch_ = &b;
  element_base_ = lane_ < 0 ? "" : axis_[lane_];
  const char* type = wide_ ? "unsigned long long" : "unsigned int";
  std::string full;
  if (asks)
    full = s_.shifted  ? format("u < {} ? u > 0 || {} + e >= 0 : e < left", sure_, element_base_)
           : sure_ > 0 ? format("u < {} || e < left", sure_)
                       : "e < left";
  else if (ragged_ && !inside_)
    full = format("({0})({1} + e) < ({0}){2}", type, element_base_, spell(extent(lane_)));
  bool folds = false, stores = false, positions = false, once = false;
  for (size_t k = 0; k < b.routes.size(); ++k) {
    if (b.by_words[k]) continue;
    const Stmt& s = b.sweep->body[k];
    const bool alone = b.routes[k].path == Path::Element;
    auto* fold = std::get_if<Fold>(&s);
    const bool across = fold && p_.accumulators[fold->accumulator].is_over_points();
    folds |= (fold && !across) || std::holds_alternative<Scan>(s);
    once |=
        std::holds_alternative<Scan>(s) || (fold && !across && adds_up(p_.accumulators[fold->accumulator]));
    stores |= across || (alone && std::holds_alternative<Store>(s));
    positions |= alone && index_of(s);
  }
  // The largest of values stays what it is when the last of them is taken again.
  const std::string ok = exact_ || inside_ || skips_last_ ? "" : "ok[u]",
                    in_fold = both(once ? ok : "", columns_ ? "" : full),
                    in_store = both(both(ok, all_live_ ? "" : "live"), full);
  every_fold_ = in_fold.empty();
  every_store_ = in_store.empty();
  if (folds && !every_fold_) code_.line("const bool in_fold = {};", in_fold);
  if (stores && !every_store_) code_.line("const bool in_store = {};", in_store);
  if (positions) lane_position();
  if (s_.lanes > 1) axis_[lane_] = "y";
  for (Value v : b.late) home_[v] = format("h{}[u]", v);
}

void CudaEmitter::close_elements(const Batch& b) {
  for (Value v : b.late) home_.erase(v);
  if (lane_ >= 0) axis_[lane_] = element_base_;
  at_element_ = every_fold_ = every_store_ = false;
  batch_ = nullptr;
  element_base_.clear();
  if (s_.lanes > 1) code_.add("}");
  if (skips_last_) code_.add("}");
  // Where all of a row is in registers, each vector leaves them as soon as it is known.
  if (s_.strips_at_once > 0 && stores_vectors(b)) store_vectors(b);
  code_.add("}");
}

void CudaEmitter::batch_elements(const Batch& b) {
  if (std::ranges::count(b.by_words, false) == 0) return;
  const std::set<Value> across = across_meetings(b);
  for (Value v : across) code_.line("{} y{}[{}][{}];", value_type(v), v, s_.unroll, s_.lanes);
  open_elements(b);
  auto& body = b.sweep->body;
  for (size_t k = 0; k < body.size(); ++k) {
    const Route& r = b.routes[k];
    const Stmt& s = body[k];
    Value v = defines(s);
    if (r.path == Path::Run || b.by_words[k]) continue;
    if (!b.last.empty() && b.last[k]) continue;
    bool staged = false;
    if (auto* l = std::get_if<Load>(&s); l && r.path != Path::Element && r.path != Path::Same) {
      staged = true;
      const DType t = p_.values[v].dtype;
      auto unpacked = [&](const std::string& raw) { return format("weft_unpack_{}({})", suffix(t), raw); };
      std::string value;
      if (r.path == Path::Rows)
        value = of_rows(b, *l);
      else if (r.path == Path::Cover)
        value = r.phase == 0
                    ? element_of(t, covering(b, r.first, *l, 0), "e")
                    : unpacked(format("weft_pick({}, {}, e + {})", covering(b, r.first, *l, -r.phase),
                                      covering(b, r.second, *l, s_.lanes - r.phase), r.phase));
      else if (r.path == Path::Tile)
        value = unpacked(format("tile{}[ty + u * {}][tx + e]", l->out, s_.threads * s_.lanes / s_.tile));
      else
        value = element_of(t, format("{}{}[u]", in_place(*l, r.path) ? "k" : "m", v), "e");
      code_.line("const {} v{} = {};", value_type(v), v, value);
      if (kept(v) && !in_place(*l, r.path)) set_element(t, format("k{}[u]", v), name_of(v));
    } else if (auto* st = std::get_if<Store>(&s); st && r.path == Path::Vector) {
      set_element(p_.buffers[st->buffer].dtype, format("w{}[u]", k), name_of(st->value));
    } else if (meets(b, s)) {
      // All elements meet here: those before the statement, then the threads of the row, or the thread's own
      // state, then those after it.
      auto* scan = std::get_if<Scan>(&s);
      auto* all = std::get_if<Let>(&s);
      if (scan) scan_row(*scan);
      for (Value before : across)
        if (home_.contains(before)) home_.erase(before);
      close_elements(b);
      if (all)
        code_.line("weft_{}_all(y{}, y{});", name(all->op), v, fmt::join(all->args, ", y"));
      else
        scan ? join_scan(*scan) : rescale(std::get<Largest>(s), static_cast<size_t>(b.number));
      open_elements(b);
      for (Value before : across) home_[before] = format("y{}[u][e]", before);
      if (all) continue;
      if (scan) finish_scan(*scan);
    } else if (r.path != Path::Same) {
      statement(s);
    }
    if (across.contains(v)) code_.line("y{0}[u][e] = v{0};", v);
    if (b.folded.contains(v)) code_.line("y{0}[e] = v{0};", v);
    if (v >= 0 && kept(v) && !staged) set_element(p_.values[v].dtype, format("k{}[u]", v), name_of(v));
  }
  for (Value v : across) home_.erase(v);
  if (!b.last.empty()) {
    code_.add("}");
    code_.unrolled("e", s_.lanes);
    for (Value v : b.folded) home_[v] = format("y{}[e]", v);
    for (size_t k = 0; k < body.size(); ++k)
      if (b.last[k]) statement(body[k]);
    for (Value v : b.folded) home_.erase(v);
  }
  close_elements(b);
}

void CudaEmitter::batch_stores(const Batch& b) {
  if (s_.strips_at_once > 0 || !stores_vectors(b)) return;
  code_.unrolled("u", s_.unroll);
  store_vectors(b);
  code_.add("}");
}

bool CudaEmitter::stores_vectors(const Batch& b) const {
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (std::holds_alternative<Store>(b.sweep->body[k]) && b.routes[k].path == Path::Vector) return true;
  return false;
}

// Those of vector u of the batch.
void CudaEmitter::store_vectors(const Batch& b) {
  const std::string when = both(exact_ ? "" : "ok[u]", all_live_ ? "" : "live");
  if (!when.empty()) code_.line("if ({}) {{", when);
  for (Value v : b.late) home_[v] = format("h{}[u]", v);
  auto& body = b.sweep->body;
  for (size_t k = 0; k < body.size(); ++k) {
    auto* s = std::get_if<Store>(&body[k]);
    if (!s || b.routes[k].path != Path::Vector) continue;
    std::string at = format("b{} + ({})", s->buffer, index_text(s->at));
    const char* put = s_.streaming ? "weft_put_once" : "weft_put";
    if (s_.shifted)
      code_.line("weft_put_within({}, w{}[u], {}, {});", at, k, from_first("-" + axis_[lane_]),
                 until_last(format("{} - {}", spell(extent(lane_)), axis_[lane_])));
    else if (ragged_)
      code_.line("weft_put_part({}, w{}[u], {});", at, k,
                 until_last(format("{} - {}", spell(extent(lane_)), axis_[lane_])));
    else
      code_.line("{}({}, w{}[u]);", put, at, k);
  }
  for (Value v : b.late) home_.erase(v);
  if (!when.empty()) code_.add("}");
}

}  // namespace weft::emit
