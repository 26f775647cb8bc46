#include "frontend/cpp/export/write_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <set>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "frontend/cpp/export/export_texts.h"
#include "frontend/files/whole_file.h"
#include "runtime/cpu/clang_jit.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/nvrtc.h"

namespace weft::detail {
namespace {

constexpr const char* kOldestLevel = "x86-64-v2";

// The compiler for a level of x86-64; for the highest that this processor has where none is named.
runtime::ClangJit compiler_for(std::string& processor) {
  constexpr std::array kLevels = {"x86-64-v4", "x86-64-v3", kOldestLevel};
  if (processor.empty()) {
    for (const char* level : kLevels) try {
        runtime::ClangJit made(level);
        processor = level;
        return made;
      } catch (const Error&) {
        // The next is older.
      }
    throw Error("export: takes processors of x86-64-v2 or younger");
  }
  if (std::ranges::find(kLevels, processor) == kLevels.end())
    throw Error(fmt::format(
        "export: processor: takes {}: got {}{}", fmt::join(kLevels, ", "), processor,
        processor.starts_with("sm_") ? "; a GPU's goes with examples on a GPU, or --device cuda" : ""));
  return runtime::ClangJit(processor);
}

// NVRTC, where the architecture is one of a GPU: "sm_90".
std::unique_ptr<runtime::cuda::Nvrtc> nvrtc_for(const std::string& architecture) {
  const std::string digits = architecture.substr(std::min<size_t>(3, architecture.size()));
  if (!architecture.starts_with("sm_") || digits.empty() ||
      !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    throw Error(
        fmt::format("export: processor: takes a GPU's architecture, such as sm_80, sm_89 or sm_90, "
                    "for programs of GPUs: got '{}'",
                    architecture));
  std::string reason;
  auto nvrtc = runtime::cuda::Nvrtc::open(runtime::default_cuda_directories(), reason);
  if (!nvrtc) throw Error("export: kernels for a GPU need NVRTC: " + reason);
  return nvrtc;
}

// Kernels with their texts, as the archive names them, of programs and of their loops' bodies.
struct Kernels {
  std::string prefix;  // so that two exports in one program have no name in common
  std::vector<KernelSource> all;
  std::set<std::string> finished;  // of which some step starts NAME_finish

  void take_from(Program& program) {
    for (KernelSource& source : program.kernels) {
      const std::string was = source.name;
      if (source.linked.entry)
        throw Error("export: " + was +
                    " is a function of the library, which an export does not hold: leave it outside");
      // The compiler knows kernels of the user's own text by how their names begin.
      constexpr std::string_view kUsers = "weft_user_";
      source.name = was.starts_with(kUsers)
                        ? fmt::format("{}{}_{}", kUsers, prefix, was.substr(kUsers.size()))
                        : fmt::format("{}_{}", prefix, was);
      if (std::ranges::any_of(all, [&](auto& known) { return known.name == source.name; })) continue;
      for (size_t at = source.text.find(was); at != std::string::npos;
           at = source.text.find(was, at + source.name.size()))
        source.text.replace(at, was.size(), source.name);
      all.push_back(source);
    }
    for (ProgramStep& step : program.steps) {
      if (auto* kernel = std::get_if<KernelStep>(&step)) {
        if (kernel->kernel < 0) throw InternalError("export: a step in blocks");
        if (kernel->launch.finish_tasks > 0)
          finished.insert(program.kernels[static_cast<size_t>(kernel->kernel)].name);
      }
      if (auto* loop = std::get_if<LoopStep>(&step)) {
        auto own = std::make_shared<LoopProgram>(*loop->loop);
        for (LoopProgram::Body& body : own->bodies) take_from(body.program);
        loop->loop = std::move(own);
      }
    }
  }
};

// What buffers are, without where in whose files.
void drop_lines(Program& program) {
  const auto of_nobody = [](BufferSpec& buffer) {
    buffer.what = buffer.what.substr(0, buffer.what.find(" at "));
  };
  std::ranges::for_each(program.buffers, of_nobody);
  for (ProgramStep& step : program.steps)
    if (auto* loop = std::get_if<LoopStep>(&step)) {
      auto own = std::make_shared<LoopProgram>(*loop->loop);
      for (LoopProgram::Body& body : own->bodies) drop_lines(body.program);
      std::ranges::for_each(own->results, of_nobody);
      loop->loop = std::move(own);
    }
}

void write_file(const std::string& path, const std::string& content) {
  io::write_whole_file(path, [&](const std::string& where) {
    std::ofstream file(where, std::ios::binary);
    file << content;
    file.close();
    if (!file) throw Error(fmt::format("export: '{}' cannot be written", path));
  });
}

void compile_one(ToExport& one, const Target& target, const Options& options) {
  one.exported.program = compile(one.graph, target, options);
  drop_lines(one.exported.program);
  const size_t checked = 2 * one.exported.checks.size();
  for (size_t k = 0; k + checked < one.graph.outputs.size(); ++k) {
    const ir::TensorType& type = one.graph.outputs[k]->type;
    const bool alone = one.graph.outputs.size() - checked == 1;
    std::vector<std::string> taken;
    taken.reserve(one.exported.arguments.size());
    for (auto& argument : one.exported.arguments) taken.push_back(argument.name);
    const std::string own = apart_from(taken, alone ? "result" : fmt::format("result{}", k));
    one.exported.results.push_back({own, type.dtype, type.shape});
  }
  for (const std::string& bytes : one.arrays)
    one.exported.array_bytes.push_back(static_cast<int64_t>(bytes.size()));
}

}  // namespace

void write_export(const std::string& folder, const std::string& name, std::span<ToExport> programs,
                  Target target, const Options& options, const std::string& processor) {
  if (!runtime::ClangJit::kCompiles)
    throw Error("export: this library was built without a compiler: build Weft with WEFT_CPU_JIT=ON");
  check_programs(name, programs);
  const bool for_gpu = target.kind == TargetKind::Cuda;
  std::string level = processor;
  // Of a program for a GPU the tables alone are the processor's.
  std::string tables_for = kOldestLevel;
  const runtime::ClangJit jit = compiler_for(for_gpu ? tables_for : level);
  if (!for_gpu) target.vector_bytes = jit.vector_bytes();
  const std::unique_ptr<runtime::cuda::Nvrtc> nvrtc = for_gpu ? nvrtc_for(level) : nullptr;
  Kernels kernels{name, {}, {}};
  std::vector<runtime::ArchiveMember> members;
  std::vector<std::string> bytes;
  for (size_t k = 0; k < programs.size(); ++k) {
    compile_one(programs[k], target, options);
    kernels.take_from(programs[k].exported.program);
    bytes.push_back(runtime::to_bytes(programs[k].exported));
    members.push_back(
        {fmt::format("program{}.o", k), jit.data_object(program_symbol(name, k), bytes.back())});
    for (size_t a = 0; a < programs[k].arrays.size(); ++a)
      members.push_back({fmt::format("array{}_{}.o", k, a),
                         jit.data_object(array_symbol(name, k, a), programs[k].arrays[a])});
  }
  std::vector<ExportedKernel> tables;
  for (const KernelSource& source : kernels.all) {
    members.push_back({source.name + ".o",
                       for_gpu ? jit.data_object(source.name, nvrtc->compile(source.text, source.name, level))
                               : jit.compile(source.text, source.name)});
    tables.push_back({source.name, kernels.finished.contains(source.name)});
  }
  members.push_back(
      {name + ".o", jit.compile(table_text(name, level, programs, bytes, tables, for_gpu), name)});

  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw Error(fmt::format("export: '{}' cannot be made: {}", folder, code.message()));
  const std::filesystem::path place(folder);
  write_file((place / ("lib" + name + ".a")).string(), jit.archive(members));
  write_file((place / (name + ".h")).string(), header_text(name, programs));
}

}  // namespace weft::detail
