#include "compiler/plan/facts/cuda_access.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "compiler/machine/machine.h"

namespace weft::plan {

namespace {

// Leaves room for counts rounded up to whole blocks.
constexpr int64_t kLimit32 = int64_t{1} << 30;
// Keeps the sums of products below from overflowing; anything larger is unknown.
constexpr int64_t kLargest = int64_t{1} << 55;

bool multiply(int64_t a, int64_t b, int64_t& out) {
  return !__builtin_mul_overflow(a, b, &out) && std::abs(out) <= kLargest;
}

// Also gives the largest sum of absolute terms, which bounds every intermediate.
Range index_range(const RowProgram& p, const Index& at, const std::vector<Range>& ranges,
                  int64_t& magnitude) {
  Range r{at.offset.value, at.offset.value, std::abs(at.offset.value) <= kLargest};
  magnitude = std::abs(at.offset.value);
  auto add = [&](int64_t low, int64_t high, int64_t by) {
    int64_t a = 0, b = 0;
    if (!r.known || !multiply(low, by, a) || !multiply(high, by, b)) {
      r.known = false;
      return;
    }
    r.low += std::min(a, b), r.high += std::max(a, b);
    magnitude += std::max(std::abs(a), std::abs(b));
    if (magnitude > kLargest) r.known = false;
  };
  for (auto& t : at.axes) add(0, std::max<int64_t>(p.extent(t.axis).value - 1, 0), t.by.value);
  for (auto& t : at.values) {
    if (!ranges[t.value].known) r.known = false;
    add(ranges[t.value].low, ranges[t.value].high, t.by.value);
  }
  return r;
}

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

}  // namespace

std::vector<Range> value_ranges(const RowProgram& p) {
  std::vector<Range> out(p.values.size());
  for_each_stmt(p, [&](const Stmt& stmt) {
    if (auto* s = std::get_if<Position>(&stmt)) {
      int64_t magnitude = 0;
      out[s->out] = index_range(p, s->at, out, magnitude);
    } else if (auto* c = std::get_if<Clamp>(&stmt)) {
      out[c->out] = {0, std::max<int64_t>(c->extent.value - 1, 0), true};
    } else if (auto* l = std::get_if<Literal>(&stmt)) {
      if (l->value.dtype == DType::I64)
        out[l->out] = {l->value.i, l->value.i, std::abs(l->value.i / 2) <= kLargest};
    } else if (auto* d = std::get_if<Divide>(&stmt)) {
      const Range& of = out[d->of];
      int64_t by = d->divisor.value;
      if (d->remainder)
        out[d->out] = {0, by - 1, true};
      else if (of.known)
        out[d->out] = {floor_divide(of.low, by), floor_divide(of.high, by), true};
    }
  });
  return out;
}

bool fits_32_bits(const RowProgram& p) {
  std::vector<Range> ranges = value_ranges(p);
  bool fits = p.outer_count() <= kLimit32 && p.row_count() <= kLimit32;
  for_each_stmt(p, [&](const Stmt& stmt) {
    if (const Index* at = index_of(stmt)) {
      int64_t magnitude = 0;
      fits &= index_range(p, *at, ranges, magnitude).known && magnitude <= kLimit32;
    }
    if (auto* t = std::get_if<Test>(&stmt)) fits &= t->extent.value <= kLimit32;
  });
  return fits;
}

std::vector<bool> varies_along(const RowProgram& p, int axis) {
  std::vector<bool> out(p.values.size(), false);
  // Along an outer axis, each point has reductions of its own; each row element has those that go across.
  const bool outer = axis < static_cast<int>(p.outer.size());
  for (auto& acc : p.accumulators) out[acc.out] = acc.is_over_points() != outer;
  for_each_stmt(p, [&](const Stmt& stmt) {
    Value v = defines(stmt);
    if (v < 0) return;
    bool varies = std::holds_alternative<Scan>(stmt) || std::holds_alternative<Largest>(stmt);
    for (Value u : uses(stmt)) varies |= out[u];
    if (const Index* at = index_of(stmt)) varies |= stride_along(*at, axis) != 0;
    out[v] = varies;
  });
  return out;
}

bool read_once(const RowProgram& program, int buffer) {
  const int axes = static_cast<int>(program.outer.size() + program.row.size());
  int loads = 0;
  bool everywhere = true;
  for_each_stmt(program, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    if (!l || l->buffer != buffer) return;
    ++loads;
    for (int a = 0; a < axes; ++a) everywhere &= program.extent(a).value == 1 || stride_along(l->at, a) != 0;
  });
  return loads == 1 && everywhere;
}

std::vector<bool> never_negative(const RowProgram& p) {
  using ir::Op;
  std::vector<bool> out(p.values.size(), false);
  for_each_stmt(p, [&](const Stmt& stmt) {
    auto* l = std::get_if<Let>(&stmt);
    if (!l || !is_float(p.values[l->out].dtype)) return;
    auto known = [&](size_t k) { return k < l->args.size() && out[l->args[k]]; };
    switch (l->op) {
      case Op::square:
      case Op::abs:
      case Op::exp:
      case Op::sqrt:
        out[l->out] = true;
        break;
      case Op::multiply:
        out[l->out] = l->args[0] == l->args[1] || (known(0) && known(1));
        break;
      case Op::add:
        out[l->out] = known(0) && known(1);
        break;
      case Op::maximum:
        out[l->out] = known(0) || known(1);
        break;
      default:
        break;
    }
  });
  return out;
}

int64_t SharedPlaces::element_bytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
}

