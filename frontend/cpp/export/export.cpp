#include "frontend/cpp/export/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/error.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/export/export_texts.h"
#include "frontend/cpp/session/long_work.h"

namespace weft {
namespace detail {
namespace {

std::string bytes_of(const runtime::BufferRef& buffer, const ir::TensorType& type) {
  std::string bytes(static_cast<size_t>(element_count(type.shape)) * size_of(type.dtype), '\0');
  buffer->device()->download(bytes.data(), *buffer, 0, bytes.size());
  return bytes;
}

runtime::ExportedProgram::Check::Rule exported_rule(LateCheck::Rule rule) {
  using Rule = runtime::ExportedProgram::Check::Rule;
  switch (rule) {
    case LateCheck::Rule::Position:
      return Rule::Position;
    case LateCheck::Rule::Exponent:
      return Rule::Exponent;
    case LateCheck::Rule::Picked:
      return Rule::Picked;
  }
  throw InternalError("export: an unknown rule");
}

}  // namespace

ToExport to_export(const FunctionGraph& function, const std::vector<std::string>& names) {
  if (!names.empty() && names.size() != function.inputs.size())
    throw Error(fmt::format("export: takes a name for each of {} arguments: got {}", function.inputs.size(),
                            names.size()));
  Canonical canonical;
  prepare(*function.device, function.outputs, canonical, false);
  ToExport out{graph_of(function.outputs, canonical), {}, {}};
  const std::vector<std::string> named = parameter_names(names);
  for (size_t k = 0; k < function.inputs.size(); ++k) {
    const ir::TensorType& type = function.inputs[k]->type;
    out.exported.arguments.push_back(
        {names.empty() ? fmt::format("a{}", k) : named[k], type.dtype, type.shape});
  }
  for (size_t i = 0; i < canonical.inputs.size(); ++i) {
    const auto argument = std::ranges::find(function.inputs, canonical.inputs[i]);
    if (argument != function.inputs.end()) {
      out.exported.inputs.push_back({static_cast<int>(argument - function.inputs.begin()), -1});
      continue;
    }
    if (!canonical.buffers[i]) throw Error("export: an argument of another compiled function was kept");
    out.exported.inputs.push_back({-1, static_cast<int>(out.arrays.size())});
    out.arrays.push_back(bytes_of(canonical.buffers[i], canonical.inputs[i]->type));
  }
  for (const Scalar& value : canonical.scalars) out.exported.scalars.push_back({-1, value});
  for (const LateCheck& one : function.checks) {
    out.exported.checks.push_back(
        {exported_rule(one.rule), one.op, static_cast<int64_t>(one.axis), one.extent});
  }
  return out;
}

void write_export(const std::string& folder, const std::string& name,
                  std::span<const FunctionGraph> functions, const ExportOptions& options) {
  const LongWork work;
  std::vector<ToExport> programs;
  programs.reserve(functions.size());
  for (const FunctionGraph& one : functions) programs.push_back(to_export(one, options.arguments));
  DeviceSlot& device = *functions[0].device;
  for (const FunctionGraph& one : functions)
    if (one.device->target.kind != device.target.kind)
      throw Error(fmt::format("export: takes examples on one device: got some on {} and on {}", device.name,
                              one.device->name));
  std::string processor = options.processor;
  if (device.target.kind == TargetKind::Cuda) {
    // Schedules are made for the GPU that the examples are on.
    const std::string& own = device.device->info().architecture;
    if (!processor.empty() && processor != own)
      throw Error(
          fmt::format("export: examples on {} make kernels for {}: got processor '{}'; `weft export "
                      "FILE --device cuda --processor {}` compiles a graph for another GPU",
                      device.name, own, processor, processor));
    processor = own;
  }
  write_export(folder, name, programs, device.target, device.compile_options(), processor);
}

}  // namespace detail

void export_function(const std::string& folder, const std::string& name, const Compiled::Function& f,
                     std::span<const std::vector<Array>> examples, const ExportOptions& options) {
  if (examples.empty()) throw Error("export: takes at least one example of the arguments");
  std::vector<detail::FunctionGraph> functions;
  functions.reserve(examples.size());
  for (const std::vector<Array>& arguments : examples)
    functions.push_back(detail::function_graph("export", arguments, f));
  detail::write_export(folder, name, functions, options);
}

}  // namespace weft
