#include "compiler/ir/user_kernel.h"

#include <fmt/format.h>

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
  kernel.hash = hash_text(all);
  return std::make_shared<const UserKernel>(std::move(kernel));
}

}  // namespace weft::ir
