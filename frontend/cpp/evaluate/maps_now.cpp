#include "frontend/cpp/evaluate/maps_now.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>

#include "compiler/base/per_thread.h"
#include "compiler/blocks/loops.h"
#include "compiler/ir/build.h"
#include "compiler/ir/function.h"
#include "compiler/ir/lines.h"
#include "frontend/cpp/array/strided.h"
#include "frontend/cpp/array/view.h"
#include "frontend/cpp/evaluate/canonical.h"
#include "frontend/cpp/session/asked.h"

namespace weft::detail {
namespace {

using ir::Node;
using ir::Op;
using ir::OpKind;

constexpr size_t kEntries = 32;
constexpr size_t kMemory = size_t{1} << 18;
constexpr int kDeepest = 24;

bool is_contracted(DType t) { return t == DType::F32 || t == DType::F64; }

bool is_taken(DType t) { return is_contracted(t) || t == DType::Bool || is_integer(t); }

// Whether elements at these strides lie one behind the other.
bool is_row_major(const Shape& shape, const Dims& strides) {
  int64_t next = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != next) return false;
    next *= shape[axis];
  }
  return true;
}

bool is_one(const Shape& shape, const Dims& strides) {
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1 && strides[axis] != 0) return false;
  return true;
}

// Whether the operand is another element wherever another one of the result is computed.
bool varies(const Shape& shape, const Dims& strides) {
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1 && strides[axis] == 0) return false;
  return true;
}

bool commutes(Op op) { return op == Op::add || op == Op::multiply || op == Op::maximum || op == Op::minimum; }

// What is computed here, into memory of its own.
bool has_elements(const Node& n) { return kind(n.op) == OpKind::Map || kind(n.op) == OpKind::Gather; }

const Node* viewed(const Node* n) {
  while (ir::views_one(n->op)) n = n->inputs[0].get();
  return n;
}

auto bits_of(const Node* constant) {
  const Scalar& s = constant->as<ir::ConstantAttr>().value;
  return std::tuple(s.i, std::bit_cast<uint64_t>(s.re), std::bit_cast<uint64_t>(s.im));
}

// Whether the passes may put something else in the map's place, which would be rounded with what is around it.
bool is_rewritten(const Node& map) {
  // Of real numbers, which are all that is taken, conj, real and imag give what they are given, or 0.
  constexpr Op kAlways[] = {Op::pow, Op::apply, Op::positive, Op::conj, Op::real, Op::imag};
  if (std::ranges::find(kAlways, map.op) != std::end(kAlways)) return true;
  if ((map.op == Op::negative || map.op == Op::cast) && viewed(map.inputs[0].get())->op == map.op)
    return true;
  if (map.op == Op::select) return viewed(map.inputs[1].get()) == viewed(map.inputs[2].get());
  if (map.op != Op::multiply && map.op != Op::divide && map.op != Op::add && map.op != Op::subtract)
    return false;
  return std::ranges::any_of(map.inputs, [&](const ir::NodeRef& in) {
    // Without a line it is an element that was read, of which no pass knows the value.
    if (in->op != Op::constant || in->lines.empty()) return false;
    const Scalar& s = in->as<ir::ConstantAttr>().value;
    const double v = is_float(s.dtype) ? s.re : static_cast<double>(s.i);
    if (map.op == Op::divide) return v == 1 || v == 2 || v == 0.5;
    return v == 0 || (map.op == Op::multiply && (v == 1 || v == -1));
  });
}

}  // namespace

MapsNow& MapsNow::of_thread() { return PerThread<MapsNow>::get(); }

bool MapsNow::takes(DeviceSlot& device, const ir::NodeRef& value) {
  entries_.clear();
  used_ = 0;
  device_ = &device;
  const OpKind what = kind(value->op);
  if (value->computed() || (what != OpKind::Map && what != OpKind::View && what != OpKind::Gather))
    return false;
  const SessionState& session = device.session;
  if (session.numerics.load(std::memory_order_relaxed) != Numerics::Standard) return false;
  if (session.watch.load(std::memory_order_relaxed) != Watch::Nothing)
    return false;  // each op is to be looked at
  if (!device.device->host_visible() || !device.device->runs_blocks()) return false;
  entries_.reserve(kEntries);
  return visit(value.get(), 0) >= 0 && find_products();
}

