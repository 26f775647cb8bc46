// How schedule_cuda works inside. run() asks which way a program's loops go, and one file for each way
// chooses the rest; they share the schedule that they fill in, and what lanes.cpp finds out
// about accesses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "compiler/machine/feasible.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"

namespace weft::plan {

using namespace machine;
using namespace tuning;

inline int64_t round_up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }
inline int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t power_of_two_up(int64_t n) {
  int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

class CudaScheduler {
 public:
  // Frugal schedules first let a thread have more registers by bounding nothing, then keep and unroll half as
  // much, and half of that.
  CudaScheduler(RowProgram& p, const Target& target, const Bias& bias, bool contract);
  CudaSchedule run();

 private:
  // ---- schedule_cuda.cpp
  void let_loads_stay();

  // ---- lanes.cpp: what accesses look like along an axis
  // Bytes that accesses move between neighbours on `axis`, each weighed by how often it runs.
  struct Along {
    int64_t near = 0, near_stores = 0;
  };
  Along along(int axis) const;
  int best_axis(int first, int last) const;
  int64_t extent(int axis) const { return p_.extent(axis).value; }
  int lanes_along(int axis, int tile_axis = -1) const;
  void choose_lanes(int axis);
  int unroll_for(int64_t most, int64_t in_flight = kRowBytes) const;
  int64_t vectors(int axis) const;
  // How many lines of `count` points run along the axis; a row may be empty.
  int64_t lines(int64_t count, int axis) const { return count / std::max<int64_t>(extent(axis), 1); }

  // ---- pointwise.cpp
  void pointwise();
  bool has_narrow_rows() const;
  bool is_busy() const;
  int rows_together(int down, int most) const;
  bool reads_neighbours(int axis) const;
  bool choose_tile();

  // ---- reduce.cpp: what all reductions ask
  void reduce();
  int64_t state_bytes(const Sweep& sweep, int64_t unit = 16) const;
  static int64_t live_bytes(const RowProgram& p);
  static int64_t body_statements(const RowProgram& p);
  bool read_again();
  bool finish_in_one_sweep();
  void choose_split(int64_t row_steps, int64_t busy, int64_t steps_of_part, int64_t fill);
  bool has_clusters() const { return machine::has_clusters(target_); }

  // ---- rows.cpp
  void rows_along(int lane);
  bool is_light() const;
  bool is_line(int64_t row_vectors) const;
  bool keep_among_few(int64_t row_vectors, int64_t points);
  bool is_worth_device(int64_t row_vectors, int64_t points) const;
  void share_device(int64_t row_vectors, int64_t points);
  bool keep_across_device(int64_t row_vectors, int64_t points);
  void share_in_cluster(int64_t row_vectors, int64_t points);
  void take_at_once(int64_t row_vectors);
  bool keep_in_registers(int64_t row_vectors, int64_t points);
  bool keep_in_shared(int64_t row_vectors);
  std::string chain_parts(int64_t row_vectors, int64_t points, const std::string& where);

  // ---- bundled.cpp
  int64_t bundled_bytes(int lane) const;
  bool can_bundle(int lane) const;
  bool share_bundled_rows(int lane, int64_t points);

  // ---- totals.cpp
  void rows_and_totals(int lane);

  // ---- sections.cpp
  void rows_of_sections();

  // ---- columns.cpp
  void columns_along(int lane);
  bool keep_columns(int64_t columns, int64_t row);
  bool take_turns(const RowProgram& kept, int64_t columns, int64_t row);
  int overlap_for(int64_t columns) const;
  bool choose_strips(int64_t bytes, int64_t columns, int64_t row);

  // ---- pairs.cpp
  bool is_pairwise(int axis) const;
  void pairs_along(int lane);
  void share_strips(int64_t strips);

  RowProgram& p_;
  const Target& target_;
  const Bias bias_;
  const bool contract_;
  const int64_t kept_bytes_, most_unrolled_;
  CudaSchedule s_;
  int outer_;
  int64_t statements_ = 0, processors_ = 1, fill_ = 0;
  bool flat_ = false;   // rows are walked as one
  bool large_ = false;  // more bytes than the cache holds
  int copied_ = 0;      // elements of the vectors in which strips of single columns are copied
};

}  // namespace weft::plan
