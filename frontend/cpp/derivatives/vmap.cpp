#include "frontend/cpp/weft/vmap.h"

#include <optional>

#include "compiler/base/error.h"
#include "compiler/derive/batch.h"
#include "frontend/cpp/array/cell.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/resident_index.h"
#include "frontend/cpp/session/session_state.h"

namespace weft {
namespace {

using detail::Access;
using ir::NodeRef;

// The arguments as f gets them, and what stands for those that differ from part to part.
struct Parts {
  std::vector<Array> given;
  std::vector<Array> places;
  derive::Batched inputs;
  std::vector<NodeRef> derived;  // the places of arguments that are derived
  int64_t size = -1;
  detail::DeviceSlot* device = nullptr;

  void add(const Array& x, int64_t axis) {
    const int64_t from_start = normalize_axis("vmap", axis, x.ndim());
    const auto first = static_cast<size_t>(from_start);
    if (size < 0) size = x.shape()[first];
    if (size != x.shape()[first])
      throw Error("vmap: arguments have one extent along their axes: got " + std::to_string(size) + " and " +
                  std::to_string(x.shape()[first]));
    device = &Access::cell(x)->device;
    Dims order;
    order.push_back(from_start);
    ir::TensorType type{x.dtype(), {}};
    for (size_t i = 0; i < x.ndim(); ++i) {
      if (i == first) continue;
      order.push_back(static_cast<int64_t>(i));
      type.shape.push_back(x.shape()[i]);
    }
    const NodeRef place = detail::input_node(type, nullptr);
    inputs.emplace(place.get(), detail::read(x.transpose(order), {}));
    if (is_derived(x)) derived.push_back(place);
    places.push_back(detail::record(*device, place, detail::kInMemory));
    given.push_back(places.back());
  }
};

}  // namespace

std::vector<Array> vmap(const ArrayFunction& f, std::span<const Array> arguments,
                        std::span<const std::optional<int64_t>> axes) {
  if (axes.size() != arguments.size())
    throw Error("vmap: takes an axis for each argument: got " + std::to_string(axes.size()) + " for " +
                std::to_string(arguments.size()));
  Parts parts;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (axes[i])
      parts.add(arguments[i], *axes[i]);
    else
      parts.given.push_back(arguments[i]);
  }
  if (parts.size < 0) throw Error("vmap: takes an axis of at least one argument: got none");
  std::optional<detail::CellsRead> read(std::in_place, parts.places);
  std::vector<NodeRef> nodes;
  std::optional<detail::DerivedPlaces> derived(std::in_place, parts.derived);
  for (const Array& result : f(parts.given)) nodes.push_back(detail::read(result, {}));
  const std::vector<detail::Ref<detail::Cell>> cells = read->cells();
  const std::vector<detail::LateCheck> late_checks = read->late_checks();
  derived.reset();
  read.reset();
  for (const detail::Ref<detail::Cell>& cell : cells)
    detail::note_read(*cell);  // of what is recorded around it
  const auto array_of = [&](NodeRef node) {
    return detail::record(*parts.device, std::move(node),
                          parts.device->session.recorded.load(std::memory_order_relaxed));
  };
  for (const detail::LateCheck& late : late_checks) {
    const Array values = array_of(derive::batched({&late.value, 1}, parts.inputs, parts.size)[0]);
    detail::check_again(late, values);
  }
  std::vector<Array> results;
  for (NodeRef& node : derive::batched(nodes, parts.inputs, parts.size, detail::customs_here()))
    results.push_back(array_of(std::move(node)));
  return results;
}

}  // namespace weft