bool MapsNow::compute(DeviceSlot& device, const ir::NodeRef& value) {
  auto timed = runtime::timed(device.session.counters.trace);
  if (!compute_untold(device, value)) return false;
  tell(timed);
  return true;
}

bool MapsNow::compute_untold(DeviceSlot& device, const ir::NodeRef& value) {
  if (!takes(device, value)) return false;
  memory_.resize(kMemory);
  const auto computed = [&](Entry& e) { return !has_elements(*e.value) || run(e); };
  return std::ranges::all_of(entries_, computed) &&
         (kind(value->op) != OpKind::View || show(entries_.back()));
}

void MapsNow::tell(runtime::TimedOnHost& since) const {
  if (since) since.end_short(number(), [&] { return event(); });
}

// The same for what event() says the same of.
uint64_t MapsNow::number() const {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;
  uint64_t out = 0;
  const auto mix = [&](uint64_t value) { out = (out ^ value) * kPrime, out ^= out >> 32; };
  const auto mix_line = [&](const ir::SourceLine& line) {
    mix(reinterpret_cast<uintptr_t>(line.file)), mix(line.line);
  };
  for (const Entry& e : entries_) {
    if (kind(e.value->op) == OpKind::Source) continue;
    mix(static_cast<uint64_t>(e.value->op));
    mix_line(e.value->lines.only());
  }
  const Asked& asked = asked_now();
  mix(reinterpret_cast<uintptr_t>(asked.by));
  mix_line(asked.line);
  return out;
}

// Of the maps that were computed.
runtime::TraceEvent MapsNow::event() const {
  runtime::TraceEvent event;
  event.work = runtime::Work::Interpret;
  ir::Lines lines;
  for (const Entry& e : entries_) {
    if (kind(e.value->op) == OpKind::Source) continue;
    lines = lines.united(e.value->lines);
    if (kind(e.value->op) != OpKind::View)
      event.what.append(event.what.empty() ? "" : ", ").append(ir::called(*e.value));
  }
  event.what = event.what.empty() ? "copy of a part" : event.what + ", op by op";
  event.lines = lines.all();
  const Asked& asked = asked_now();
  event.asked_by = asked.by, event.asked_at = asked.line;
  return event;
}

const std::byte* MapsNow::elements() const { return entries_.back().data; }

int MapsNow::visit(const Node* node, int depth) {
  for (size_t k = 0; k < entries_.size(); ++k) {
    if (entries_[k].node != node) continue;
    ++entries_[k].uses;
    return static_cast<int>(k);
  }
  Entry e;
  e.node = node, e.uses = 1;
  e.value = node->computed() ? node->computed() : node;
  e.count = element_count(e.value->shape());
  if (depth > kDeepest) return -1;
  if (e.count < 1 || (e.value->op != Op::input && e.count > kMostElements)) return -1;
  for (size_t k = 0; k < e.value->inputs.size(); ++k) {
    if (k == std::size(e.in)) return -1;
    e.in[k] = visit(e.value->inputs[k].get(), depth + 1);
    if (e.in[k] < 0) return -1;
  }
  if (entries_.size() == kEntries) return -1;
  e.base = static_cast<int>(entries_.size());
  const OpKind what = kind(e.value->op);
  const bool known = what == OpKind::Source   ? add_source(e)
                     : what == OpKind::View   ? add_view(e)
                     : what == OpKind::Gather ? add_gather(e)
                                              : add_map(e);
  if (!known) return -1;
  entries_.push_back(std::move(e));
  return static_cast<int>(entries_.size()) - 1;
}

bool MapsNow::add_source(Entry& e) {
  const Node& n = *e.value;
  if (n.op == Op::constant) {
    e.strides = Dims(n.shape().size(), 0);
    return true;
  }
  if (n.op != Op::input) return false;
  const runtime::BufferRef buffer = buffer_of(n);
  if (!buffer) return false;
  buffer->complete();
  const auto& attr = n.as<ir::InputAttr>();
  e.strides = attr.strides.empty() ? contiguous_strides(n.shape()) : attr.strides;
  e.offset = attr.strides.empty() ? 0 : attr.offset;
  e.data = static_cast<const std::byte*>(buffer->data());
  return true;
}

