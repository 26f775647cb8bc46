#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/code/kernel_text.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/user_errors.h"
#include "compiler/user_source.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/env.h"
#include "frontend/cpp/weft/kernels.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/nvrtc.h"

namespace weft {

using ir::UserKernel;

namespace {
// The architecture that check() compiles for, whether a GPU is there or not.
constexpr const char* kCheckedFor = "sm_90";
}  // namespace

struct TextKernel::State {
  State(UserKernel::Target of, const std::string& text_of, const std::string& called)
      : target(of),
        source(std::make_shared<const ir::UserText>(text_of)),
        title(called.substr(0, called.find('<'))),
        text(ir::read_kernel_text(text_of, called, is_cuda())) {}

  UserKernel::Target target;
  std::shared_ptr<const ir::UserText> source;
  std::string title;
  ir::KernelText text;
  // What each set of kinds of arguments was emitted as: a call in a loop emits no text.
  mutable std::mutex mutex;
  mutable std::map<std::string, KernelSource> sources;
  bool is_cuda() const { return target == UserKernel::Target::Cuda; }
  // The first parameters of one for the CPU are a part of the range.
  size_t first() const { return is_cuda() ? 0 : 2; }
  const KernelSource& source_for(const UserKernel& kernel) const;
  // That of any call with blocks of this size: the text depends on what the parameters are alone.
  UserKernel any_call(const KernelExtents& block) const;
  // What f() gives, which compiles the text. Error where that does not compile.
  template <typename F>
  auto compiled(F&& f) const {
    try {
      return f();
    } catch (const CompileError& e) {
      throw Error(
          fmt::format("{}: does not compile:\n{}", title, of_users_text(e.log(), source->text, text.name)));
    }
  }
  runtime::KernelRef load(runtime::Device& device, const UserKernel& kernel) const;
};

namespace {

std::string written(const ir::KernelParameter& p) {
  return (p.is_const ? "const " : "") + p.type + (p.is_pointer ? "* " : " ") + p.name;
}

std::string written(DType dtype, const Shape& shape) { return std::string(name(dtype)) + to_string(shape); }

// What a call becomes: the kernel for these types, and its operands.
class CallOfKernel {
 public:
  CallOfKernel(std::string title, detail::Recording& recording) : title_(std::move(title)), r_(recording) {}

  void add(const ir::KernelConstantText& constant, const Operand& x) {
    const auto refuse = [&](const std::string& rule, const std::string& got) {
      throw TypeError(
          fmt::format("{}: __constant__ {} {}: {}: got {}", title_, constant.type, constant.name, rule, got));
    };
    if (!x.array()) refuse("takes an array", "a number");
    const ir::NodeRef node = r_.node(x);
    if (constant.dtype && *constant.dtype != node->dtype())
      refuse("takes elements of " + std::string(name(*constant.dtype)),
             written(node->dtype(), node->shape()) + ", which astype() converts");
    kernel.arguments.push_back(
        {UserKernel::Argument::Kind::Constant, operand(node), constant.type, constant.name});
  }

  void add(const ir::KernelParameter& p, const KernelArgument& argument) {
    if (const auto* output = std::get_if<KernelOutput>(&argument)) {
      check_address(p, "a result", false);
      check_dtype(p, output->dtype, output->shape);
      for (const int64_t extent : output->shape)
        if (extent < 0) fail(p, "an extent is not negative", to_string(output->shape));
      add_result(p, {output->dtype, output->shape}, -1);
    } else if (const auto* both = std::get_if<KernelInOut>(&argument)) {
      check_address(p, "an array that is changed", false);
      const ir::NodeRef node = r_.node(both->value);
      check_dtype(p, node->dtype(), node->shape());
      add_result(p, node->type, static_cast<int>(operand(node)));
    } else {
      add_operand(p, std::get<Operand>(argument));
    }
  }

  UserKernel kernel;
  std::vector<ir::NodeRef> operands;

