#include "compiler/base/error.h"
#include "compiler/emit/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// A pointwise program, some of whose loads are contiguous along another axis than its stores: a block takes a
// square of 32 by 32 points, reads those loads along their own axis into shared memory, and computes along
// the lane axis.
void CudaEmitter::tiled() {
  const Batch& b = batches_[0];
  int lane = lane_, across = s_.tile_axis, step = s_.threads / 32;
  auto tiles = [](int64_t extent) { return (extent + 31) / 32; };
  launch_.tasks = tiles(extent(lane).value) * tiles(extent(across).value);
  code_.add("const I tx = (I)(threadIdx.x % 32), ty = (I)(threadIdx.x / 32);");
  code_.add("I q = (I)blockIdx.x;");
  code_.line("const I lane = weft_split(q, ({} + 31) / 32) * 32;", spell(extent(lane)));
  code_.line("const I across = weft_split(q, ({} + 31) / 32) * 32;", spell(extent(across)));
  for (int a : order_of(true)) {
    if (a == lane || a == across) continue;
    launch_.tasks *= extent(a).value;
    axis_[a] = format("x{}", a);
    code_.line("const I x{} = weft_split(q, {});", a, spell(extent(a)));
  }
  code_.line("const I x{} = weft_min(lane + tx, {} - 1);", lane, spell(extent(lane)));
  code_.line("I x{}[{}];", across, s_.unroll);
  code_.line("bool ok[{}];", s_.unroll);
  batch_arrays(b);
  for (auto& s : b.sweep->body)
    if (auto* l = std::get_if<Load>(&s);
        l && b.routes[static_cast<size_t>(&s - b.sweep->body.data())].path == Path::Tile)
      code_.line("__shared__ {} tile{}[32][33];", dialect_.element_type(p_.values[l->out].dtype), l->out);

  code_.unrolled("u", s_.unroll);
  axis_[lane] = "down";
  axis_[across] = "right";
  code_.line("const I down = weft_min(lane + ty + u * {}, {} - 1);", step, spell(extent(lane)));
  code_.line("const I right = weft_min(across + tx, {} - 1);", spell(extent(across)));
  for (size_t k = 0; k < b.routes.size(); ++k)
    if (b.routes[k].path == Path::Tile) {
      auto& l = std::get<Load>(b.sweep->body[k]);
      code_.line("tile{}[ty + u * {}][tx] = b{}[{}];", l.out, step, l.buffer, index_text(l.at));
    }
  code_.add("}");

  code_.unrolled("u", s_.unroll);
  axis_[lane] = format("x{}", lane);
  axis_[across] = format("x{}[u]", across);
  code_.line("const I q = across + ty + u * {};", step);
  code_.line("ok[u] = lane + tx < {} && q < {};", spell(extent(lane)), spell(extent(across)));
  code_.line("x{}[u] = weft_min(q, {} - 1);", across, spell(extent(across)));
  batch_loads(b);
  code_.add("}");
  code_.add("__syncthreads();");
  batch_elements(b);
  batch_stores(b);
}

// A block takes `rows_per_task` rows of 32 vectors, so that rows next to each other share what they read.
void CudaEmitter::shelves() {
  const Batch& b = batches_[0];
  auto order = order_of(true);
  int lane = order[0], down = order[1], step = s_.threads / 32;
  if (s_.rows_per_task != int64_t{step} * s_.unroll)
    throw InternalError("emit cuda: a block's rows are its threads'");
  int64_t vectors = (extent(lane).value + s_.lanes - 1) / s_.lanes;
  launch_.tasks = (vectors + 31) / 32 * ((extent(down).value + s_.rows_per_task - 1) / s_.rows_per_task);
  code_.line("const I n = {};", count_of({lane}));
  code_.add("I q = (I)blockIdx.x;");
  code_.add("const I right = weft_split(q, (n + 31) / 32) * 32 + (I)(threadIdx.x % 32);");
  code_.line("const I first = weft_split(q, ({0} + {1}) / {2}) * {2} + (I)(threadIdx.x / 32);",
             spell(extent(down)), s_.rows_per_task - 1, s_.rows_per_task);
  for (int a : order) {
    if (a == lane || a == down) continue;
    launch_.tasks *= extent(a).value;
    axis_[a] = format("x{}", a);
    code_.line("const I x{} = weft_split(q, {});", a, spell(extent(a)));
  }
  code_.line("const I x{} = weft_min(right, n - 1){};", lane, s_.lanes > 1 ? format(" * {}", s_.lanes) : "");
  code_.line("I x{}[{}];", down, s_.unroll);
  code_.line("bool ok[{}];", s_.unroll);
  axis_[lane] = format("x{}", lane);
  axis_[down] = format("x{}[u]", down);
  batch_arrays(b);
  code_.unrolled("u", s_.unroll);
  code_.line("const I row = first + u * {};", step);
  code_.line("ok[u] = right < n && row < {};", spell(extent(down)));
  code_.line("x{}[u] = weft_min(row, {} - 1);", down, spell(extent(down)));
  batch_loads(b);
  code_.add("}");
  batch_elements(b);
  batch_stores(b);
}

}  // namespace weft::emit
