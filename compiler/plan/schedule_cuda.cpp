#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/base/error.h"
#include "compiler/plan/chain.h"
#include "compiler/plan/cuda_access.h"
#include "compiler/plan/flatten.h"
#include "compiler/plan/rescale.h"
#include "compiler/plan/schedule.h"
#include "compiler/plan/strips.h"

namespace weft::plan {

namespace {

// A multiprocessor keeps its memory busy with about this many threads, a few vectors in flight in each.
constexpr int64_t kThreadsPerProcessor = 2048;
// Where accumulators take registers too, about this many are on it at once.
constexpr int64_t kBusyColumnThreads = 1024;
constexpr int kThreads = 256;
// What a thread has in flight: alone, and where it goes on to fold what it loaded.
constexpr int64_t kPointBytes = 16, kRowBytes = 64;
// A row kept in registers takes at most this much of each thread's 255 registers' 1020 bytes; a block of 1024
// threads has 64 registers for each.
constexpr int64_t kKeptBytes = 256;
// What a thread of a row should read at once.
constexpr int64_t kInFlight = 64;
// Steps of a thread that a row of few takes, of about kRowBytes each, where one block reads it.
constexpr int64_t kStepsAlone = 2048;
// Rows of no more elements are walked as one by maps, and of no more bytes are a thread's own and pass
// through shared memory, where they are no multiples of a vector.
constexpr int64_t kNarrowRow = 512, kBundledBytes = 64;
// A body of more statements than this, times the elements that it is unrolled for, compiles too slowly and
// spills.
constexpr int64_t kMostUnrolled = 2048;
// Static shared memory of a block, and less what the compiler may want.
constexpr int64_t kStaticBytes = 48 << 10, kJoinBytes = 40 << 10;
// So many elements added up in their own dtype lose nothing that matters.
constexpr int kRunElements = 128;
// So many blocks of a multiprocessor, each with a part of a row or of a strip of columns in shared memory,
// hide each other's waiting.
constexpr int64_t kKeepingBlocks = 3;

// Multiply-adds that a GPU does in the time of a byte.
constexpr float kBusyWork = 3;

// Of a block that totals across rows; and of a multiprocessor, so that each has 64 registers.
constexpr int64_t kMostThreadsOfTotals = 512, kThreadsWithTotals = 1024;

// So many statements of all threads take as long as another launch.
constexpr int64_t kWorthSharing = 200;

int64_t round_up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }
int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t power_of_two_up(int64_t n) {
  int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

class Scheduler {
 public:
  // Frugal schedules first let a thread have more registers by bounding nothing, then keep and unroll half as
  // much, and half of that.
  Scheduler(RowProgram& p, const Target& target, const Bias& bias, bool contract)
      : p_(p),
        target_(target),
        bias_(bias),
        contract_(contract),
        kept_bytes_(kKeptBytes >> std::clamp(bias.frugal - 1, 0, 2)),
        most_unrolled_(kMostUnrolled >> std::clamp(bias.frugal - 1, 0, 2)),
        outer_(static_cast<int>(p.outer.size())) {
    for_each_stmt(p_, [&](Stmt& s) {
      ++statements_;
      (void)s;
    });
    int64_t bytes = 0;
    for (auto& b : p_.buffers) bytes += b.elements * static_cast<int64_t>(size_of(b.dtype));
    s_.streaming = large_ = bytes > static_cast<int64_t>(target.cache_bytes);
    processors_ = std::max<int64_t>(target.threads, 1);
    fill_ = processors_ * kThreadsPerProcessor;
  }

  Schedule run() {
    // Reductions over axes of extent 1 only.
    if (p_.row.empty() && (!p_.accumulators.empty() || p_.sweeps.size() > 1)) p_.row.push_back({1});
    if (p_.row.empty())
      pointwise();
    else
      reduce();
    if (bias_.frugal > 0) s_.resident = 1;
    let_loads_stay();
    s_.reason += fmt::format("; {} elements a thread access{}", s_.lanes * s_.unroll,
                             s_.streaming    ? ", passing the cache by"
                             : s_.loads_stay ? ", loads to stay in the cache"
                                             : "");
    return s_;
  }

 private:
  // ---- what accesses look like along an axis

  // Bytes that accesses move between neighbours on `axis`, each weighed by how often it runs.
  struct Along {
    int64_t near = 0, near_stores = 0;
  };
  Along along(int axis) const {
    Along out;
    auto varies = varies_along(p_, axis);
    auto count = [&](const Stmt& s, int64_t times) {
      auto* l = std::get_if<Load>(&s);
      auto* st = std::get_if<Store>(&s);
      if (!l && !st) return;
      const Index& at = *index_of(s);
      for (auto& t : at.values)
        if (varies[t.value]) return;
      if (std::abs(stride_along(at, axis)) != 1) return;
      int64_t bytes = times * static_cast<int64_t>(size_of(p_.buffers[l ? l->buffer : st->buffer].dtype));
      out.near += bytes;
      if (st) out.near_stores += bytes;
    };
    const int64_t row = std::min<int64_t>(p_.row_count(), 1 << 20);
    for (auto& sweep : p_.sweeps) {
      for (auto& s : sweep.before) count(s, 1);
      for (auto& s : sweep.body) count(s, row);
    }
    for (auto& s : p_.epilogue) count(s, 1);
    return out;
  }

  // The axis of [first, last) along which most bytes are neighbours; the last one where nothing tells.
  int best_axis(int first, int last) const {
    int best = last - 1;
    int64_t most = -1;
    for (int a = last; a-- > first;) {
      if (extent(a) == 1) continue;
      Along x = along(a);
      // Stores that jump cost more than loads that do: half-written sectors are written twice.
      int64_t score = x.near + x.near_stores;
      if (score > most) most = score, best = a;
    }
    return best;
  }

  int64_t extent(int axis) const { return p_.extent(axis).value; }

  // The widest vectors along the lane axis that all accesses allow: 16 bytes of the largest dtype. Loads that
  // are contiguous along `tile_axis` instead are left out.
  int lanes_along(int axis, int tile_axis = -1) const {
    auto varies = varies_along(p_, axis);
    int64_t largest = 1;
    bool strided = false, touches = false;
    for_each_stmt(p_, [&](const Stmt& s) {
      auto* l = std::get_if<Load>(&s);
      auto* st = std::get_if<Store>(&s);
      if (!l && !st) return;
      const Index& at = *index_of(s);
      bool by_value =
          std::any_of(at.values.begin(), at.values.end(), [&](auto& t) { return varies[t.value]; });
      int64_t stride = stride_along(at, axis);
      if (stride == 0 && (!by_value || flat_)) return;
      if (l && tile_axis >= 0 && is_transposed(*l, tile_axis, s_.lane_axis)) return;
      touches = true;
      // Atomic stores are of single elements.
      strided |= by_value || stride != 1 || (st && st->how != Storing::Plain);
      largest =
          std::max(largest, static_cast<int64_t>(size_of(p_.buffers[l ? l->buffer : st->buffer].dtype)));
    });
    // Strided accesses of neighbouring threads still share sectors when each thread takes one element.
    if (strided) return 1;
    if (!touches) return extent(axis) % 4 == 0 ? 4 : 1;
    for (int v = static_cast<int>(16 / largest) >> std::max(-bias_.width, 0); v > 1; v /= 2) {
      if (statements_ * v > most_unrolled_) continue;
      // A last vector that is not full is left to per-element accesses; that pays on long axes only.
      bool ragged = extent(axis) % v != 0;
      if (ragged && extent(axis) < 64 * v) continue;
      bool fits = true;
      for_each_stmt(p_, [&](const Stmt& s) {
        auto* l = std::get_if<Load>(&s);
        auto* st = std::get_if<Store>(&s);
        if ((!l && !st) || stride_along(*index_of(s), axis) == 0) return;
        if (l && tile_axis >= 0 && is_transposed(*l, tile_axis, s_.lane_axis)) return;
        int phase = vector_phase(p_, *index_of(s), axis, v, varies);
        fits &= phase == 0 || (l && phase > 0 && !ragged);
      });
      if (fits) return v;
    }
    return 1;
  }

  // Lanes along an axis, whose vectors begin before its elements do where these are not aligned and single
  // ones would be as narrow as a byte or two, or compute a row that stays: what the first and the last vector
  // hold too much is left out. Stores of such vectors are single ones, which pays on long rows.
  void choose_lanes(int axis) {
    s_.lanes = lanes_along(axis);
    const Index* reference = alignment_reference(p_, axis);
    if (!reference || p_.row.size() > 1 || p_.ordered || p_.across() || p_.scans()) return;
    const auto varies = varies_along(p_, axis);
    int64_t largest = 1;
    bool stores = false, fits = true;
    for_each_stmt(p_, [&](const Stmt& s) {
      auto* l = std::get_if<Load>(&s);
      auto* st = std::get_if<Store>(&s);
      if (!l && !st) return;
      const Index& at = *index_of(s);
      fits &= std::ranges::none_of(at.values, [&](auto& t) { return varies[t.value]; });
      if (stride_along(at, axis) == 0) return;
      fits &= !l || l->guards.empty();
      stores |= st != nullptr;
      largest =
          std::max(largest, static_cast<int64_t>(size_of(p_.buffers[l ? l->buffer : st->buffer].dtype)));
    });
    const int width = static_cast<int>(16 / largest) >> std::max(-bias_.width, 0);
    const int64_t narrow = s_.lanes == 1 ? 8 : 4;
    if (!fits || s_.lanes * largest > narrow || width <= s_.lanes || statements_ * width > most_unrolled_ ||
        extent(axis) < width * (stores ? 16 : 3) || (p_.row.empty() && largest > 2))
      return;
    for_each_stmt(p_, [&](const Stmt& s) {
      const Index* at = index_of(s);
      const bool access = std::holds_alternative<Load>(s) || std::holds_alternative<Store>(s);
      if (access && stride_along(*at, axis) != 0) fits &= aligned_alike(p_, *at, *reference, axis, width);
    });
    if (fits) s_.lanes = width, s_.shifted = true;
  }

  // Vectors in flight in one thread: enough bytes, but neither more code nor more registers than pay.
  int unroll_for(int64_t most, int64_t in_flight = kRowBytes) const {
    // What several loads read near one place of a buffer comes from memory once.
    int64_t loaded = 1;
    for (auto& sweep : p_.sweeps) {
      std::set<int> buffers;
      int64_t bytes = 0;
      for (auto& s : sweep.body)
        if (auto* l = std::get_if<Load>(&s)) {
          auto size = static_cast<int64_t>(size_of(p_.buffers[l->buffer].dtype));
          if (stride_along(l->at, s_.lane_axis) != 0) size *= s_.lanes;
          bytes += buffers.insert(l->buffer).second ? size : size / 4;
        }
      loaded = std::max(loaded, bytes);
    }
    in_flight = bias_.work < 0 ? in_flight >> -bias_.work : in_flight << bias_.work;
    int64_t unroll = std::clamp<int64_t>(in_flight / loaded, 1, 8);
    unroll = std::min({unroll, most, std::max<int64_t>(most_unrolled_ / (statements_ * s_.lanes), 1)});
    return static_cast<int>(std::max<int64_t>(unroll, 1));
  }

  int64_t vectors(int axis) const {
    return s_.shifted ? (extent(axis) + 2 * s_.lanes - 2) / s_.lanes : ceil_divide(extent(axis), s_.lanes);
  }

  // How many lines of `count` points run along the axis; a row may be empty.
  int64_t lines(int64_t count, int axis) const { return count / std::max<int64_t>(extent(axis), 1); }

  // ---- pointwise

  void pointwise() {
    s_.order = Order::Pointwise;
    // One kernel's outputs are often the next one's inputs, and to pass the cache by is no faster.
    s_.streaming = false;
    s_.lane_axis = outer_ == 0 ? 0 : best_axis(0, outer_);
    if (outer_ > 0 && choose_tile()) return;
    if (outer_ > 0)
      choose_lanes(s_.lane_axis);
    else
      s_.lanes = 1;
    if (outer_ == 2 && s_.lane_axis == 1 && has_narrow_rows() && flatten_rows(p_)) {
      outer_ = 1;
      flat_ = true;
      s_.lane_axis = 0;
      s_.shifted = false;
      choose_lanes(0);
    }
    int64_t points = outer_ == 0 ? 1 : lines(p_.outer_count(), s_.lane_axis) * vectors(s_.lane_axis);
    s_.unroll = unroll_for(std::max<int64_t>(points / fill_, 1), kPointBytes);
    s_.threads = static_cast<int>(std::clamp<int64_t>(round_up(points, 32), 32, kThreads));
    s_.reason = fmt::format("pointwise, {} lanes along axis {}", s_.lanes, s_.lane_axis);
    if (s_.lanes >= 4 && is_busy()) {
      s_.at_once = true;
      // More registers for each, of which smaller blocks leave fewer unused.
      s_.threads = std::min(s_.threads, kThreads / 2);
    }
    int down = s_.lane_axis == outer_ - 1 ? outer_ - 2 : outer_ - 1;
    if (!s_.shifted && down >= 0 && vectors(s_.lane_axis) >= 32 && extent(down) >= 8 &&
        reads_neighbours(down)) {
      s_.threads = kThreads;
      s_.threads_per_row = static_cast<int>(std::min<int64_t>(power_of_two_up(vectors(s_.lane_axis)), 128));
      s_.unroll = rows_together(down, static_cast<int>(std::min<int64_t>(points / fill_, 4)));
      s_.rows_per_task = kThreads / s_.threads_per_row * s_.unroll;
      s_.reason += fmt::format(", blocks of {} rows", s_.rows_per_task);
    }
  }

  // Whether rows are short and no multiples of the vectors that memory has.
  bool has_narrow_rows() const {
    int64_t largest = 1;
    for (auto& b : p_.buffers) largest = std::max<int64_t>(largest, static_cast<int64_t>(size_of(b.dtype)));
    return (extent(1) <= kNarrowRow || largest >= 4) && p_.outer_count() >= 64 * 16 &&
           (s_.shifted || s_.lanes == 1 || s_.lanes * largest <= 4);
  }

  // Whether an element's arithmetic takes about as long as its bytes, and has roots or quotients.
  bool is_busy() const {
    float work = 0;
    int64_t bytes = 0;
    bool checked = false;
    const auto varies = varies_along(p_, s_.lane_axis);
    for (auto& s : p_.sweeps[0].body) {
      if (auto* l = std::get_if<Let>(&s)) {
        work += info(l->op).cost;
        checked |= (l->op == ir::Op::divide || l->op == ir::Op::sqrt) &&
                   p_.values[l->out].dtype == DType::F32 &&
                   std::ranges::all_of(l->args, [&](Value v) { return varies[v]; });
      }
      auto* load = std::get_if<Load>(&s);
      auto* store = std::get_if<Store>(&s);
      if (load || store)
        bytes += static_cast<int64_t>(size_of(p_.buffers[load ? load->buffer : store->buffer].dtype));
    }
    return checked && work >= kBusyWork * static_cast<float>(bytes);
  }

  // How many rows, one below the other, a thread computes from rows that it reads once.
  int rows_together(int down, int most) const {
    int64_t each = 0;
    std::set<int> buffers;
    for (auto& s : p_.sweeps[0].body)
      if (auto* l = std::get_if<Load>(&s)) {
        const auto size = std::max<int64_t>(static_cast<int64_t>(size_of(p_.buffers[l->buffer].dtype)), 4);
        // A buffer's rows are there once with their neighbours to both sides; what guards keep apart is not
        // shared.
        const bool shared = l->guards.empty() && l->at.values.empty() && stride_along(l->at, down) != 0;
        if (!shared || buffers.insert(l->buffer).second) each += size * s_.lanes * (shared ? 3 : 1);
      }
    int rows = 1;
    while (rows * 2 <= most && each * (rows * 2 + 2) <= kept_bytes_ &&
           statements_ * s_.lanes * rows * 2 <= most_unrolled_)
      rows *= 2;
    return rows;
  }

  // Whether a buffer is read at several places near each other on the axis, as stencils do. What neighbouring
  // rows share then is read once by a thread, or comes from a block's own cache.
  bool reads_neighbours(int axis) const {
    auto& body = p_.sweeps[0].body;
    for (auto& a : body)
      for (auto& b : body) {
        auto* x = std::get_if<Load>(&a);
        auto* y = std::get_if<Load>(&b);
        if (!x || !y || x->buffer != y->buffer || !x->at.values.empty() || !y->at.values.empty()) continue;
        const int64_t stride = std::abs(stride_along(x->at, axis));
        const int64_t apart = y->at.offset.value - x->at.offset.value;
        if (stride > 1 && stride_along(y->at, axis) == stride_along(x->at, axis) && apart > stride / 2 &&
            apart < stride * 8)
          return true;
      }
    return false;
  }

  // Loads that are contiguous along another axis than the lanes' go through shared memory.
  bool choose_tile() {
    int best = -1;
    int64_t most = 0;
    for (int a = 0; a < outer_; ++a) {
      if (a == s_.lane_axis || extent(a) < 32 || extent(s_.lane_axis) < 32) continue;
      int64_t bytes = 0;
      for (auto& s : p_.sweeps[0].body)
        if (auto* l = std::get_if<Load>(&s); l && is_transposed(*l, a, s_.lane_axis))
          bytes += static_cast<int64_t>(size_of(p_.buffers[l->buffer].dtype));
      if (bytes > most && bytes * 16 * 17 <= kJoinBytes) most = bytes, best = a;
    }
    if (best < 0) return false;
    const auto varies = varies_along(p_, best);
    s_.lanes = lanes_along(s_.lane_axis, best);
    for (auto& s : p_.sweeps[0].body)
      if (auto* l = std::get_if<Load>(&s); l && is_transposed(*l, best, s_.lane_axis))
        while (s_.lanes > 1 &&
               (extent(best) % s_.lanes != 0 || vector_phase(p_, l->at, best, s_.lanes, varies) != 0))
          s_.lanes /= 2;
    if (extent(s_.lane_axis) % s_.lanes != 0) s_.lanes = 1;
    // Rows of 128 bytes or more, and no more than 16 points a thread, which compile fast; smaller squares
    // where the array, shared memory or the number of blocks asks for it.
    s_.tile = std::max<int>(16 * s_.lanes, static_cast<int>(128 / most));
    s_.tile = static_cast<int>(std::clamp<int64_t>(power_of_two_up(s_.tile), 16, 64));
    auto too_large = [&](int64_t tile) {
      const int64_t across = ceil_divide(extent(best), tile), along = ceil_divide(extent(s_.lane_axis), tile);
      const int64_t blocks = across * along * (p_.outer_count() / extent(best) / extent(s_.lane_axis));
      return most * tile * (tile + 1) > kJoinBytes ||
             statements_ * tile * tile / kThreads > most_unrolled_ / 2 || tile > extent(best) ||
             tile > extent(s_.lane_axis) || (tile > 32 && blocks < 2 * processors_);
    };
    while (s_.tile > 16 && too_large(s_.tile)) s_.tile /= 2;
    s_.lanes = std::min(s_.lanes, s_.tile / 16);
    s_.tile_axis = best;
    s_.threads = kThreads;
    s_.unroll = s_.tile * s_.tile / (kThreads * s_.lanes);
    s_.reason = fmt::format("pointwise, tiles of {} by {} of axes {} and {}: loads run along both", s_.tile,
                            s_.tile, best, s_.lane_axis);
    return true;
  }

  // Rows that stay are stored as they were loaded. What has to leave the cache is then best chosen among what
  // was stored: rows of 4096 f32 reach 1.03 of a copy's speed on an H200, wherever they lie, which makes 5 %
  // of it otherwise.
  void let_loads_stay() {
    const bool stays = s_.keeper == Keeper::Registers || s_.keeper == Keeper::Shared;
    bool loads = false, stores = false;
    for (auto& sweep : p_.sweeps)
      for (auto& s : sweep.body) {
        auto* l = std::get_if<Load>(&s);
        loads |= l && read_once(p_, l->buffer);
        stores |= std::holds_alternative<Store>(s);
      }
    if (!s_.streaming || !stays || !loads || !stores || s_.chained || !has_clusters()) return;
    s_.streaming = false;
    s_.loads_stay = true;
  }

  // ---- reductions

  void reduce() {
    int axes = outer_ + static_cast<int>(p_.row.size());
    int row_lane = best_axis(outer_, axes);
    int outer_lane = outer_ > 0 ? best_axis(0, outer_) : -1;
    if (p_.ordered) return columns_along(outer_lane);
    if (p_.across()) return rows_and_totals(row_lane);
    if (outer_lane >= 0 && is_pairwise(outer_lane)) return pairs_along(outer_lane);
    if (outer_lane >= 0) {
      Along in_row = along(row_lane), across = along(outer_lane);
      bool columns = across.near > in_row.near && extent(outer_lane) >= 16;
      s_.lanes = lanes_along(row_lane);
      if (columns && !can_bundle(row_lane)) return columns_along(outer_lane);
    }
    rows_along(row_lane);
  }

  int64_t state_bytes(const Sweep& sweep, int64_t unit = 16) const {
    int64_t bytes = 0;
    for (int a : sweep.accumulators) {
      auto& acc = p_.accumulators[a];
      bool arg = acc.op == ir::Op::argmax || acc.op == ir::Op::argmin;
      bytes += std::max<int64_t>(2 * static_cast<int64_t>(size_of(acc.dtype)), 8) + (arg ? 8 : 0);
    }
    return round_up(bytes, unit);
  }

  // The most bytes of crossing values that are alive at once, for each row element: a register is free again
  // after its value's last use.
  static int64_t live_bytes(const RowProgram& p) {
    std::vector<int> first(p.values.size(), -1), last(p.values.size(), -1);
    for (size_t k = 0; k < p.sweeps.size(); ++k)
      for (auto& s : p.sweeps[k].body) {
        if (Value v = defines(s); v >= 0) first[v] = static_cast<int>(k);
        for (Value u : uses(s)) last[u] = static_cast<int>(k);
      }
    int64_t most = 0;
    for (int k = 0; k + 1 < static_cast<int>(p.sweeps.size()); ++k) {
      int64_t bytes = 0;
      for (Value v : crossing_values(p))
        if (first[v] <= k && last[v] > k) bytes += static_cast<int64_t>(size_of(p.values[v].dtype));
      most = std::max(most, bytes);
    }
    return most;
  }

  // Where the row's values stay between sweeps.
  bool keep_in_registers(int64_t row_vectors) {
    RowProgram kept = p_;
    repeat_cheap_values(kept, false, 4);
    int64_t bytes = live_bytes(kept) * s_.lanes;
    if (bytes == 0) return false;
    // 64 bytes a thread, or a warp for each row while that is enough: fewer are too few in flight, and
    // joining more threads takes longer. Two blocks of 512 threads, each at its own place in a row, keep a
    // multiprocessor busier than one of 1024.
    int64_t most = std::max<int64_t>(kept_bytes_ / 2 / bytes, 1);
    int64_t each = std::min(most, std::clamp<int64_t>(kInFlight / bytes, 4, 16));
    int64_t threads = power_of_two_up(ceil_divide(row_vectors, each));
    if (threads > 32 && ceil_divide(row_vectors, 32) <= std::min<int64_t>(most, 8)) threads = 32;
    // Neighbours that fill a sector together: half-written ones cost twice. Rows of half a sector or less lie
    // so close that threads of a row each do it, too, without joining.
    int64_t unit = s_.lanes;
    for (auto& b : p_.buffers)
      unit = std::max<int64_t>(unit, static_cast<int64_t>(size_of(b.dtype)) * s_.lanes);
    constexpr int64_t kSector = 32;
    if (s_.bundled)
      threads = 1;
    else if (row_vectors * unit > kSector / 2)
      threads = std::max(threads,
                         std::min(power_of_two_up(row_vectors), power_of_two_up(ceil_divide(kSector, unit))));
    // Half as much of four or fewer lanes is in flight for longer, where it fits, and compiles faster.
    if (s_.lanes <= 4 && threads > 32 && threads <= 256 && row_vectors == threads * 4) threads *= 2;
    if (threads >= 1024) threads = 512;
    int64_t unroll = ceil_divide(row_vectors, threads);
    // 64 registers take so many elements and what is computed of them.
    if (unroll > most || (threads == 512 && unroll * s_.lanes > 32)) return false;
    int64_t body = 0;
    for (auto& sweep : kept.sweeps) body += static_cast<int64_t>(sweep.body.size());
    if (body * unroll * s_.lanes > 2 * most_unrolled_) return false;
    p_ = std::move(kept);
    s_.keeper = Keeper::Registers;
    s_.threads_per_row = static_cast<int>(threads);
    s_.unroll = static_cast<int>(unroll);
    // 64 registers are enough for a thread that keeps little, and leave room for 1024 such threads.
    if (unroll * bytes <= kInFlight || threads == 512)
      s_.resident = static_cast<int>(1024 / std::max<int64_t>(threads, 128));
    if (threads == 512 && unroll * bytes <= kInFlight / 2) s_.resident = 4;
    return true;
  }

  // Clusters came with 227 KiB of shared memory for a block. Eight blocks are the portable size; sixteen find
  // room in each of the chip's parts where a multiprocessor takes several of them.
  bool has_clusters() const { return target_.shared_bytes >= (200u << 10); }

  // Several blocks share a row that is too long for one, or would leave a multiprocessor to one block, which
  // reads, computes and writes in turn. Two blocks wait for each other little; where it takes more of them,
  // smaller parts and more of them at once make up for the waiting.
  bool keep_in_shared(int64_t row_vectors) {
    RowProgram kept = p_;
    repeat_cheap_values(kept, false, 4);
    const int64_t bytes = shared_places(kept).element_bytes() * s_.lanes * row_vectors;
    // Joins have static shared memory of their own.
    const auto most = static_cast<int64_t>(target_.shared_bytes) - (4 << 10);
    if (bytes == 0) return false;
    auto use = [&](int64_t cluster, int64_t blocks, int64_t threads) {
      if (bytes > most / blocks * cluster) return false;
      s_.cluster = static_cast<int>(cluster);
      s_.ahead = threads > 0;
      if (!s_.ahead) return true;
      s_.threads_per_row = static_cast<int>(std::clamp<int64_t>(power_of_two_up(row_vectors), 32, threads));
      s_.unroll = statements_ * s_.lanes <= most_unrolled_ / 16 ? 2 : 1;
      // Few registers, so that all the blocks that shared memory has room for do run.
      if (s_.unroll == 2) s_.resident = static_cast<int>(blocks);
      return true;
    };
    // A row is scanned by one block. Values of 8 bytes take twice the registers.
    const bool several = has_clusters() && !p_.scans();
    const int64_t threads = live_bytes(kept) >= 8 ? 256 : 512, small = live_bytes(kept) >= 8 ? 128 : 256;
    const bool shared = several && (use(1, kKeepingBlocks, threads) || use(2, kKeepingBlocks, threads) ||
                                    use(4, 2 * kKeepingBlocks, small) || use(8, 2 * kKeepingBlocks, small) ||
                                    use(8, kKeepingBlocks, 256) || use(16, kKeepingBlocks, threads));
    if (!shared && (several || !use(1, 1, 0))) return false;
    p_ = std::move(kept);
    s_.keeper = Keeper::Shared;
    return true;
  }

  // Rows are read in each sweep, in fewer ones where sums can be rescaled; whether there are such.
  bool read_again() {
    repeat_cheap_values(p_, true, 1e30f);
    s_.keeper = Keeper::Reload;
    return contract_ && rescale_sums(p_);
  }

  // Reductions alone, one of which needs the largest element of the row, as log-sum-exp does.
  bool finish_in_one_sweep() {
    if (!contract_ || p_.scans()) return false;
    RowProgram once = p_;
    repeat_cheap_values(once, true, 1e30f);
    if (!rescale_sums(once) || once.sweeps.size() > 1) return false;
    p_ = std::move(once);
    return true;
  }

  // Whether narrow rows lie one behind the other, so many that a thread for each fills the device.
  bool can_bundle(int lane) const {
    if (outer_ != 1 || p_.row.size() != 1 || s_.lanes > 1 || p_.scans()) return false;
    int64_t largest = 0;
    for_each_stmt(p_, [&](const Stmt& s) {
      if (auto* buffer = bundled_buffer(p_, s, lane))
        largest = std::max<int64_t>(largest, static_cast<int64_t>(size_of(buffer->dtype)));
    });
    return largest > 0 && extent(lane) > 2 && extent(lane) * largest <= kBundledBytes &&
           p_.outer_count() * 2 > fill_;
  }

  void rows_along(int lane) {
    s_.order = Order::Rows;
    s_.lane_axis = lane;
    choose_lanes(lane);
    s_.bundled = can_bundle(lane);
    int64_t row_vectors = lines(p_.row_count(), lane) * vectors(lane);
    int64_t points = p_.outer_count();
    bool crosses = !crossing_values(p_).empty();
    std::string where = "nothing crosses sweeps";
    if (crosses && keep_in_registers(row_vectors)) {
      where = "rows stay in registers";
    } else {
      if (crosses && finish_in_one_sweep()) crosses = false, where = "sums are rescaled as the largest grows";
      s_.bundled &= !crosses;
      s_.unroll = unroll_for(s_.bundled ? row_vectors : p_.scans() ? 2 : 8);
      // Joining costs as much as some elements do: four batches a thread where there are rows enough, but
      // neighbours enough to read whole sectors.
      const int64_t widest = power_of_two_up(ceil_divide(row_vectors, s_.unroll));
      int64_t threads = std::max(power_of_two_up(ceil_divide(widest, 4)), std::min<int64_t>(widest, 16));
      while (threads < widest && points * threads < fill_) threads *= 2;
      if (s_.bundled) threads = 1;
      if (threads > 32 && row_vectors <= 32 * 8 && points * 32 >= fill_) threads = 32;
      // A block of its own reads a short row in less time than several take to learn which of them is last.
      const bool alone = points * kThreads * 2 <= fill_ && widest <= kStepsAlone;
      const int64_t most = p_.sweeps.size() > 1   ? 1024
                           : !alone || p_.scans() ? kThreads
                           : points > processors_ ? 512
                                                  : 1024;
      s_.threads_per_row = static_cast<int>(std::clamp<int64_t>(threads, 1, most));
      if (crosses && keep_in_shared(row_vectors)) {
        where = "rows stay in shared memory";
        s_.threads_per_row = std::max(s_.threads_per_row, 32);
      } else if (crosses) {
        where =
            read_again() ? "rows are read again, sums rescaled as the largest grows" : "rows are read again";
        s_.streaming = false;
      }
      s_.unroll =
          static_cast<int>(std::clamp<int64_t>(ceil_divide(row_vectors, s_.threads_per_row), 1, s_.unroll));
      if (p_.scans())
        where = chain_parts(row_vectors, points, where);
      else if (!alone)
        choose_split(row_vectors, points * s_.threads_per_row, int64_t{s_.threads_per_row} * s_.unroll,
                     fill_);
    }
    s_.threads = std::max(s_.threads_per_row, s_.keeper == Keeper::Shared ? 32 : 128);
    // To start a block takes longer than such rows do.
    if (s_.threads_per_row == 1) {
      s_.threads = kThreads;
      s_.resident = (s_.resident + 1) / 2;
    }
    s_.rows_per_task = s_.threads / s_.threads_per_row;
    s_.reason = fmt::format("rows of {} threads along axis {}, {}", s_.threads_per_row, lane, where);
    if (s_.cluster > 1) s_.reason += fmt::format(", {} blocks a row", s_.cluster);
    if (s_.split > 1) s_.reason += fmt::format(", split in {}", s_.split);
  }

  // Parts of rows that are too few for the device: a block scans each, from what lies before it. It keeps
  // what it reads, or takes it from the cache again.
  std::string chain_parts(int64_t row_vectors, int64_t points, const std::string& where) {
    constexpr int kPartThreads = 256;
    if (p_.sweeps.size() != 1 || p_.accumulators.size() != 1 || points * kPartThreads * 2 > fill_ ||
        row_vectors < 4 * kPartThreads * s_.unroll)
      return where;
    total_parts_first(p_);
    RowProgram kept = p_;
    repeat_cheap_values(kept, false, 4);
    const int64_t bytes = shared_places(kept).element_bytes() * s_.lanes;
    const int64_t room = (static_cast<int64_t>(target_.shared_bytes) / kKeepingBlocks - (4 << 10)) /
                         std::max<int64_t>(bytes, 4);
    if (room < kPartThreads * s_.unroll) s_.unroll = 1;
    s_.chained = true;
    s_.threads_per_row = kPartThreads;
    const int64_t step = int64_t{kPartThreads} * s_.unroll;
    int64_t part = ceil_divide(row_vectors * points, processors_);
    part = std::clamp<int64_t>(part / step * step, step, std::max<int64_t>(room / step, 1) * step);
    s_.split = ceil_divide(row_vectors, part);
    if (bytes == 0) return "parts of it in turn";
    if (room < step) {
      repeat_cheap_values(p_, true, 1e30f);
      s_.keeper = Keeper::Reload;
      s_.streaming = false;
      return "parts of it in turn, each read again from the cache";
    }
    p_ = std::move(kept);
    s_.keeper = Keeper::Shared;
    s_.ahead = true;
    s_.resident = kKeepingBlocks;
    return "parts of it in turn, each in shared memory";
  }

  // Rows that are totalled across too: in registers, with a total for each element beside what is kept. The
  // threads of a row take as many rows one after another as may be added up without a wider dtype, or as make
  // all blocks run at once.
  void rows_and_totals(int lane) {
    s_.order = Order::Rows;
    s_.lane_axis = lane;
    s_.lanes = lanes_along(lane);
    const int64_t row_vectors = lines(p_.row_count(), lane) * vectors(lane), points = p_.outer_count();
    int64_t totals = 0;
    for (auto& acc : p_.accumulators)
      if (acc.across) totals += std::max<int64_t>(static_cast<int64_t>(size_of(acc.dtype)), 4);
    RowProgram kept = p_;
    repeat_cheap_values(kept, false, 4);
    int64_t bytes = (live_bytes(kept) + totals) * s_.lanes;
    std::string where = "rows stay in registers";
    const int64_t most_threads = kMostThreadsOfTotals;
    if (ceil_divide(row_vectors, most_threads) * bytes > kept_bytes_) {
      kept = p_;
      repeat_cheap_values(kept, true, 1e30f);
      s_.streaming = false;
      bytes = totals * s_.lanes;
      where = "rows are read again";
    }
    p_ = std::move(kept);
    s_.keeper = Keeper::Registers;
    const int64_t each = std::clamp<int64_t>(kept_bytes_ / 2 / bytes, 1, 4);
    s_.threads_per_row = static_cast<int>(
        std::clamp<int64_t>(power_of_two_up(ceil_divide(row_vectors, each)), 8, most_threads));
    s_.unroll = static_cast<int>(std::max<int64_t>(ceil_divide(row_vectors, s_.threads_per_row), 1));
    s_.threads = std::max(s_.threads_per_row, 128);
    s_.rows_per_task = s_.threads / s_.threads_per_row;
    if (s_.unroll * bytes <= kept_bytes_ / 2) s_.resident = static_cast<int>(kThreadsWithTotals / s_.threads);
    const int64_t at_once =
        processors_ * (s_.resident > 1 ? kThreadsWithTotals : s_.threads) / s_.threads_per_row;
    const int64_t waves = ceil_divide(points, at_once * kRunElements);
    s_.walk = std::clamp<int64_t>(ceil_divide(points, at_once * waves), 1, kRunElements);
    s_.reason = fmt::format("rows of {} threads along axis {}, {} in turn, totalled across too, {}",
                            s_.threads_per_row, lane, s_.walk, where);
  }

  // Cuts the row when there are too few points for the device: `busy` threads would work on them.
  void choose_split(int64_t row_steps, int64_t busy, int64_t steps_of_part, int64_t fill) {
    if (p_.sweeps.size() != 1 || p_.accumulators.empty() || busy * 2 > fill) return;
    // Parts of a scanned column are totalled first, then scanned from what comes before each.
    if (p_.scans() && p_.accumulators.size() > 1) return;
    int64_t split =
        std::min(fill / std::max<int64_t>(busy, 1), row_steps / std::max<int64_t>(steps_of_part, 1));
    if (split > 1) s_.split = split;
  }

  // Strips of columns stay with a block: short ones in the registers of a thread for each, others in shared
  // memory, 256 bytes wide where they may be; several blocks share long ones.
  bool keep_columns(int64_t columns, int64_t row) {
    RowProgram kept = p_;
    repeat_cheap_values(kept, false, 4);
    if (live_bytes(kept) == 0 || row == 0) return false;
    int64_t body = 0;
    for (auto& sweep : kept.sweeps) body += static_cast<int64_t>(sweep.body.size());
    if (row <= 8 && columns >= 32 * processors_ && body * row * s_.lanes <= most_unrolled_) {
      p_ = std::move(kept);
      s_.keeper = Keeper::Registers;
      s_.threads = kThreads;
      s_.threads_per_row = 1;
      s_.unroll = static_cast<int>(row);
      s_.reason = fmt::format("columns, {} lanes along axis {}, which stay in a thread's registers", s_.lanes,
                              s_.lane_axis);
      return true;
    }
    if (take_turns(kept, columns, row)) {
      p_ = std::move(kept);
      return true;
    }
    if (s_.lanes == 1 && has_clusters()) copied_ = wide_copy_elements(kept, s_.lane_axis);
    if (!choose_strips(shared_places(kept).element_bytes() * s_.lanes, columns, row)) return false;
    p_ = std::move(kept);
    s_.keeper = Keeper::Shared;
    s_.ahead = has_clusters();
    s_.wide_copies = copied_ > 0;
    s_.unroll = body * s_.lanes <= most_unrolled_ / 16 ? 2 : 1;
    if (s_.unroll == 1) s_.resident = 1;
    s_.reason =
        fmt::format("columns, {} lanes along axis {}, {} threads down each, which stay in shared memory",
                    s_.lanes, s_.lane_axis, s_.threads_per_row);
    if (s_.cluster > 1) s_.reason += fmt::format(", {} blocks a strip", s_.cluster);
    return true;
  }

  // Long strips, of which there are many, leave a block no room for a second one beside it, so that memory
  // would rest while it computes: it computes in registers, and shared memory takes the next strip. Memory is
  // slower at narrow strips, so they are as wide as registers let them be.
  bool take_turns(const RowProgram& kept, int64_t columns, int64_t row) {
    constexpr int64_t kTurnThreads = 512, kLongColumn = 1024, kLongSingleColumn = 8192;
    if (!has_clusters() || row < (s_.lanes == 1 ? kLongSingleColumn + 1 : kLongColumn)) return false;
    int64_t unit = 1, body = 0, joined = 0, told = 0;
    for (auto& b : p_.buffers)
      unit = std::max<int64_t>(unit, static_cast<int64_t>(size_of(b.dtype)) * s_.lanes);
    for (auto& sweep : kept.sweeps) {
      body += static_cast<int64_t>(sweep.body.size());
      joined = std::max(joined, state_bytes(sweep, 1));
      told += state_bytes(sweep, 1);
    }
    const int64_t each = kept_bytes_ / (std::max<int64_t>(live_bytes(kept), 4) * s_.lanes);
    if (unit < 4 || unit > 16 || each == 0) return false;
    for (int64_t width : {256, 128}) {
      const int64_t across = width / unit, down = kTurnThreads / across;
      const int64_t cluster = power_of_two_up(ceil_divide(row, down * each));
      const int64_t unroll = ceil_divide(row, down * cluster), strips = ceil_divide(columns, across);
      // A chip's parts have some processors that fill no cluster.
      const int64_t at_once = processors_ * 10 / 11 / cluster;
      const int64_t warps = std::min(down, kTurnThreads / 32);
      const int64_t joins = (joined * warps + told * (2 * cluster + 1)) * s_.lanes * across;
      if (cluster > 16 || joins > kJoinBytes || strips < 4 * at_once ||
          body * unroll * s_.lanes > most_unrolled_)
        continue;
      s_.keeper = Keeper::Registers;
      s_.strips_at_once = at_once;
      s_.threads = static_cast<int>(kTurnThreads);
      s_.threads_per_row = static_cast<int>(down);
      s_.cluster = static_cast<int>(cluster);
      s_.unroll = static_cast<int>(unroll);
      s_.streaming = large_;
      s_.reason = fmt::format(
          "columns, {} lanes along axis {}, {} threads down each, strips in turn in registers, {} blocks a "
          "strip",
          s_.lanes, s_.lane_axis, down, cluster);
      return true;
    }
    return false;
  }

  // The width of strips of columns, a vector and row element of which take `bytes`: as wide as 256 bytes,
  // since memory is slower at less, and as few blocks for each as leave room for three in a multiprocessor,
  // or for one.
  bool choose_strips(int64_t bytes, int64_t columns, int64_t row) {
    const int64_t most = static_cast<int64_t>(target_.shared_bytes) - (1 << 10);
    int64_t unit = 1;
    for (auto& b : p_.buffers)
      unit = std::max<int64_t>(unit, static_cast<int64_t>(size_of(b.dtype)) * s_.lanes);
    auto use = [&](int64_t across, int64_t cluster, int64_t blocks) {
      int64_t threads = blocks > 1 ? kThreads : 512;
      while (threads > 32 && threads / across > power_of_two_up(row)) threads /= 2;
      if (threads < across || (cluster > 1 && row < cluster * threads / across)) return false;
      // Joins take static shared memory: for the warps that share columns, and for the blocks. Runs that need
      // no wider totals keep that small.
      const int64_t warps = std::max<int64_t>(std::min(threads / across, threads / 32), 1);
      if (ceil_divide(row, threads / across * cluster) > kRunElements) return false;
      int64_t joined = 0, told = 0;
      for (auto& sweep : p_.sweeps) {
        int64_t state = 0;
        for (int a : sweep.accumulators) {
          auto& acc = p_.accumulators[a];
          const bool arg = acc.op == ir::Op::argmax || acc.op == ir::Op::argmin;
          state += std::max<int64_t>(static_cast<int64_t>(size_of(acc.dtype)), 4) + (arg ? 8 : 0);
        }
        joined = std::max(joined, state);
        told += state * (cluster > 1 ? cluster + 1 : 1);
      }
      const int64_t joins = (joined * warps + told) * s_.lanes * across;
      if (joins > kJoinBytes || across < copied_ ||
          ceil_divide(row, cluster) * bytes * (across + copied_) + joins > most / blocks)
        return false;
      s_.threads = static_cast<int>(threads);
      s_.threads_per_row = static_cast<int>(threads / across);
      s_.cluster = static_cast<int>(cluster);
      s_.resident = static_cast<int>(blocks);
      return true;
    };
    const int64_t widest = std::min(std::clamp<int64_t>(256 / unit, 4, 64), power_of_two_up(columns));
    const int64_t largest = has_clusters() ? 16 : 1;
    int64_t across = widest, cluster = 1;
    auto fits = [&](int64_t narrowest, int64_t blocks, int64_t largest_cluster) {
      for (across = widest; across == widest || across * unit >= narrowest; across /= 2) {
        for (cluster = 1; ceil_divide(row, cluster) * bytes * (across + copied_) > most / blocks;)
          cluster *= 2;
        if (cluster <= largest_cluster && use(across, cluster, blocks)) return true;
      }
      return false;
    };
    // Narrower strips, or a multiprocessor to one block, are slower than to read columns again; where there
    // are no clusters, that is done for strips of 32 bytes.
    int64_t blocks = kKeepingBlocks;
    if (!fits(64, blocks, largest)) {
      blocks = 1;
      if (largest > 1 || !fits(32, blocks, 1)) return false;
    }
    // With few strips, more blocks for each, and narrower ones.
    auto few = [&] { return ceil_divide(columns, across) * cluster < processors_; };
    while (few() && cluster * 2 <= std::min<int64_t>(largest, 8) && use(across, cluster * 2, blocks))
      cluster *= 2;
    while (few() && across * unit > 128 && use(across / 2, cluster, blocks)) across /= 2;
    return true;
  }

  void columns_along(int lane) {
    s_.order = Order::Columns;
    s_.streaming = false;
    s_.lane_axis = lane;
    s_.lanes = lanes_along(lane);
    if (p_.ordered) {
      // One thread walks a column down, one element after another.
      s_.lanes = 1;
      s_.threads = kThreads;
      s_.reason = fmt::format("columns in order, lanes along axis {}", lane);
      return;
    }
    for (auto& sweep : p_.sweeps)
      while (s_.lanes > 1 && state_bytes(sweep) * s_.lanes * kThreads > kJoinBytes) s_.lanes /= 2;
    int64_t columns = lines(p_.outer_count(), lane) * vectors(lane), row = p_.row_count();
    if (!crossing_values(p_).empty() && !finish_in_one_sweep()) {
      if (!p_.scans() && keep_columns(columns, row)) return;
      read_again();
    }
    int64_t across = std::clamp<int64_t>(power_of_two_up(columns), 8, 32);
    // What is read again is not split.
    if (s_.keeper == Keeper::Reload && columns < 32 * processors_) across = 8;
    // With points enough for every thread there is nothing to join.
    if (columns >= fill_ || p_.scans()) across = kThreads;
    s_.threads = kThreads;
    for (auto& sweep : p_.sweeps)
      while (s_.threads > 64 && state_bytes(sweep) * s_.lanes * s_.threads > kJoinBytes) s_.threads /= 2;
    across = std::min<int64_t>(across, s_.threads);
    s_.threads_per_row = static_cast<int>(s_.threads / across);
    if (p_.scans()) s_.threads_per_row = 1, s_.threads = static_cast<int>(across);
    while (s_.threads_per_row > 1 && s_.threads_per_row > row) s_.threads_per_row /= 2, s_.threads /= 2;
    s_.unroll = unroll_for(std::max<int64_t>(row / s_.threads_per_row, 1));
    // All blocks at once: a second wave that is not full costs more than a few threads less.
    choose_split(row, round_up(columns, across) * s_.threads_per_row,
                 int64_t{s_.threads_per_row} * s_.unroll * 2, processors_ * kBusyColumnThreads);
    s_.reason = fmt::format("columns, {} lanes along axis {}, {} threads down each", s_.lanes, lane,
                            s_.threads_per_row);
    if (s_.split > 1) s_.reason += fmt::format(", split in {}", s_.split);
  }

  // Whether all points of the axis reduce over the same loads, as sums over all pairs do.
  bool is_pairwise(int axis) const {
    auto varies = varies_along(p_, axis);
    bool same = extent(axis) >= 4 * 32 && p_.row_count() >= 64, differs = false;
    for (auto& sweep : p_.sweeps)
      for (auto& s : sweep.body) {
        if (auto* l = std::get_if<Load>(&s)) same &= !varies[l->out] && l->guards.empty();
        if (auto* f = std::get_if<Fold>(&s)) differs |= varies[f->value];
        same &= !std::holds_alternative<Store>(s) && !std::holds_alternative<Scan>(s);
      }
    return same && differs;
  }

  // Squares of points and row elements in registers: each element that is loaded serves several points.
  void pairs_along(int lane) {
    s_.order = Order::Columns;
    s_.lane_axis = lane;
    if (!crossing_values(p_).empty()) {
      repeat_cheap_values(p_, true, 1e30f);
      s_.keeper = Keeper::Reload;
    }
    s_.streaming = false;
    // Eight elements a step, though they compile longer than four, are 3 % faster on an H200; sixteen are
    // slower.
    s_.lanes = 4, s_.together = 8;
    while (s_.together > 1 &&
           (p_.row.back().value % s_.together != 0 || statements_ * s_.lanes * s_.together > most_unrolled_))
      s_.together /= 2;
    s_.threads = kThreads;
    for (auto& sweep : p_.sweeps)
      while (s_.lanes > 1 && state_bytes(sweep) * s_.lanes * s_.threads > kJoinBytes) s_.lanes /= 2;
    for (auto& sweep : p_.sweeps)
      while (s_.threads > 64 && state_bytes(sweep) * s_.lanes * s_.threads > kJoinBytes) s_.threads /= 2;
    const int64_t columns = p_.outer_count() / extent(lane) * vectors(lane);
    int64_t across = 32;
    // One block of a multiprocessor instead of two is 1 % faster on an H200. Its joins fill its shared
    // memory.
    if (s_.threads == kThreads && columns >= 8 * across && p_.sweeps.size() == 1 &&
        state_bytes(p_.sweeps[0], 8) * s_.lanes * s_.threads * 2 <= kStaticBytes)
      s_.threads *= 2, across *= 2;
    s_.threads_per_row = static_cast<int>(s_.threads / across);
    s_.unroll = s_.together;
    s_.run = kRunElements / s_.unroll;
    // Registers suffice for it but with doubles; those of steps with little work are free when it is too
    // late.
    constexpr float kWorthLoadingAhead = 6;
    float work = 0;
    s_.ahead = s_.together > 1;
    for_each_stmt(p_, [&](const Stmt& s) {
      if (auto* l = std::get_if<Load>(&s)) s_.ahead &= size_of(p_.buffers[l->buffer].dtype) <= 4;
      if (auto* l = std::get_if<Let>(&s)) work += ir::info(l->op).cost;
    });
    s_.ahead &= work >= kWorthLoadingAhead;
    if (s_.threads >= kThreads) s_.resident = 2 * kThreads / s_.threads;
    // Nobody waits for memory: more blocks than run at once only have more to join.
    choose_split(p_.row_count(), round_up(columns, across) * s_.threads_per_row,
                 int64_t{s_.threads_per_row} * s_.unroll * s_.run, processors_ * s_.threads * s_.resident);
    if (s_.split == 1) share_strips(ceil_divide(columns, across));
    s_.reason = fmt::format("pairs, {} points of axis {} by {} of the row in a thread, {} threads down each",
                            s_.lanes, lane, s_.together, s_.threads_per_row);
    if (s_.shares > 0)
      s_.reason += fmt::format(", in {} equal shares", s_.shares);
    else if (s_.split > 1)
      s_.reason += fmt::format(", split in {}", s_.split);
  }

  // A wave of blocks that is not full leaves processors idle: its strips are shared out to all of them, where
  // that saves more than a second launch costs.
  void share_strips(int64_t strips) {
    const int64_t blocks = processors_ * s_.resident, left = strips % blocks;
    const int64_t steps = ceil_divide(p_.row_count(), int64_t{s_.threads_per_row} * s_.unroll);
    if (p_.sweeps.size() != 1 || left == 0 || steps < blocks || left * steps > INT32_MAX) return;
    if ((blocks - left) * steps / blocks * statements_ < kWorthSharing) return;
    s_.shares = blocks;
    s_.split = share_out(strips, blocks, steps).parts;
    // Blocks of few registers would otherwise begin all at once, with equal shares no longer equal work.
    if (s_.threads >= kThreads)
      s_.room = static_cast<int64_t>(target_.shared_bytes) / (s_.resident + 1) + (1 << 10);
  }

  RowProgram& p_;
  const Target& target_;
  const Bias bias_;
  const bool contract_;
  const int64_t kept_bytes_, most_unrolled_;
  Schedule s_;
  int outer_;
  int64_t statements_ = 0, processors_ = 1, fill_ = 0;
  bool flat_ = false;   // rows are walked as one
  bool large_ = false;  // more bytes than the cache holds
  int copied_ = 0;      // elements of the vectors in which strips of single columns are copied
};

}  // namespace

Schedule schedule_cuda(RowProgram& program, const Target& target, const Bias& bias, bool contract) {
  if (target.kind != TargetKind::Cuda) throw InternalError("schedule_cuda: the target is not a CUDA device");
  return Scheduler(program, target, bias, contract).run();
}

}  // namespace weft::plan
