#include "compiler/emit/cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/base/error.h"
#include "compiler/emit/cpu_dialect.h"
#include "compiler/emit/prelude/prelude.h"
#include "compiler/emit/reduction.h"
#include "compiler/emit/spell.h"

namespace weft::emit {

namespace {

using namespace plan;
using fmt::format;

constexpr int kRowsOfSpan = 16;  // few enough that f32 sums of them lose nothing

bool is_fold(const Stmt& s) { return std::holds_alternative<Fold>(s); }

DType array_dtype(DType dtype) { return is_half(dtype) ? DType::F32 : dtype; }

std::string name_of(Value v) { return format("v{}", v); }

class CpuEmitter {
 public:
  CpuEmitter(const RowProgram& p, const Schedule& s, bool contract)
      : p_(p), s_(s), contract_(contract), x_(s.lane_axis), columns_(s.order == Order::Columns) {}

  Emitted run() {
    find_varying();
    find_arrays();
    place_partials();
    std::string main = entry();
    std::string finish = s_.split > 1 ? finish_entry() : "";
    std::string text = functions_ + main + finish;
    if (!contract_) text = "#pragma clang fp contract(off)\n" + text;
    std::string support = kSupport + support_ + text;
    text = prelude_for(PreludeTarget::Cpu, s_.lanes, support) + support;
    Emitted out;
    out.source.hash = hash_text(text);
    out.source.name = "weft_" + to_string(out.source.hash).substr(0, 16);
    for (size_t at; (at = text.find("WEFT_NAME")) != std::string::npos;) text.replace(at, 9, out.source.name);
    out.source.text = std::move(text);
    out.params = p_.params;
    out.params.insert(out.params.end(), extra_.begin(), extra_.end());
    out.launch.tasks = tasks_;
    out.launch.finish_tasks = s_.split > 1 ? tasks_ / s_.split : 0;
    out.launch.scratch_bytes = static_cast<size_t>(scratch_bytes_);
    out.launch.grain = s_.grain;
    out.partial_bytes = partial_bytes_;
    return out;
  }

 private:
  // ---- what varies along the lanes

  int outer_rank() const { return static_cast<int>(p_.outer.size()); }
  const Num& extent(int axis) const {
    return axis < outer_rank() ? p_.outer[axis] : p_.row[static_cast<size_t>(axis - outer_rank())];
  }

  const Num* along_x(const Index& at) const {
    for (auto& t : at.axes)
      if (t.axis == x_ && t.by.value != 0) return &t.by;
    return nullptr;
  }
  // How far a row is from the next along the axis that spans fold several rows of.
  std::string along_rows(const Index& at) const {
    for (auto& t : at.axes)
      if (t.axis == rows_axis_ && t.by.value != 0) return spell(t.by);
    return "";
  }
  bool values_vary(const Index& at) const {
    return std::any_of(at.values.begin(), at.values.end(), [&](auto& t) { return varies_[t.value]; });
  }
  bool varies(const Stmt& s) const {
    if (is_fold(s)) return true;
    if (const Index* at = index_of(s); at && along_x(*at)) return true;
    auto used = uses(s);
    return std::any_of(used.begin(), used.end(), [&](Value v) { return varies_[v]; });
  }

  void find_varying() {
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
    }
    for (auto& s : p_.epilogue) visit(s);
  }

  // A test that is the same for a whole stretch of the lane axis.
  bool segments(Value v) const {
    auto* t = definition_[v] ? std::get_if<Test>(definition_[v]) : nullptr;
    return t && varies_[v] && !values_vary(t->at);
  }
  bool per_lane(const Load& l) const {
    return values_vary(l.at) ||
           std::any_of(l.guards.begin(), l.guards.end(), [&](Value g) { return varies_[g] && !segments(g); });
  }

  // ---- arguments that only the schedule knows

  std::string extra(int64_t value) {
    extra_.push_back(value);
    return format("p[{}]", p_.params.size() + extra_.size() - 1);
  }

  // ---- memory of one task: values that live longer than a span, one element for each position on the lane
  // axis

  struct Array {
    std::string pointer;  // of the element type, at lane position left of the current row
    DType dtype;
  };

  int64_t lane_extent() const { return extent(x_).value; }
  int64_t array_elements() const {
    if (columns_) return s_.chunk;
    int64_t n = padded_lane_extent();
    for (int a = outer_rank(); a < outer_rank() + static_cast<int>(p_.row.size()); ++a)
      if (a != x_) n *= extent(a).value;
    return n;
  }
  int64_t padded_lane_extent() const { return (lane_extent() + s_.lanes - 1) / s_.lanes * s_.lanes; }

  std::string add_array(DType dtype) {
    std::string at = extra(scratch_bytes_);
    int64_t bytes = (array_elements() + s_.lanes) * static_cast<int64_t>(size_of(dtype));
    scratch_bytes_ += (bytes + 63) / 64 * 64;
    return format("(scratch + {})", at);
  }

  // Which values one span computes and another reads.
  void find_arrays() {
    std::vector<int> place(p_.values.size(), -1);
    int here = 0;
    std::set<Value> crossing;
    auto visit = [&](const std::vector<Stmt>& block) {
      for (auto& s : block) {
        for (Value v : uses(s))
          if (varies_[v] && place[v] >= 0 && place[v] != here && varies(s) && !segments(v))
            crossing.insert(v);
        if (Value v = defines(s); v >= 0) place[v] = here;
      }
      ++here;
    };
    for (auto& sweep : p_.sweeps) {
      visit(sweep.before);
      visit(sweep.body);
    }
    visit(p_.epilogue);
    for (Value v : crossing)
      arrays_[v] = {add_array(array_dtype(p_.values[v].dtype)), array_dtype(p_.values[v].dtype)};
    if (columns_)
      for (auto& acc : p_.accumulators) {
        DType total = total_dtype(acc);
        totals_.push_back({add_array(total), total});
        if (is_arg(acc))
          positions_.push_back({add_array(DType::I64), DType::I64});
        else
          positions_.push_back({});
      }
    if (!arrays_.empty() && !columns_) pad_ = extra(padded_lane_extent());
  }