bool MapsNow::add_view(Entry& e) {
  if (e.value->inputs.size() != 1 || ir::is_copy(*e.value)) return false;
  const Entry& of = entries_[static_cast<size_t>(e.in[0])];
  if (of.value->dtype() != e.value->dtype()) return false;
  e.from = e.in[0], e.base = of.base, e.offset = of.offset;
  return follow(e, of);
}

// Where the elements lie that a view of `of` shows.
bool MapsNow::follow(Entry& e, const Entry& of) const {
  const Shape &from = of.value->shape(), &to = e.value->shape();
  e.strides = Dims(to.size(), 0);
  switch (e.value->op) {
    case Op::slice: {
      const auto& [starts, steps] = e.value->as<ir::SliceAttr>();
      for (size_t k = 0; k < to.size(); ++k) {
        e.offset += starts[k] * of.strides[k];
        e.strides[k] = steps[k] * of.strides[k];
      }
      return true;
    }
    case Op::permute: {
      const Dims& axes = e.value->as<ir::AxesAttr>().axes;
      for (size_t k = 0; k < to.size(); ++k) e.strides[k] = of.strides[static_cast<size_t>(axes[k])];
      return true;
    }
    case Op::broadcast: {
      const size_t added = to.size() - from.size();
      for (size_t k = 0; k < from.size(); ++k)
        if (from[k] == to[k + added]) e.strides[k + added] = of.strides[k];
      return true;
    }
    case Op::reshape: {
      const std::optional<Dims> strides = reshaped_strides(from, of.strides, to);
      if (strides) e.strides = *strides;
      return strides.has_value();
    }
    default:
      return false;
  }
}

bool MapsNow::add_map(Entry& e) {
  const Node& n = *e.value;
  if (kind(n.op) != OpKind::Map || is_rewritten(n) || !is_taken(n.dtype())) return false;
  if (!std::ranges::all_of(n.inputs, [](const ir::NodeRef& in) { return is_taken(in->dtype()); }))
    return false;
  const DType from = n.inputs[0]->dtype();
  const bool cast = n.op == Op::cast || n.op == Op::bitcast;
  if (!cast && !blocks::has_loop(n.op, n.op == Op::select ? n.dtype() : from)) return false;
  e.strides = contiguous_strides(n.shape());
  return true;
}

// Rows of memory at positions that lie in memory.
bool MapsNow::add_gather(Entry& e) {
  const Entry &of = entries_[static_cast<size_t>(e.in[0])], &at = entries_[static_cast<size_t>(e.in[1])];
  const Shape& shape = e.value->shape();
  if (e.value->as<ir::AxisAttr>().axis != 0 || of.value->shape().size() != shape.size()) return false;
  const auto lies_in_memory = [&](const Entry& in) {
    return entries_[static_cast<size_t>(in.base)].value->op == Op::input;
  };
  if (of.base < 0 || at.base < 0 || !lies_in_memory(of) || !lies_in_memory(at)) return false;
  if (at.value->dtype() != DType::I64 || at.count != shape[0] || of.value->shape()[0] == 0) return false;
  if (!is_row_major(at.value->shape(), at.strides)) return false;
  e.strides = contiguous_strides(shape);
  return true;
}

// The product that the operand of a sum is, seen through reshapes. `refused`: one that a kernel may compute in another
// loop than the sum.
int MapsNow::product_behind(const Entry& sum, int operand, bool& refused) const {
  bool moved = false;
  int at = operand;
  for (; entries_[static_cast<size_t>(at)].from >= 0; at = entries_[static_cast<size_t>(at)].from)
    moved |= entries_[static_cast<size_t>(at)].value->op != Op::reshape;
  const Entry& e = entries_[static_cast<size_t>(at)];
  if (e.value->op != Op::multiply && e.value->op != Op::square) return -1;
  const bool all_vary = std::ranges::any_of(e.in, [&](int k) {
    return k >= 0 && varies(e.value->shape(), entries_[static_cast<size_t>(k)].strides);
  });
  refused |= moved || !all_vary || e.count != sum.count;
  return at;
}

