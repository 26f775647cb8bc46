// Programs without a row: a thread takes vectors of points, whole rows of them that lie one below the other,
// or a block takes a square of them, which it transposes.
#include <algorithm>
#include <cstdlib>

#include "compiler/base/error.h"
#include "compiler/emit/cuda/batch_elements.h"
#include "compiler/emit/cuda/batch_loads.h"
#include "compiler/emit/cuda/positions.h"
#include "compiler/emit/cuda/shapes.h"
#include "compiler/emit/cuda/statement.h"
#include "compiler/emit/cuda/values.h"
#include "compiler/emit/cuda/write_batch.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

void write_points(Entry& e, const PointsShape&) {
  const Batch& b = e.own.batches[0];
  e.code.line("const I n = {};", count_of(e, outer_axes(e)));
  e.code.line("const I first = (I)blockIdx.x * {} + (I)threadIdx.x;", int64_t{e.own.threads} * b.unroll);
  write_batch(e, b, {"first", std::to_string(e.own.threads), "n", false});
}

namespace {

// What is left of the block's number q: where it begins on `axis`, of which a block takes `size` steps, and
// its place on all axes but those that were split `before`.
void split_blocks(Entry& e, const char* begin, int axis, int64_t size, const std::vector<int>& before) {
  std::vector<int> rest;
  for (int a : outer_axes(e))
    if (std::ranges::count(before, a) == 0) rest.push_back(a);
  auto part = [&](bool last, const std::string& count, int64_t value) {
    return last ? std::string("q") : e.arguments.split("q", count, value);
  };
  e.code.line("const I {} = {} * {};", begin,
              part(rest.empty(), format("({} + {}) / {}", spell(e.extent(axis)), size - 1, size),
                   (e.extent(axis).value + size - 1) / size),
              size);
  for (int a : rest) {
    e.scope.axis[a] = format("x{}", a);
    e.code.line("const I x{} = {};", a, part(a == rest.back(), spell(e.extent(a)), e.extent(a).value));
  }
}

// The elements and stores of a batch whose vectors are loaded.
void write_loaded(Entry& e, const Batch& b) {
  open_divisors(e, b);
  batch_elements(e, b);
  close_divisors(e, b);
  batch_stores(e, b);
}

// The vectors that no guard keeps from being read: of each row once, those behind the last row left out.
void load_rows_once(Entry& e, const Batch& b, int down) {
  std::map<int, std::vector<size_t>> by_span;
  for (size_t k = 0; k < b.blocks.size(); ++k)
    if (b.blocks[k].guards.empty()) by_span[b.blocks[k].span].push_back(k);
  e.scope.axis[down] = "row";
  for (auto& [span, blocks] : by_span) {
    e.code.unrolled("u", b.unroll + span);
    e.code.line("const I row = weft_min(first + u, {} {} {});", spell(e.extent(down)), span ? '+' : '-',
                std::abs(span - 1));
    for (size_t k : blocks) e.code.line("c{}[u] = {};", k, block_load(e, b.blocks[k]));
    e.code.add("}");
  }
}

}  // namespace

// A block takes `rows` rows of `across` vectors, and each thread of it some of them that lie one below the
// other: what those share is read once.
void write_stacked(Entry& e, const StackedShape& shape) {
  Writer& code = e.code;
  const Batch& b = e.own.batches[0];
  const int lane = e.lane(), across = shape.across, down = shape.down;
  const int64_t vectors = (e.extent(lane).value + b.lanes - 1) / b.lanes;
  code.line("const I n = {};", count_of(e, {lane}));
  code.add("I q = (I)blockIdx.x;");
  code.line(
      "const I right = {0} * {1} + (I)(threadIdx.x % {1});",
      e.arguments.split("q", format("(n + {}) / {}", across - 1, across), (vectors + across - 1) / across),
      across);
  split_blocks(e, "shelf", down, shape.rows, {lane, down});
  code.line("const I first = shelf + (I)(threadIdx.x / {}) * {};", across, b.unroll);
  code.line("const I x{} = weft_min(right, n - 1){};", lane, b.lanes > 1 ? format(" * {}", b.lanes) : "");
  code.line("I x{}[{}];", down, b.unroll);
  code.line("bool ok[{}];", b.unroll);
  e.scope.axis[lane] = format("x{}", lane);
  batch_arrays(e, b);
  load_rows_once(e, b, down);
  e.scope.axis[down] = format("x{}[u]", down);
  code.unrolled("u", b.unroll);
  code.line("ok[u] = right < n && first + u < {};", spell(e.extent(down)));
  code.line("x{}[u] = weft_min(first + u, {} - 1);", down, spell(e.extent(down)));
  batch_loads(e, b, false);
  code.add("}");
  write_loaded(e, b);
}