 private:
  [[noreturn]] void fail(const ir::KernelParameter& p, const std::string& rule,
                         const std::string& got) const {
    throw TypeError(fmt::format("{}: {}: {}: got {}", title_, written(p), rule, got));
  }
  void check_address(const ir::KernelParameter& p, const char* what, bool reads) const {
    if (!p.is_pointer) fail(p, "takes a number by its value", what);
    if (!reads && p.is_const)
      fail(p, "is const, so that nothing can be written there: leave const out", what);
  }
  void check_dtype(const ir::KernelParameter& p, DType dtype, const Shape& shape) const {
    if (p.dtype && *p.dtype != dtype)
      fail(p, "takes elements of " + std::string(name(*p.dtype)),
           written(dtype, shape) + ", which astype() converts");
  }
  // A number that is known and is an integer fits each type that holds its value; of an array's NumPy's rule same_kind decides.
  void check_kind(const ir::KernelParameter& p, DType from, bool is_known) const {
    if (detail::is_same_kind(from, *p.dtype)) return;
    if (is_known && is_integer(from) && is_integer(*p.dtype)) return;
    fail(p, "takes a number of " + std::string(name(*p.dtype)),
         std::string(name(from)) + ", which astype() converts");
  }
  size_t operand(const ir::NodeRef& node) {
    operands.push_back(node);
    kernel.operands.push_back(node->type);
    return operands.size() - 1;
  }
  void add_result(const ir::KernelParameter& p, const ir::TensorType& type, int starts_as) {
    kernel.arguments.push_back(
        {UserKernel::Argument::Kind::Result, kernel.results.size(), p.type + "*", p.name});
    kernel.results.push_back(type);
    kernel.starts_as.push_back(starts_as);
  }
  void add_operand(const ir::KernelParameter& p, const Operand& x) {
    if (p.is_pointer) {
      if (!x.array()) fail(p, "takes an array", "a number");
      if (!p.is_const)
        fail(p, "may be written to: give a result, or an array to change, or write const before it",
             "an array to read");
      const ir::NodeRef node = r_.node(x);
      check_dtype(p, node->dtype(), node->shape());
      kernel.arguments.push_back(
          {UserKernel::Argument::Kind::Operand, operand(node), "const " + p.type + "*", p.name});
      return;
    }
    ir::NodeRef node;
    if (x.array()) {
      node = r_.node(x);
      if (!node->shape().empty())
        fail(p, "takes a number by its value", written(node->dtype(), node->shape()));
      check_kind(p, node->dtype(), false);
      node = ir::cast(node, *p.dtype, r_.lines());
    } else {
      check_kind(p, x.number().value().dtype, true);
      detail::check_stored(title_ + ": " + written(p), *p.dtype, x.number());
      node = ir::constant({*p.dtype, {}}, x.number().value().cast(*p.dtype), r_.lines());
    }
    kernel.arguments.push_back({UserKernel::Argument::Kind::Value, operand(node), p.type, p.name});
  }

