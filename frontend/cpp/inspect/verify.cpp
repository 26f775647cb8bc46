#include "frontend/cpp/weft/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/find_nans.h"
#include "frontend/cpp/evaluate/windows.h"
#include "frontend/cpp/inspect/bisect_graph.h"
#include "frontend/cpp/inspect/parts_of_run.h"
#include "frontend/cpp/inspect/verify_graph.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/load_program.h"

namespace weft {

namespace {

using detail::Access;

// Computes graphs of one device, each of these inputs.
class OnDevice {
 public:
  OnDevice(detail::DeviceSlot& device, std::span<const runtime::BufferRef> inputs,
           std::span<const Scalar> scalars)
      : device_(device), inputs_(inputs), scalars_(scalars) {}

  std::vector<ir::HostTensor> operator()(const ir::Graph& graph, bool fuse) const {
    Options options = device_.compile_options();
    options.fuse = fuse;
    return (*this)(graph, options, false);
  }

  std::span<const Scalar> scalars() const { return scalars_; }

  // `prepared`: passes have run over the graph.
  std::vector<ir::HostTensor> operator()(const ir::Graph& graph, Options options, bool prepared) const {
    const auto program = runtime::load_program(
        [&](const Choose& choose) {
          options.choose = choose;
          return prepared ? compile_prepared(graph, device_.target, options)
                          : compile(graph, device_.target, options);
        },
        device_.device, device_.session.counters, device_.choices);
    const std::vector<runtime::BufferRef> results = program->run(inputs_, scalars_);
    std::vector<ir::HostTensor> out;
    out.reserve(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      out.push_back(ir::zeros(graph.outputs[i]->type, "a result that is verified"));
      device_.device->download(out.back().data.data(), *results[i], 0, out.back().data.size());
    }
    return out;
  }

 private:
  detail::DeviceSlot& device_;
  std::span<const runtime::BufferRef> inputs_;
  std::span<const Scalar> scalars_;
};

// The graph's inputs as interpret() takes them.
std::vector<ir::HostTensor> tensors_of(const ir::Graph& made, detail::DeviceSlot& device,
                                       const detail::Canonical& graph) {
  std::vector<std::vector<std::byte>> copies;
  const std::vector<ir::Elements> given = detail::host_inputs(device, graph, copies);
  std::vector<ir::HostTensor> out;
  size_t input = 0, scalar = 0;
  for (const ir::NodeRef& node : made.inputs) {
    const ir::TensorType type = node->op == ir::Op::scalar ? ir::TensorType{node->dtype(), {}} : node->type;
    ir::HostTensor& tensor = out.emplace_back(ir::zeros(type, "an input of what is verified"));
    if (node->op == ir::Op::scalar)
      graph.scalars[scalar++].store(tensor.data.data());
    else
      std::copy_n(given[input++].data, tensor.data.size(), tensor.data.data());
  }
  return out;
}

// The arrays that are not computed yet.
struct Pending {
  std::vector<ir::NodeRef> nodes;
  std::vector<std::string> names;
  detail::DeviceSlot* device = nullptr;
};

Pending pending(const char* op, std::span<const Array> xs) {
  Pending out;
  for (size_t i = 0; i < xs.size(); ++i) {
    detail::DeviceSlot& here = Access::cell(xs[i])->device;
    ir::NodeRef node = detail::read(xs[i], {});
    if (node->op == ir::Op::input || node->computed()) continue;
    if (out.device && out.device != &here)
      throw Error(std::string(op) + ": takes arrays of one device: got " + out.device->name + " and " +
                  here.name);
    out.device = &here;
    out.nodes.push_back(std::move(node));
    out.names.push_back("result " + std::to_string(i));
  }
  return out;
}

Pending some_pending(const char* op, std::span<const Array> xs) {
  Pending out = pending(op, xs);
  if (out.nodes.empty())
    throw Error(
        std::string(op) +
        ": what is given was computed already, so there is nothing to compute in other ways: give the "
        "function, or arrays before somebody looks at them");
  return out;
}

// What judge(graph, inputs, on_device) finds.
template <class Judge>
Verification judged(Pending& what, Judge&& judge) {
  const detail::LongWork work;
  detail::Canonical graph;
  detail::prepare(*what.device, what.nodes, graph, false);
  for (const ir::NodeRef& input : graph.inputs) detail::value_of(*input);
  const ir::Graph made = detail::graph_of(what.nodes, graph);
  const auto found = judge(made, tensors_of(made, *what.device, graph),
                           OnDevice(*what.device, graph.buffers, graph.scalars));
  return {found.agrees(), text_of(found), json_of(found)};
}

}  // namespace

namespace {

// A GPU beside the CPU, the CPU beside a GPU; "" where there is no other device.
std::string other_device(const detail::DeviceSlot& device) {
  if (device.name != "cpu") return "cpu";
  const std::vector<std::string> names = Session::current().device_names();
  return names.size() > 1 ? names[1] : "";
}

// The graph's results on a device where its inputs do not lie.
std::vector<ir::HostTensor> run_elsewhere(detail::DeviceSlot& device, const ir::Graph& graph,
                                          std::span<const ir::HostTensor> inputs,
                                          std::span<const Scalar> scalars) {
  std::vector<runtime::BufferRef> buffers;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (graph.inputs[i]->op == ir::Op::scalar) continue;
    buffers.push_back(device.device->allocate(inputs[i].data.size()));
    if (!inputs[i].data.empty())
      device.device->upload(*buffers.back(), 0, inputs[i].data.data(), inputs[i].data.size());
  }
  return OnDevice(device, buffers, scalars)(graph, true);
}

}  // namespace

