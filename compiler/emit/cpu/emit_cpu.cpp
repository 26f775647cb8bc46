#include "compiler/emit/cpu/emit_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/emit/cpu/cpu_emitter.h"
#include "compiler/emit/cpu/span.h"
#include "compiler/emit/prelude/prelude.h"
#include "compiler/program/cpu_walk.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// Helpers of index arithmetic.
constexpr const char* kSupport = R"(
struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
)";

// One declaration a line.
std::string declarations(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == ' ' && out.ends_with('\n')) continue;
    out += c;
    if (c == ';' || c == '{') out += '\n';
  }
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

// `to` does not hold `from`.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

bool is_fold(const Stmt& s) { return std::holds_alternative<Fold>(s) || std::holds_alternative<Scan>(s); }

DType array_dtype(DType dtype) { return is_half(dtype) ? DType::F32 : dtype; }

}  // namespace

CpuEmitter::CpuEmitter(const RowProgram& p, const CpuSchedule& s)
    : p_(p),
      s_(s),
      x_(s.lane_axis),
      columns_(s.order == Order::Columns),
      scans_(p.scans()),
      goes_across_(p.reduces_points()) {
  if (p.section_axes > 0 && (s.order != Order::Rows || s.split > 1 || x_ < outer_rank() + p.section_axes))
    throw InternalError("emit cpu: rows of sections are whole, and walked along each section");
  if (goes_across_ && (s.order != Order::Rows || s.split > 1))
    throw InternalError("emit cpu: totals across rows take whole rows, walked along the row");
  if (s.masked && ((!columns_ && s.split > 1) || s.streaming || s.tile_axis >= 0))
    throw InternalError("emit cpu: masks are for whole rows, without streaming stores and tiles");
}

Emitted CpuEmitter::run() {
  find_varying();
  find_arrays();
  find_transposed();
  find_windows();
  place_partials();
  if (goes_across_) place_across();
  std::string main = entry();
  std::string finish = s_.split > 1 ? finish_entry() : goes_across_ ? across_entry() : "";
  std::string text = functions_ + main + finish;
  replace_all(text, kArguments, unpack_arguments());
  std::string support =
      kSupport + declarations(s_.masked ? tests_rows_ ? kCpuBoundsText : "" : kCpuWalkText) + text;
  text = prelude_for(PreludeTarget::Cpu, s_.lanes, support) + support;
  Emitted out;
  out.source.hash = hash_text(text);
  out.source.name = "weft_" + to_string(out.source.hash).substr(0, 16);
  replace_all(text, "WEFT_NAME", out.source.name);
  out.source.text = std::move(text);
  out.params = p_.params;
  out.params.insert(out.params.end(), extra_.begin(), extra_.end());
  out.launch.tasks = tasks_;
  out.launch.finish_tasks = finish_tasks_;
  out.launch.scratch_bytes = static_cast<size_t>(scratch_bytes_);
  out.launch.grain = s_.grain;
  out.partial_bytes = partial_bytes_;
  return out;
}

const Num* CpuEmitter::along_x(const Index& at) const {
  for (auto& t : at.axes)
    if (t.axis == x_ && t.by.value != 0) return &t.by;
  return nullptr;
}

std::string CpuEmitter::along_rows(const Index& at) const {
  for (auto& t : at.axes)
    if (t.axis == rows_axis_ && t.by.value != 0) return spell(t.by);
  return "";
}

bool CpuEmitter::values_vary(const Index& at) const {
  return std::any_of(at.values.begin(), at.values.end(), [&](auto& t) { return varies_[t.value]; });
}

bool CpuEmitter::varies(const Stmt& s) const {
  if (is_fold(s)) return true;
  if (const Index* at = index_of(s); at && along_x(*at)) return true;
  auto used = uses(s);
  return std::any_of(used.begin(), used.end(), [&](Value v) { return varies_[v]; });
}

void CpuEmitter::find_varying() {
  varies_.assign(p_.values.size(), 0);
  definition_.assign(p_.values.size(), nullptr);
  auto visit = [&](const Stmt& s) {
    if (Value v = defines(s); v >= 0) {
      varies_[v] = varies(s);
      definition_[v] = &s;
    }
  };
  for (auto& sweep : p_.sweeps) {
    for (auto& s : sweep.before) visit(s);
    for (auto& s : sweep.body) visit(s);
    for (int a : sweep.accumulators) varies_[p_.accumulators[a].out] = columns_;
    for (auto& s : sweep.after_section) visit(s);
  }
  for (auto& s : p_.epilogue) visit(s);
  for (auto& acc : p_.accumulators)
    if (acc.is_over_points()) varies_[acc.out] = 1;
  for_each_stmt(p_, [&](const Stmt& s) {
    if (auto* st = std::get_if<Store>(&s); st && p_.values[st->value].dtype == DType::F16)
      stored_halves_.insert(st->value);
  });
  for (auto& s : p_.after) visit(s);
}

