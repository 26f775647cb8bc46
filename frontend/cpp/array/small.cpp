#include "frontend/cpp/array/small.h"

#include <array>
#include <cstring>
#include <mutex>
#include <type_traits>

#include "compiler/ir/build.h"
#include "compiler/ir/ops/storage.h"
#include "frontend/cpp/array/overlap.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/derivatives/past.h"
#include "frontend/cpp/evaluate/evaluate.h"
#include "frontend/cpp/evaluate/flush.h"
#include "frontend/cpp/evaluate/maps_now.h"
#include "frontend/cpp/evaluate/turns.h"

namespace weft::detail {
namespace {

constexpr uint32_t kNodes = 64;  // of a value that is computed at once
// Elements that are computed at once however often: memory is no part of their time, so fusing saves little.
constexpr int64_t kAlwaysNow = 1024;

// The value's row-major elements; false where computing them is more than small work.
bool compute(Cell& cell, const ir::NodeRef& value, std::byte* out) {
  const size_t item = size_of(value->dtype());
  const auto count = static_cast<size_t>(element_count(value->shape()));
  if (value->op == ir::Op::constant) {
    value->as<ir::ConstantAttr>().value.store(out);
    for (size_t i = 1; i < count; ++i) std::memcpy(out + i * item, out, item);
    return true;
  }
  const runtime::BufferRef buffer = evaluate_if_small(cell.device, value);
  if (!buffer) return false;
  std::memcpy(out, buffer->data(), count * item);
  return true;
}

// A new array of rank 0 that cannot be written.
Array read_only(DeviceSlot& device, ir::NodeRef constant) {
  // One view for each dtype: elements are read by the thousand.
  static const auto* const views_of = [] {
    auto* views = new std::array<Ref<const View>, kDTypeCount>;
    for (size_t t = 0; t < views->size(); ++t)
      (*views)[t] = with_access(layout_of({static_cast<DType>(t), {}}, Ref<const View>()), false);
    return views;
  }();
  const auto dtype = static_cast<size_t>(constant->dtype());
  return Access::make(Ref<Cell>(new Cell(device, std::move(constant), kInMemory)), (*views_of)[dtype]);
}

struct Element {
  Cell& cell;
  DType dtype;
  int64_t offset;  // in elements of that dtype
};

// None for what is no element of an array on the host, or is not to be looked at now.
std::optional<Element> element_at(const Array& x, std::span<const int64_t> positions) {
  Cell& cell = *Access::cell(x);
  const View* view = Access::view(x).get();
  const ir::TensorType& type = view ? view->type : cell.type;
  if (positions.empty() || positions.size() != type.shape.size()) return {};
  if (small_elements(cell) < 1 || records_cells()) return {};
  int64_t offset = view ? view->offset : 0, stride = 1;
  for (size_t axis = positions.size(); axis-- > 0;) {
    const int64_t extent = type.shape[axis];
    const int64_t at = positions[axis] < 0 ? positions[axis] + extent : positions[axis];
    if (at < 0 || at >= extent) return {};
    offset += at * (view ? view->strides[axis] : stride);
    stride *= extent;
  }
  return Element{cell, type.dtype, offset};
}

const runtime::Buffer* memory_of(const ir::Node& value) {
  return value.op == ir::Op::input
             ? static_cast<const runtime::Buffer*>(value.as<ir::InputAttr>().handle.get())
             : nullptr;
}

// What the operand is, where that is known: as assign() takes it.
std::optional<Scalar> known_value(const Operand& value) {
  if (!value.array()) return value.number().value().cast(default_dtype(value.number()));
  return known_element(*value.array());
}

// Calls f(memory) where nobody but the cell holds it, and counts that as a write. Whether it was called.
template <class F>
bool write_in_memory(Cell& cell, F&& f) {
  return cell.write_in_place([&](const ir::NodeRef& held) {
    if (held->op != ir::Op::input || held->use_count() != 1) return false;
    const auto& handle = held->as<ir::InputAttr>().handle;
    const auto* memory = static_cast<runtime::Buffer*>(handle.get());
    if (!memory || handle.use_count() != 1 || !memory->writable()) return false;
    f(static_cast<std::byte*>(memory->data()));
    return true;
  });
}

// Whether the cell's value lies in memory. What is one value everywhere, as zeros to be filled, is put there.
bool put_in_memory(Cell& cell) {
  bool constant = false, lies_there = false;
  cell.inspect([&](const ir::NodeRef& held) {
    constant = held->op == ir::Op::constant;
    lies_there = held->op == ir::Op::input && buffer_of(*held);
  });
  if (constant) materialized(cell);
  return constant || lies_there;
}

// Whether the view shows a part of the cell that has few enough elements for maps of them to be computed op by op.
bool may_be_computed_now(const Cell& cell, const View& view) {
  const int64_t count = element_count(view.type.shape);
  return small_elements(cell) > 0 && count > 0 && count <= MapsNow::kMostElements &&
         count < element_count(cell.type.shape);
}

// Calls f(memory), which writes what was computed. What it was computed of may lie in the same memory, as in
// x[1:-1] += x[2:]: whoever holds that then has the value that was computed.
template <class F>
bool write_computed(Cell& cell, MapsNow& maps, F&& f) {
  // Nobody walks over the graph meanwhile.
  const std::unique_lock alone(cell.device.in_place, std::try_to_lock);
  if (!alone) return false;
  return cell.write_in_place([&](const ir::NodeRef& held) {
    const runtime::Buffer* memory = memory_of(*held);
    if (!memory || !memory->writable() || held->as<ir::InputAttr>().handle.use_count() != 1) return false;
    const uint32_t uses = maps.uses_of(held.get());
    if (held->use_count() != 1 + uses || (uses > 0 && !maps.let_go_of(held.get()))) return false;
    f(static_cast<std::byte*>(memory->data()));
    return true;
  });
}

bool write_mapped(Cell& cell, const View& view, MapsNow& maps) {
  return write_computed(cell, maps,
                        [&](std::byte* memory) { scatter(strided(view), maps.elements(), memory); });
}

bool store(const Element& element, const Scalar& value, const ir::SourceLine& line) {
  flush_due(line, true);
  const bool written = write_in_memory(element.cell, [&](std::byte* memory) {
    std::byte* place = memory + element.offset * static_cast<int64_t>(size_of(element.dtype));
    if (value.dtype == element.dtype) return value.store(place);
    value.cast(element.dtype).store(place);
  });
  if (written) note_write(line);
  return written;
}

}  // namespace

bool element_now(const Array& x, std::span<const int64_t> positions, Scalar& out) {
  const std::optional<Element> element = element_at(x, positions);
  if (!element) return false;
  const DType dtype = element->dtype;
  bool known = false;
  element->cell.inspect([&](const ir::NodeRef& held) {
    if (const runtime::Buffer* memory = memory_of(*held)) {
      const auto* data = static_cast<const std::byte*>(memory->data());
      out = Scalar::load(dtype, data + element->offset * static_cast<int64_t>(size_of(dtype)));
      known = true;
    } else if (held->op == ir::Op::constant && held->dtype() == dtype) {
      out = held->as<ir::ConstantAttr>().value;
      known = true;
    }
  });
  return known;
}

Array array_of_element(DeviceSlot& device, const Scalar& value) {
  Array made = read_only(device, ir::constant({value.dtype, {}}, value));
  Access::cell(made)->made_before();  // elements are none while a function is recorded
  return made;
}

bool write_element(const Array& x, std::span<const int64_t> positions, const Operand& value) {
  const std::optional<Element> element = element_at(x, positions);
  if (!element || !x.writable()) return false;
  if (value.array() && &Access::cell(*value.array())->device != &element->cell.device) return false;
  const std::optional<Scalar> known = known_value(value);
  if (!known) return false;
  check_stored("assign", element->dtype, value);
  if (!value.array() && kind(element->dtype) == DTypeKind::Signed)
    check_held("assign", element->dtype, value.number().value());
  return store(*element, *known, lines_at(value.at()).only());
}

bool write_element(const Array& x, std::span<const int64_t> positions, const Scalar& value,
                   const ir::SourceLine& line) {
  const std::optional<Element> element = element_at(x, positions);
  return element && x.writable() && store(*element, value, line);
}

Array value_now(const Array& view) {
  Cell& cell = *Access::cell(view);
  note_read(cell);
  const ir::NodeRef value = cell.memory();
  Ref<const View> shown = Access::view(view);
  Age since = cell.since();
  ir::NodeRef part = shown ? read_small(cell, *shown, value) : ir::NodeRef();
  if (part && part->op == ir::Op::constant) return read_only(cell.device, part);
  if (part) shown = {}, since = kInMemory;
  const Array own = record(cell.device, part ? part : cell.lent() ? cell.value() : value, since);
  const Ref<Cell>& owner = Access::cell(own);
  return Access::make(owner, with_access(layout_of(owner->type, shown), false));
}

bool may_write_small(Cell& cell, const View* view, const Recording& value) {
  if (!view || !may_be_computed_now(cell, *view) || keeps_past()) return false;
  if (value.oldest() && count_nodes(value.oldest()->value(), kNodes) > kNodes) return false;
  const int64_t count = element_count(view->type.shape);
  if (count > kAlwaysNow && is_often_written(value.lines().only(), view->offset, count)) return false;
  if (put_in_memory(cell)) return true;
  // What a loop writes to part by part, while it is still to be computed itself, would be a longer chain each turn.
  if (records_cells() || count > kAlwaysNow || element_count(cell.type.shape) > MapsNow::kMostElements ||
      !is_written_in_turns(value.lines().only()))
    return false;
  materialized(cell);
  return true;
}

bool write_small(Cell& cell, const View& view, const ir::NodeRef& value) {
  constexpr size_t kMostBytes = 16 * 1024;
  alignas(64) std::byte elements[kMostBytes];
  cell.check_write();
  if (MapsNow& maps = MapsNow::of_thread(); maps.compute(cell.device, value))
    return write_mapped(cell, view, maps);
  const auto count = static_cast<size_t>(element_count(view.type.shape));
  if (!is_small_part(cell, view) || count * size_of(view.type.dtype) > kMostBytes) return false;
  if (!compute(cell, value, elements)) return false;
  return write_in_memory(cell, [&](std::byte* memory) { scatter(strided(view), elements, memory); });
}

namespace {

// Whether the view shows a part of the cell that the host copies or fills sooner than a kernel.
bool is_moved_by_host(const Cell& cell, const View* view) {
  constexpr int64_t kMovedByHost = 1 << 16;  // elements
  if (!view || small_elements(cell) < 1) return false;
  const int64_t count = element_count(view->type.shape);
  return count > 0 && count <= kMovedByHost && count < element_count(cell.type.shape);
}

// A copy of what views show of memory. However often: such copies are no work that a kernel would save.
bool write_shown(Cell& cell, const View& view, const ir::NodeRef& value) {
  const ir::Node* shown = value.get();
  while (ir::views_one(shown->op)) shown = shown->inputs[0].get();
  if (shown->op != ir::Op::input && !shown->computed()) return false;
  if (!may_be_computed_now(cell, view) || keeps_past() || !put_in_memory(cell)) return false;
  cell.check_write();
  MapsNow& maps = MapsNow::of_thread();
  return maps.compute(cell.device, value) && write_mapped(cell, view, maps);
}

}  // namespace

bool write_number(const Array& view, const Scalar& value, const ir::SourceLine& line) {
  Cell& cell = *Access::cell(view);
  const View* shown = Access::view(view).get();
  if (!is_moved_by_host(cell, shown) || !view.writable() || records_cells()) return false;
  flush_due(line, true);
  if (cell.memory()->op == ir::Op::constant) materialized(cell);  // zeros to be filled
  std::byte item[16];
  value.cast(shown->type.dtype).store(item);
  const bool written = write_in_memory(cell, [&](std::byte* memory) { fill(strided(*shown), item, memory); });
  if (written) note_write(line);
  return written;
}

namespace {

// Rows of memory, and what is written to them.
struct RowsAt {
  const Layout& at;
  Shape row;
  Dims strides;
  int64_t item, count = 0;  // bytes; elements of a row
  bool contiguous;

