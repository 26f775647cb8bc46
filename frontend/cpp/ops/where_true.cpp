// What a mask picks. Its positions are found once for each value of the mask, and only when something needs
// them: arithmetic on picked elements that goes back to where the mask is true is a choice between all
// elements, which fuses with what comes before and after.
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/record/record.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/session/long_work.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft {
namespace {

using detail::Access;
using detail::Recording;
using ir::NodeRef;
using ir::Op;

// A choice computes all elements; beyond so many for each that is picked, gathers and scatters are cheaper.
constexpr int64_t kMostForOne = 4;
constexpr size_t kMostNodes = 64;
// Fewer positions than one for so many elements are found while they are counted: they take less memory than
// the mask, which positions that are found late hold.
constexpr int64_t kMostForLate = 64;

// Eight bools: the highest bit of each byte that is true. Little-endian, the lowest byte comes first.
uint64_t true_bytes(const uint8_t* mask) {
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  uint64_t word;
  std::memcpy(&word, mask, sizeof word);
  return (((word & kLow) + kLow) | word) & ~kLow;
}

// Bytes that are looked at together.
constexpr int64_t kBlock = 64;

bool any_true(const uint8_t* block) {
  uint64_t words[kBlock / 8], all = 0;
  std::memcpy(words, block, kBlock);
  for (const uint64_t word : words) all |= word;
  return all != 0;
}

int64_t count_true(const uint8_t* mask, int64_t count) {
  typedef uint8_t Lanes __attribute__((vector_size(16)));
  constexpr int64_t kMost = 255;  // that a byte counts
  int64_t found = 0, i = 0;
  while (i + kBlock <= count) {
    Lanes sums[kBlock / 16] = {};
    for (int64_t blocks = 0; blocks < kMost && i + kBlock <= count; ++blocks, i += kBlock) {
      Lanes block[kBlock / 16];
      std::memcpy(block, mask + i, kBlock);
      for (int64_t k = 0; k < kBlock / 16; ++k) sums[k] -= reinterpret_cast<Lanes>(block[k] != 0);
    }
    for (const Lanes& lanes : sums)
      for (int64_t k = 0; k < 16; ++k) found += lanes[k];
  }
  for (; i < count; ++i) found += mask[i] != 0;
  return found;
}

// Calls `found(position)` for each true element, as long as that gives true.
template <class F>
void each_true(const uint8_t* mask, int64_t count, F&& found) {
  int64_t i = 0;
  while (i + 8 <= count) {
    if (i + kBlock <= count && !any_true(mask + i)) {
      i += kBlock;
      continue;
    }
    for (const int64_t end = std::min(i + kBlock, count); i + 8 <= end; i += 8)
      for (uint64_t left = true_bytes(mask + i); left != 0; left &= left - 1)
        if (!found(i + std::countr_zero(left) / 8)) return;
  }
  for (; i < count; ++i)
    if (mask[i] && !found(i)) return;
}

void find_positions(const uint8_t* mask, int64_t count, int64_t* out) {
  each_true(mask, count, [&](int64_t position) {
    *out++ = position;
    return true;
  });
}

// The positions, where no more than `most` elements are true.
std::optional<std::vector<int64_t>> few_positions(const uint8_t* mask, int64_t count, size_t most) {
  std::vector<int64_t> positions;
  bool few = true;
  each_true(mask, count, [&](int64_t position) {
    few = positions.size() < most;
    if (few) positions.push_back(position);
    return few;
  });
  if (!few) return std::nullopt;
  return positions;
}

// Positions that are found when a program is about to read them.
class LatePositions final : public runtime::Buffer {
 public:
  LatePositions(runtime::BufferRef memory, runtime::BufferRef mask, int64_t elements)
      : Buffer(memory->device(), memory->data(), memory->bytes()),
        memory_(std::move(memory)),
        mask_(std::move(mask)),
        elements_(elements) {}
  void complete() const override {
    std::call_once(found_, [&] {
      find_positions(static_cast<const uint8_t*>(mask_->data()), elements_, static_cast<int64_t*>(data()));
      mask_.reset();
    });
  }

 private:
  runtime::BufferRef memory_;
  mutable runtime::BufferRef mask_;
  int64_t elements_;
  mutable std::once_flag found_;
};

// On the device: where each true element goes is how many there are up to it. The others go behind them all.
NodeRef positions_there(detail::DeviceSlot& device, const NodeRef& mask, int64_t elements,
                        const ir::Lines& lines) {
  const DType counts = elements < INT32_MAX ? DType::I32 : DType::I64;
  const auto all = [&](int64_t value) {
    return ir::broadcast(ir::constant({counts, {}}, Scalar::of(value).cast(counts)), {elements}, lines);
  };
  const NodeRef flat = ir::reshape(mask, {elements}, lines);
  const NodeRef up_to = ir::scan(Op::cumulative_sum, ir::cast(flat, counts, lines), 0, lines);
  const runtime::BufferRef counted = detail::evaluate(device, {&up_to, 1})[0];
  const size_t item = size_of(counts);
  std::byte last[8];
  device.device->download(last, *counted, static_cast<size_t>(elements - 1) * item, item);
  const Scalar picked = Scalar::load(counts, last);
  const NodeRef into =
      detail::input_node({DType::I64, {picked.i + 1}},
                         device.device->allocate(static_cast<size_t>(picked.i + 1) * sizeof(int64_t)));
  const NodeRef known = detail::input_node(up_to->type, counted);
  const NodeRef before = ir::map(Op::subtract, std::vector{known, all(1)}, lines);
  const NodeRef to = ir::map(Op::select, std::vector{flat, before, all(picked.i)}, lines);
  const NodeRef placed = ir::scatter(Op::scatter_distinct, into, ir::cast(to, DType::I64, lines),
                                     ir::iota({DType::I64, {elements}}, 0), 0, lines);
  return detail::input_node({DType::I64, {picked.i}}, detail::evaluate(device, {&placed, 1})[0]);
}

// The positions of the true elements in the flat mask, as an input node.
NodeRef positions_of_true(const Array& mask) {
  if (Access::view(mask)) return positions_of_true(mask.copy());
  const detail::Cell& cell = *Access::cell(mask);
  if (NodeRef known = cell.true_positions()) return known;
  const detail::AskedScope asked("a mask, whose true elements are counted");
  const runtime::BufferRef bytes = detail::materialized(*Access::cell(mask));
  const NodeRef value = cell.value();
  runtime::Device& device = *cell.device.device;
  const int64_t elements = mask.size();
  const detail::LongWork work;
  if (!device.host_visible() && elements > 0) {
    NodeRef positions = positions_there(cell.device, value, elements, {});
    cell.set_true_positions(value, positions);
    return positions;
  }
  const auto* data = static_cast<const uint8_t*>(bytes->data());
  std::optional<std::vector<int64_t>> found = few_positions(data, elements, elements / kMostForLate);
  const int64_t picked = found ? static_cast<int64_t>(found->size()) : count_true(data, elements);
  runtime::BufferRef memory = device.allocate(static_cast<size_t>(picked) * sizeof(int64_t));
  if (!found) {
    memory = std::make_shared<LatePositions>(std::move(memory), bytes, elements);
  } else {
    device.upload(*memory, 0, found->data(), found->size() * sizeof(int64_t));
  }
  NodeRef positions = detail::input_node({DType::I64, {picked}}, std::move(memory));
  cell.set_true_positions(value, positions);
  return positions;
}

void check_mask(std::string_view op, const Array& x, const Array& mask) {
  const bool leads = mask.dtype() == DType::Bool && mask.ndim() > 0 && mask.ndim() <= x.ndim() &&
                     std::equal(mask.shape().begin(), mask.shape().end(), x.shape().begin());
  if (leads) return;
  throw IndexError(std::string(op) + ": a mask is of bools and has the shape of the axes it picks from, " +
                   to_string(x.shape()) + ": got " + std::string(name(mask.dtype())) +
                   to_string(mask.shape()));
}

// `first`, and x's axes that the mask leaves.
Shape rest_of(const Array& x, const Array& mask, int64_t first) {
  Shape shape{first};
  for (size_t i = mask.ndim(); i < x.ndim(); ++i) shape.push_back(x.shape()[i]);
  return shape;
}

// The positions as an index along the first axis of arrays of this rank.
NodeRef along_first(const NodeRef& positions, size_t rank, const ir::Lines& lines) {
  Shape shape(rank, 1);
  shape[0] = positions->shape()[0];
  return ir::reshape(positions, shape, lines);
}

// The expression of picked elements as one of all elements: empty where it reads anything but elements picked
// by the same positions and what is the same for all of them.
class OfAll {
 public:
  OfAll(const NodeRef& positions, int64_t all, const Shape& picked)
      : positions_(positions), shape_(picked), picked_(picked) {
    shape_[0] = all;
  }

  NodeRef of(const NodeRef& n) {
    const auto [place, added] = known_.try_emplace(n.get());
    if (!added) return place->second;
    if (known_.size() > kMostNodes) return {};
    NodeRef all = made(*n);
    known_[n.get()] = all;
    return all;
  }

  uint32_t nodes() const { return static_cast<uint32_t>(known_.size()); }

 private:
  NodeRef made(const ir::Node& n) {
    if (n.shape() != picked_ || n.computed()) return {};
    if (n.op == Op::constant)
      return ir::constant({n.dtype(), shape_}, n.as<ir::ConstantAttr>().value, n.lines);
    if (n.op == Op::broadcast) {
      const NodeRef& x = n.inputs[0];
      const bool same_for_all = x->shape().size() < picked_.size() || x->shape()[0] == 1;
      return same_for_all && picked_[0] != 1 ? ir::broadcast(x, shape_, n.lines) : NodeRef();
    }
    if (n.op == Op::gather)
      return n.as<ir::AxisAttr>().axis == 0 && picks(*n.inputs[1]) ? gathered(n) : NodeRef();
    if (ir::kind(n.op) != ir::OpKind::Map) return {};
    ir::Inputs inputs(n.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = of(n.inputs[i]);
      if (!inputs[i]) return {};
    }
    return ir::make(n.op, std::move(inputs), n.attr, {n.dtype(), shape_}, n.lines);
  }
  NodeRef gathered(const ir::Node& n) const {
    return n.inputs[0]->shape() == shape_ ? n.inputs[0] : NodeRef();
  }
  bool picks(const ir::Node& index) const {
    return &index == positions_.get() || (index.op == Op::reshape && index.inputs[0] == positions_);
  }

  const NodeRef& positions_;
  Shape shape_;
  const Shape& picked_;
  std::unordered_map<const ir::Node*, NodeRef> known_;
};

}  // namespace

Array true_positions(const Array& mask, Where at) {
  Recording r("true_positions", at);
  if (mask.dtype() != DType::Bool)
    throw TypeError("true_positions: a mask is of bools: got " + std::string(name(mask.dtype())));
  r.node(mask);
  const NodeRef positions = positions_of_true(mask);
  detail::buffer_of(*positions)->complete();  // anybody may read an array's memory
  return r.finish(positions, 0);
}

Array take_where(const Array& x, const Array& mask, Where at) {
  Recording r("index", at);
  check_mask(r.op(), x, mask);
  const NodeRef positions = positions_of_true(mask);
  const NodeRef flat = ir::reshape(r.node(x), rest_of(x, mask, mask.size()), r.lines());
  const NodeRef index = along_first(positions, flat->shape().size(), r.lines());
  return r.finish(ir::gather(flat, index, 0, r.lines()), 3);
}

void put_where(const Array& x, const Array& mask, const Operand& values) {
  Recording r("assign", values);
  check_mask("index", x, mask);
  detail::check_stored(r.op(), x.dtype(), values);
  NodeRef given = ir::cast(r.node(values), x.dtype(), r.lines());
  const NodeRef all = ir::reshape(r.node(x), rest_of(x, mask, mask.size()), r.lines());
  const size_t rank = all->shape().size();
  NodeRef chosen;
  Array target = x;
  uint32_t added = 6;
  if (!given->shape().empty()) {
    const NodeRef positions = positions_of_true(mask);
    const Shape picked = rest_of(x, mask, positions->shape()[0]);
    // Leading axes of extent 1 that the target lacks do not matter, as in NumPy.
    Shape from = given->shape();
    while (from.size() > rank && from[0] == 1) from.erase(0);
    given = ir::reshape(given, from, r.lines());
    given = detail::named(r.op(), [&] { return ir::broadcast(given, picked, r.lines()); });
    if (element_count(picked) == 0) return;
    if (positions->shape()[0] * kMostForOne >= mask.size()) {
      OfAll expression(positions, mask.size(), picked);
      chosen = expression.of(given);
      added += expression.nodes();
    }
    if (!chosen) {
      const NodeRef index = along_first(positions, rank, r.lines());
      const NodeRef put = ir::scatter(Op::scatter, all, index, given, 0, r.lines());
      const Array result = r.finish(ir::reshape(put, x.shape(), r.lines()), 4);
      return target.assign(Operand(result, values.at()));
    }
  } else {
    chosen = ir::broadcast(given, all->shape(), r.lines());
  }
  Shape leading = mask.shape();
  leading.resize(x.ndim(), 1);
  const NodeRef here = ir::broadcast(ir::reshape(r.node(mask), leading, r.lines()), x.shape(), r.lines());
  const NodeRef kept = ir::reshape(all, x.shape(), r.lines());
  const NodeRef in[] = {here, ir::reshape(chosen, x.shape(), r.lines()), kept};
  const Array result = r.finish(ir::map(Op::select, in, r.lines()), added);
  target.assign(Operand(result, values.at()));
}

}  // namespace weft
