#include <fmt/format.h>

#include <limits>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/user_kernel.h"
#include "compiler/user_source.h"
#include "frontend/cpp/functions/kernel_text.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/weft/kernels.h"

namespace weft {

using ir::UserKernel;

struct TextKernel::State {
  UserKernel::Target target;
  std::string source, title;
  detail::KernelText text;
  bool is_cuda() const { return target == UserKernel::Target::Cuda; }
  // The first parameters of one for the CPU are a part of the range.
  size_t first() const { return is_cuda() ? 0 : 2; }
};

namespace {

std::string written(const detail::KernelParameter& p) {
  return (p.is_const ? "const " : "") + p.type + (p.is_pointer ? "* " : " ") + p.name;
}

std::string written(DType dtype, const Shape& shape) { return std::string(name(dtype)) + to_string(shape); }

// What a call becomes: the kernel for these types, and its operands.
class CallOfKernel {
 public:
  CallOfKernel(std::string title, detail::Recording& recording) : title_(std::move(title)), r_(recording) {}

  void add(const detail::KernelParameter& p, const KernelArgument& argument) {
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
  [[noreturn]] void fail(const detail::KernelParameter& p, const std::string& rule,
                         const std::string& got) const {
    throw TypeError(fmt::format("{}: {}: {}: got {}", title_, written(p), rule, got));
  }
  void check_address(const detail::KernelParameter& p, const char* what, bool reads) const {
    if (!p.is_pointer) fail(p, "takes a number by its value", what);
    if (!reads && p.is_const)
      fail(p, "is const, so that nothing can be written there: leave const out", what);
  }
  void check_dtype(const detail::KernelParameter& p, DType dtype, const Shape& shape) const {
    if (p.dtype && *p.dtype != dtype)
      fail(p, "takes elements of " + std::string(name(*p.dtype)),
           written(dtype, shape) + ", which astype() converts");
  }
  void check_kind(const detail::KernelParameter& p, DType from) const {
    // A number that is written as an integer fits each type that holds its value.
    if (!detail::is_same_kind(from, *p.dtype) && !(is_integer(from) && is_integer(*p.dtype)))
      fail(p, "takes a number of " + std::string(name(*p.dtype)), std::string(name(from)));
  }
  size_t operand(const ir::NodeRef& node) {
    operands.push_back(node);
    kernel.operands.push_back(node->type);
    return operands.size() - 1;
  }
  void add_result(const detail::KernelParameter& p, const ir::TensorType& type, int starts_as) {
    kernel.arguments.push_back({UserKernel::Argument::Kind::Result, kernel.results.size(), p.type + "*"});
    kernel.results.push_back(type);
    kernel.starts_as.push_back(starts_as);
  }
  void add_operand(const detail::KernelParameter& p, const Operand& x) {
    if (p.is_pointer) {
      if (!x.array()) fail(p, "takes an array", "a number");
      if (!p.is_const)
        fail(p, "may be written to: give a result, or an array to change, or write const before it",
             "an array to read");
      const ir::NodeRef node = r_.node(x);
      check_dtype(p, node->dtype(), node->shape());
      kernel.arguments.push_back(
          {UserKernel::Argument::Kind::Operand, operand(node), "const " + p.type + "*"});
      return;
    }
    ir::NodeRef node;
    if (x.array()) {
      node = r_.node(x);
      if (!node->shape().empty())
        fail(p, "takes a number by its value", written(node->dtype(), node->shape()));
      check_kind(p, node->dtype());
      node = ir::cast(node, *p.dtype, r_.lines());
    } else {
      check_kind(p, x.number().value().dtype);
      detail::check_stored(title_, *p.dtype, x.number());
      node = ir::constant({*p.dtype, {}}, x.number().value().cast(*p.dtype), r_.lines());
    }
    kernel.arguments.push_back({UserKernel::Argument::Kind::Value, operand(node), p.type});
  }

  std::string title_;
  detail::Recording& r_;
};

void check_launch(const std::string& title, const KernelLaunch& launch, bool cuda) {
  const auto refuse = [&](const std::string& rule, int64_t got) {
    throw Error(fmt::format("{}: {}: got {}", title, rule, got));
  };
  constexpr int64_t kMostAlongOthers = 65535, kMostThreads = 1024, kMostShared = 227 << 10;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t most = axis == 0 ? std::numeric_limits<int32_t>::max() : kMostAlongOthers;
    if (launch.grid[axis] < 0)
      refuse(cuda ? "a grid has no negative extent" : "a range is not negative", launch.grid[axis]);
    if (cuda && launch.grid[axis] > most)
      refuse(fmt::format("a grid has at most {} blocks along axis {}", most, axis), launch.grid[axis]);
    if (launch.block[axis] < 1) refuse("a block has one thread at least", launch.block[axis]);
  }
  const int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (threads > kMostThreads) refuse(fmt::format("a block has at most {} threads", kMostThreads), threads);
  if (launch.block[2] > 64) refuse("a block has at most 64 threads along its last axis", launch.block[2]);
  if (launch.grain < 1) refuse("the grain is one at least", launch.grain);
  if (launch.shared_bytes < 0 || launch.shared_bytes > kMostShared)
    refuse(fmt::format("a block has at most {} bytes of shared memory", kMostShared), launch.shared_bytes);
  if (launch.cluster < 1 || launch.cluster > 16) refuse("a cluster has 1 to 16 blocks", launch.cluster);
  if (launch.grid[0] % launch.cluster != 0) refuse("the grid is filled by clusters", launch.grid[0]);
}

}  // namespace

const std::string& TextKernel::name() const { return state_->text.name; }

std::vector<TextKernel::Parameter> TextKernel::parameters() const {
  std::vector<Parameter> out;
  out.reserve(state_->text.parameters.size());
  for (size_t k = state_->first(); k < state_->text.parameters.size(); ++k) {
    const detail::KernelParameter& p = state_->text.parameters[k];
    out.push_back({p.type, p.name, p.is_pointer, p.is_const});
  }
  return out;
}

std::vector<Array> TextKernel::operator()(const KernelLaunch& launch,
                                          std::span<const KernelArgument> arguments) const {
  const State& s = *state_;
  const bool cuda = s.is_cuda();
  check_launch(s.title, launch, cuda);
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
  for (size_t k = 0; k < arguments.size(); ++k) call.add(parameters[k], arguments[k]);
  if (call.kernel.results.empty())
    throw Error(
        s.title +
        ": a kernel without a result does nothing that can be seen: give a result, or an array to change");
  detail::DeviceSlot& device = r.device();
  if ((device.target.kind == TargetKind::Cuda) != cuda)
    throw Error(fmt::format("{}: is a kernel for {}: got arrays of {}", s.title, cuda ? "CUDA" : "the CPU",
                            device.name));
  if (!cuda && !device.target.compiles)
    throw Error(s.title +
                ": a kernel has to be compiled, and this library was built without a compiler: build it with "
                "WEFT_CPU_JIT=ON");
  UserKernel kernel = std::move(call.kernel);
  kernel.target = s.target;
  kernel.name = s.text.name;
  kernel.title = s.title;
  kernel.text = s.source;
  kernel.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  kernel.block = {launch.block.x, launch.block.y, launch.block.z};
  kernel.grain = launch.grain, kernel.shared_bytes = launch.shared_bytes, kernel.cluster = launch.cluster;
  try {
    device.device->load(user_source(kernel));
  } catch (const CompileError& e) {
    throw Error(fmt::format("{}: does not compile:\n{}", s.title, e.log()));
  }
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

namespace {

std::string title_of(const std::string& name) { return name.substr(0, name.find('<')); }

}  // namespace

TextKernel define_cpu_kernel(const std::string& source, const std::string& name) {
  auto state = std::make_shared<TextKernel::State>(TextKernel::State{
      UserKernel::Target::Cpu, source, title_of(name), detail::read_kernel_text(source, name, false)});
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
  return TextKernel(std::make_shared<TextKernel::State>(TextKernel::State{
      UserKernel::Target::Cuda, source, title_of(name), detail::read_kernel_text(source, name, true)}));
}

}  // namespace weft