bool CpuEmitter::segments(Value v) const {
  auto* t = definition_[v] ? std::get_if<Test>(definition_[v]) : nullptr;
  return t && !s_.masked && varies_[v] && !values_vary(t->at);
}

bool CpuEmitter::per_lane(const Load& l) const {
  if (values_vary(l.at)) return true;
  return !s_.masked &&
         std::any_of(l.guards.begin(), l.guards.end(), [&](Value g) { return varies_[g] && !segments(g); });
}

std::string CpuEmitter::extra(int64_t value) {
  extra_.push_back(value);
  return format("p[{}]", p_.params.size() + extra_.size() - 1);
}

int64_t CpuEmitter::array_elements(bool rows) const {
  int64_t n = columns_ ? s_.chunk : padded_lane_extent();
  if (rows)
    for (int a = outer_rank(); a < outer_rank() + static_cast<int>(p_.row.size()); ++a)
      if (a != x_) n *= extent(a).value;
  return n;
}

CpuEmitter::Array CpuEmitter::add_array(DType dtype, bool rows) {
  std::string at = extra(scratch_bytes_);
  int64_t bytes = (array_elements(rows) + s_.lanes) * static_cast<int64_t>(size_of(dtype));
  scratch_bytes_ += (bytes + 63) / 64 * 64;
  return {format("(scratch + {})", at), dtype, rows};
}

// Which values one span computes and another reads.
void CpuEmitter::find_arrays() {
  std::vector<int> place(p_.values.size(), -1);
  int here = 0;
  std::set<Value> crossing;
  auto visit = [&](const std::vector<Stmt>& block) {
    for (auto& s : block) {
      for (Value v : uses(s))
        if (varies_[v] && place[v] >= 0 && place[v] != here && varies(s) && !segments(v)) crossing.insert(v);
      if (Value v = defines(s); v >= 0) place[v] = here;
    }
    ++here;
  };
  for (auto& sweep : p_.sweeps) {
    visit(sweep.before);
    visit(sweep.body);
  }
  visit(p_.epilogue);
  visit(p_.after);
  for (Value v : crossing) arrays_[v] = add_array(array_dtype(p_.values[v].dtype), p_.values[v].row);
  if (columns_)
    for (auto& acc : p_.accumulators) {
      DType total = total_dtype(acc);
      totals_.push_back(add_array(total));
      if (ir::gives_index(acc.op))
        positions_.push_back(add_array(DType::I64));
      else
        positions_.push_back({});
    }
  if (!arrays_.empty()) pad_ = extra(columns_ ? s_.chunk : padded_lane_extent());
}

std::string CpuEmitter::unpack() const {
  std::string out;
  for (size_t b = 0; b < p_.buffers.size(); ++b) {
    std::string type = dialect_.element_type(p_.buffers[b].dtype);
    out += format("  {0}{1}* b{2} = ({0}{1}*)w[{2}];\n", p_.buffers[b].written ? "" : "const ", type, b);
  }
  if (has_partials()) out += format("  char* partials = (char*)w[{}];\n", p_.buffers.size());
  return out;
}

// How many arguments the schedule has of its own is known when all entries are written; scalars follow them.
// They are copied to where no store can reach: what is computed from them alone is then computed once, not
// for each row.
std::string CpuEmitter::unpack_arguments() const {
  size_t word = p_.buffers.size() + has_partials();
  const size_t count = p_.params.size() + extra_.size();
  std::string out;
  if (count > 0) out = format("  long p[{0}];\n  __builtin_memcpy(p, w + {1}, {0} * 8);\n", count, word);
  word += count;
  for (size_t k = 0; k < p_.scalars.size(); ++k) {
    DType t = p_.scalars[k];
    out += format("  const {0} s{1} = *(const {0}*)(w + {2});\n", dialect_.element_type(t), k, word);
    word += t == DType::C128 ? 2 : 1;
  }
  return out;
}

