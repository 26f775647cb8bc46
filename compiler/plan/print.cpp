// The texts of row programs and of their schedules.
#include <fmt/format.h>

#include "compiler/plan/plan.h"

namespace weft::plan {

namespace {

std::string text(const Num& n) { return n.param < 0 ? std::to_string(n.value) : fmt::format("p{}", n.param); }

std::string text(const Scalar& s) {
  switch (kind(s.dtype)) {
    case DTypeKind::Float:
      return fmt::format("{}", s.re);
    case DTypeKind::Complex:
      return fmt::format("({}, {})", s.re, s.im);
    case DTypeKind::Unsigned:
      return std::to_string(static_cast<uint64_t>(s.i));
    default:
      return std::to_string(s.i);
  }
}

class Printer {
 public:
  explicit Printer(const RowProgram& p) : p_(p) {}

  std::string run() {
    out_ = "program\n";
    axes("outer", p_.outer, "i", 0);
    axes("row", p_.row, "r", p_.outer.size());
    for (size_t b = 0; b < p_.buffers.size(); ++b)
      out_ += fmt::format("  buffer b{} : {}{}\n", b, name(p_.buffers[b].dtype),
                          p_.buffers[b].written ? " written" : "");
    for (size_t s = 0; s < p_.scalars.size(); ++s)
      out_ += fmt::format("  scalar s{} : {}\n", s, name(p_.scalars[s]));
    for (size_t s = 0; s < p_.sweeps.size(); ++s) {
      for (auto& stmt : p_.sweeps[s].before) line(stmt, 1);
      out_ += fmt::format("  sweep {}\n", s);
      for (auto& stmt : p_.sweeps[s].body) line(stmt, 2);
      section(p_.sweeps[s]);
      for (int a : p_.sweeps[s].accumulators) {
        auto& acc = p_.accumulators[a];
        if (acc.is_running()) continue;
        out_ += fmt::format("  %{} : {} = finish a{}\n", acc.out, name(p_.values[acc.out].dtype), a);
      }
    }
    if (!p_.epilogue.empty()) out_ += "  epilogue\n";
    for (auto& stmt : p_.epilogue) line(stmt, 2);
    if (p_.reduces_points()) out_ += "  after all points\n";
    for (size_t a = 0; a < p_.accumulators.size(); ++a)
      if (auto& acc = p_.accumulators[a]; acc.is_over_points())
        out_ += fmt::format("    %{} : {} = finish a{}\n", acc.out, name(p_.values[acc.out].dtype), a);
    for (auto& stmt : p_.after) line(stmt, 2);
    return out_;
  }

 private:
  void section(const Sweep& sweep) {
    if (sweep.section_totals.empty()) return;
    out_ += "    after each section:";
    for (int k = 0; k < p_.section_axes; ++k)
      out_ += fmt::format(" r{}", p_.outer.size() + static_cast<size_t>(k));
    out_ += "\n";
    for (int a : sweep.section_totals)
      out_ += fmt::format("      %{} : {} = finish a{}\n", p_.accumulators[a].out,
                          name(p_.values[p_.accumulators[a].out].dtype), a);
    for (auto& stmt : sweep.after_section) line(stmt, 3);
  }

  void axes(const char* what, const std::vector<Num>& list, const char* letter, size_t first) {
    if (list.empty()) return;
    out_ += fmt::format("  {}", what);
    for (size_t k = 0; k < list.size(); ++k)
      out_ += fmt::format(" {}{}<{}", letter, first + k, text(list[k]));
    out_ += "\n";
  }

  std::string text(const Num& n) { return plan::text(n); }

  std::string text(const Index& at) {
    std::string s;
    auto term = [&](const std::string& name, const Num& by) {
      if (!s.empty()) s += " + ";
      s += by.param < 0 && by.value == 1 ? name : fmt::format("{}*{}", name, text(by));
    };
    for (auto& t : at.axes)
      term(fmt::format("{}{}", t.axis < static_cast<int>(p_.outer.size()) ? "i" : "r", t.axis), t.by);
    for (auto& t : at.values) term(fmt::format("%{}", t.value), t.by);
    if (s.empty() || at.offset.param >= 0 || at.offset.value != 0)
      s += (s.empty() ? "" : " + ") + text(at.offset);
    return s;
  }

  static std::string list(const std::vector<Value>& values) {
    std::string s;
    for (Value v : values) s += fmt::format("{}%{}", s.empty() ? "" : ", ", v);
    return s;
  }

  void line(const Stmt& stmt, int depth) {
    std::string s(static_cast<size_t>(depth) * 2, ' ');
    if (Value v = defines(stmt); v >= 0) s += fmt::format("%{} : {} = ", v, name(p_.values[v].dtype));
    std::visit([&](auto& x) { s += text(x); }, stmt);
    out_ += s + "\n";
  }

  std::string text(const Let& x) {
    std::string s = fmt::format("{} {}", name(x.op), list(x.args));
    for (const Series& one : x.series) s += fmt::format(", b{} by {}", one.buffer, text(one.step));
    return s;
  }
  std::string text(const Literal& x) { return plan::text(x.value); }
  std::string text(const Argument& x) { return fmt::format("s{}", x.scalar); }
  std::string text(const Position& x) { return fmt::format("position {}", text(x.at)); }
  std::string text(const Divide& x) {
    return fmt::format("%{} {} {}", x.of, x.remainder ? "mod" : "div", text(x.divisor));
  }
  std::string text(const Clamp& x) { return fmt::format("clamp %{} to {}", x.index, text(x.extent)); }
  std::string text(const Test& x) { return fmt::format("{} within {}", text(x.at), text(x.extent)); }
  std::string text(const Load& x) {
    return fmt::format("b{}[{}]{}{}", x.buffer, text(x.at),
                       x.guards.empty() ? "" : " where " + list(x.guards), text(x.run));
  }
  std::string text(const Fold& x) {
    const Accumulator& acc = p_.accumulators[x.accumulator];
    return fmt::format("fold a{} {}{} %{}{}{}{}", x.accumulator,
                       acc.is_over_points()    ? "across "
                       : acc.is_over_section() ? "of the section "
                                               : "",
                       name(acc.op), x.value, x.factor < 0 ? "" : fmt::format(" times %{}", x.factor),
                       x.position < 0 ? "" : fmt::format(" at %{}", x.position),
                       acc.relative_to() ? fmt::format(" relative to a{}", *acc.relative_to()) : "");
  }
  std::string text(const Scan& x) {
    return fmt::format("scan {} %{}", name(p_.accumulators[x.accumulator].op), x.value);
  }
  std::string text(const Largest& x) { return fmt::format("largest of a{}", x.accumulator); }
  std::string text(const Store& x) {
    const char* how = x.how == Storing::Largest ? "largest " : x.how == Storing::Sum ? "sum " : "";
    return fmt::format("b{}[{}] = {}%{}{}", x.buffer, text(x.at), how, x.value, text(x.run));
  }
  std::string text(const Run& run) {
    return run.length == 1 ? "" : fmt::format(", {} of {}", run.nth + 1, run.length);
  }

  const RowProgram& p_;
  std::string out_;
};

}  // namespace

std::string print(const RowProgram& program) { return Printer(program).run(); }

}  // namespace weft::plan