bool MapsNow::find_products() {
  const auto is_sum = [](const Entry& e) {
    return (e.value->op == Op::add || e.value->op == Op::subtract) && is_contracted(e.value->dtype());
  };
  bool any = false, refused = false;
  for (const Entry& e : entries_)
    for (int k = 0; is_sum(e) && k < 2; ++k) any |= product_behind(e, e.in[k], refused) >= 0;
  if (refused || !any) return !refused;
  if (!unite()) return false;
  count_readers();
  const auto is_read_once = [&](int from, int product) {
    for (int at = from;; at = entries_[static_cast<size_t>(at)].from) {
      if (entries_[static_cast<size_t>(at)].readers != 1) return false;
      if (at == product) return true;
    }
  };
  for (size_t n = 0; n < entries_.size(); ++n) {
    Entry& e = entries_[n];
    if (!is_sum(e) || e.original != static_cast<int>(n)) continue;
    for (int k = 0; k < 2 && e.product < 0; ++k) {
      const int product = product_behind(e, e.in[k], refused);
      if (product < 0 || entries_[static_cast<size_t>(product)].within || !is_read_once(e.in[k], product))
        continue;
      e.product = k;
      entries_[static_cast<size_t>(product)].within = true;
    }
  }
  return true;
}

// Makes one of the maps that compute the same, as the passes do: whether a product has one reader depends on it. False
// where it cannot be told here what the passes see.
bool MapsNow::unite() {
  const auto is_number = [](const Entry& e) {
    return e.value->op == Op::constant && !e.value->lines.empty();
  };
  // Of so few, all are one that are equal and come from one line (session/equal_numbers.h).
  constexpr std::ptrdiff_t kFewNumbers = 3;
  const bool numbers_unite = std::ranges::count_if(entries_, is_number) <= kFewNumbers;
  for (size_t k = 0; k < entries_.size(); ++k) {
    Entry& e = entries_[k];
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(k);
    const auto first = [&](const auto& equal) {
      return static_cast<int>(
          std::find_if(entries_.begin(), end, [&](const Entry& before) { return equal(e, before); }) -
          entries_.begin());
    };
    e.original = first([&](const Entry& x, const Entry& y) { return is_same(x, y); });
    e.alike = first([&](const Entry& x, const Entry& y) { return may_be_same(x, y); });
    const bool is_map = kind(e.value->op) == OpKind::Map;
    if (is_map && e.alike != static_cast<int>(k) && (e.alike != e.original || !numbers_unite)) return false;
  }
  return true;
}

// From now on everything is computed of originals alone.
void MapsNow::count_readers() {
  const auto original = [&](int k) { return k < 0 ? -1 : entries_[static_cast<size_t>(k)].original; };
  for (size_t k = 0; k < entries_.size(); ++k) {
    Entry& e = entries_[k];
    e.base = original(e.base), e.from = original(e.from);
    for (int& in : e.in) in = original(in);
    if (e.original != static_cast<int>(k)) continue;
    for (const int in : e.in)
      if (in >= 0) ++entries_[static_cast<size_t>(in)].readers;
  }
}

// Whether the two are one for the passes.
bool MapsNow::is_same(const Entry& x, const Entry& y) const {
  if (x.value == y.value) return true;
  if (x.value->op != y.value->op || x.value->type != y.value->type) return false;
  if (x.value->op == Op::input) return false;
  if (x.value->op == Op::constant) {
    return !x.value->lines.empty() && !y.value->lines.empty() &&
           x.value->lines.only() == y.value->lines.only() && bits_of(x.value) == bits_of(y.value);
  }
  for (size_t k = 0; k < std::size(x.in); ++k) {
    const auto original = [&](const Entry& e) {
      return e.in[k] < 0 ? -1 : entries_[static_cast<size_t>(e.in[k])].original;
    };
    if (original(x) != original(y)) return false;
  }
  return x.from < 0 || (x.offset == y.offset && x.strides == y.strides);
}

