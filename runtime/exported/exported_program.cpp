// Exported programs as CBOR. What only people and the search for schedules need stays behind.
#include "runtime/exported/exported_program.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "compiler/base/error.h"

namespace weft {

using nlohmann::json;

// ---- one struct, one list of its fields
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelConstant, name, argument, bytes)

using Constants = std::shared_ptr<const std::vector<KernelConstant>>;
void to_json(json& j, const Constants& constants) {
  j = constants ? *constants : std::vector<KernelConstant>();
}
void from_json(const json& j, Constants& constants) {
  auto all = j.get<std::vector<KernelConstant>>();
  constants = all.empty() ? nullptr : std::make_shared<const std::vector<KernelConstant>>(std::move(all));
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Launch, tasks, grain, scratch_bytes, finish_tasks, threads, tasks_y,
                                   tasks_z, threads_y, threads_z, finish_threads, shared_bytes, cluster,
                                   cooperating, zeroed_bytes, zeroed, counters, counting, constants)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Dot, dtype, batch, m, n, k, transpose_a, transpose_b, lda, ldb, ldc,
                                   stride_a, stride_b, stride_c)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelStep::Overwrite, written, read)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelStep, kernel, launch, buffers, overwrites, params, scalars,
                                   bytes_read, bytes_written)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DotStep, dot, a, b, c, offset_a, offset_b)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CopyStep, from, to)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoopProgram::Source, output, operand)

void to_json(json& j, const Shape& shape) { j = std::vector<int64_t>(shape.begin(), shape.end()); }
void from_json(const json& j, Shape& shape) { shape = Shape(j.get<std::vector<int64_t>>()); }

void to_json(json& j, const Scalar& value) {
  std::vector<uint8_t> bytes(size_of(value.dtype));
  value.store(bytes.data());
  j = {value.dtype, bytes};
}
void from_json(const json& j, Scalar& value) {
  const auto dtype = j.at(0).get<DType>();
  const auto bytes = j.at(1).get<std::vector<uint8_t>>();
  if (bytes.size() != size_of(dtype)) throw Error("a number of another size");
  value = Scalar::load(dtype, bytes.data());
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BufferSpec, role, index, dtype, shape, bytes, what)

void to_json(json& j, const LoopStep& step);
void from_json(const json& j, LoopStep& step);

// ---- a step is its place in the variant, and itself
void to_json(json& j, const ProgramStep& step) {
  j = {step.index(), std::visit([](const auto& one) { return json(one); }, step)};
}
void from_json(const json& j, ProgramStep& step) {
  switch (j.at(0).get<size_t>()) {
    case 0:
      step = j.at(1).get<KernelStep>();
      return;
    case 1:
      step = j.at(1).get<DotStep>();
      return;
    case 2:
      step = j.at(1).get<CopyStep>();
      return;
    case 3:
      step = j.at(1).get<LoopStep>();
      return;
    default:
      throw Error("a step of an unknown kind");
  }
}

void to_json(json& j, const Program& program) {
  std::vector<std::string> kernels;
  kernels.reserve(program.kernels.size());
  for (const KernelSource& source : program.kernels) kernels.push_back(source.name);
  j = {{"kernels", kernels},         {"buffers", program.buffers}, {"steps", program.steps},
       {"scalars", program.scalars}, {"inputs", program.inputs},   {"outputs", program.outputs}};
}
void from_json(const json& j, Program& program) {
  for (auto& name : j.at("kernels")) program.kernels.push_back({name.get<std::string>(), {}, {}});
  j.at("buffers").get_to(program.buffers);
  j.at("steps").get_to(program.steps);
  j.at("scalars").get_to(program.scalars);
  j.at("inputs").get_to(program.inputs);
  j.at("outputs").get_to(program.outputs);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoopProgram::Body, program, results, given, writes_given)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoopProgram, kind, bodies, carries, sliced, length, reverse, results,
                                   slice_bytes)

void to_json(json& j, const LoopStep& step) { j = {*step.loop, step.operands, step.results}; }
void from_json(const json& j, LoopStep& step) {
  step.loop = std::make_shared<LoopProgram>(j.at(0).get<LoopProgram>());
  j.at(1).get_to(step.operands);
  j.at(2).get_to(step.results);
}

namespace runtime {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportedProgram::Argument, name, dtype, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportedProgram::Input, argument, array)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportedProgram::Number, argument, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportedProgram::Check, rule, op, axis, extent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExportedProgram, arguments, results, inputs, scalars, checks, array_bytes,
                                   program)

std::string to_bytes(const ExportedProgram& exported) {
  std::string bytes;
  json::to_cbor(json(exported), bytes);
  return bytes;
}

ExportedProgram exported_program(std::string_view bytes) {
  try {
    return json::from_cbor(bytes).get<ExportedProgram>();
  } catch (const json::exception& problem) {
    throw Error(problem.what());
  }
}

}  // namespace runtime
}  // namespace weft
