#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// Strips of columns that blocks take in turn: one is computed in registers while the next is copied to shared
// memory.

// Opens the loop in which blocks take strips of columns in turn. Each thread copies what it alone reads, a
// strip ahead of what it has in registers.
void CudaEmitter::begin_turns(const std::string& start, const std::string& end) {
  find_ahead();
  int64_t before = 0;
  for (Value v : ahead_) {
    const std::string type = vector_type(p_.values[v].dtype);
    code_.line("{0}* const z{1} = ({0}*)(weft_shared + {2}) + threadIdx.x;", type, v, before);
    before += static_cast<int64_t>(size_of(p_.values[v].dtype)) * s_.lanes * s_.threads * s_.unroll;
  }
  launch_.shared_bytes = static_cast<uint32_t>(before);
  code_.line("const I strips = (n + {}) / {}, at_once = {};", own_columns() - 1, own_columns(),
             extra(s_.strips_at_once));
  if (s_.cluster > 1) code_.add("weft_await();");
  const std::string own = s_.cluster > 1 ? format("(I)(blockIdx.x / {})", s_.cluster) : "(I)blockIdx.x";
  copy_turn(own, start, end);
  code_.loop("for (I strip = {}, turn = 0; strip < strips; strip += at_once, ++turn) {{", own);
  // Or what is computed of each place would stay in registers from turn to turn.
  code_.line("const I place = weft_again({});", start);
  for (Value v : kept_) code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  if (ahead_.empty()) return;
  code_.add("weft_copied();");
  code_.unrolled("u", s_.unroll);
  for (Value v : ahead_) code_.line("k{0}[u] = z{0}[u * {1}];", v, s_.threads);
  code_.add("}");
  code_.add("if (strip + at_once < strips) {");
  copy_turn("(strip + at_once)", "place", end);
  code_.add("}");
}

void CudaEmitter::copy_turn(const std::string& strip, const std::string& start, const std::string& end) {
  if (ahead_.empty()) return;
  code_.add("{");
  code_.line("I q = weft_min({} * {} + tx, n - 1);", strip, own_columns());
  split_position(order_of(true), false);
  code_.unrolled("u", s_.unroll);
  code_.line("I q = {} + u * {};", start, s_.threads_per_row);
  if (!exact_) code_.line("q = weft_min(q, {} - 1);", end);
  split_position(order_of(false), false);
  for (Value v : ahead_) {
    auto& l = std::get<Load>(*definitions_.at(v));
    code_.line("{}(z{} + u * {}, b{} + ({}));", s_.loads_stay ? "weft_copy_to_stay" : "weft_copy_ahead", v,
               s_.threads, l.buffer, index_text(l.at));
  }
  code_.add("}");
  code_.add("}");
}

}  // namespace weft::emit