// Whether the two compute the same, as far as what they are computed of tells.
bool MapsNow::may_be_same(const Entry& x, const Entry& y) const {
  if (x.value->op != y.value->op || x.value->type != y.value->type) return false;
  if (x.value->op == Op::constant) return bits_of(x.value) == bits_of(y.value);
  const auto alike = [&](int k) { return k < 0 ? -1 : entries_[static_cast<size_t>(k)].alike; };
  if (x.value->op == Op::input) return x.data == y.data && x.offset == y.offset && x.strides == y.strides;
  if (x.from >= 0) return alike(x.base) == alike(y.base) && x.offset == y.offset && x.strides == y.strides;
  const auto operands_are = [&](int a, int b, int c) {
    return alike(x.in[0]) == alike(a) && alike(x.in[1]) == alike(b) && alike(x.in[2]) == alike(c);
  };
  return operands_are(y.in[0], y.in[1], y.in[2]) ||
         (commutes(x.value->op) && operands_are(y.in[1], y.in[0], y.in[2]));
}

std::byte* MapsNow::room(int64_t bytes) {
  const size_t padded = (static_cast<size_t>(bytes) + 63) / 64 * 64;
  if (used_ + padded > memory_.size()) return nullptr;
  used_ += padded;
  return memory_.data() + used_ - padded;
}

// An operand as loops take it: copied where its elements are neither neighbours nor one.
bool MapsNow::operand(int entry, runtime::MapOperand& out) {
  const Entry& e = entries_[static_cast<size_t>(entry)];
  const auto item = static_cast<int64_t>(size_of(e.value->dtype()));
  out.item = item;
  if (e.value->op == Op::constant || entries_[static_cast<size_t>(e.base)].value->op == Op::constant) {
    std::byte* const number = room(16);
    if (!number) return false;
    entries_[static_cast<size_t>(e.base)].value->as<ir::ConstantAttr>().value.store(number);
    out.data = number, out.same = true;
    return true;
  }
  const std::byte* const data = entries_[static_cast<size_t>(e.base)].data;
  const Shape& shape = e.value->shape();
  out.data = data + e.offset * item;
  out.same = is_one(shape, e.strides) && e.count > 1;
  if (out.same || is_row_major(shape, e.strides)) return true;
  std::byte* const copy = room(e.count * item);
  if (!copy) return false;
  gather({shape, e.strides, e.offset, item}, data, copy);
  out.data = copy;
  return true;
}

bool MapsNow::call(int loop, std::initializer_list<runtime::MapOperand> operands, const Entry& of,
                   std::byte* out) {
  const auto item = static_cast<int64_t>(size_of(of.value->dtype()));
  return device_->device->map_elements(loop, {operands.begin(), operands.size()}, {out, item}, of.count);
}

bool MapsNow::run(Entry& e) {
  const Node& n = *e.value;
  const bool is_held = e.node->use_count() != e.uses;
  if (const Entry* original = e.original < 0 ? &e : &entries_[static_cast<size_t>(e.original)];
      original != &e) {
    e.data = original->data;
    return e.data || !is_held;
  }
  // A product that is part of a sum is computed there, and here only for others.
  if (e.within && !is_held) return true;
  std::byte* const out = room(e.count * static_cast<int64_t>(size_of(n.dtype())));
  if (!out) return false;
  e.data = out;
  if (n.op == Op::gather) return run_gather(e);
  if (e.product >= 0) return run_sum(e, out);
  runtime::MapOperand in[3];
  const size_t count = n.inputs.size();
  for (size_t k = 0; k < count; ++k)
    if (!operand(e.in[k], in[k])) return false;
  const DType from = n.inputs[0]->dtype();
  int loop = 0;
  if (n.op == Op::cast)
    loop = blocks::loop_of_cast(from, n.dtype());
  else if (n.op == Op::bitcast)
    loop = blocks::loop_of_bitcast(from, n.dtype());
  else
    loop = blocks::loop_of(n.op, n.op == Op::select ? n.dtype() : from);
  const auto item = static_cast<int64_t>(size_of(n.dtype()));
  return device_->device->map_elements(loop, {in, count}, {out, item}, e.count);
}