  explicit RowsAt(const Layout& layout)
      : at(layout),
        row(layout.type.shape),
        strides(layout.strides),
        item(static_cast<int64_t>(size_of(layout.type.dtype))),
        contiguous(true) {
    row.erase(0), strides.erase(0);
    count = element_count(row);
    const Dims dense = contiguous_strides(row);
    for (size_t k = 0; k < row.size(); ++k) contiguous &= row[k] == 1 || strides[k] == dense[k];
  }
};

template <class T>
void each_row(const RowsAt& rows, const T* positions, int64_t n, auto&& at_row) {
  const int64_t extent = rows.at.type.shape[0];
  for (int64_t k = 0; k < n; ++k) {
    const auto position = static_cast<int64_t>(positions[k]);
    at_row(k, rows.at.offset + (position < 0 ? position + extent : position) * rows.at.strides[0]);
  }
}

// Sums of these are the same wherever they are computed.
bool is_added_at_once(DType t) { return t == DType::F32 || t == DType::F64 || is_integer(t); }

// `one`: one item is written everywhere.
void write_at(const RowsAt& rows, DType index, const void* positions, int64_t n, const std::byte* values,
              bool one, AtRows how, std::byte* memory) {
  const int64_t bytes = rows.count * rows.item;
  const auto put = [&](int64_t k, int64_t offset) {
    std::byte* const to = memory + offset * rows.item;
    const std::byte* const from = one ? values : values + k * bytes;
    if (rows.count == 1) return copy_item(to, from, rows.item);
    const Strided place{rows.row, rows.strides, offset, rows.item};
    one ? fill(place, from, memory) : scatter(place, from, memory);
  };
  const auto each = [&](auto&& at_row) {
    ir::with_dtype(index, [&]<DType t>(std::integral_constant<DType, t>) {
      if constexpr (is_integer(t)) {
        using T = typename ir::Storage<t>::Stored;
        each_row(rows, static_cast<const T*>(positions), n, at_row);
      }
    });
  };
  if (how == AtRows::Put) return each(put);
  ir::with_dtype(rows.at.type.dtype, [&]<DType t>(std::integral_constant<DType, t>) {
    if constexpr (t == DType::F32 || t == DType::F64 || is_integer(t)) {
      using T = typename ir::Storage<t>::Stored;
      each([&](int64_t k, int64_t offset) {
        T* const to = reinterpret_cast<T*>(memory) + offset;
        const T* const from = reinterpret_cast<const T*>(values) + (one ? 0 : k * rows.count);
        for (int64_t i = 0; i < rows.count; ++i) to[i] = static_cast<T>(to[i] + from[one ? 0 : i]);
      });
    }
  });
}

// The row-major elements of what lies in memory as it is; null for others.
const std::byte* plain_elements(const ir::Node& value) {
  if (value.op != ir::Op::input || !value.as<ir::InputAttr>().strides.empty()) return nullptr;
  const runtime::BufferRef buffer = buffer_of(value);
  if (!buffer) return nullptr;
  buffer->complete();
  return static_cast<const std::byte*>(buffer->data());
}

}  // namespace

bool write_rows(const Array& x, const Array& index, const Operand& value, AtRows how) {
  Cell& cell = *Access::cell(x);
  const int64_t n = index.size();
  const bool array = value.array() != nullptr;
  if (small_elements(cell) < 1 || records_cells() || keeps_past() || !x.writable() || x.ndim() == 0 || n == 0)
    return false;
  if (&Access::cell(index)->device != &cell.device || may_overlap(Access::view(x).get())) return false;
  if (array && &Access::cell(*value.array())->device != &cell.device) return false;
  const Layout at = layout_of(x);
  const RowsAt rows(at);
  const bool watches = cell.device.session.watch.load(std::memory_order_relaxed) != Watch::Nothing;
  if (how == AtRows::Add && (!is_added_at_once(x.dtype()) || !rows.contiguous || watches)) return false;
  if (rows.count == 0 || n * rows.count > MapsNow::kMostElements) return false;
  const bool one = !array || value.array()->size() == 1;
  if (!one && value.array()->size() != n * rows.count) return false;
  const ir::Lines lines = lines_at(value.at());
  flush_due(lines.only(), true);
  const ir::NodeRef positions = read(index, lines);
  const std::byte* const places = plain_elements(*positions);
  if (!places || !put_in_memory(cell)) return false;
  cell.check_write();
  const auto write = [&](const std::byte* values) {
    return [&, values](std::byte* memory) {
      write_at(rows, index.dtype(), places, n, values, one, how, memory);
    };
  };
  bool written = false;
  if (!array) {
    alignas(16) std::byte item[16];
    value.number().value().cast(x.dtype()).store(item);
    written = write_in_memory(cell, write(item));
  } else {
    const ir::NodeRef node = ir::cast(read(*value.array(), lines), x.dtype(), lines);
    alignas(16) std::byte item[16];
    if (node->op == ir::Op::constant) node->as<ir::ConstantAttr>().value.store(item);
    const std::byte* const plain = node->op == ir::Op::constant ? item : plain_elements(*node);
    if (plain && (one || node->op != ir::Op::constant)) {
      written = write_in_memory(cell, write(plain));
    } else if (MapsNow& maps = MapsNow::of_thread(); !plain && maps.compute(cell.device, node)) {
      written = write_computed(cell, maps, write(maps.elements()));
    }
  }
  if (written) note_write(lines.only());
  return written;
}

bool write_moved(Cell& cell, const View* view, const ir::NodeRef& value) {
  if (!is_moved_by_host(cell, view) || value->dtype() != view->type.dtype) return false;
  const bool one = value->op == ir::Op::constant;
  const bool plain = value->op == ir::Op::input && value->as<ir::InputAttr>().strides.empty();
  const runtime::BufferRef from = plain ? buffer_of(*value) : nullptr;
  if (ir::views_one(value->op)) return write_shown(cell, *view, value);
  if (!one && !from) return false;
  cell.check_write();
  if (cell.memory()->op == ir::Op::constant) materialized(cell);  // zeros to be filled
  return write_in_memory(cell, [&](std::byte* memory) {
    if (from) return scatter(strided(*view), static_cast<const std::byte*>(from->data()), memory);
    std::byte item[16];
    value->as<ir::ConstantAttr>().value.store(item);
    fill(strided(*view), item, memory);
  });
}

}  // namespace weft::detail
