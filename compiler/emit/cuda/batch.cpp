#include <algorithm>

#include "compiler/emit/cuda/cuda_emitter.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

// The loop over batches: what a step of it loads, computes, keeps and stores, and in which order.

void CudaEmitter::settle(const Sweep& sweep) {
  for (auto& s : sweep.body)
    if (Value v = defines(s); v >= 0 && kept(v)) settled_.insert(v);
}

// The steps start, start + step, … below `end`, `unroll` of them together. A loop runs on until there are
// none left.
void CudaEmitter::batch(const Batch& b, const std::string& start, const std::string& step,
                        const std::string& end, bool in_loop) {
  // Loops of much arithmetic only: others wait for memory.
  std::string normal = s_.run > 1 ? normal_when(b) : "";
  open_divisors(*b.sweep);
  if (!normal.empty()) {
    code_.line("if ({}) {{", normal);
    batch_steps(b, start, step, end, in_loop);
    normal_.clear();
    code_.add("} else {");
    // Seldom run, so one element at a time: that compiles in a fraction of the time.
    const CudaSchedule together = s_;
    s_.run *= s_.together, s_.unroll = s_.together = 1;
    batch_steps(plan_batch(*b.sweep, b.number), alone_, step, end, in_loop);
    s_ = together;
    code_.add("}");
  } else {
    batch_steps(b, start, step, end, in_loop);
  }
  close_divisors();
}

void CudaEmitter::batch_steps(const Batch& b, const std::string& start, const std::string& step,
                              const std::string& end, bool in_loop) {
  auto order = order_of(p_.row.empty());
  bool shared = s_.keeper == Keeper::Shared && !kept_.empty();
  // Threads that scan a row together take their steps together.
  const bool in_step = in_loop && scans_rows(b);
  const bool ahead = s_.ahead && s_.together > 1;
  if (ahead) {
    declare_runs(b);
    load_runs(b, format("weft_min({}, m - {})", start, s_.together));
  }
  if (in_loop && s_.run > 1) {
    code_.line("for (I d = {}; d < {}; d += {} * {}) {{", start, end, step, s_.unroll * s_.run);
    start_runs(static_cast<size_t>(b.number));
    code_.line("const I stop = weft_min(d + {} * {}, {});", step, s_.unroll * s_.run, end);
    code_.loop("for (I c = d; c < stop; c += {} * {}) {{", step, s_.unroll);
  } else if (in_loop) {
    code_.loop("for (I c = {}; c < {}; c += {} * {}) {{", start, in_step && s_.chained ? "from + run" : end,
               step, s_.unroll);
  }
  for (int a : order) code_.line("I x{}[{}];", a, s_.unroll);
  if (!exact_) code_.line("bool ok[{}];", s_.unroll);
  if (shared) {
    code_.line("I at[{}];", s_.unroll);
    for (Value v : kept_)
      if (defined_in_[v] <= b.number)
        code_.line("{} k{}[{}];", vector_type(p_.values[v].dtype), v, s_.unroll);
  }
  batch_arrays(b);
  if (in_loop && s_.run == 1) start_runs(static_cast<size_t>(b.number));
  if (!ahead) {
    declare_runs(b);
    load_runs(b, "c");
  }
  code_.unrolled("u", s_.unroll);
  code_.line("I q = {} + u * {};",
             in_step   ? (s_.chained ? "c + lane" : "c + t")
             : in_loop ? "c"
                       : start,
             s_.together > 1 ? "1" : step);
  if (!exact_) {
    code_.line("ok[u] = {}q < {};", sure_ > 0 ? format("u < {} || ", sure_) : "", end);
    // Another thread's place in shared memory is not to be read while that writes to it.
    if (shared && in_loop && !in_step)
      code_.add("q = ok[u] ? q : c;");
    else
      code_.line("{}q = weft_min(q, {} - 1);", sure_ > 0 ? format("if (u >= {}) ", sure_) : "", end);
  }
  if (shared) {
    code_.line("at[u] = {};", place_in_shared("q"));
    for (Value v : kept_)
      if (defined_in_[v] < b.number || ahead_.contains(v)) code_.line("k{0}[u] = z{0}[at[u]];", v);
  }
  split_position(order, true);
  batch_loads(b);
  code_.add("}");
  // Where few vectors hold anything but the row, and each so many elements that to ask for all of them takes
  // longer than the memory does: with 8 and fewer the branch costs more.
  if (s_.shifted && !whole_rows_ && sure_ == 0 && !p_.row.empty() && lane_vectors() >= kLongShiftedRow &&
      s_.lanes >= kManyShiftedLanes) {
    code_.add("bool inside = true;");
    code_.unrolled("u", s_.unroll);
    code_.line("inside = inside && {0}{1} >= 0 && {1} + {2} <= {3};", exact_ ? "" : "ok[u] && ", axis_[lane_],
               s_.lanes, spell(extent(lane_)));
    code_.add("}");
    code_.add("if (inside) {");
    inside_ = true;
    batch_elements(b);
    fold_words(b);
    inside_ = false;
    code_.add("} else {");
    batch_elements(b);
    fold_words(b);
    code_.add("}");
  } else {
    batch_elements(b);
    fold_words(b);
  }
  std::vector<Value> made;
  for (Value v : kept_)
    if (shared && defined_in_[v] == b.number && !ahead_.contains(v)) made.push_back(v);
  if (!made.empty()) {
    code_.unrolled("u", s_.unroll);
    if (!exact_) code_.add("if (ok[u]) {");
    for (Value v : made) code_.line("z{0}[at[u]] = k{0}[u];", v);
    if (!exact_) code_.add("}");
    code_.add("}");
  }
  batch_stores(b);
  if (!in_loop) return;
  // As soon as the registers are free.
  if (ahead) load_runs(b, format("weft_min(c + {} * {}, m - {})", step, s_.unroll, s_.together));
  if (s_.run > 1) code_.add("}");
  flush_runs(static_cast<size_t>(b.number));
  code_.add("}");
}

}  // namespace weft::emit
