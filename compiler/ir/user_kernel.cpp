#include "compiler/ir/user_kernel.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/function.h"
#include "compiler/ir/loop_hash.h"

namespace weft::ir {

const Hash& hash_of(const UserKernel& kernel) { return kernel.hash; }

UserKernelRef checked(UserKernel kernel) {
  // Each text with its length, so that no two kernels write the same.
  std::string all;
  const auto add = [&all](const std::string& text) { all += fmt::format("{}:{}\n", text.size(), text); };
  const auto add_types = [&](const std::vector<TensorType>& types) {
    all += fmt::format("{} types\n", types.size());
    for (const TensorType& type : types)
      add(fmt::format("{}{}", weft::name(type.dtype), to_string(type.shape)));
  };
  all += fmt::format("{}\n", static_cast<int>(kernel.target));
  add(kernel.name);
  add(kernel.title);
  add(to_string(kernel.text->hash));
  for (const UserKernel::Argument& one : kernel.arguments) {
    all += fmt::format("{} {} ", static_cast<int>(one.kind), one.number);
    add(one.type);
    if (one.kind == UserKernel::Argument::Kind::Constant) add(one.name);
  }
  add_types(kernel.operands);
  add_types(kernel.results);
  for (const int operand : kernel.starts_as) all += fmt::format("{} ", operand);
  for (const auto& extents : {kernel.grid, kernel.block})
    for (const int64_t extent : extents) all += fmt::format("{} ", extent);
  all += fmt::format("{} {} {} {}", kernel.grain, kernel.shared_bytes, kernel.cluster, kernel.checks);
  if (kernel.library) add(kernel.library->name);
  for (const int64_t number : kernel.numbers) all += fmt::format(" {}", number);
  kernel.hash = hash_text(all);
  return std::make_shared<const UserKernel>(std::move(kernel));
}

UserKernelRef library_kernel(const LibraryFunction& function, std::vector<TensorType> operands,
                             std::vector<TensorType> results, int64_t range, std::vector<int64_t> numbers,
                             int64_t grain) {
  static const auto no_text = std::make_shared<const UserText>(std::string());
  if (grain < 1) throw Error(fmt::format("{}: a grain is 1 at least: got {}", function.name, grain));
  if (const std::string rule = function.broken_rule({operands, results, range, numbers}); !rule.empty())
    throw Error(fmt::format("{}: {}", function.name, rule));
  UserKernel kernel;
  kernel.name = kernel.title = function.name;
  kernel.text = no_text;
  kernel.library = &function;
  for (size_t i = 0; i < operands.size(); ++i)
    kernel.arguments.push_back({UserKernel::Argument::Kind::Operand, i, {}, fmt::format("x{}", i)});
  for (size_t i = 0; i < results.size(); ++i)
    kernel.arguments.push_back({UserKernel::Argument::Kind::Result, i, {}, fmt::format("r{}", i)});
  kernel.starts_as.assign(results.size(), -1);
  kernel.operands = std::move(operands), kernel.results = std::move(results);
  kernel.grid[0] = range;
  kernel.grain = grain;
  kernel.numbers = std::move(numbers);
  return checked(std::move(kernel));
}

UserKernelRef with_leading_axis(const UserKernel& kernel, int64_t size) {
  UserKernel all = kernel;
  for (auto* types : {&all.operands, &all.results})
    for (TensorType& type : *types) type.shape.insert(0, size);
  all.grid[0] *= size;
  return checked(std::move(all));
}

std::string_view title_of(const Node& node) {
  if (!is_user_kernel(node)) return called(node);
  const UserKernel& kernel = *user_kernel_of(node);
  const std::string_view title = kernel.title;
  return kernel.library ? title.substr(0, title.rfind('_')) : title;
}

}  // namespace weft::ir
