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

}  // namespace weft::emit
