#include "frontend/cpp/evaluate/see_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/draw.h"
#include "compiler/ir/function.h"
#include "frontend/cpp/evaluate/see_widening.h"
#include "runtime/cpu/host.h"

namespace weft::detail {

namespace {

// Smaller arrays cost nothing that anybody would notice.
constexpr int64_t kWorthSaying = 1 << 12;
// Smaller work is given to few threads.
constexpr int64_t kWorthThreads = 1 << 20;
// A reduction gives so many times fewer bytes than it reads.
constexpr int64_t kFewResults = 8;

// A costly value that is read shifted: it is written, and read again, where neighbours cost less to compute twice.
void see_stored_stencils(std::span<const ir::Node* const> nodes, const Program& program, CostsSeen& seen) {
  constexpr std::string_view kReason = ": it is read at many positions";
  if (program.explanation.find(kReason) == std::string::npos) return;
  for (const ir::Node* node : nodes) {
    if (element_count(node->shape()) < kWorthSaying) continue;
    const std::string edge =
        fmt::format("\nnot fused: {} : {}{} at {} -> ", ir::called(*node), name(node->dtype()),
                    to_string(node->shape()), ir::to_string(node->lines));
    const size_t at = program.explanation.find(edge);
    if (at == std::string::npos) continue;
    const size_t end = program.explanation.find('\n', at + 1);
    if (program.explanation.substr(at, end - at).find(kReason) == std::string::npos) continue;
    seen.add(
        {"stored stencil", node->lines.all(),
         fmt::format(
             "{} is costly, and neighbours read it at many positions: a kernel computes it once and stores "
             "it, and another reads it, which is less work than computing it at each position. Where "
             "the math allows, do the costly part after the neighbours are joined, as `exp(a + b)` for "
             "`exp(a) * exp(b)`{}. Else leave it as it is",
             ir::called(*node),
             node->dtype() == DType::F64
                 ? "; or let it be half as large: `.astype(\"float32\")` before the neighbours read it"
                 : "")});
  }
}

// Whether a float is below the least that has the usual form, and not 0.
template <class F, class Bits>
bool is_denormal(const std::byte* at) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  constexpr int kMantissa = std::numeric_limits<F>::digits - 1;
  const Bits magnitude = bits & (~Bits{0} >> 1);
  return magnitude != 0 && (magnitude >> kMantissa) == 0;
}

// Of the elements that are looked at, so many of each four or more are denormal.
bool are_denormal(const std::byte* data, int64_t count, DType dtype) {
  constexpr int64_t kPlaces = 8, kRun = 8;
  const auto item = static_cast<int64_t>(size_of(dtype));
  int found = 0;
  for (int64_t place = 0; place < kPlaces; ++place)
    for (int64_t i = 0; i < kRun; ++i) {
      const std::byte* at = data + (place * (count - kRun) / kPlaces + i) * item;
      found += dtype == DType::F32 ? is_denormal<float, uint32_t>(at) : is_denormal<double, uint64_t>(at);
    }
  return found * 4 >= kPlaces * kRun;
}

// The memory of a buffer that is being written may hold anything, which here costs a wrong advice at most.
bool holds_denormals(const runtime::Buffer& buffer, const ir::TensorType& type) {
  const int64_t count = element_count(type.shape);
  return (type.dtype == DType::F32 || type.dtype == DType::F64) && count >= kWorthSaying &&
         buffer.device()->host_visible() &&
         buffer.bytes() >= static_cast<size_t>(count) * size_of(type.dtype) &&
         are_denormal(static_cast<const std::byte*>(buffer.data()), count, type.dtype);
}

// `whose`: "that exp gives".
std::string denormals_text(const std::string& whose, DType dtype) {
  return fmt::format(
      "many elements {} are too small for the usual form of {} (denormal): a processor takes many times as "
      "long for each operation on them, as in all of these lines: scale the data, or put 0 in their place "
      "where they are made, as `wf.where(wf.abs(x) < {}, 0, x)` does",
      whose, name(dtype), dtype == DType::F32 ? "1.2e-38" : "2.3e-308");
}

// Values that are computed early and needed late, at most, in a step that walks its nodes in their order. Views are
// another name of what they are of, and what is given is loaded again.
int most_alive(const GraphStages& graph, const GraphStages::Step& step) {
  std::vector<int> nodes = step.nodes;
  std::ranges::sort(nodes);
  std::unordered_map<int, int> value_of, last_use;
  int order = 0;
  for (const int n : nodes) {
    const GraphStages::Node& node = graph.nodes[static_cast<size_t>(n)];
    ++order;
    value_of[n] = n;
    for (const int in : node.inputs) {
      const auto known = value_of.find(in);
      if (known == value_of.end()) continue;
      if (node.is_view) value_of[n] = known->second;
      last_use[known->second] = order;
    }
  }
  std::vector<int> change(nodes.size() + 2);
  order = 0;
  for (const int n : nodes) {
    ++order;
    if (const auto last = last_use.find(n); last != last_use.end() && value_of[n] == n) {
      ++change[static_cast<size_t>(order)];
      --change[static_cast<size_t>(last->second)];
    }
  }
  int alive = 0, most = 0;
  for (const int c : change) most = std::max(most, alive += c);
  return most;
}

// As a kernel's registers and what the compiler of a GPU put elsewhere.
void see_spills_of_gpu(const runtime::Executable& program, CostsSeen& seen) {
  for (const ProgramStep& step : program.program().steps) {
    const auto* k = std::get_if<KernelStep>(&step);
    if (!k || k->kernel < 0) continue;
    const runtime::KernelRef kernel = program.kernel(k->kernel);
    const int bytes = kernel ? kernel->resources().spill_bytes : 0;
    if (bytes > 0)
      seen.add({"spill", k->origin.lines,
                fmt::format("{}: {} bytes of each thread do not fit into registers, and go through memory in "
                            "each element: combine values soon after they are computed, or eval some on the "
                            "way, so that they are two kernels",
                            k->origin.ops, bytes)});
  }
}

}  // namespace

