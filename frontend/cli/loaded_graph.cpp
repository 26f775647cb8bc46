#include "frontend/cli/loaded_graph.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <unordered_map>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/lift.h"

namespace weft::cli {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median_ms(int times, const std::function<void()>& work) {
  work();  // the first run takes memory from the system
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    auto start = Clock::now();
    work();
    all.push_back(ms_since(start));
  }
  auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

// The elements laid out by the strides and offset, in elements, that the input declares.
std::vector<std::byte> laid_out(const ir::HostTensor& tensor, const ir::InputAttr& attr) {
  const Shape& shape = tensor.type.shape;
  size_t step = size_of(tensor.type.dtype);
  int64_t n = element_count(shape);
  int64_t last = attr.offset;
  for (size_t k = 0; k < shape.size(); ++k) last += std::max<int64_t>(attr.strides[k], 0) * (shape[k] - 1);
  std::vector<std::byte> out = ir::host_memory(static_cast<size_t>(last + 1) * step,
                                               "input '" + attr.name + "', laid out by its strides");
  Dims at(shape.size(), 0);
  for (int64_t i = 0; i < n; ++i) {
    int64_t where = attr.offset;
    for (size_t k = 0; k < shape.size(); ++k) where += at[k] * attr.strides[k];
    std::memcpy(out.data() + static_cast<size_t>(where) * step,
                tensor.data.data() + static_cast<size_t>(i) * step, step);
    for (size_t k = shape.size(); k > 0; --k) {
      if (++at[k - 1] < shape[k - 1]) break;
      at[k - 1] = 0;
    }
  }
  return out;
}

// A program of one step, all of whose buffers are given from outside.
Program only_step(const Program& whole, const ProgramStep& step, std::vector<int>& buffers) {
  Program p;
  p.scalars = whole.scalars;
  std::unordered_map<int, int> number;
  auto local = [&](int b) {
    auto [it, fresh] = number.try_emplace(b, static_cast<int>(buffers.size()));
    if (fresh) {
      buffers.push_back(b);
      BufferSpec spec = whole.buffers[b];
      spec.role = BufferSpec::Role::Input;
      spec.index = it->second;
      p.buffers.push_back(spec);
      ++p.inputs;
    }
    return it->second;
  };
  p.steps.push_back(step);
  if (auto* k = std::get_if<KernelStep>(&p.steps[0])) {
    if (!k->blocks) {
      p.kernels.push_back(whole.kernels[k->kernel]);
      k->kernel = 0;
    }
    for (int& b : k->buffers) b = local(b);
    k->overwrites.clear();  // what is given from outside stays
  } else if (auto* d = std::get_if<DotStep>(&p.steps[0])) {
    d->a = local(d->a), d->b = local(d->b), d->c = local(d->c);
  } else if (auto* l = std::get_if<LoopStep>(&p.steps[0])) {
    for (int& b : l->operands) b = local(b);
    std::vector<CopyStep>
        copies;  // a loop's results have memory of their own; later steps read it where it was
    for (int b : l->results)
      if (b >= 0) copies.push_back({-1, local(b)});
    size_t next = 0;
    for (int& b : l->results) {
      if (b < 0) continue;
      p.buffers.push_back(whole.buffers[b]);
      p.buffers.back().role = BufferSpec::Role::Temporary;
      copies[next++].from = b = static_cast<int>(p.buffers.size()) - 1;
    }
    p.steps.insert(p.steps.end(), copies.begin(), copies.end());
  } else {
    auto& c = std::get<CopyStep>(p.steps[0]);
    c.from = local(c.from), c.to = local(c.to);
  }
  return p;
}

void describe(const Program& whole, const ProgramStep& step, StepTime& out) {
  if (auto* k = std::get_if<KernelStep>(&step)) {
    out.summary = to_string(k->origin);
    out.kernel = true;
    out.bytes = k->bytes_read + k->bytes_written;
  } else if (auto* d = std::get_if<DotStep>(&step)) {
    const Dot& dot = d->dot;
    out.summary = to_string(d->origin) + " (library)";
    out.bytes = dot.batch * (dot.m * dot.k + dot.k * dot.n + dot.m * dot.n) *
                static_cast<int64_t>(size_of(dot.dtype));
  } else if (auto* l = std::get_if<LoopStep>(&step)) {
    out.summary = to_string(l->origin) + " (loop)";
  } else {
    out.summary = "copy";
    out.bytes = 2 * whole.buffers[std::get<CopyStep>(step).to].bytes;
  }
}

}  // namespace

