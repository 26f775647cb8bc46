// Which values differ along the lanes, and how indices move there.
#pragma once

#include <vector>

#include "compiler/plan/plan.h"

namespace weft::emit::cpu {

struct LaneLayout {
  int axis = 0;
  int count = 8;
  int64_t extent = 1;  // of the axis
  bool outer = false;  // it is an outer one
  bool masked = false;
  std::vector<char> varies;                    // which values differ
  std::vector<const plan::Stmt*> definitions;  // of each value, or null
};

// Finds what varies. `columns`: the accumulators of a row differ from lane to lane.
void find_varying(const plan::RowProgram& program, bool columns, LaneLayout& lanes);

bool varies(const LaneLayout& lanes, const plan::Stmt& stmt);
// Whether some value that an index adds differs from lane to lane.
bool values_vary(const LaneLayout& lanes, const plan::Index& at);
// How far apart neighbouring lanes are; null where all have the same.
const plan::Num* along_lanes(const LaneLayout& lanes, const plan::Index& at);
// A test that is the same for a whole stretch of the lane axis.
bool is_stretch(const LaneLayout& lanes, plan::Value v);
// A load of which each lane has a place of its own, or a guard.
bool is_each(const LaneLayout& lanes, const plan::Load& load);

inline bool is_one(const plan::Num* by) { return by && by->param < 0 && by->value == 1; }

}  // namespace weft::emit::cpu
