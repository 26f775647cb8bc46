#include "compiler/emit/kernel_source.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>
#include <vector>

#include "compiler/base/hash.h"
#include "compiler/ir/function.h"
#include "compiler/ir/ops/op.h"

namespace weft::emit {

using plan::Let;
using plan::Stmt;

namespace {

// The accumulator that a statement folds into, or -1.
int folds_into(const Stmt& s) {
  if (const auto* fold = std::get_if<plan::Fold>(&s)) return fold->accumulator;
  if (const auto* scan = std::get_if<plan::Scan>(&s)) return scan->accumulator;
  return -1;
}

}  // namespace

std::string ops_of(const plan::RowProgram& p) {
  std::vector<std::pair<std::string_view, int>> found;
  auto add = [&](std::string_view name) {
    for (auto& [known, times] : found)
      if (known == name) return void(++times);
    found.emplace_back(name, 1);
  };
  plan::for_each_stmt(p, [&](const Stmt& s) {
    if (const auto* let = std::get_if<Let>(&s)) {
      add(let->function ? std::string_view(let->function->name) : ir::name(let->op));
    } else if (const int acc = folds_into(s); acc >= 0) {
      add(ir::name(p.accumulators[static_cast<size_t>(acc)].op));
    }
  });
  std::string out;
  for (const auto& [name, times] : found) {
    if (!out.empty()) out += ", ";
    out += name;
    if (times > 1) out += fmt::format(" ({})", times);
  }
  return out.empty() ? "copy" : out;
}

KernelSource named(std::string text, const plan::RowProgram& p) {
  constexpr std::string_view kName = "WEFT_NAME";
  KernelSource source;
  source.hash = hash_text(text);
  source.name = "weft_" + to_string(source.hash).substr(0, 16);
  for (size_t at = 0; (at = text.find(kName, at)) != std::string::npos; at += source.name.size())
    text.replace(at, kName.size(), source.name);
  source.text = std::move(text);
  source.ops = ops_of(p);
  return source;
}

}  // namespace weft::emit