void CpuEmitter::plan_tasks() {
  int64_t points = 1;
  for (int a = 0; a < outer_rank(); ++a)
    if (a != x_) points *= extent(a).value;
  bool lanes_outer = x_ < outer_rank();
  int64_t chunks = lanes_outer ? (lane_extent() + s_.chunk - 1) / s_.chunk : 1;
  int64_t blocks = (points + s_.rows_per_task - 1) / s_.rows_per_task;
  tasks_ = blocks * chunks * s_.split;
  names_.rows = extra(s_.rows_per_task);
  names_.points = extra(points);
  if (lanes_outer) {
    names_.chunk = extra(s_.chunk);
    names_.chunks = extra(chunks);
  }
  if (s_.split > 1) {
    int64_t along = p_.row[0].value, unit = x_ == outer_rank() ? s_.lanes : 1;
    int64_t length = ((along + s_.split - 1) / s_.split + unit - 1) / unit * unit;
    names_.split = extra(s_.split);
    names_.part_length = extra(length);
  }
}

std::string CpuEmitter::task_loops(bool parts, const std::string& point, const std::string& before) const {
  bool lanes_outer = x_ < outer_rank();
  std::string out = "  for (long t = begin; t < end; ++t) {\n    long block = t;\n";
  if (parts) out += format("    long part = block % {0};\n    block /= {0};\n", names_.split);
  if (lanes_outer) {
    out += format("    long left = block % {0} * {1};\n    block /= {0};\n", names_.chunks, names_.chunk);
    out += format("    long right = weft_least(left + {}, {});\n", names_.chunk, spell(extent(x_)));
  }
  out += format("    long first = block * {0}, last = weft_least(first + {0}, {1});\n", names_.rows,
                names_.points);
  if (!tiles_.empty()) out += "    long tile = 0, tiled = 0;\n";
  out += before + "    for (long o = first; o < last; ++o) {\n";
  // The last axis varies first, but for one that tiles go along.
  std::vector<int> axes;
  for (int a = outer_rank(); a-- > 0;)
    if (a != x_) axes.insert(a == s_.tile_axis ? axes.begin() : axes.end(), a);
  std::string rest = "o";
  size_t left = axes.size();
  if (left > 1) out += "      long rest = o;\n", rest = "rest";
  for (int a : axes) {
    if (--left == 0)
      out += format("      long a{} = {};\n", a, rest);
    else
      out += format("      long a{0} = rest % {1};\n      rest /= {1};\n", a, spell(extent(a)));
  }
  return out + point + "    }\n  }\n";
}

std::string CpuEmitter::signature(const char* suffix) const {
  return format(
      "extern \"C\" void WEFT_NAME{}(const unsigned long* w, long begin, long end, char* scratch) {{\n",
      suffix);
}

std::string CpuEmitter::entry() {
  plan_tasks();
  totalling_ = scans_ && s_.split > 1;
  std::string point = fill_tiles();
  for (size_t i = 0; i < p_.sweeps.size(); ++i) {
    point += block(p_.sweeps[i].before);
    point += sweep(p_.sweeps[i]);
  }
  if (s_.split > 1)
    point += store_partials();
  else
    point += block(p_.epilogue);
  std::string body =
      goes_across_ ? task_loops(false, point, clear_across()) : task_loops(s_.split > 1, point);
  std::string head = unpack();
  return signature("") + head + kArguments + find_bounds() + body + "}\n";
}

std::string CpuEmitter::finish_entry() {
  totalling_ = false;
  prefetched_.clear();
  bounds_.clear();
  finish_tasks_ = scans_ ? tasks_ : tasks_ / s_.split;
  if (columns_ && !scans_) {
    // Parts are few and columns many: as many tasks as have some of them.
    const int64_t chunk =
                      std::min<int64_t>(s_.chunk, (kFinishedTogether + s_.lanes - 1) / s_.lanes * s_.lanes),
                  chunks = (lane_extent() + chunk - 1) / chunk;
    finish_tasks_ = p_.outer_count() / lane_extent() * chunks;
    names_.chunk = extra(chunk), names_.chunks = extra(chunks);
  }
  std::string point = block(p_.sweeps[0].before);
  point += scans_ ? sweep(p_.sweeps[0]) : load_partials();
  point += block(p_.epilogue);
  std::string body = task_loops(scans_, point);
  std::string head = unpack();
  return signature("_finish") + head + kArguments + find_bounds() + body + "}\n";
}