bool MapsNow::run_gather(Entry& e) {
  const Entry &of = entries_[static_cast<size_t>(e.in[0])], &at = entries_[static_cast<size_t>(e.in[1])];
  const auto item = static_cast<int64_t>(size_of(e.value->dtype()));
  const std::byte* const from = entries_[static_cast<size_t>(of.base)].data;
  const auto* const positions =
      reinterpret_cast<const int64_t*>(entries_[static_cast<size_t>(at.base)].data) + at.offset;
  auto* out = const_cast<std::byte*>(e.data);
  Shape row = e.value->shape();
  Dims strides = of.strides;
  row.erase(0), strides.erase(0);
  const int64_t extent = of.value->shape()[0], rows = e.value->shape()[0], bytes = e.count / rows * item;
  for (int64_t k = 0; k < rows; ++k, out += bytes) {
    // As kernels have it: from the end where negative, then held to the axis.
    const int64_t position =
        std::clamp<int64_t>(positions[k] < 0 ? positions[k] + extent : positions[k], 0, extent - 1);
    const int64_t offset = of.offset + position * of.strides[0];
    if (bytes == item)
      copy_item(out, from + offset * item, item);
    else
      gather({row, strides, offset, item}, from, out);
  }
  return true;
}

// The elements of a view, in memory of their own: they may be written to where they were read.
bool MapsNow::show(Entry& e) {
  const std::byte* const data = entries_[static_cast<size_t>(e.base)].data;
  const auto item = static_cast<int64_t>(size_of(e.value->dtype()));
  std::byte* const out = data ? room(e.count * item) : nullptr;
  if (!out) return false;
  gather({e.value->shape(), e.strides, e.offset, item}, data, out);
  e.data = out;
  return true;
}

// As plan/rewrite/contract.cpp: a product and a sum rounded once.
bool MapsNow::run_sum(Entry& e, std::byte* out) {
  bool refused = false;
  const Entry& product = entries_[static_cast<size_t>(product_behind(e, e.in[e.product], refused))];
  const DType dtype = e.value->dtype();
  runtime::MapOperand a, b, rest;
  if (!operand(product.in[0], a) || !operand(e.in[1 - e.product], rest)) return false;
  b = a;
  if (product.value->op == Op::multiply && !operand(product.in[1], b)) return false;
  if (e.value->op == Op::subtract) {
    runtime::MapOperand& turned = e.product == 0 ? rest : a;
    std::byte* const negative = room(e.count * turned.item);
    if (!negative || !call(blocks::loop_of(Op::negative, dtype), {turned}, e, negative)) return false;
    turned = {negative, turned.item, false};
  }
  return call(blocks::loop_of(Op::fma, dtype), {a, b, rest}, e, out);
}

runtime::BufferRef MapsNow::taken(const Entry& e) const {
  const auto bytes = static_cast<size_t>(e.count) * size_of(e.value->dtype());
  runtime::BufferRef buffer = device_->device->allocate(bytes);
  std::memcpy(buffer->data(), e.data, bytes);
  return buffer;
}

runtime::BufferRef MapsNow::give() {
  for (const Entry& e : entries_) {
    const bool is_held = &e != &entries_.back() && e.value == e.node && e.node->use_count() > e.uses;
    if (is_held && has_elements(*e.value) && e.data)
      e.node->set_computed(input_node(e.value->type, taken(e)));
  }
  return taken(entries_.back());
}

uint32_t MapsNow::uses_of(const Node* node) const {
  for (const Entry& e : entries_)
    if (e.node == node) return e.uses;
  return 0;
}

bool MapsNow::let_go_of(const Node* input) {
  for (Entry& e : entries_) {
    e.reaches = e.node == input || std::ranges::any_of(e.in, [&](int k) {
                  return k >= 0 && entries_[static_cast<size_t>(k)].reaches;
                });
    if (e.value != e.node) e.reaches = e.value == input;
  }
  const Entry& root = entries_.back();
  const auto held = [&](const Entry& e) {
    return e.reaches && e.node != input && e.node->use_count() > e.uses;
  };
  for (const Entry& e : entries_)
    if (&e != &root && held(e) && (!has_elements(*e.value) || e.value != e.node)) return false;
  for (const Entry& e : entries_) {
    if (!held(e) && &e != &root) continue;
    e.node->set_computed(input_node(e.value->type, taken(e)));
  }
  return true;
}

}  // namespace weft::detail