void see_denormals(std::span<const ir::NodeRef> nodes, std::span<const runtime::BufferRef> results,
                   CostsSeen& seen) {
  for (size_t i = 0; i < results.size(); ++i)
    if (holds_denormals(*results[i], nodes[i]->type))
      seen.add({kDenormals, nodes[i]->lines.all(),
                denormals_text(fmt::format("that {} gives", ir::called(*nodes[i])), nodes[i]->dtype())});
}

void see_denormals(const Canonical& graph, CostsSeen& seen) {
  std::vector<char> small;  // of each node whether it is such an input, or a view of one
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ir::Node& input = *graph.inputs[i];
    // What lies with steps between elements is not looked through.
    if (!input.as<ir::InputAttr>().strides.empty() || !holds_denormals(*graph.buffers[i], input.type))
      continue;
    small.resize(graph.order.size());
    small[graph.number_of(input)] = 1;
  }
  if (small.empty()) return;
  for (size_t k = 0; k < graph.order.size(); ++k) {
    const ir::Node& node = *graph.order[k];
    if (small[k] || ir::kind(node.op) == ir::OpKind::Source) continue;
    const auto is_small = [&](const ir::NodeRef& in) {
      return graph.holds(*in) && small[graph.number_of(*in)];
    };
    const auto found = std::ranges::find_if(node.inputs, is_small);
    if (found == node.inputs.end()) continue;
    if (ir::kind(node.op) == ir::OpKind::View)
      small[k] = 1;
    else
      seen.add({kDenormals, node.lines.all(),
                denormals_text(fmt::format("that {} reads", ir::called(node)), (*found)->dtype())});
  }
}

void see_spills(const ir::Graph& graph, const runtime::Executable& program, DeviceSlot& device,
                CostsSeen& seen) {
  if (device.target.kind == TargetKind::Cuda) return see_spills_of_gpu(program, seen);
  // What an AVX-512 processor has, and others fewer; a compiler moves some values to where they are needed.
  constexpr int kRegisters = 32, kMany = kRegisters + 8;
  if (static_cast<int>(topological_order(graph.outputs).size()) <= kMany) return;
  const GraphStages stages = graph_stages(graph, device.target, device.compile_options());
  for (const GraphStages::Step& step : stages.steps) {
    const int alive = static_cast<int>(step.nodes.size()) > kMany ? most_alive(stages, step) : 0;
    if (alive <= kMany) continue;
    ir::Lines lines;
    for (const int n : step.nodes)
      for (const SourceLine& line : stages.nodes[static_cast<size_t>(n)].lines)
        lines = lines.united(ir::Lines(line));
    seen.add(
        {"spill", lines.all(),
         fmt::format("a kernel computes {} values before it needs them, and a processor has {} vector "
                     "registers at most: the others go through the stack in each element: combine values "
                     "soon after they are computed, or eval some on the way, so that they are two kernels",
                     alive, kRegisters)});
  }
}

void see_oversubscription(const Program& program, const runtime::Device& device,
                          const runtime::LinesNow* lines, CostsSeen& seen) {
  static const int processors = runtime::usable_threads();
  if (!device.host_visible() || device.threads() <= processors) return;
  for (const ProgramStep& step : program.steps) {
    const auto* k = std::get_if<KernelStep>(&step);
    if (!k || k->bytes_read + k->bytes_written < kWorthThreads) continue;
    seen.add({"thread oversubscription", lines ? (*lines)(k->origin.lines) : k->origin.lines,
              fmt::format(
                  "the kernel is given to {} threads, and this process may use {} processors: threads "
                  "wait for each other: `wf.set_threads(0)`, or no WEFT_THREADS, takes as many as there are",
                  device.threads(), processors)});
  }
}

void see_costs(std::span<const ir::Node* const> nodes, const Program& program, const runtime::LinesNow* lines,
               CostsSeen& seen) {
  see_widening(nodes, seen);
  see_stored_stencils(nodes, program, seen);
  for (const ProgramStep& step : program.steps) {
    const auto* k = std::get_if<KernelStep>(&step);
    // What writes about as much as it reads has totals beside its rows: these cost little.
    if (!k || k->launch.finish_tasks == 0 || k->bytes_written * kFewResults > k->bytes_read) continue;
    seen.add({kSplitReduction, lines ? (*lines)(k->origin.lines) : k->origin.lines,
              fmt::format("{}: all threads share each long row, and a second launch, of some microseconds, "
                          "joins what they "
                          "found. Of several reductions give all to one `wf.eval(a, b)`: they share both "
                          "launches, and an array that "
                          "they read is read once. A single one needs no change",
                          k->origin.ops)});
  }
}

}  // namespace weft::detail