namespace {

// The loads that are contiguous along the other axis, with their tiles and registers.
std::vector<const Load*> declare_tiles(Entry& e, const Batch& b, const TransposedShape& shape) {
  std::vector<const Load*> loads;
  const auto varies = varies_along(e.program, shape.axis);
  for (size_t k = 0; k < b.routes.size(); ++k) {
    if (b.routes[k].path != Path::Tile) continue;
    auto& l = std::get<Load>(b.sweep->body[k]);
    if (b.lanes > 1 && (e.extent(shape.axis).value % b.lanes != 0 ||
                        vector_phase(e.program, l.at, shape.axis, b.lanes, varies) != 0))
      throw InternalError("emit cuda: transposed loads do not fall into vectors");
    loads.push_back(&l);
    // One more column, so that neither direction has bank conflicts.
    e.code.line("__shared__ {} tile{}[{}][{}];", e.dialect.element_type(e.dtype(l.out)), l.out, shape.side,
                shape.side + 1);
    e.code.line("{} d{}[{}];", e.vector_type(e.dtype(l.out)), l.out, b.unroll);
  }
  return loads;
}

// Reads the square along the other axis, to registers.
void load_tiles(Entry& e, const Batch& b, const TransposedShape& shape, int step,
                const std::vector<const Load*>& loads) {
  Writer& code = e.code;
  const int lane = e.lane(), across = shape.axis;
  code.unrolled("u", b.unroll);
  e.scope.axis[lane] = "down";
  e.scope.axis[across] = "right";
  code.line("const I down = weft_min(lane + ty + u * {}, {} - 1);", step, spell(e.extent(lane)));
  code.line("const I right = weft_min(across + tx, {} - {});", spell(e.extent(across)), b.lanes);
  for (const Load* l : loads)
    code.line("d{}[u] = weft_get<{}>(b{} + ({}));", l->out, e.vector_type(e.dtype(l->out)), l->buffer,
              index_text(e, l->at));
  code.add("}");
}

}  // namespace

// Some of the loads are contiguous along another axis than the stores: a block reads a square of them along
// their own axis into shared memory, and computes along the lane axis.
void write_transposed(Entry& e, const TransposedShape& shape) {
  Writer& code = e.code;
  const Batch& b = e.own.batches[0];
  const int lane = e.lane(), across = shape.axis, side = shape.side, lanes = b.lanes;
  const int columns = side / lanes, step = e.own.threads / columns;
  code.line("const I tx = (I)(threadIdx.x % {0}){1}, ty = (I)(threadIdx.x / {0});", columns,
            lanes > 1 ? format(" * {}", lanes) : "");
  code.add("I q = (I)blockIdx.x;");
  code.line("const I lane = {} * {};",
            e.arguments.split("q", format("({} + {}) / {}", spell(e.extent(lane)), side - 1, side),
                              (e.extent(lane).value + side - 1) / side),
            side);
  split_blocks(e, "across", across, side, {lane, across});
  code.line("const I x{} = weft_min(lane + tx, {} - {});", lane, spell(e.extent(lane)), lanes);
  code.line("I x{}[{}];", across, b.unroll);
  code.line("bool ok[{}];", b.unroll);
  batch_arrays(e, b);
  const std::vector<const Load*> loads = declare_tiles(e, b, shape);
  load_tiles(e, b, shape, step, loads);

  code.unrolled("u", b.unroll);
  e.scope.axis[lane] = format("x{}", lane);
  e.scope.axis[across] = format("x{}[u]", across);
  code.line("const I q = across + ty + u * {};", step);
  code.line("ok[u] = lane + tx < {} && q < {};", spell(e.extent(lane)), spell(e.extent(across)));
  code.line("x{}[u] = weft_min(q, {} - 1);", across, spell(e.extent(across)));
  batch_loads(e, b, false);
  code.add("}");

  code.unrolled("u", b.unroll);
  code.unrolled("e", lanes);
  for (const Load* l : loads) code.line("tile{0}[tx + e][ty + u * {1}] = d{0}[u].e[e];", l->out, step);
  code.add("}");
  code.add("}");
  code.add("__syncthreads();");
  write_loaded(e, b);
}

}  // namespace weft::emit
