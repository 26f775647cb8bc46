#include "tests/benchmarks/recorded.h"

#include "frontend/cpp/array/read.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::bench {

ir::Graph graph_of(const Workload& workload, const Sizes& sizes) {
  detail::DeviceSlot& device = detail::current_session().device("cpu");
  std::vector<Array> inputs;
  for (const Shape& shape : workload.inputs(sizes))
    inputs.push_back(detail::record(device, detail::input_node({DType::F32, shape}, nullptr), 0));
  const std::vector<Array> outputs = workload.run(inputs);
  std::vector<ir::NodeRef> nodes;
  for (const Array& output : outputs) nodes.push_back(detail::read(output, {}));
  detail::Canonical canonical;
  detail::prepare(device, nodes, canonical);
  return detail::graph_of(nodes, canonical);
}

}  // namespace weft::bench