  void place_partials() {
    if (s_.split <= 1) return;
    int64_t points = p_.outer_count() * s_.split;
    for (auto& acc : p_.accumulators) {
      auto place = [&](DType dtype) {
        partials_.push_back(extra(partial_bytes_));
        partial_bytes_ += (points * static_cast<int64_t>(size_of(dtype)) + 63) / 64 * 64;
      };
      place(total_dtype(acc));
      if (is_arg(acc))
        place(DType::I64);
      else
        partials_.push_back("");
    }
    points_ = extra(p_.outer_count());
  }

  // ---- the entry: tasks, outer points

  std::string unpack() {
    std::string out =
        format("  const long* p = (const long*)(w + {});\n", p_.buffers.size() + (s_.split > 1));
    for (size_t b = 0; b < p_.buffers.size(); ++b) {
      std::string type = dialect_.element_type(p_.buffers[b].dtype);
      out += format("  {0}{1}* b{2} = ({0}{1}*)w[{2}];\n", p_.buffers[b].written ? "" : "const ", type, b);
    }
    if (s_.split > 1) out += format("  char* partials = (char*)w[{}];\n", p_.buffers.size());
    return out;
  }
  // Scalars follow the schedule's own arguments, whose number is known last.
  std::string unpack_scalars() {
    std::string out;
    size_t word = p_.buffers.size() + (s_.split > 1) + p_.params.size() + extra_.size();
    for (size_t k = 0; k < p_.scalars.size(); ++k) {
      DType t = p_.scalars[k];
      out += format("  const {0} s{1} = *(const {0}*)(w + {2});\n", dialect_.element_type(t), k, word);
      word += t == DType::C128 ? 2 : 1;
    }
    return out;
  }

  struct TaskNames {
    std::string rows, chunk, chunks, split, part_length, points;
  };