SharedPlaces shared_places(const RowProgram& p) {
  std::vector<int> last(p.values.size(), -1);
  for (size_t k = 0; k < p.sweeps.size(); ++k)
    for (auto& s : p.sweeps[k].body)
      for (Value u : uses(s)) last[u] = static_cast<int>(k);
  SharedPlaces out;
  std::vector<int> busy_until;
  const std::vector<Value> crossing = crossing_values(p);
  for (size_t k = 0; k < p.sweeps.size(); ++k)
    for (auto& s : p.sweeps[k].body) {
      Value v = defines(s);
      if (v < 0 || std::ranges::count(crossing, v) == 0) continue;
      auto bytes = static_cast<int64_t>(size_of(p.values[v].dtype));
      size_t place = 0;
      while (place < out.bytes.size() &&
             (out.bytes[place] != bytes || busy_until[place] > static_cast<int>(k)))
        ++place;
      if (place == out.bytes.size()) out.bytes.push_back(bytes), busy_until.push_back(0);
      busy_until[place] = last[v];
      out.of[v] = static_cast<int>(place);
    }
  return out;
}

int vector_phase(const RowProgram& p, const Index& at, int axis, int width, const std::vector<bool>& varies) {
  if (stride_along(at, axis) != 1) return -1;
  for (auto& t : at.axes)
    if (t.axis != axis && p.extent(t.axis).value > 1 && t.by.value % width != 0) return -1;
  for (auto& t : at.values)
    if (varies[t.value] || t.by.value % width != 0) return -1;
  return static_cast<int>(((at.offset.value % width) + width) % width);
}

const Index* alignment_reference(const RowProgram& p, int axis) {
  const Index *load = nullptr, *store = nullptr;
  for_each_stmt(p, [&](const Stmt& stmt) {
    const Index* at = index_of(stmt);
    if (!at || !at->values.empty() || stride_along(*at, axis) != 1) return;
    auto* l = std::get_if<Load>(&stmt);
    if (!load && l && l->guards.empty()) load = at;
    if (!store && std::holds_alternative<Store>(stmt)) store = at;
  });
  return store ? store : load;
}

int wide_copy_elements(const RowProgram& p, int lane) {
  const Index* reference = alignment_reference(p, lane);
  if (!reference || p.outer.size() != 1 || p.row.size() != 1) return 0;
  int64_t smallest = 16;
  bool loads = false;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    if (!l || stride_along(l->at, lane) != 1) return;
    loads = true;
    smallest =
        std::min(smallest, static_cast<int64_t>(size_of(p.buffers[static_cast<size_t>(l->buffer)].dtype)));
  });
  const int width = static_cast<int>(16 / smallest);
  bool alike = loads && width > 1;
  for_each_stmt(p, [&](const Stmt& s) {
    auto* l = std::get_if<Load>(&s);
    if (l && stride_along(l->at, lane) != 0)
      alike &= l->guards.empty() && aligned_alike(p, l->at, *reference, lane, width);
  });
  return alike ? width : 0;
}

int64_t sector_elements(const RowProgram& p, int buffer) {
  return machine::kSector / static_cast<int64_t>(size_of(p.buffers[static_cast<size_t>(buffer)].dtype));
}

int64_t widest_sector(const RowProgram& p, int lane) {
  int64_t widest = 0;
  bool apart = false, once = false;
  for_each_stmt(p, [&](const Stmt& s) {
    if (auto* load = std::get_if<Load>(&s)) once |= p.buffers[static_cast<size_t>(load->buffer)].written;
    auto* store = std::get_if<Store>(&s);
    if (!store) return;
    once |= store->how != Storing::Plain || !store->at.values.empty();
    if (stride_along(store->at, lane) != 1) return;
    const int64_t sector = sector_elements(p, store->buffer);
    widest = std::max(widest, sector);
    apart |= store->at.offset.value % sector != 0;
    for (auto& term : store->at.axes) apart |= term.axis != lane && term.by.value % sector != 0;
  });
  return apart && !once ? widest : 0;
}

const BufferUse* bundled_buffer(const RowProgram& p, const Stmt& stmt, int lane) {
  auto* load = std::get_if<Load>(&stmt);
  auto* store = std::get_if<Store>(&stmt);
  if ((!load && !store) || (load && !load->guards.empty()) || (store && store->how != Storing::Plain))
    return nullptr;
  const Index& at = *index_of(stmt);
  if (!at.values.empty() || at.offset.value != 0 || stride_along(at, lane) != 1 ||
      stride_along(at, 0) != p.row_count())
    return nullptr;
  return &p.buffers[static_cast<size_t>(load ? load->buffer : store->buffer)];
}

int last_to_read_bundles(const RowProgram& p, int lane) {
  std::set<int> read, written;
  int last = -1;
  for (size_t k = 0; k < p.sweeps.size(); ++k)
    for (auto& s : p.sweeps[k].body) {
      if (!bundled_buffer(p, s, lane)) continue;
      if (auto* load = std::get_if<Load>(&s))
        read.insert(load->buffer), last = static_cast<int>(k);
      else
        written.insert(std::get<Store>(s).buffer);
    }
  return std::ranges::any_of(read, [&](int b) { return written.contains(b); }) ? -1 : last;
}

bool aligned_alike(const RowProgram& p, const Index& a, const Index& b, int axis, int width) {
  if (!a.values.empty() || !b.values.empty() || stride_along(a, axis) != 1 || stride_along(b, axis) != 1)
    return false;
  for (int k = 0; k < static_cast<int>(p.outer.size() + p.row.size()); ++k)
    if (p.extent(k).value > 1 && (stride_along(a, k) - stride_along(b, k)) % width != 0) return false;
  return (a.offset.value - b.offset.value) % width == 0;
}

}  // namespace weft::plan
