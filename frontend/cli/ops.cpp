// `weft ops`: the op table, as a table for a terminal, one op's row in full, or the page docs/ops.md.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/base/nearest.h"
#include "compiler/ir/ops/op.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/print_json.h"

namespace weft::cli {
namespace {

using ir::Op;
using ir::OpInfo;
using ir::OpKind;

struct KindText {
  OpKind kind;
  std::string_view name, title, summary;
};
constexpr std::array<KindText, 11> kKinds = {{
    {OpKind::Source, "source", "Sources", "Where values come from."},
    {OpKind::Map, "map", "Maps", "One result element for each position, from the operands' elements there."},
    {OpKind::View, "view", "Views", "Index maps: fusion reads through them."},
    {OpKind::Reduce, "reduce", "Reductions", "Over a set of axes, which disappear from the shape."},
    {OpKind::Scan, "scan", "Scans", "Running values along one axis; the shape stays."},
    {OpKind::Gather, "gather", "Gather", "Elements at positions that are themselves values."},
    {OpKind::Scatter, "scatter", "Scatter", "Stores at positions that are themselves values."},
    {OpKind::Update, "update", "Update", "What a slice assignment records."},
    {OpKind::Dot, "dot", "Products", "The device's library computes them."},
    {OpKind::Loop, "loop", "Loops", "Their bodies are graphs, which the host runs; each node is one result."},
    {OpKind::Kernel, "kernel", "Kernels", "Their text is the user's; each node is one result."},
}};

const KindText& text_of(OpKind kind) {
  for (auto& k : kKinds)
    if (k.kind == kind) return k;
  throw InternalError("ops: a kind of op has no name");
}

std::string arity(const OpInfo& op) { return op.arity < 0 ? "any" : std::to_string(op.arity); }

std::string dtypes(const OpInfo& op) {
  if (op.accepts == ir::kAny) return "any";
  std::string out;
  auto add = [&](uint8_t bit, std::string_view word) {
    if (!(op.accepts & bit)) return;
    if (!out.empty()) out += ", ";
    out += word;
  };
  add(ir::kBool, "bool");
  add(ir::kSigned, "signed");
  add(ir::kUnsigned, "unsigned");
  add(ir::kFloat, "float");
  add(ir::kComplex, "complex");
  return out;
}

std::string_view result(const OpInfo& op) {
  switch (op.result) {
    case ir::Result::Same:
      return "same";
    case ir::Result::Bool:
      return "bool";
    case ir::Result::Real:
      return "real part's";
    case ir::Result::Complex:
      return "complex";
    case ir::Result::Index:
      return "i64";
    case ir::Result::Stated:
      return "stated";
  }
  throw InternalError("ops: a dtype rule has no name");
}

// Only maps of floats and complex numbers round.
std::string ulp(const OpInfo& op) {
  if (op.kind != OpKind::Map || !(op.accepts & ir::kFloating) || op.result == ir::Result::Bool ||
      op.result == ir::Result::Stated)
    return "";
  std::string out = op.ulp.f32 == op.ulp.f64 ? fmt::format("{}", op.ulp.f32)
                                             : fmt::format("{} (f64: {})", op.ulp.f32, op.ulp.f64);
  if (op.accepts & ir::kComplex && op.result != ir::Result::Real)
    out += fmt::format(", complex {}", op.complex_ulp);
  return out;
}

std::vector<const OpInfo*> ops_of(std::optional<OpKind> kind) {
  std::vector<const OpInfo*> out;
  for (int i = 0; i < ir::kOpCount; ++i) {
    const OpInfo& op = info(static_cast<Op>(i));
    if (!kind || op.kind == *kind) out.push_back(&op);
  }
  return out;
}

void print_table(std::optional<OpKind> kind) {
  fmt::print("{:<20} {:<8} {:<6} {:<32} {:<12} {}\n", "name", "kind", "inputs", "dtypes", "result",
             "meaning");
  for (const OpInfo* op : ops_of(kind))
    fmt::print("{:<20} {:<8} {:<6} {:<32} {:<12} {}\n", op->name, text_of(op->kind).name, arity(*op),
               dtypes(*op), result(*op), op->doc);
}

void print_one(const OpInfo& op) {
  fmt::print("{}: {}\n", op.name, op.doc);
  fmt::print("  kind      {}\n", text_of(op.kind).name);
  fmt::print("  inputs    {}\n", arity(op));
  fmt::print("  dtypes    {}\n", dtypes(op));
  fmt::print("  result    {}\n", result(op));
  if (auto bound = ulp(op); !bound.empty()) fmt::print("  error     at most {} ulp\n", bound);
  if (op.kind == OpKind::Map) {
    fmt::print("  cost      {} multiply-adds, roughly\n", op.cost);
    if (op.arity > 0)
      fmt::print("  source    {}\n", op.code.empty() ? fmt::format("weft_{}(…), from the prelude", op.name)
                                                     : std::string(op.code));
  }
  if (!op.derivative.empty()) fmt::print("  tangent   {}\n", op.derivative);
  if (op.commutative) fmt::print("  order     of the operands does not matter\n");
}

// `|` would end a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

// Formulas are code; rules and reasons are words.
std::string tangent(const OpInfo& op) {
  constexpr std::string_view kRule = "rule: ";
  if (op.derivative.empty()) return "";
  if (op.derivative.starts_with(kRule)) return cell(op.derivative.substr(kRule.size()));
  if (op.derivative.starts_with("none: ")) return cell(op.derivative);
  return fmt::format("`{}`", op.derivative);
}

void print_markdown(std::optional<OpKind> only) {
  fmt::print(R"(# The ops

Every op of the IR, as its row of [op_table.inc](../compiler/ir/ops/op_table.inc) states it; `weft ops --markdown` writes this
page. `dtypes` are those that the inputs may have (a result of `same` has theirs), `error` is the bound on the generated
code's error in units in the last place, which the tests hold it to. [ir.md](ir.md) describes the kinds and their attributes.

`tangent` is how the result changes where an operand changes by t: one formula for each operand x, y, z, w, in the result r. A cotangent goes back by the
same formula. `off_zero(v)` is v, and 1 where v and t are 0. [derivatives.md](derivatives.md) says what is derived, and how. Without one, the result is never a float.
)");
  for (auto& k : kKinds) {
    if (only && k.kind != *only) continue;
    bool maps = k.kind == OpKind::Map;
    fmt::print("\n## {}\n\n{}\n\n", k.title, k.summary);
    fmt::print("| op | inputs | dtypes | result |{} meaning | tangent |\n", maps ? " error |" : "");
    fmt::print("|---|---|---|---|{}---|---|\n", maps ? "---|" : "");
    for (const OpInfo* op : ops_of(k.kind)) {
      fmt::print("| `{}` | {} | {} | {} |", op->name, arity(*op), dtypes(*op), result(*op));
      if (maps) fmt::print(" {} |", ulp(*op));
      fmt::print(" {} | {} |\n", cell(op->doc), tangent(*op));
    }
  }
}

Json op_json(const OpInfo& op) {
  Json inputs, error, tangent;
  if (op.arity >= 0) inputs = op.arity;
  if (const std::string bound = ulp(op); !bound.empty()) error = bound;
  if (!op.derivative.empty()) tangent = op.derivative;
  return {{"name", op.name},      {"kind", text_of(op.kind).name}, {"inputs", std::move(inputs)},
          {"dtypes", dtypes(op)}, {"result", result(op)},          {"error_ulp", std::move(error)},
          {"meaning", op.doc},    {"tangent", std::move(tangent)}};
}

struct Flags {
  std::string name, kind;
  bool markdown = false, json = false;
};

void run(const Flags& flags) {
  std::optional<OpKind> kind;
  for (auto& k : kKinds)
    if (k.name == flags.kind) kind = k.kind;
  if (!flags.name.empty()) {
    auto op = ir::op_from_name(flags.name);
    if (!op) {
      std::vector<std::string> names;
      names.reserve(ir::kOpCount);
      for (int i = 0; i < ir::kOpCount; ++i) names.emplace_back(info(static_cast<Op>(i)).name);
      throw Error(fmt::format("ops: there is no op '{}'{}; 'weft ops' lists them", flags.name,
                              meant(flags.name, names)));
    }
    if (flags.json)
      print_json("weft.ops", {{"ops", Json::array({op_json(info(*op))})}});
    else
      print_one(info(*op));
  } else if (flags.json) {
    Json ops = Json::array();
    for (const OpInfo* op : ops_of(kind)) ops.push_back(op_json(*op));
    print_json("weft.ops", {{"ops", std::move(ops)}});
  } else if (flags.markdown) {
    print_markdown(kind);
  } else {
    print_table(kind);
  }
}

}  // namespace

void add_ops(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("ops", "The ops of the IR: what they take, give and mean");
  command->footer("Examples:\n  weft ops\n  weft ops exp\n  weft ops --kind reduce");
  auto* name = command->add_option("NAME", flags->name, "One op, in full");
  std::vector<std::string> names;
  names.reserve(kKinds.size());
  for (auto& k : kKinds) names.emplace_back(k.name);
  auto* kind =
      command->add_option("--kind", flags->kind, "Only ops of this kind")->check(CLI::IsMember(names));
  auto* markdown = command->add_flag("--markdown", flags->markdown, "As the page docs/ops.md");
  name->excludes(kind)->excludes(markdown);
  add_json_flag(*command, flags->json)->excludes(markdown);
  command->callback([flags] { run(*flags); });
}

}  // namespace weft::cli
