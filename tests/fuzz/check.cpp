#include "tests/fuzz/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/fuzz/backend.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/random_input.h"

namespace weft::test {
namespace {

// References with other roundings: a value that jumps where it is rounded jumps in half of them.
constexpr uint64_t kNudged = 18;

// Whether some value has fewer digits than f64: what is made from it has no more, whatever its dtype.
bool rounds_below_f64(const ir::Graph& graph) {
  const auto nodes = ir::topological_order(graph.outputs);
  return std::any_of(nodes.begin(), nodes.end(), [](const ir::Node* node) {
    const DType t = node->dtype();
    return (is_float(t) || is_complex(t)) && real_of(t) != DType::F64;
  });
}

}  // namespace

Run on(Backend& backend) {
  return [&](const ir::Graph& graph, const std::vector<ir::HostTensor>& inputs, const Options& options) {
    return run_on(backend, graph, inputs, options);
  };
}

std::string check(const Run& run, const ir::Graph& graph, uint64_t seed, bool exact, Options options) {
  if (exact) options.numerics = Numerics::Strict;
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, seed, {-4, 4}, exact ? 0.1 : 0.0);
  const std::vector<ir::HostTensor> want = interpret(graph, inputs);
  std::vector<std::vector<ir::HostTensor>> nudged;
  const auto nudged_output = [&](size_t k) {
    for (uint64_t draw = nudged.size(); draw < kNudged; ++draw)
      nudged.push_back(interpret_nudged(graph, inputs, draw));
    std::vector<const ir::HostTensor*> outputs;
    for (auto& results : nudged) outputs.push_back(&results[k]);
    return outputs;
  };
  const Tolerance tolerance{1e-3, rounds_below_f64(graph) ? 1e-3 : 1e-8, exact};
  try {
    const std::vector<ir::HostTensor> got = run(graph, inputs, options);
    for (size_t k = 0; k < want.size(); ++k) {
      const DType t = want[k].type.dtype;
      if (!exact && !is_float(t) && !is_complex(t)) continue;
      std::string d = difference(got[k], want[k], tolerance);
      // A tangent of products of many numbers has no digits left, and where two values are nearly equal
      // either may be the larger; only what no rounding changes is compared.
      if (!d.empty() && !exact) d = difference(got[k], want[k], tolerance, nudged_output(k));
      if (!d.empty()) return fmt::format("output {}: {}", k, d);
    }
  } catch (const std::exception& e) {
    return std::string("threw ") + e.what();
  }
  return "";
}

}  // namespace weft::test