  std::string title_;
  detail::Recording& r_;
};

// Each that the text declares, and no other: what a kernel gives depends on what it is given alone.
void add_constants(const std::string& title, const std::vector<ir::KernelConstantText>& declared,
                   const std::vector<std::pair<std::string, Operand>>& given, CallOfKernel& call) {
  for (const auto& [name, x] : given)
    if (std::ranges::none_of(declared, [&](const auto& one) { return one.name == name; }))
      throw Error(fmt::format("{}: the text declares no __constant__ {} without elements", title, name));
  for (const ir::KernelConstantText& one : declared) {
    const auto found = std::ranges::find(given, one.name, &std::pair<std::string, Operand>::first);
    if (found == given.end())
      throw Error(fmt::format(
          "{}: the __constant__ {} has no elements: give an array for it, as in constants={{\"{}\": x}}",
          title, one.name, one.name));
    call.add(one, found->second);
  }
}

}  // namespace

const KernelSource& TextKernel::State::source_for(const UserKernel& kernel) const {
  std::string key = std::to_string(kernel.block[0] * kernel.block[1] * kernel.block[2]);
  for (const UserKernel::Argument& one : kernel.arguments)
    key += fmt::format(" {}", static_cast<int>(one.kind));
  if (kernel.checks)
    for (const auto& types : {kernel.operands, kernel.results})
      for (const ir::TensorType& type : types) key += " " + written(type.dtype, type.shape);
  const std::lock_guard lock(mutex);
  const auto found = sources.find(key);
  return found != sources.end() ? found->second
                                : sources.emplace(std::move(key), user_source(kernel)).first->second;
}

UserKernel TextKernel::State::any_call(const KernelExtents& block) const {
  UserKernel kernel;
  kernel.target = target;
  kernel.name = text.name;
  kernel.title = title;
  kernel.text = source;
  kernel.block = {block.x, block.y, block.z};
  for (const ir::KernelParameter& p : std::span(text.parameters).subspan(first())) {
    using Kind = UserKernel::Argument::Kind;
    const Kind kind = !p.is_pointer ? Kind::Value : p.is_const ? Kind::Operand : Kind::Result;
    auto& types = kind == Kind::Result ? kernel.results : kernel.operands;
    kernel.arguments.push_back(
        {kind, types.size(),
         (p.is_const && p.is_pointer ? "const " : "") + p.type + (p.is_pointer ? "*" : ""), p.name});
    // A number of 16 bytes takes two words.
    types.push_back({p.dtype.value_or(DType::F32), {}});
  }
  return kernel;
}

runtime::KernelRef TextKernel::State::load(runtime::Device& device, const UserKernel& kernel) const {
  return compiled([&] { return device.load(source_for(kernel)); });
}

const std::string& TextKernel::name() const { return state_->text.name; }

std::vector<TextKernel::Parameter> TextKernel::parameters() const {
  std::vector<Parameter> out;
  out.reserve(state_->text.parameters.size());
  for (size_t k = state_->first(); k < state_->text.parameters.size(); ++k) {
    const ir::KernelParameter& p = state_->text.parameters[k];
    out.push_back({p.type, p.name, p.is_pointer, p.is_const});
  }
  return out;
}

std::vector<Array> TextKernel::operator()(const KernelLaunch& launch,
                                          std::span<const KernelArgument> arguments) const {
  const State& s = *state_;
  const bool cuda = s.is_cuda();
  const std::span parameters = std::span(s.text.parameters).subspan(s.first());
  if (arguments.size() != parameters.size())
    throw TypeError(fmt::format("{}: takes {} arguments{}: got {}", s.title, parameters.size(),
                                cuda ? "" : " behind the range", arguments.size()));
  Where at = Where::current();
  for (const KernelArgument& argument : arguments) {
    if (const auto* x = std::get_if<Operand>(&argument)) at = x->at();
    if (const auto* x = std::get_if<KernelInOut>(&argument)) at = x->value.at();
  }
  detail::Recording r(s.title, at);
  CallOfKernel call(s.title, r);
  UserKernel& kernel = call.kernel;
  kernel.target = s.target;
  kernel.name = s.text.name;
  kernel.title = s.title;
  kernel.text = s.source;
  kernel.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  kernel.block = {launch.block.x, launch.block.y, launch.block.z};
  kernel.grain = launch.grain, kernel.shared_bytes = launch.shared_bytes, kernel.cluster = launch.cluster;
  kernel.checks = !cuda && detail::checks_kernels();
  for (size_t k = 0; k < arguments.size(); ++k) call.add(parameters[k], arguments[k]);
  detail::DeviceSlot& device = r.device();  // that of the arrays
  check_launch(kernel, device.target);
  check_bounds(s.title, s.text.most_threads, kernel.block[0] * kernel.block[1] * kernel.block[2]);
  add_constants(s.title, s.text.constants, launch.constants, call);
  if (call.kernel.results.empty())
    throw Error(
        s.title +
        ": a kernel without a result does nothing that can be seen: give a result, or an array to change");
  check_target(kernel, device.target, device.name);
  s.load(*device.device, kernel);
  const auto count = static_cast<uint32_t>(call.operands.size() + 1);
  std::vector<Array> results;
  results.reserve(kernel.results.size());
  const size_t made = kernel.results.size();
  const ir::UserKernelRef known = ir::checked(std::move(kernel));
  for (size_t k = 0; k < made; ++k) {
    const ir::KernelAttr attr{known, static_cast<int64_t>(k)};
    results.push_back(r.finish(ir::make(ir::Op::kernel, call.operands, attr, {}, r.lines()), count));
  }
  return results;
}

void TextKernel::check(const KernelExtents& block) const {
  const State& s = *state_;
  if (!s.is_cuda()) {
    s.load(*detail::current_session().device("cpu").device, s.any_call({}));
    return;
  }
  const UserKernel kernel = s.any_call(block);
  check_launch(kernel, {.kind = TargetKind::Cuda});
  check_bounds(s.title, s.text.most_threads,
               1);  // a launch may have fewer threads than are compiled for here
  std::string reason;
  const auto nvrtc = runtime::cuda::Nvrtc::open(runtime::default_cuda_directories(), reason);
  if (!nvrtc) throw Error(fmt::format("{}: check: CUDA is compiled by NVRTC: {}", s.title, reason));
  const KernelSource& source = s.source_for(kernel);
  s.compiled([&] { return nvrtc->compile(source.text, source.name, kCheckedFor); });
}

KernelOccupancy TextKernel::occupancy(const KernelExtents& block, int64_t shared_bytes,
                                      const std::string& device) const {
  const State& s = *state_;
  if (!s.is_cuda())
    throw Error(s.title + ": is a kernel for the CPU, where no blocks share a multiprocessor");
  detail::DeviceSlot& on = detail::current_session().device(device);
  if (on.target.kind != TargetKind::Cuda)
    throw Error(fmt::format("{}: is a kernel for CUDA: got {}", s.title, on.name));
  UserKernel kernel = s.any_call(block);
  kernel.shared_bytes = shared_bytes;
  check_launch(kernel, on.target);
  const runtime::KernelRef loaded = s.load(*on.device, kernel);
  Launch how;
  how.threads = static_cast<uint32_t>(block.x);
  how.threads_y = static_cast<uint32_t>(block.y), how.threads_z = static_cast<uint32_t>(block.z);
  how.shared_bytes = static_cast<uint32_t>(shared_bytes);
  const runtime::KernelResources takes = on.device->resources(*loaded, how);
  const runtime::DeviceInfo& info = on.device->info();
  KernelOccupancy out{.blocks = takes.blocks_per_processor,
                      .multiprocessors = info.threads,
                      .registers = takes.registers,
                      .spilled_bytes = takes.spill_bytes,
                      .shared_bytes = takes.shared_bytes,
                      .most_shared_bytes = static_cast<int64_t>(info.shared_bytes)};
  const int64_t threads = block.x * block.y * block.z * out.blocks;
  if (info.resident_threads > 0) out.share = static_cast<double>(threads) / info.resident_threads;
  return out;
}

TextKernel define_cpu_kernel(const std::string& source, const std::string& name) {
  auto state = std::make_shared<TextKernel::State>(UserKernel::Target::Cpu, source, name);
  const auto& parameters = state->text.parameters;
  const auto counts = [&](size_t k) {
    return k < parameters.size() && !parameters[k].is_pointer && parameters[k].dtype == DType::I64;
  };
  if (!counts(0) || !counts(1))
    throw Error(state->title +
                ": the first two parameters of a kernel for the CPU are the part of the range that a call "
                "computes: write "
                "long begin, long end");
  return TextKernel(std::move(state));
}

TextKernel define_cuda_kernel(const std::string& source, const std::string& name) {
  return TextKernel(std::make_shared<TextKernel::State>(UserKernel::Target::Cuda, source, name));
}

bool is_known_kernel_header(const std::string& header) { return is_known_header(header); }

}  // namespace weft
