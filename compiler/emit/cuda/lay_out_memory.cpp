// Places and sizes, from the plans of the batches: which loads can be copied ahead depends on how they are
// routed.
#include "compiler/emit/cuda/lay_out_memory.h"

#include <algorithm>
#include <numeric>

namespace weft::emit {

using namespace plan;

namespace {

// Which loads of the first sweep can go to shared memory directly, or of all sweeps where rows are in turn.
std::set<Value> loads_ahead(const RowProgram& p, const CudaLayout& l) {
  std::set<Value> ahead;
  for (auto& b : l.main.batches) {
    if (b.number > 0 && !l.facts.totals_across) break;
    for (size_t k = 0; k < b.routes.size(); ++k) {
      auto* load = std::get_if<Load>(&b.sweep->body[k]);
      if (!load || !l.facts.crossing.contains(load->out) || !load->guards.empty() || !load->at.values.empty())
        continue;
      const size_t bytes = size_of(p.values[load->out].dtype) * static_cast<size_t>(b.lanes);
      const bool aligned = b.routes[k].path == Path::Vector || b.lanes == 1;
      if (aligned && (bytes == 4 || bytes == 8 || bytes == 16)) ahead.insert(load->out);
    }
  }
  return ahead;
}

// Loads of the first sweep whose rows are copied in whole vectors from where memory is aligned.
std::set<Value> loads_of_strip(const CudaLayout& l) {
  std::set<Value> ahead;
  for (auto& s : l.main.batches[0].sweep->body)
    if (auto* load = std::get_if<Load>(&s);
        load && l.facts.crossing.contains(load->out) && stride_along(load->at, l.vectors.axis) == 1)
      ahead.insert(load->out);
  return ahead;
}

// Values that stay between sweeps: those of `rows` rows, or parts of rows.
void place_values(const RowProgram& p, const CudaLayout& l, int64_t rows, SharedLayout& shared) {
  const SharedPlaces places = shared_places(p);
  std::vector<int> by_size(places.bytes.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::stable_sort(by_size, [&](int a, int b) { return places.bytes[a] > places.bytes[b]; });
  int64_t before = 0;
  for (int place : by_size) {
    for (auto& [v, of] : places.of)
      if (of == place) shared.values.push_back({v, before * rows});
    before += places.bytes[place] * l.main.lanes;
  }
  shared.bytes = before * rows * l.parts.vectors;
}

// Loads that each thread copies for itself, a row or a strip ahead of what it has in registers.
void place_ahead(const RowProgram& p, const CudaLayout& l, SharedLayout& shared) {
  const EntryLayout& e = l.main;
  for (Value v : shared.ahead) {
    shared.values.push_back({v, shared.bytes});
    shared.bytes += static_cast<int64_t>(size_of(p.values[v].dtype)) * e.lanes * e.threads * e.unroll;
  }
}

void place_bundles(const RowProgram& p, const CudaLayout& l, SharedLayout& shared) {
  int64_t before = 0;
  std::set<int> known;
  for_each_stmt(p, [&](const Stmt& s) {
    if (!is_bundled(p, l, s)) return;
    auto* load = std::get_if<Load>(&s);
    const int buffer = load ? load->buffer : std::get<Store>(s).buffer;
    if (!known.insert(buffer).second) return;
    shared.rows.push_back({buffer, before, load != nullptr});
    before +=
        static_cast<int64_t>(size_of(p.buffers[buffer].dtype)) * (l.main.threads / l.main.threads_per_row);
  });
  shared.bytes = before * p.row_count();
}

int64_t counters_of(const RowProgram& p, const CudaLayout& l) {
  const PartLayout& parts = l.parts;
  if (l.cluster.device_wide) {
    int64_t words = 0;
    for (auto& b : l.main.batches)
      if (auto k = static_cast<size_t>(b.number); !l.main.joined[k].empty()) words += l.states[k].bytes / 4;
    return p.outer_count() * l.cluster.blocks * l.cluster.blocks * words * 2;
  }
  if (parts.count == 1 || parts.look_back || l.finish) return 0;
  const int64_t tickets = l.main.tasks / parts.count;
  return l.columns() ? tickets : words_of_parts(p, l) + tickets;
}

}  // namespace

int64_t words_of_parts(const RowProgram& p, const CudaLayout& l) {
  return p.outer_count() * l.parts.count * (l.states[0].bytes / 4) * 2;
}

bool is_bundled(const RowProgram& p, const CudaLayout& l, const Stmt& s) {
  auto* rows = l.rows();
  return rows && rows->is_bundled && bundled_buffer(p, s, l.vectors.axis) != nullptr;
}

SharedLayout shared_of(const RowProgram& p, const CudaSchedule& s, const CudaLayout& l) {
  SharedLayout shared;
  const auto* rows = l.rows();
  const auto* columns = l.columns();
  const bool in_turns = columns && columns->strips_at_once > 0, bundled = rows && rows->is_bundled;
  const bool row_ahead = l.facts.totals_across && rows->is_ahead;
  const bool is_shared = division_of(s).residence == Residence::Shared;
  shared.is_used = is_shared || bundled || in_turns || row_ahead;
  shared.holds_rows = is_shared;
  shared.values_stay = is_shared && !l.facts.crossing.empty();
  if (columns && columns->copied > 0)
    shared.ahead = loads_of_strip(l);
  else if (in_turns || (columns && is_shared && columns->is_ahead) || (rows && rows->is_ahead && !bundled))
    shared.ahead = loads_ahead(p, l);
  if (is_shared && rows)
    place_values(p, l, l.main.threads / l.main.threads_per_row, shared);
  else if (is_shared && columns)
    place_values(p, l, columns->across + columns->copied, shared);
  else if (in_turns || (row_ahead && !bundled))
    place_ahead(p, l, shared);
  else if (bundled)
    place_bundles(p, l, shared);
  // No more blocks than asked for run at once.
  if (auto* pairs = std::get_if<cuda::Pairs>(&s.shape))
    if (auto* shares = std::get_if<cuda::Pairs::Shares>(&pairs->strip);
        shares && shares->shared_bytes > l.main.column_join.bytes)
      shared.bytes = shares->shared_bytes - l.main.column_join.bytes;
  return shared;
}

int64_t partial_bytes(const RowProgram& p, const CudaLayout& l) {
  const int64_t parts = l.parts.count;
  if (l.facts.totals_across) return l.across.bytes;
  if (parts == 1) return 0;
  if (auto* c = l.columns()) {
    int64_t vectors = l.main.lane_vectors;
    for (int a : axis_order(p, l.vectors.axis, true))
      if (a != l.vectors.axis) vectors *= p.extent(a).value;
    const int64_t once = c->has_shares ? c->strips.whole * c->across : 0;
    return l.states[0].bytes * l.main.lanes * (once + (vectors - once) * parts);
  }
  if (!l.parts.look_back) return 0;
  const int64_t words = l.states[0].bytes / 4, groups = (parts + 31) / 32, tops = (groups + 31) / 32;
  return 8 * (kTicketWords + p.outer_count() * (parts + groups + tops) * words);
}

Launch launch_of(const RowProgram& p, const CudaLayout& l) {
  Launch launch;
  launch.tasks = l.main.tasks;
  launch.threads = static_cast<uint32_t>(l.main.threads);
  (l.cluster.device_wide ? launch.cooperating : launch.cluster) = static_cast<uint32_t>(l.cluster.blocks);
  launch.shared_bytes = static_cast<uint32_t>(l.shared.bytes);
  launch.counters = static_cast<uint32_t>(counters_of(p, l));
  if (l.parts.look_back) {
    launch.zeroed = static_cast<uint32_t>(p.buffers.size());
    launch.zeroed_bytes = static_cast<size_t>(partial_bytes(p, l));
  }
  if (!l.finish) return launch;
  launch.finish_tasks = l.finish->tasks;
  launch.finish_threads = static_cast<uint32_t>(l.finish->threads);
  return launch;
}

}  // namespace weft::emit
