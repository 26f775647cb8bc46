#include <algorithm>
#include <numeric>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// What is in shared memory, as z<value>: values that stay there between sweeps, loads that are copied there
// ahead of them, and short rows that pass through it.

// Pointers z<value> to the vectors that stay in shared memory: those of `rows` rows, or parts of rows, of
// which the thread's begins after `mine` others.
void CudaEmitter::shared_rows(int64_t rows, const std::string& mine) {
  const SharedPlaces places = shared_places(p_);
  std::vector<int> by_size(places.bytes.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::stable_sort(by_size, [&](int a, int b) { return places.bytes[a] > places.bytes[b]; });
  const std::string room = s_.cluster > 1 || s_.chained ? part_length_ : "m";
  int64_t before = 0;
  for (int place : by_size) {
    for (auto& [v, of] : places.of)
      if (of == place)
        code_.line("{0}* z{1} = ({0}*)(weft_shared + {2} * {3}) + {4}{5};", vector_type(p_.values[v].dtype),
                   v, room, before * rows, mine, columns_ ? "" : format(" * {}", room));
    before += places.bytes[place] * s_.lanes;
  }
  launch_.shared_bytes = static_cast<uint32_t>(before * rows * part_vectors_);
}

// Where the thread's vector of a step of the row is, behind z<value>.
std::string CudaEmitter::place_in_shared(const std::string& step) const {
  std::string place = s_.cluster > 1 || s_.chained ? step + " - begin" : step;
  if (!columns_) return place;
  const std::string in_strip = format("({}) * {}", place, s_.threads / s_.threads_per_row + copied_);
  return copied_ > 0 ? format("{} + {}", in_strip, strip_shift(step)) : in_strip;
}

// Loads of the first sweep that stay in shared memory go there directly, all of them at once: what a thread
// copies it alone reads.
void CudaEmitter::copy_ahead(const std::string& start, const std::string& step, const std::string& end) {
  if (s_.wide_copies) return copy_strip(end);
  find_ahead();
  if (ahead_.empty()) return;
  code_.add("#pragma unroll 4");
  code_.line("for (I c = {}; c < {}; c += {}) {{", start, end, step);
  code_.add("I q = c;");
  split_position(order_of(false), false);
  for (Value v : ahead_) {
    auto& l = std::get<Load>(*definitions_.at(v));
    code_.line("{}(z{} + {}, b{} + ({}));", s_.loads_stay ? "weft_copy_to_stay" : "weft_copy_ahead", v,
               place_in_shared("c"), l.buffer, index_text(l.at));
  }
  code_.add("}");
  code_.add("weft_copied();");
}

// Which loads of the first sweep can go to shared memory directly, or of all sweeps where rows are in turn.
void CudaEmitter::find_ahead() {
  ahead_.clear();
  for (auto& b : batches_) {
    if (b.number > 0 && !goes_across_) break;
    for (size_t k = 0; k < b.routes.size(); ++k) {
      auto* l = std::get_if<Load>(&b.sweep->body[k]);
      if (!l || !kept(l->out) || !l->guards.empty() || !l->at.values.empty()) continue;
      const size_t bytes = size_of(p_.values[l->out].dtype) * static_cast<size_t>(s_.lanes);
      const bool aligned = b.routes[k].path == Path::Vector || s_.lanes == 1;
      if (aligned && (bytes == 4 || bytes == 8 || bytes == 16)) ahead_.insert(l->out);
    }
  }
}

// Rows of the strip, by all threads of the block, each row from the last place before it where memory is
// aligned.
void CudaEmitter::copy_strip(const std::string& end) {
  const int across = s_.threads / s_.threads_per_row, vectors = across / copied_ + 1;
  ahead_.clear();
  for (auto& s : batches_[0].sweep->body)
    if (auto* l = std::get_if<Load>(&s); l && kept(l->out) && stride_along(l->at, lane_) == 1)
      ahead_.insert(l->out);
  if (ahead_.empty()) return;
  const std::string first = s_.cluster > 1 ? "begin" : "0";
  code_.line("const I strip_end = weft_min({}, n - strip);", across);
  code_.add("#pragma unroll 4");
  code_.line("for (I c = (I)threadIdx.x; c < ({} - {}) * {}; c += {}) {{", end, first, vectors, s_.threads);
  code_.line("const I down = {} + c / {}, back = {}, right = c % {} * {} - back;", first, vectors,
             strip_shift("down"), vectors, copied_);
  code_.add("if (right < strip_end) {");
  const std::string lane = axis_[lane_], row = axis_[1 - lane_];
  axis_[lane_] = "(strip + right)", axis_[1 - lane_] = "down";
  for (Value v : ahead_) {
    auto& l = std::get<Load>(*definitions_.at(v));
    code_.line("weft_copy_vector<{0}>(z{1} - tx + ({2}) * {3} + right + back, b{4} + ({5}));", copied_, v,
               s_.cluster > 1 ? "down - begin" : "down", across + copied_, l.buffer, index_text(l.at));
  }
  axis_[lane_] = lane, axis_[1 - lane_] = row;
  code_.add("}");
  code_.add("}");
  code_.add("weft_copied();");
  code_.add("__syncthreads();");
}

// How many elements before the strip's first of that row memory is aligned.
std::string CudaEmitter::strip_shift(const std::string& row) const {
  std::string s = reference_->offset.param >= 0 || reference_->offset.value != 0
                      ? spell(reference_->offset) + " + strip"
                      : "strip";
  for (auto& t : reference_->axes)
    if (t.axis != lane_) s += " + " + times(row, t.by);
  return format("({} & {})", s, copied_ - 1);
}

// The block's part of what is read, in shared memory, where there is room for what it writes.
void CudaEmitter::bundle_rows() {
  if (!goes_across_) {
    code_.line("const I first = (I)blockIdx.x * {};", block_rows());
    bundle_places();
  } else if (!s_.ahead) {
    // Others may still read the rows before.
    code_.add("__syncthreads();");
  }
  code_.line("const I here = weft_min(n - first, {});", block_rows());
  if (!s_.ahead) copy_bundle("first", "here");
  if (bundles_.empty()) return;
  code_.add("weft_copied();");
  code_.add("__syncthreads();");
}

// Pointers z<buffer> to the rows of a block.
void CudaEmitter::bundle_places() {
  int64_t before = 0;
  std::set<int> known;
  for_each_stmt(p_, [&](const Stmt& s) {
    if (!bundled(s)) return;
    auto* l = std::get_if<Load>(&s);
    const int buffer = l ? l->buffer : std::get<Store>(s).buffer;
    if (!known.insert(buffer).second) return;
    const std::string type = dialect_.element_type(p_.buffers[buffer].dtype);
    code_.line("{0}* const z{1} = ({0}*)(weft_shared + {2} * m);", type, buffer, before);
    before += static_cast<int64_t>(size_of(p_.buffers[buffer].dtype)) * block_rows();
    if (l) bundles_.push_back(buffer);
  });
  launch_.shared_bytes = static_cast<uint32_t>(before * p_.row_count());
}

void CudaEmitter::copy_bundle(const std::string& first, const std::string& here) {
  for (int buffer : bundles_)
    code_.line("weft_copy_run<{1}, {2}, {3}>(z{0}, b{0} + {4} * m, {5});", buffer, s_.threads, block_rows(),
               p_.row_count(), first, here);
}

// The block's next rows, as soon as none of its threads will read these again.
void CudaEmitter::copy_next_bundle() {
  code_.line("if (first + {} < rows_end) {{", block_rows());
  code_.add("__syncthreads();");
  code_.line("const I next = first + {0}, here = weft_min(n - next, {0});", block_rows());
  copy_bundle("next", "here");
  code_.add("}");
}

void CudaEmitter::unbundle_rows() {
  bool any = false;
  for_each_stmt(p_, [&](const Stmt& s) {
    auto* store = std::get_if<Store>(&s);
    if (!store || !bundled(s)) return;
    if (!any) code_.add("__syncthreads();");
    any = true;
    code_.line("weft_put_run<{1}, {2}, {3}>(b{0} + first * m, z{0}, here);", store->buffer, s_.threads,
               block_rows(), p_.row_count());
  });
}

// Where a single element is read or written.
std::string CudaEmitter::place_of(const Stmt& s, int buffer) const {
  if (bundled(s))
    return format("z{}[(I)(threadIdx.x / {}) * m + {}]", buffer, s_.threads_per_row, axis_[lane_]);
  return format("b{}[{}]", buffer, index_text(*index_of(s)));
}

}  // namespace weft::emit