LoadedGraph::LoadedGraph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, const Target& target,
                         Options options, std::shared_ptr<runtime::Device> device,
                         runtime::Counters& counters, runtime::Choices& choices)
    : device_(std::move(device)), counters_(counters) {
  std::vector<Scalar> lifted;
  compiling_ = [this, ready = lift_constants(graph, lifted), target,
                options = std::move(options)](const Choose& choose) {
    Options with = options;
    with.choose = choose;
    const auto start = Clock::now();
    Program program = compile(ready, target, with);
    plan_ms_ += ms_since(start);
    return program;
  };
  load(graph, inputs, choices);
  scalars_.insert(scalars_.end(), lifted.begin(), lifted.end());
}

LoadedGraph::LoadedGraph(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                         runtime::CompileProgram compile, std::shared_ptr<runtime::Device> device,
                         runtime::Counters& counters, runtime::Choices& choices)
    : device_(std::move(device)), counters_(counters), compiling_(std::move(compile)) {
  load(graph, inputs, choices);
}

void LoadedGraph::load(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                       runtime::Choices& choices) {
  const auto start = Clock::now();
  executable_ = runtime::load_program(compiling_, device_, counters_, choices);
  load_ms_ = ms_since(start) - plan_ms_;

  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ir::Node& in = *graph.inputs[i];
    if (in.op == ir::Op::scalar) {
      scalars_.push_back(Scalar::load(in.dtype(), inputs[i].data.data()));
      continue;
    }
    const auto& attr = in.as<ir::InputAttr>();
    const bool plain = attr.strides.empty() || element_count(in.shape()) == 0;
    const std::vector<std::byte> strided = plain ? std::vector<std::byte>{} : laid_out(inputs[i], attr);
    const std::vector<std::byte>& bytes = plain ? inputs[i].data : strided;
    inputs_.push_back(device_->allocate(bytes.size()));
    device_->upload(*inputs_.back(), 0, bytes.data(), bytes.size());
  }
  for (auto& out : graph.outputs) output_types_.push_back(out->type);
}

std::vector<ir::HostTensor> LoadedGraph::run() const {
  std::vector<runtime::BufferRef> buffers = executable_->run(inputs_, scalars_);
  std::vector<ir::HostTensor> out;
  for (size_t i = 0; i < buffers.size(); ++i) {
    out.push_back(ir::zeros(output_types_[i], "output " + std::to_string(i)));
    device_->download(out.back().data.data(), *buffers[i], 0, out.back().data.size());
  }
  return out;
}

double LoadedGraph::time(const runtime::Executable& executable, int times) const {
  return median_ms(times, [&] {
    executable.run(inputs_, scalars_);
    device_->synchronize();
  });
}

std::vector<StepTime> LoadedGraph::time_steps(int times) const {
  const Program& whole = program();
  std::vector<runtime::BufferRef> buffers;
  buffers.reserve(whole.buffers.size());
  for (const BufferSpec& spec : whole.buffers)
    buffers.push_back(spec.role == BufferSpec::Role::Input
                          ? inputs_[static_cast<size_t>(spec.index)]
                          : device_->allocate(static_cast<size_t>(spec.bytes)));
  std::vector<StepTime> out;
  for (const ProgramStep& step : whole.steps) {
    std::vector<int> used;
    runtime::Executable alone(only_step(whole, step, used), device_, counters_);
    std::vector<runtime::BufferRef> given;
    given.reserve(used.size());
    for (int b : used) given.push_back(buffers[static_cast<size_t>(b)]);
    describe(whole, step, out.emplace_back());
    // Once before the clock runs: later steps read what this one wrote.
    out.back().ms = median_ms(times, [&] {
      alone.run(given, scalars_);
      device_->synchronize();
    });
  }
  return out;
}

}  // namespace weft::cli