  void plan_tasks() {
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

  // Loops over tasks and outer points around `point`.
  std::string task_loops(bool parts, const std::string& point) {
    bool lanes_outer = x_ < outer_rank();
    std::string out = "  for (long t = begin; t < end; ++t) {\n    long block = t;\n";
    if (parts) out += format("    long part = block % {0};\n    block /= {0};\n", names_.split);
    if (lanes_outer) {
      out += format("    long left = block % {0} * {1};\n    block /= {0};\n", names_.chunks, names_.chunk);
      out += format("    long right = weft_least(left + {}, {});\n", names_.chunk, spell(extent(x_)));
    }
    out += format("    long first = block * {0}, last = weft_least(first + {0}, {1});\n", names_.rows,
                  names_.points);
    out += "    for (long o = first; o < last; ++o) {\n";
    std::string rest = "o";
    int left = 0;
    for (int a = 0; a < outer_rank(); ++a) left += a != x_;
    if (left > 1) out += "      long rest = o;\n", rest = "rest";
    for (int a = outer_rank(); a-- > 0;) {
      if (a == x_) continue;
      if (--left == 0)
        out += format("      long a{} = {};\n", a, rest);
      else
        out += format("      long a{0} = rest % {1};\n      rest /= {1};\n", a, spell(extent(a)));
    }
    return out + point + "    }\n  }\n";
  }

  std::string signature(const char* suffix) {
    return format(
        "extern \"C\" void WEFT_NAME{}(const unsigned long* w, long begin, long end, char* scratch) {{\n",
        suffix);
  }

  std::string entry() {
    plan_tasks();
    std::string point;
    for (size_t i = 0; i < p_.sweeps.size(); ++i) {
      point += block(p_.sweeps[i].before);
      point += sweep(p_.sweeps[i]);
    }
    if (s_.split > 1)
      point += store_partials();
    else
      point += block(p_.epilogue);
    std::string body = task_loops(s_.split > 1, point);
    std::string head = unpack();
    return signature("") + head + unpack_scalars() + body + "}\n";
  }

  std::string finish_entry() {
    std::string point = block(p_.sweeps[0].before) + load_partials() + block(p_.epilogue);
    std::string body = task_loops(false, point);
    std::string head = unpack();
    return signature("_finish") + head + unpack_scalars() + body + "}\n";
  }

  // ---- sweeps

  std::string loop_bounds(int axis, std::string& from, std::string& to) {
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
  int many_rows_axis(const Sweep& w) const {
    if (!columns_ || p_.ordered || p_.row.empty()) return -1;
    int axis = outer_rank() + static_cast<int>(p_.row.size()) - 1;
    for (auto& s : w.body) {
      if (std::holds_alternative<Store>(s)) return -1;
      if (auto* f = std::get_if<Fold>(&s)) {
        if (is_arg(p_.accumulators[f->accumulator])) return -1;
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

  std::string sweep(const Sweep& w) {
    std::string out;
    for (int a : w.accumulators) out += columns_ ? clear_total(a) : declare_total(a);
    std::string close;
    bool lanes_outer = x_ < outer_rank();
    std::string row = "0";
    out += "      {\n";
    for (size_t k = 0; k < p_.row.size(); ++k) {
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
    row_ = lanes_outer ? "0" : row;
    rows_axis_ = many_rows_axis(w);
    out += block(w.body) + close + "      }\n";
    rows_axis_ = -1;
    row_ = "0";
    if (!columns_)
      for (int a : w.accumulators) out += finish_total(a);
    return out;
  }

  std::string type(DType t) const { return dialect_.value_type(t); }

  std::string identity(const Accumulator& acc, DType t) const { return identity_of(acc, t, dialect_); }

  std::string declare_total(int a) {
    const Accumulator& acc = p_.accumulators[a];
    DType t = total_dtype(acc);
    std::string out = format("      {} T{} = {};\n", type(t), a, identity(acc, t));
    if (is_arg(acc)) out += format("      i64v J{} = (i64v)(0x7fffffffffffffffL);\n", a);
    return out;
  }

  std::string clear_total(int a) {
    const Accumulator& acc = p_.accumulators[a];
    DType t = total_dtype(acc);
    std::string out = format("      for (long k = 0; k < {}; k += L) {{\n", names_.chunk);
    out += format("        weft_store_{0}(({1}*){2} + k, {3});\n", suffix(t), dialect_.element_type(t),
                  totals_[a].pointer, identity(acc, t));
    if (is_arg(acc))
      out += format("        weft_store_i64((long*){} + k, (i64v)(0x7fffffffffffffffL));\n",
                    positions_[a].pointer);
    return out + "      }\n";
  }

  std::string finish_total(int a) {
    const Accumulator& acc = p_.accumulators[a];
    DType t = total_dtype(acc);
    if (is_arg(acc))
      return format("      weft_join_{0}_{1}(T{2}, J{2});\n      {3}\n", ir::name(acc.op), suffix(t), a,
                    define_uniform(acc.out, format("J{}", a)));
    std::string joined = format("weft_join_{}_{}(T{})", ir::name(acc.op), suffix(t), a);
    return "      " + define_uniform(acc.out, convert(t, p_.values[acc.out].dtype, joined)) + "\n";
  }

  std::string convert(DType from, DType to, const std::string& x) const {
    return from == to ? x : format("weft_cast_{}_{}({})", suffix(from), suffix(to), x);
  }

  std::string partial_at(int a, bool position, const std::string& part) const {
    DType t = position ? DType::I64 : total_dtype(p_.accumulators[a]);
    return format("(({}*)(partials + {}) + {} * {} + {})", dialect_.element_type(t),
                  partials_[2 * a + position], part, points_,
                  columns_ ? format("o * {} + left", spell(extent(x_))) : "o");
  }

  std::string store_partials() {
    std::string out;
    for (int a = 0; a < static_cast<int>(p_.accumulators.size()); ++a) {
      const Accumulator& acc = p_.accumulators[a];
      std::string t = suffix(total_dtype(acc)), e = dialect_.element_type(total_dtype(acc));
      if (columns_) {
        out += format("      __builtin_memcpy({}, {}, (right - left) * sizeof({}));\n",
                      partial_at(a, false, "part"), totals_[a].pointer, e);
        if (is_arg(acc))
          out += format("      __builtin_memcpy({}, {}, (right - left) * 8);\n", partial_at(a, true, "part"),
                        positions_[a].pointer);
      } else if (is_arg(acc)) {
        out += format("      weft_store_one_{}({}, T{});\n", t, partial_at(a, false, "part"), a);
        out += format("      weft_store_one_i64({}, J{});\n", partial_at(a, true, "part"), a);
      } else {
        out += format("      weft_store_one_{0}({1}, weft_join_{2}_{0}(T{3}));\n", t,
                      partial_at(a, false, "part"), ir::name(acc.op), a);
      }
    }
    return out;
  }

  std::string load_partials() {
    std::string out;
    for (int a = 0; a < static_cast<int>(p_.accumulators.size()); ++a) {
      const Accumulator& acc = p_.accumulators[a];
      DType total = total_dtype(acc);
      std::string t = suffix(total),
                  loop = format("      for (long part = 0; part < {}; ++part)", names_.split);
      std::string e = dialect_.element_type(total);
      if (columns_) {
        out += clear_total(a) + loop +
               "\n        for (long k = 0; k < right - left; k += L) {\n          long n = weft_least(right "
               "- left - "
               "k, L);\n";
        out += format("          {}* q = ({}*){} + k;\n          {} x = weft_load_{}(q);\n", e, e,
                      totals_[a].pointer, type(total), t);
        out += format("          {} y = weft_load_partial_{}({} + k, n);\n", type(total), t,
                      partial_at(a, false, "part"));
        if (is_arg(acc)) {
          out += format("          long* r = (long*){} + k;\n          i64v i = weft_load_i64(r);\n",
                        positions_[a].pointer);
          out += format("          weft_take_{}_{}(x, i, y, weft_load_partial_i64({} + k, n));\n",
                        ir::name(acc.op), t, partial_at(a, true, "part"));
          out += "          weft_store_i64(r, i);\n";
        } else {
          out += format("          x = {};\n", combine(acc.op, total, "x", "y"));
        }
        out += format("          weft_store_{}(q, x);\n        }}\n", t);
        continue;
      }
      out += declare_total(a) + loop;
      if (is_arg(acc))
        out += format(
            "\n        weft_take_{0}_{1}(T{2}, J{2}, weft_load_one_{1}({3}), "
            "weft_load_one_i64({4}));\n",
            ir::name(acc.op), t, a, partial_at(a, false, "part"), partial_at(a, true, "part"));
      else
        out += format("\n        T{0} = {1};\n", a,
                      combine(acc.op, total, format("T{}", a),
                              format("weft_load_one_{}({})", t, partial_at(a, false, "part"))));
      std::string value =
          is_arg(acc) ? format("J{}", a) : convert(total, p_.values[acc.out].dtype, format("T{}", a));
      if (is_arg(acc)) out += format("      weft_join_{0}_{1}(T{2}, J{2});\n", ir::name(acc.op), t, a);
      out += "      " + define_uniform(acc.out, value) + "\n";
    }
    return out;
  }

  // The copies between memory and a padded vector's worth of it, for elements of this size; their name's
  // ending.
  std::string padded_copy(size_t bytes) {
    const char* type = bytes == 1   ? "char"
                       : bytes == 2 ? "short"
                       : bytes == 4 ? "int"
                       : bytes == 8 ? "long"
                                    : "weft_16";
    if (!padded_.insert(bytes).second) return std::to_string(bytes);
    if (bytes == 16) support_ += "struct weft_16 { long a, b; };\n";
    support_ += format(
        "static __attribute__((noinline)) void weft_pad_{0}(void* t, const void* s, long by, long m) {{\n"
        "#pragma clang loop unroll(disable)\n"
        "  for (long k = 0; k < L; ++k) (({1}*)t)[k] = ((const {1}*)s)[k < m ? k * by : 0];\n}}\n"
        "static __attribute__((noinline)) void weft_unpad_{0}(void* d, long by, const void* t, long m) {{\n"
        "#pragma clang loop unroll(disable)\n"
        "  for (long k = 0; k < m; ++k) (({1}*)d)[k * by] = ((const {1}*)t)[k];\n}}\n",
        bytes, type);
    return std::to_string(bytes);
  }

  // ---- statements that are the same in every lane

  // Values are vectors everywhere; those that index also have their first lane as `x<n>`, tests as `g<n>`.
  std::string define_uniform(Value v, const std::string& expression) {
    DType t = p_.values[v].dtype;
    std::string out = format("{} v{} = {};", type(t), v, expression);
    if (t == DType::I64) out += format(" long x{0} = v{0}[0];", v);
    if (t == DType::Bool) out += format(" bool g{0} = v{0}[0];", v);
    return out;
  }
  std::string define_position(Value v, const std::string& expression) {
    return format("long x{0} = {1}; i64v v{0} = (i64v)(x{0});", v, expression);
  }

  // An index as a number, without its term on the lane axis.
  std::string offset(const Index& at) const {
    std::string out;
    auto add = [&](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
    for (auto& t : at.axes)
      if (t.axis != x_) add(times(format("a{}", t.axis), t.by));
    for (auto& t : at.values)
      if (!varies_[t.value]) add(times(format("x{}", t.value), t.by));
    if (out.empty() || at.offset.param >= 0 || at.offset.value != 0) add(spell(at.offset));
    return out;
  }

  std::string guard(const std::vector<Value>& guards) const {
    std::string out;
    for (Value g : guards) {
      if (varies_[g] && !segments(g)) continue;
      out += (out.empty() ? "" : " && ") + format("g{}", g);
    }
    return out;
  }

  std::string uniform(const Stmt& stmt) {
    if (auto* s = std::get_if<Let>(&stmt)) return define_uniform(s->out, spell(*s, p_, dialect_, name_of));
    if (auto* s = std::get_if<Literal>(&stmt))
      return define_uniform(s->out, dialect_.splat(s->value.dtype, literal(s->value)));
    if (auto* s = std::get_if<Argument>(&stmt)) return define_uniform(s->out, argument(*s));
    if (auto* s = std::get_if<Position>(&stmt)) return define_position(s->out, offset(s->at));
    if (auto* s = std::get_if<Divide>(&stmt))
      return define_position(
          s->out, format("weft_floor_{}(x{}, {})", s->remainder ? "mod" : "div", s->of, spell(s->divisor)));
    if (auto* s = std::get_if<Clamp>(&stmt))
      return define_position(s->out, format("weft_within(x{}, {})", s->index, spell(s->extent)));
    if (auto* s = std::get_if<Test>(&stmt))
      return format(
          "bool g{0} = (unsigned long)({1}) < (unsigned long)({2}); boolv v{0} = weft_splat_bool(g{0});",
          s->out, offset(s->at), spell(s->extent));
    if (auto* s = std::get_if<Load>(&stmt)) {
      DType t = p_.buffers[s->buffer].dtype;
      std::string pointer = format("b{} + {}", s->buffer, offset(s->at));
      if (std::string g = guard(s->guards); !g.empty())
        pointer = format("{} ? {} : (const {}*)weft_zeros", g, pointer, dialect_.element_type(t));
      return define_uniform(s->out, format("weft_load_one_{}({})", suffix(t), pointer));
    }
    auto& s = std::get<Store>(stmt);
    return format("weft_store_one_{}(b{} + {}, v{});", suffix(p_.buffers[s.buffer].dtype), s.buffer,
                  offset(s.at), s.value);
  }

  std::string argument(const Argument& a) const {
    DType t = p_.scalars[a.scalar];
    std::string s = format("s{}", a.scalar);
    if (is_complex(t)) return format("weft_splat_{}({}.re, {}.im)", suffix(t), s, s);
    if (is_half(t)) return format("weft_load_one_{}(&{})", suffix(t), s);
    return dialect_.splat(t, t == DType::Bool ? s + " != 0" : s);
  }

  // ---- blocks and spans

  std::string block(const std::vector<Stmt>& stmts) {
    std::string out;
    std::vector<const Stmt*> span;
    for (auto& s : stmts) {
      if (varies(s))
        span.push_back(&s);
      else
        out += "      " + uniform(s) + "\n";
    }
    if (!span.empty()) out += Span(*this, span).run();
    return out;
  }

  // One inner loop along the lane axis: a function over whole vectors, and the code that calls it for
  // stretches in which all tests keep their value.
  class Span {
   public:
    Span(CpuEmitter& e, std::vector<const Stmt*> stmts) : e_(e), stmts_(std::move(stmts)), id_(e.spans_++) {}

    std::string run() {
      for (auto* s : stmts_)
        if (Value v = defines(*s); v >= 0) own_.insert(v);
      for (auto* s : stmts_) statement(*s);
      for (Value v : own_)
        if (auto it = e_.arrays_.find(v); it != e_.arrays_.end()) export_array(v, it->second);
      write_function();
      return call();
    }

   private:
    // A pointer that walks along the lanes. Read or written contiguously (`stride` empty) or with a stride.
    struct Stream {
      std::string name, element, start, stride, guard;
      bool in, out;
      size_t bytes = 0;       // of an element
      std::string rows = {};  // elements from one row of the span to the next; empty: the same for all
    };

    void member(const std::string& type, const std::string& name, const std::string& value) {
      members_ += format("  {} {};\n", type, name);
      locals_ += format("  const {0} {1} = s->{1};\n", type, name);
      if (!value.empty()) sets_ += format("      s.{} = {};\n", name, value);
    }

    std::string import(Value v) {
      if (own_.contains(v) || imported_.contains(v)) return name_of(v);
      imported_.insert(v);
      if (e_.segments(v)) {
        write(std::get<Test>(*e_.definition_[v]));
        return name_of(v);
      }
      DType t = e_.p_.values[v].dtype;
      int acc = e_.columns_ ? e_.accumulator_of(v) : -1;
      if (acc >= 0) {
        const Array& array = is_arg(e_.p_.accumulators[acc]) ? e_.positions_[acc] : e_.totals_[acc];
        std::string q = stream_array(format("z{}", v), array, true, false);
        pre_ += format("    {} v{} = {};\n", e_.type(t), v,
                       e_.convert(array.dtype, t, format("weft_load_{}({})", suffix(array.dtype), q)));
      } else if (auto it = e_.arrays_.find(v); it != e_.arrays_.end()) {
        std::string q = stream_array(format("z{}", v), it->second, true, false);
        pre_ += format("    {} v{} = weft_load_{}({});\n", e_.type(t), v, suffix(it->second.dtype), q);
      } else if (auto* s = std::get_if<Literal>(e_.definition_[v])) {
        locals_ += format("  const {} v{} = {};\n", e_.type(t), v, e_.dialect_.splat(t, literal(s->value)));
      } else {
        member(e_.type(t), name_of(v), name_of(v));
      }
      return name_of(v);
    }

    std::string stream_array(const std::string& name, const Array& array, bool in, bool out) {
      std::string element = e_.dialect_.element_type(array.dtype);
      std::string start = format("({}*){}", element, array.pointer);
      if (e_.row_ != "0") start += format(" + {} * {}", e_.row_, e_.pad_);
      streams_.push_back({name, element, start + " - left", "", "", in, out, size_of(array.dtype)});
      return name;
    }

    void export_array(Value v, const Array& array) {
      std::string q = stream_array(format("y{}", v), array, false, true);
      post_ += format("    weft_store_{}({}, v{});\n", suffix(array.dtype), q, v);
    }

    std::string positions() {
      if (!uses_positions_) {
        uses_positions_ = true;
        member("long", "final", "");
      }
      return "at";
    }

    // An index in every lane; `base` gets a member for its part that all lanes share.
    std::string lanes_index(const Index& at, const std::string& name, bool with_offset) {
      std::string out;
      auto add = [&](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
      if (with_offset) {
        member("long", "o" + name, e_.offset(at));
        add(format("(i64v)(o{})", name));
      }
      auto scaled = [&](const std::string& x, const Num& by, const std::string& number) {
        if (by.param < 0 && by.value == 1) return x;
        member("long", number, spell(by));
        return format("{} * (i64v)({})", x, number);
      };
      if (const Num* by = e_.along_x(at)) add(scaled(positions(), *by, "k" + name));
      int k = 0;
      for (auto& t : at.values)
        if (e_.varies_[t.value]) add(scaled(import(t.value), t.by, format("k{}_{}", name, k++)));
      return out;
    }

    std::string expression(const Let& let) {
      for (Value a : let.args) import(a);
      return spell(let, e_.p_, e_.dialect_, name_of);
    }

    void define(Value v, const std::string& expr) {
      body_ += format("    {} v{} = {};\n", e_.type(e_.p_.values[v].dtype), v, expr);
    }

    void statement(const Stmt& stmt) {
      std::visit([&](auto& s) { write(s); }, stmt);
    }

    void write(const Let& s) {
      std::string expr = expression(s);
      define(s.out, expr);
    }
    void write(const Literal&) {}   // the same in every lane
    void write(const Argument&) {}  // likewise
    void write(const Position& s) { define(s.out, lanes_index(s.at, std::to_string(s.out), true)); }
    void write(const Divide& s) {
      std::string d = format("d{}", s.out), v = import(s.of);
      member("long", d, spell(s.divisor));
      define(s.out, format("weft_{}_i64({}, (i64v)({}))", s.remainder ? "remainder" : "floor_divide", v, d));
    }
    void write(const Clamp& s) {
      std::string d = format("d{}", s.out), v = import(s.index);
      member("long", d, spell(s.extent));
      std::string counted =
          format("weft_select_i64(weft_less_i64({0}, (i64v)(0)), {0} + (i64v)({1}), {0})", v, d);
      define(s.out, format("weft_maximum_i64(weft_minimum_i64({}, (i64v)({} - 1)), (i64v)(0))", counted, d));
    }

    void write(const Test& s) {
      if (e_.segments(s.out)) {
        tests_.push_back(&s);
        member("bool", format("g{}", s.out), "");
        define(s.out, format("weft_splat_bool(g{})", s.out));
        return;
      }
      std::string d = format("d{}", s.out), n = std::to_string(s.out);
      member("long", d, spell(s.extent));
      body_ += format("    i64v t{} = {};\n", n, lanes_index(s.at, n, true));
      define(s.out, format("weft_bitwise_and_bool(weft_greater_equal_i64(t{0}, (i64v)(0)), "
                           "weft_less_i64(t{0}, (i64v)({1})))",
                           n, d));
    }

    void write(const Load& s) {
      DType t = e_.p_.buffers[s.buffer].dtype;
      std::string element = e_.dialect_.element_type(t), n = std::to_string(s.out);
      std::string start = format("b{} + {}", s.buffer, e_.offset(s.at));
      if (e_.per_lane(s)) {
        member(format("const {}*", element), "r" + n, start);
        std::string index = lanes_index(s.at, n, false), mask;
        for (Value g : s.guards)
          mask = mask.empty() ? import(g) : format("weft_bitwise_and_bool({}, {})", mask, import(g));
        if (index.empty()) index = "(i64v)(0)";
        define(s.out, mask.empty() ? format("weft_gather_{}(r{}, {})", suffix(t), n, index)
                                   : format("weft_gather_masked_{}(r{}, {}, {})", suffix(t), n, index, mask));
        return;
      }
      for (Value g : s.guards)
        if (e_.segments(g)) import(g);
      const Num* by = e_.along_x(s.at);
      bool contiguous = by && by->param < 0 && by->value == 1;
      std::string stride = contiguous ? "" : by ? spell(*by) : "0";
      std::string rows = many_rows() ? e_.along_rows(s.at) : "";
      streams_.push_back(
          {"r" + n, element, start, stride, e_.guard(s.guards), true, false, size_of(t), rows});
      std::string from = rows.empty() ? "r" + n : format("r{0} + u * r{0}_rows", n);
      define(s.out, contiguous ? format("weft_load_{}({})", suffix(t), from)
                               : format("weft_load_strided_{}({}, r{}_by)", suffix(t), from, n));
    }

    void write(const Store& s) {
      DType t = e_.p_.buffers[s.buffer].dtype;
      std::string n = std::to_string(stores_++), v = import(s.value);
      if (e_.values_vary(s.at)) {
        scatter(s, n, v);
        return;
      }
      const Num* by = e_.along_x(s.at);
      bool contiguous = by && by->param < 0 && by->value == 1;
      std::string stride = contiguous ? "" : by ? spell(*by) : "0";
      std::string start = format("b{} + {}", s.buffer, e_.offset(s.at));
      streams_.push_back({"w" + n, e_.dialect_.element_type(t), start, stride, "", false, true, size_of(t)});
      if (!contiguous) {
        body_ += format("    weft_store_strided_{0}(w{1}, w{1}_by, {2});\n", suffix(t), n, v);
        return;
      }
      if (e_.s_.streaming && streams_out_++ == 0) streamed_ = "w" + n;
      body_ += format("    weft_{}_{}(w{}, {});\n", e_.s_.streaming ? "stream" : "store", suffix(t), n, v);
    }

    // Stores lane by lane, in order, those lanes that are no padding.
    void scatter(const Store& s, const std::string& n, const std::string& v) {
      DType t = e_.p_.buffers[s.buffer].dtype;
      std::string element = e_.dialect_.element_type(t);
      members_ += format("  {}* w{};\n", element, n);
      locals_ += format("  {0}* const w{1} = s->w{1};\n", element, n);
      sets_ += format("      s.w{} = b{} + {};\n", n, s.buffer, e_.offset(s.at));
      std::string index = lanes_index(s.at, "w" + n, false);
      counts_lanes_ = true;
      body_ += format(
          "    {0} w{1}_t[L];\n    long w{1}_at[L];\n    weft_store_{2}(w{1}_t, {3});\n    "
          "weft_store_i64(w{1}_at, {4});\n",
          element, n, suffix(t), v, index);
      body_ += format("    for (long j = 0; j < live; ++j) w{0}[w{0}_at[j]] = w{0}_t[j];\n", n);
    }

    void write(const Fold& f) {
      const Accumulator& acc = e_.p_.accumulators[f.accumulator];
      DType total = total_dtype(acc), span = span_dtype(acc);
      std::string n = std::to_string(f.accumulator), v = import(f.value);
      std::string at = f.position >= 0 ? import(f.position) : "";
      if (e_.columns_) {
        std::string q = stream_array("z_t" + n, e_.totals_[f.accumulator], true, true);
        pre_ += format("    {} T{} = weft_load_{}({});\n", e_.type(total), n, suffix(total), q);
        post_ += format("    weft_store_{}({}, T{});\n", suffix(total), q, n);
        if (is_arg(acc)) {
          std::string r = stream_array("z_j" + n, e_.positions_[f.accumulator], true, true);
          pre_ += format("    i64v J{} = weft_load_i64({});\n", n, r);
          body_ += format("    weft_take_{0}_{1}(T{2}, J{2}, {3}, {4});\n", ir::name(acc.op), suffix(total),
                          n, v, at);
          post_ += format("    weft_store_i64({}, J{});\n", r, n);
        } else if (many_rows()) {
          pre_ += format("    {} A{} = {};\n", e_.type(span), n, e_.identity(acc, span));
          body_ += format("    A{} = {};\n", n, combine(acc.op, span, "A" + n, v));
          post_ = format("    T{} = {};\n", n,
                         combine(acc.op, total, "T" + n, e_.convert(span, total, "A" + n))) +
                  post_;
        } else {
          body_ += format("    T{} = {};\n", n, combine(acc.op, total, "T" + n, e_.convert(span, total, v)));
        }
        return;
      }
      std::string start = e_.identity(acc, span);
      members_ += format("  {} A{};\n", e_.type(span), n);
      before_ += format("  {} A{} = {};\n", e_.type(span), n, start);
      after_ += format("  s->A{0} = A{0};\n", n);
      folds_ = true;
      if (is_arg(acc)) {
        members_ += format("  i64v I{};\n", n);
        before_ += format("  i64v I{} = (i64v)(0x7fffffffffffffffL);\n", n);
        after_ += format("  s->I{0} = I{0};\n", n);
        body_ += format("    weft_take_{0}_{1}(A{2}, I{2}, {3}, {4});\n", ir::name(acc.op), suffix(span), n,
                        v, at);
        gather_ += format("        if (partial) s.A{0} = weft_select_{1}(live, s.A{0}, {2});\n", n,
                          suffix(span), start);
        gather_ += format(
            "        if (partial) s.I{0} = weft_select_i64(live, s.I{0}, (i64v)(0x7fffffffffffffffL));\n", n);
        gather_ += format("        weft_take_{0}_{1}(T{2}, J{2}, s.A{2}, s.I{2});\n", ir::name(acc.op),
                          suffix(span), n);
        return;
      }
      body_ += format("    A{} = {};\n", n, combine(acc.op, span, "A" + n, v));
      gather_ += format("        if (partial) s.A{0} = weft_select_{1}(live, s.A{0}, {2});\n", n,
                        suffix(span), start);
      gather_ += format("        T{0} = {1};\n", n,
                        combine(acc.op, total, "T" + n, e_.convert(span, total, "s.A" + n)));
    }

    bool many_rows() const { return e_.rows_axis_ >= 0; }

    void write_function() {
      std::string advance, pointers;
      for (auto& q : streams_) {
        if (!q.rows.empty()) {
          members_ += format("  long {}_rows;\n", q.name);
          pointers += format("  const long {0}_rows = s->{0}_rows;\n", q.name);
        }
        members_ += format("  {}{}* {};\n", q.out ? "" : "const ", q.element, q.name);
        pointers += format("  {0}{1}* {2} = s->{2};\n", q.out ? "" : "const ", q.element, q.name);
        if (!q.stride.empty() || !q.guard.empty()) {
          members_ += format("  long {}_by;\n", q.name);
          pointers += format("  const long {0}_by = s->{0}_by;\n", q.name);
          advance += format("    {0} += {0}_by * L;\n", q.name);
        } else {
          advance += format("    {} += L;\n", q.name);
        }
      }
      if (uses_positions_) {
        members_ += "  long i;\n";
        pointers += "  long i = s->i;\n";
        pre_ = "    i64v at = weft_minimum_i64(weft_lanes_i64() + (i64v)(i), (i64v)(final));\n" + pre_;
        advance += "    i += L;\n";
      }
      if (many_rows()) {
        members_ += "  long rows;\n";
        pointers += "  const long rows = s->rows;\n";
      }
      if (counts_lanes_) {
        members_ += "  long live;\n";
        pointers += "  const long live = s->live;\n";
      }
      e_.functions_ += format("struct S{} {{\n{}}};\n", id_, members_);
      e_.functions_ += format("static __attribute__((noinline)) void span{0}(S{0}* s, long n) {{\n{1}{2}{3}",
                              id_, locals_, pointers, before_);
      if (many_rows()) body_ = "    for (long u = 0; u < rows; ++u) {\n" + body_ + "    }\n";
      e_.functions_ += "#pragma clang loop unroll(disable)\n  for (long k = 0; k < n; ++k) {\n" + pre_ +
                       body_ + post_ + advance + "  }\n" + after_ + "}\n";
    }

    std::string call() {
      std::string out = "      {\n      S" + std::to_string(id_) + " s;\n" + sets_;
      for (auto& q : streams_) {
        out += format("      {}{}* const {} = {};\n", q.out ? "" : "const ", q.element, q.name, q.start);
        if (!q.stride.empty()) out += format("      const long {}_by = {};\n", q.name, q.stride);
        if (!q.rows.empty()) out += format("      const long {0}_rows = s.{0}_rows = {1};\n", q.name, q.rows);
      }
      for (auto* t : tests_)
        out += format("      long lo{0}, hi{0};\n      weft_bounds({1}, {2}, {3}, &lo{0}, &hi{0});\n", t->out,
                      e_.offset(t->at), spell(*e_.along_x(t->at)), spell(t->extent));
      out += "      for (long c = left; c < right;) {\n        long m = right - c;\n";
      for (auto* t : tests_)
        out += format(
            "        const bool g{0} = c >= lo{0} && c < hi{0};\n        m = weft_stretch(c, lo{0}, hi{0}, "
            "m);\n        s.g{0} = g{0};\n",
            t->out);
      // The first stretch, shorter than a vector, ends where aligned ones begin. Several streams are aligned
      // where positions are multiples of L.
      if (!streamed_.empty()) {
        std::string head = streams_out_ > 1
                               ? "-(unsigned long)c & (L - 1)"
                               : format(
                                     "(-(unsigned long)({0} + c) & (weft_least(L * sizeof(*{0}), 64) "
                                     "- 1)) / sizeof(*{0})",
                                     streamed_);
        out += format("        const long head = {};\n        if (head && head < m) m = head;\n", head);
      }
      out += "        const bool partial = m < L;\n        long n = partial ? 1 : m / L;\n";
      if (folds_) out += "        n = weft_least(n, 64);\n";
      out += "        if (!partial) m = n * L;\n";
      // Padded copies hold one row.
      if (many_rows())
        out += "        s.rows = partial ? 1 : rows;\n        for (long u = 0; u < rows; u += s.rows) {\n";
      std::string copies_in, copies_out, buffers;
      for (auto& q : streams_) {
        std::string from = q.stride.empty() ? format("{} + c", q.name) : format("{0} + c * {0}_by", q.name);
        if (!q.rows.empty()) from += format(" + u * {}_rows", q.name);
        std::string by = q.stride.empty() ? (q.guard.empty() ? "" : "1") : q.name + "_by";
        if (q.guard.empty()) {
          out += format("        s.{} = {};\n", q.name, from);
          if (!by.empty()) out += format("        s.{}_by = {};\n", q.name, by);
        } else {
          out += format(
              "        s.{0} = ({1}) ? {2} : (const {3}*)weft_zeros;\n        s.{0}_by = ({1}) ? {4} : 0;\n",
              q.name, q.guard, from, q.element, by);
        }
        buffers += format("        __attribute__((aligned(64))) {} {}_t[L];\n", q.element, q.name);
        std::string copy = e_.padded_copy(q.bytes);
        if (q.in)
          copies_in += format("          weft_pad_{0}({1}_t, s.{1}, {2}, m);\n", copy, q.name,
                              by.empty() ? "1" : format("s.{}_by", q.name));
        if (q.out)
          copies_out += format("          weft_unpad_{0}({1}, {2}, {3}_t, m);\n", copy, from,
                               q.stride.empty() ? "1" : q.name + "_by", q.name);
        copies_in += format("          s.{0} = {0}_t;\n", q.name);
        if (!by.empty()) copies_in += format("          s.{}_by = 1;\n", q.name);
      }
      // Lanes beyond a stretch repeat its last position: where a test fails, indices may leave their arrays.
      if (uses_positions_) out += "        s.i = c;\n        s.final = c + m - 1;\n";
      if (counts_lanes_) out += "        s.live = weft_least(m, L);\n";
      out += buffers + "        if (partial) {\n" + copies_in + "        }\n";
      out += format("        span{}(&s, n);\n", id_);
      if (!copies_out.empty()) out += "        if (partial) {\n" + copies_out + "        }\n";
      if (many_rows()) out += "        }\n";
      if (folds_) out += "        const boolv live = weft_less_i64(weft_lanes_i64(), (i64v)(m));\n" + gather_;
      return out + "        c += m;\n      }\n      }\n";
    }

    CpuEmitter& e_;
    std::vector<const Stmt*> stmts_;
    int id_, stores_ = 0;
    std::set<Value> own_, imported_;
    std::vector<Stream> streams_;
    std::vector<const Test*> tests_;
    std::string members_, locals_, sets_, before_, pre_, body_, post_, after_, gather_;
    std::string streamed_;  // the store that decides where aligned vectors begin
    int streams_out_ = 0;
    bool uses_positions_ = false, counts_lanes_ = false, folds_ = false;
  };

  int accumulator_of(Value v) const {
    for (size_t a = 0; a < p_.accumulators.size(); ++a)
      if (p_.accumulators[a].out == v) return static_cast<int>(a);
    return -1;
  }

  // Helpers of index arithmetic. A test 0 <= base + by * x < extent holds for lo <= x < hi.
  static constexpr const char* kSupport = R"(
struct c64e { float re, im; };
struct c128e { double re, im; };
__attribute__((aligned(64))) static const unsigned char weft_zeros[1024] = {};
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
static inline void weft_bounds(long base, long by, long extent, long* lo, long* hi) {
  if (by < 0) { base = extent - 1 - base; by = -by; }
  *lo = -weft_floor_div(base, by);
  *hi = weft_floor_div(extent - 1 - base, by) + 1;
}
static inline long weft_stretch(long c, long lo, long hi, long m) {
  long e = c < lo ? lo : c < hi ? hi : c + m;
  return weft_least(m, e - c);
}
)";

  const RowProgram& p_;
  const Schedule& s_;
  bool contract_;
  int x_;
  bool columns_;
  CpuDialect dialect_;
  std::vector<char> varies_;
  std::vector<const Stmt*> definition_;
  std::vector<int64_t> extra_;
  std::map<Value, Array> arrays_;
  std::vector<Array> totals_, positions_;
  std::vector<std::string> partials_;
  int rows_axis_ = -1;  // see many_rows_axis(); of the sweep at hand
  std::string points_, pad_, row_ = "0", functions_, support_;
  TaskNames names_;
  std::set<size_t> padded_;
  int64_t scratch_bytes_ = 0, partial_bytes_ = 0, tasks_ = 1;
  int spans_ = 0;
};

}  // namespace

Emitted emit_cpu(const RowProgram& program, const Schedule& schedule, bool contract) {
  return CpuEmitter(program, schedule, contract).run();
}

}  // namespace weft::emit
