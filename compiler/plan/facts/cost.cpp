#include "compiler/plan/facts/cost.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "compiler/base/integers.h"
#include "compiler/ir/ops/op.h"

namespace weft::plan {

namespace {

constexpr double kWord = 4;          // bytes of an f32
constexpr float kCheapFunction = 8;  // dearer ops count as functions, in exponentials
constexpr float kExponential = 12;
constexpr double kComplexOperations = 4;
constexpr int64_t kDealtStride = 16;
// Vectors of a row that are folded while the row before ends.
constexpr double kFoldedBeside = 16;

double words_of(DType dtype) {
  const double words = std::max(1.0, static_cast<double>(size_of(dtype)) / kWord);
  return is_complex(dtype) ? words / 2 * kComplexOperations : words;
}

// Where lanes run, and what of it is known.
struct Lanes {
  int axis = -1, count = 1;
  Order order = Order::Pointwise;
  int transposed = -1;  // the axis along which squares are read
};

Lanes lanes_of(const Schedule& schedule) {
  if (const auto* cpu = std::get_if<CpuSchedule>(&schedule)) {
    const auto* tiles = std::get_if<cpu::Tiles>(&cpu->shape);
    return {cpu->lane_axis, cpu->lanes, division_of(*cpu).order, tiles ? tiles->axis : -1};
  }
  const auto& cuda = std::get<CudaSchedule>(schedule);
  const auto* tiles = std::get_if<cuda::Tiles>(&cuda.shape);
  return {cuda.lane_axis, cuda.lanes, Order::Pointwise, tiles ? tiles->axis : -1};
}

class Counting {
 public:
  Counting(const RowProgram& p, const Lanes& lanes, KernelCost& cost) : p_(p), lanes_(lanes), cost_(cost) {}

  // Statements that run so many times.
  void add(const std::vector<Stmt>& statements, double times) {
    for (const Stmt& s : statements) {
      if (const auto* let = std::get_if<Let>(&s)) add(*let, times);
      if (const auto* load = std::get_if<Load>(&s)) add(load->at, load->buffer, load, times);
      if (const auto* store = std::get_if<Store>(&s)) add(store->at, store->buffer, nullptr, times);
      if (const auto* fold = std::get_if<Fold>(&s))
        cost_.operations += times * words(fold->value) * (fold->factor >= 0 ? 2 : 1);
      if (const auto* scan = std::get_if<Scan>(&s))
        cost_.operations += times * words(scan->value) * std::log2(std::max(2, lanes_.count));
    }
  }

 private:
  double words(Value v) const { return words_of(p_.values[static_cast<size_t>(v)].dtype); }

  void add(const Let& let, double times) {
    if (let.args.empty()) return;
    const double much = times * words(let.args[0]);
    const bool floats = is_float(p_.values[static_cast<size_t>(let.args[0])].dtype);
    if (let.op == ir::Op::divide && floats) {
      cost_.divisions += much;
    } else if (let.op == ir::Op::sqrt) {
      cost_.square_roots += much;
    } else if (let.op == ir::Op::rsqrt) {
      cost_.square_roots += much, cost_.divisions += much;
    } else if (const float cost = plan::cost_of(let); cost >= kCheapFunction) {
      cost_.functions += much * cost / kExponential;
    } else {
      cost_.operations += much * (let.op == ir::Op::fma ? 2 : std::max(cost, 1.0F));
    }
  }

  void add(const Index& at, int buffer, const Load* load, double times) {
    const auto item = static_cast<double>(size_of(p_.buffers[static_cast<size_t>(buffer)].dtype));
    cost_.bytes_accessed += static_cast<int64_t>(times * item);
    // Lanes that lie so near are dealt from whole vectors.
    const int64_t stride = std::abs(stride_along(at, lanes_.axis));
    const bool in_order = at.values.empty() && stride <= kDealtStride;
    if (stride > 1) cost_.operations += times;
    const bool in_squares =
        load && lanes_.transposed >= 0 && is_transposed(*load, lanes_.transposed, lanes_.axis);
    if (!in_order && !in_squares) cost_.gathers += times;
  }

  const RowProgram& p_;
  const Lanes& lanes_;
  KernelCost& cost_;
};

bool folds(const std::vector<Stmt>& body) {
  return std::ranges::any_of(
      body, [](const Stmt& s) { return std::holds_alternative<Fold>(s) || std::holds_alternative<Scan>(s); });
}

// Bytes that a sweep loads of a row, and those of values that come from the sweeps before it.
double row_bytes(const RowProgram& p, const Sweep& sweep) {
  double bytes = 0;
  for (const Stmt& s : sweep.body)
    if (const auto* load = std::get_if<Load>(&s))
      bytes += static_cast<double>(size_of(p.buffers[static_cast<size_t>(load->buffer)].dtype));
  return bytes;
}

}  // namespace

KernelCost cost_of(const RowProgram& p, const Schedule& schedule) {
  KernelCost cost;
  const Lanes lanes = lanes_of(schedule);
  Counting counting(p, lanes, cost);
  const auto points = static_cast<double>(p.outer_count()), row = static_cast<double>(p.row_count()),
             sections = static_cast<double>(p.section_count());
  counting.add(p.epilogue, points);
  counting.add(p.after, row);
  double again = 0;
  for (size_t k = 0; k < p.sweeps.size(); ++k) {
    const Sweep& sweep = p.sweeps[k];
    counting.add(sweep.before, points);
    counting.add(sweep.body, points * row);
    counting.add(sweep.after_section, points * sections);
    if (k > 0) again += row_bytes(p, sweep);
    if (lanes.order == Order::Rows && folds(sweep.body))
      cost.chained += points * std::max(0.0, std::ceil(row / lanes.count) - kFoldedBeside);
  }
  for (const Value v : crossing_values(p))
    again += static_cast<double>(size_of(p.values[static_cast<size_t>(v)].dtype));
  cost.bytes_again = static_cast<int64_t>(again * points * row);
  cost.kept_bytes = static_cast<int64_t>(again * row);
  cost.lanes = lanes.count;
  const auto along = lanes.axis < 0 ? 1.0 : static_cast<double>(p.extent(lanes.axis).value);
  const double sweeps = std::max<double>(1, static_cast<double>(p.sweeps.size()));
  cost.rows = static_cast<int64_t>(points * row / std::max(1.0, along) * sweeps);
  if (lanes.order == Order::Rows)
    cost.joins = static_cast<int64_t>(points * static_cast<double>(p.accumulators.size()));
  if (const auto* cpu = std::get_if<CpuSchedule>(&schedule)) {
    const TaskDivision division = division_of(*cpu);
    cost.streaming = division.streaming(), cost.row_masked = division.masked();
  }
  return cost;
}

}  // namespace weft::plan
