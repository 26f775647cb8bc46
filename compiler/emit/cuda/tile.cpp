#include <algorithm>
#include <cstdlib>

#include "compiler/base/error.h"
#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// What is left of the block's number q: where it begins on `axis`, of which a block takes `size` steps, and
// its place on all axes but those that were split `before`.
void CudaEmitter::split_blocks(const char* begin, int axis, int size, const std::vector<int>& before) {
  std::vector<int> rest;
  for (int a : order_of(true))
    if (std::ranges::count(before, a) == 0) rest.push_back(a);
  auto part = [&](bool last, const std::string& count, int64_t value) {
    return last ? std::string("q") : split("q", count, value);
  };
  code_.line("const I {} = {} * {};", begin,
             part(rest.empty(), format("({} + {}) / {}", spell(extent(axis)), size - 1, size),
                  (extent(axis).value + size - 1) / size),
             size);
  for (int a : rest) {
    launch_.tasks *= extent(a).value;
    axis_[a] = format("x{}", a);
    code_.line("const I x{} = {};", a, part(a == rest.back(), spell(extent(a)), extent(a).value));
  }
}

// A pointwise program, some of whose loads are contiguous along another axis than its stores: a block takes a
// square of points, reads those loads along their own axis into shared memory, and computes along the lane
// axis.
void CudaEmitter::tiled() {
  const Batch& b = batches_[0];
  const int lane = lane_, across = s_.tile_axis, side = s_.tile, lanes = s_.lanes;
  const int columns = side / lanes, step = s_.threads / columns;
  auto tiles = [&](int64_t extent) { return (extent + side - 1) / side; };
  launch_.tasks = tiles(extent(lane).value) * tiles(extent(across).value);
  code_.line("const I tx = (I)(threadIdx.x % {0}){1}, ty = (I)(threadIdx.x / {0});", columns,
             lanes > 1 ? format(" * {}", lanes) : "");
  code_.add("I q = (I)blockIdx.x;");
  code_.line(
      "const I lane = {} * {};",
      split("q", format("({} + {}) / {}", spell(extent(lane)), side - 1, side), tiles(extent(lane).value)),
      side);
  split_blocks("across", across, side, {lane, across});
  code_.line("const I x{} = weft_min(lane + tx, {} - {});", lane, spell(extent(lane)), lanes);
  code_.line("I x{}[{}];", across, s_.unroll);
  code_.line("bool ok[{}];", s_.unroll);
  batch_arrays(b);
  std::vector<const Load*> loads;
  const auto varies = varies_along(p_, across);
  for (size_t k = 0; k < b.routes.size(); ++k) {
    if (b.routes[k].path != Path::Tile) continue;
    auto& l = std::get<Load>(b.sweep->body[k]);
    if (lanes > 1 &&
        (extent(across).value % lanes != 0 || vector_phase(p_, l.at, across, lanes, varies) != 0))
      throw InternalError("emit cuda: transposed loads do not fall into vectors");
    loads.push_back(&l);
    code_.line("__shared__ {} tile{}[{}][{}];", dialect_.element_type(p_.values[l.out].dtype), l.out, side,
               side + 1);
    code_.line("{} d{}[{}];", vector_type(p_.values[l.out].dtype), l.out, s_.unroll);
  }

  code_.unrolled("u", s_.unroll);
  axis_[lane] = "down";
  axis_[across] = "right";
  code_.line("const I down = weft_min(lane + ty + u * {}, {} - 1);", step, spell(extent(lane)));
  code_.line("const I right = weft_min(across + tx, {} - {});", spell(extent(across)), lanes);
  for (const Load* l : loads)
    code_.line("d{}[u] = weft_get<{}>(b{} + ({}));", l->out, vector_type(p_.values[l->out].dtype), l->buffer,
               index_text(l->at));
  code_.add("}");

  code_.unrolled("u", s_.unroll);
  axis_[lane] = format("x{}", lane);
  axis_[across] = format("x{}[u]", across);
  code_.line("const I q = across + ty + u * {};", step);
  code_.line("ok[u] = lane + tx < {} && q < {};", spell(extent(lane)), spell(extent(across)));
  code_.line("x{}[u] = weft_min(q, {} - 1);", across, spell(extent(across)));
  batch_loads(b);
  code_.add("}");

  code_.unrolled("u", s_.unroll);
  code_.unrolled("e", lanes);
  for (const Load* l : loads) code_.line("tile{0}[tx + e][ty + u * {1}] = d{0}[u].e[e];", l->out, step);
  code_.add("}");
  code_.add("}");
  code_.add("__syncthreads();");
  open_divisors(*b.sweep);
  batch_elements(b);
  close_divisors();
  batch_stores(b);
}

// A block takes `rows_per_task` rows of `threads_per_row` vectors, and each thread of it `unroll` of them
// that lie one below the other: what those share is read once.
void CudaEmitter::shelves() {
  const Batch& b = batches_[0];
  auto order = order_of(true);
  int lane = order[0], across = s_.threads_per_row;
  int64_t vectors = (extent(lane).value + s_.lanes - 1) / s_.lanes;
  launch_.tasks =
      (vectors + across - 1) / across * ((extent(down_).value + s_.rows_per_task - 1) / s_.rows_per_task);
  code_.line("const I n = {};", count_of({lane}));
  code_.add("I q = (I)blockIdx.x;");
  code_.line("const I right = {0} * {1} + (I)(threadIdx.x % {1});",
             split("q", format("(n + {}) / {}", across - 1, across), (vectors + across - 1) / across),
             across);
  split_blocks("shelf", down_, s_.rows_per_task, {lane, down_});
  code_.line("const I first = shelf + (I)(threadIdx.x / {}) * {};", across, s_.unroll);
  code_.line("const I x{} = weft_min(right, n - 1){};", lane, s_.lanes > 1 ? format(" * {}", s_.lanes) : "");
  code_.line("I x{}[{}];", down_, s_.unroll);
  code_.line("bool ok[{}];", s_.unroll);
  axis_[lane] = format("x{}", lane);
  batch_arrays(b);
  shelf_loads(b);
  axis_[down_] = format("x{}[u]", down_);
  code_.unrolled("u", s_.unroll);
  code_.line("ok[u] = right < n && first + u < {};", spell(extent(down_)));
  code_.line("x{}[u] = weft_min(first + u, {} - 1);", down_, spell(extent(down_)));
  batch_loads(b);
  code_.add("}");
  open_divisors(*b.sweep);
  batch_elements(b);
  close_divisors();
  batch_stores(b);
}

// The vectors that no guard keeps from being read: of each row once, those behind the last row left out.
void CudaEmitter::shelf_loads(const Batch& b) {
  std::map<int, std::vector<size_t>> by_span;
  for (size_t k = 0; k < b.blocks.size(); ++k)
    if (b.blocks[k].guards.empty()) by_span[b.blocks[k].span].push_back(k);
  axis_[down_] = "row";
  for (auto& [span, blocks] : by_span) {
    code_.unrolled("u", s_.unroll + span);
    code_.line("const I row = weft_min(first + u, {} {} {});", spell(extent(down_)), span ? '+' : '-',
               std::abs(span - 1));
    for (size_t k : blocks) {
      const Block& block = b.blocks[k];
      code_.line("c{}[u] = weft_get<{}>(b{} + ({}));", k, vector_type(p_.buffers[block.load->buffer].dtype),
                 block.load->buffer, index_text(block.load->at, block.shift));
    }
    code_.add("}");
  }
}

}  // namespace weft::emit
