// A layout, the entries, and before them the functions that these call.
#include "compiler/emit/cpu/emit_cpu.h"

#include "compiler/emit/cpu/layout.h"
#include "compiler/emit/cpu/shapes.h"
#include "compiler/emit/cpu/tasks.h"
#include "compiler/emit/cpu/transpose.h"
#include "compiler/emit/kernel_source.h"
#include "compiler/emit/prelude/prelude.h"
#include "compiler/program/cpu_walk.h"

namespace weft::emit::cpu {

using namespace plan;

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

struct WriteLoops {
  Entry& e;

  std::string operator()(const plan::cpu::SplitRows&) const { return write_split_rows(e); }
  std::string operator()(const plan::cpu::Totals&) const { return write_totals(e); }
  std::string operator()(const plan::cpu::SplitColumns&) const { return write_split_columns(e); }
  // The others are plain points, rows or columns.
  template <class Plain>
  std::string operator()(const Plain&) const {
    const Order order = e.layout.division.order;
    if (order == Order::Pointwise) return write_points(e);
    return order == Order::Rows ? write_rows(e) : write_columns(e);
  }
};

std::string text_of(Entry e, const plan::cpu::Shape& shape) {
  const std::string loops = std::visit(WriteLoops{e}, shape);
  return write_entry(e, loops);
}

// The walk, or where masked spans have tests with bounds, what finds these.
std::string_view support_of(const CpuLayout& l, const std::string& text) {
  static const auto& walk = *new std::string(declarations(kCpuWalkText));
  static const auto& bounds = *new std::string(declarations(kCpuBoundsText));
  if (!l.lanes.masked) return walk;
  return text.find("weft_bounds(") == std::string::npos ? std::string_view() : bounds;
}

Emitted emit(const RowProgram& p, const plan::cpu::Shape& shape, const CpuLayout& l) {
  Functions functions{.text = transposing_functions(p, l)};
  std::string entries = text_of({p, l, l.main, functions}, shape);
  if (l.finish) entries += text_of({p, l, *l.finish, functions}, shape);
  std::string text = functions.text + entries;
  replace_all(text, kArguments, unpack_arguments(p, l));
  text = std::string(kSupport).append(support_of(l, text)) + text;
  text = prelude_for(PreludeTarget::Cpu, l.lanes.count, text) + text;

  Emitted out;
  out.source = named(std::move(text), p);
  out.launch = l.launch;
  out.params = p.params;
  out.params.insert(out.params.end(), l.words.begin(), l.words.end());
  out.partial_bytes = l.partials.bytes;
  return out;
}

}  // namespace
}  // namespace weft::emit::cpu

namespace weft::emit {

Emitted emit_cpu(const plan::RowProgram& program, const plan::CpuSchedule& schedule) {
  return emit_cpu(program, schedule, cpu::lay_out(program, schedule));
}

Emitted emit_cpu(const plan::RowProgram& program, const plan::CpuSchedule& schedule,
                 const cpu::CpuLayout& layout) {
  return cpu::emit(program, schedule.shape, layout);
}

}  // namespace weft::emit