std::string CpuEmitter::loop_bounds(int axis, std::string& from, std::string& to) const {
  from = "0", to = spell(extent(axis));
  if (s_.split > 1 && axis == outer_rank()) {
    from = "y0", to = "y1";
    return format("      long y0 = weft_least(part * {0}, {1}), y1 = weft_least(y0 + {0}, {1});\n",
                  names_.part_length, spell(extent(axis)));
  }
  return "";
}

// Across columns, a span may fold several rows before it touches the accumulators in memory: where the last
// row axis moves nothing but plain loads. That axis, or -1.
int CpuEmitter::many_rows_axis(const Sweep& w) const {
  if (!columns_ || s_.masked || p_.ordered || p_.row.empty()) return -1;
  int axis = outer_rank() + static_cast<int>(p_.row.size()) - 1;
  for (auto& s : w.body) {
    if (std::holds_alternative<Store>(s) || std::holds_alternative<Scan>(s)) return -1;
    auto used = uses(s);
    if (arrays_.contains(defines(s)) ||
        std::any_of(used.begin(), used.end(), [&](Value v) { return arrays_.contains(v); }))
      return -1;
    if (auto* f = std::get_if<Fold>(&s)) {
      if (ir::gives_index(p_.accumulators[f->accumulator].op)) return -1;
      continue;
    }
    const Index* at = index_of(s);
    bool moves = at && std::any_of(at->axes.begin(), at->axes.end(),
                                   [&](auto& t) { return t.axis == axis && t.by.value != 0; });
    auto* load = std::get_if<Load>(&s);
    if (moves && (!load || !varies(s) || per_lane(*load))) return -1;
    if (load &&
        std::any_of(load->guards.begin(), load->guards.end(), [&](Value g) { return p_.values[g].row; }))
      return -1;
  }
  return axis;
}

std::string CpuEmitter::sweep(const Sweep& w) {
  std::string out;
  for (int a : w.accumulators) out += start_total(a);
  std::string close, close_sections;
  std::string row = "0";
  out += "      {\n";
  for (size_t k = 0; k < p_.row.size(); ++k) {
    if (static_cast<int>(k) == p_.section_axes) {
      close_sections = std::exchange(close, "");
      for (int a : w.section_totals) out += start_total(a);
    }
    int a = outer_rank() + static_cast<int>(k);
    std::string from, to;
    out += loop_bounds(a, from, to);
    if (a == x_) {
      out += format("      const long left = {}, right = {};\n", from, to);
      continue;
    }
    if (a == many_rows_axis(w)) {
      out += format(
          "      for (long a{0} = {1}; a{0} < {2}; a{0} += {3}) {{\n      const long rows = weft_least({2} "
          "- a{0}, {3});\n",
          a, from, to, kRowsOfSpan);
      close += "      }\n";
      continue;
    }
    out += format("      for (long a{0} = {1}; a{0} < {2}; ++a{0}) {{\n", a, from, to);
    row = row == "0" ? format("a{}", a) : format("({} * {} + a{})", row, spell(extent(a)), a);
    close += "      }\n";
  }
  row_ = row;
  rows_axis_ = many_rows_axis(w);
  out += block(totalling_ ? scanned_only(w.body) : w.body) + close;
  rows_axis_ = -1;
  row_ = "0";
  for (int a : w.section_totals) out += finish_total(a);
  out += block(w.after_section) + close_sections + "      }\n";
  if (!columns_)
    for (int a : w.accumulators)
      if (!p_.accumulators[a].is_running()) out += finish_total(a);
  return out;
}

// Where a row is split, a scan goes on from what the parts before left.
std::string CpuEmitter::start_total(int a) const {
  std::string out = columns_ ? clear_total(a) : declare_total(a);
  if (p_.accumulators[a].is_running() && s_.split > 1 && !totalling_) out += join_partials(a, "part");
  return out;
}

std::string CpuEmitter::block(const std::vector<Stmt>& stmts) {
  std::string out;
  std::vector<const Stmt*> span;
  for (auto& s : stmts) {
    if (varies(s))
      span.push_back(&s);
    else
      out += "      " + uniform(s) + "\n";
  }
  if (!span.empty()) out += CpuSpan(*this, span).run();
  return out;
}

Emitted emit_cpu(const RowProgram& program, const CpuSchedule& schedule) {
  for_each_stmt(program, [](const Stmt& stmt) {
    const auto* store = std::get_if<Store>(&stmt);
    if (store && store->how != Storing::Plain)
      throw InternalError("emit_cpu: rows are stored in order: got a store that comes in any order");
  });
  return CpuEmitter(program, schedule).run();
}

}  // namespace weft::emit