namespace {

using Judge = Verification (*)(Pending& what);

Verification verified(Pending& what) {
  return judged(what, [&](const ir::Graph& graph, const auto& inputs, const OnDevice& run) {
    const std::string other = other_device(*what.device);
    const detail::OtherDevice elsewhere{other, [&](const ir::Graph& made) {
                                          return run_elsewhere(what.device->session.device(other), made,
                                                               inputs, run.scalars());
                                        }};
    return detail::verify_graph(graph, inputs, what.names, run, other.empty() ? nullptr : &elsewhere);
  });
}

Verification bisected(Pending& what) {
  return judged(what, [&](const ir::Graph& graph, const auto& inputs, const OnDevice& run) {
    return detail::bisect_graph(graph, inputs, what.names, what.device->target,
                                what.device->compile_options(), run);
  });
}

// Judges each part of a call before it is computed.
class JudgedRun final : public detail::PartsOfRun {
 public:
  JudgedRun(const char* op, Judge judge) : op_(op), judge_(judge) {}

  Verification rest(std::span<const Array> results) {
    Pending left = parts().empty() ? some_pending(op_, results) : pending(op_, results);
    if (parts().empty()) return judge_(left);
    if (!left.nodes.empty()) add_rest_as(add({judge_(left), ""}));
    // What is said of the whole is of the first part that is wrong, else of the last that was compared.
    const Verification* of_all = nullptr;
    for (const Judged& one : judged_)
      if (one.found && (!of_all || of_all->agrees)) of_all = &*one.found;
    if (!of_all)
      throw Error(fmt::format("{}: nothing was compared: {}", op_,
                              judged_.empty() ? "NumPy answered all on the host" : judged_.front().why_not));
    Verification all;
    all.text = text_of_parts([&](size_t at) {
      return judged_[at].found ? judged_[at].found->text : "not compared: " + judged_[at].why_not + "\n";
    });
    nlohmann::json whole = nlohmann::json::parse(of_all->json);
    for (size_t k = 0; k < parts().size(); ++k) whole["parts"].push_back(json_of_part(k));
    all.agrees = of_all->agrees;
    all.json = whole.dump();
    return all;
  }

 private:
  struct Judged {
    std::optional<Verification> found;
    std::string why_not;
  };

  int of_values(detail::DeviceSlot& device, std::span<const ir::NodeRef> nodes) override {
    if (judging_) return add({{}, "it is an input of another part"});
    judging_ = true;
    Pending what{{nodes.begin(), nodes.end()}, {}, &device};
    for (size_t k = 0; k < nodes.size(); ++k) what.names.push_back(fmt::format("value {}", k));
    Judged judged;
    try {
      judged.found = judge_(what);
    } catch (const Error& error) {
      judged.why_not = error.what();
    }
    judging_ = false;
    return add(std::move(judged));
  }
  int of_recorded(detail::DeviceSlot& /*device*/, const ir::Graph& /*graph*/) override {
    return add({{}, fmt::format("it was recorded before: give the compiled function to {}()", op_)});
  }

  int add(Judged judged) {
    judged_.push_back(std::move(judged));
    return static_cast<int>(judged_.size()) - 1;
  }

  nlohmann::json json_of_part(size_t part) const {
    const int at = parts()[part].program;
    nlohmann::json one = {{"agrees", nullptr}};
    if (at < 0)
      one["text"] = "not compared: NumPy answered, on the host";
    else if (const Judged& judged = judged_[static_cast<size_t>(at)]; judged.found)
      one = nlohmann::json::parse(judged.found->json);
    else
      one["text"] = "not compared: " + judged.why_not;
    one["part"] = title(part);
    return one;
  }

  const char* op_;
  Judge judge_;
  bool judging_ = false;
  std::vector<Judged> judged_;
};

}  // namespace

Verification verify(const Array& x) { return verify({&x, 1}); }

Verification verify(std::span<const Array> xs) {
  Pending what = some_pending("verify", xs);
  return verified(what);
}

Verification verify_call(const std::function<std::vector<Array>()>& call) {
  JudgedRun run("verify", verified);
  const std::vector<Array> results = call();
  return run.rest(results);
}

Verification bisect(const Array& x) { return bisect({&x, 1}); }

Verification bisect(std::span<const Array> xs) {
  Pending what = some_pending("bisect", xs);
  return bisected(what);
}

Verification bisect_call(const std::function<std::vector<Array>()>& call) {
  JudgedRun run("bisect", bisected);
  const std::vector<Array> results = call();
  return run.rest(results);
}

}  // namespace weft
