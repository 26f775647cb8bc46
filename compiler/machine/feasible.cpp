#include "compiler/machine/feasible.h"

#include <algorithm>

#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::machine {

using namespace tuning;

namespace {

// All blocks of the device share its few rows. They keep them in registers, or read them again from the
// cache, and tell each other what they found.
bool device_walks(int64_t points, int64_t row, DType dtype, const Target& target) {
  const auto bytes = static_cast<int64_t>(size_of(dtype)),
             most = static_cast<int64_t>(target.cache_bytes) / 4 * 3;
  return has_clusters(target) && has_few(points, target) &&
         row <= most / (bytes * std::max<int64_t>(points, 1));
}

// Columns that lie beside each other count, too. A sector of memory holds elements of several of them, and is
// read for each. That is worth it while it takes less time than to launch the kernels that would read strips.
bool device_walks_columns(int64_t points, int64_t row, DType dtype, const Target& target) {
  const auto bytes = static_cast<int64_t>(size_of(dtype));
  return device_walks(points, row, dtype, target) && row > kLongestColumn && points * bytes < kCudaLine &&
         row * points * bytes * std::min(points, kSector / bytes) <= kMostSectors;
}

}  // namespace

bool row_is_local(int64_t points, int64_t row, bool scanned, const Target& target, int64_t words) {
  if (!is_gpu(target)) return points >= kPointsOfThreads || row <= kShortRow;
  const bool clusters = !scanned && has_clusters(target);
  return points >= target.threads / 2 || (clusters ? row * words <= kLongestRow : row <= kLongestOfBlock);
}

// Rows and columns that are too long to stay on the chip are read again, which takes more of them: columns
// lie beside each other in strips.
bool row_is_local(const RowLoop& w, DType dtype, const Target& target) {
  if (!is_gpu(target) && w.columns && !w.scans && w.points <= kColumnsOfThread &&
      w.points * w.row >= (unrolls_columns(w.points, target) ? kElementsOfFew : kElementsOfThread))
    return false;
  if (is_gpu(target) && !w.scans &&
      (w.columns ? device_walks_columns : device_walks)(w.points, w.row, dtype, target))
    return true;
  if (is_gpu(target) && w.row > (w.columns ? kLongestColumn : kLongestRow) &&
      w.points < (w.columns ? 32 : 2) * int64_t{target.threads})
    return false;
  return row_is_local(w.points, w.row, w.scans, target,
                      std::max<int64_t>(static_cast<int64_t>(size_of(dtype)) / 4, 1));
}

bool unrolls_columns(int64_t columns, const Target& cpu) { return has_masks(cpu) && columns < kFewColumns; }

bool has_few(int64_t rows, const Target& cuda) { return rows * 4 <= cuda.threads; }

int64_t widest_totals(int64_t bytes, const Target& cuda) {
  return (has_clusters(cuda) ? kTotalsOfCluster : kTotalsOfBlock) / std::max<int64_t>(bytes, 1);
}

bool are_few_for_clusters(int64_t points, int64_t elements, int64_t widest, const Target& cuda) {
  constexpr int64_t kResident = 2;
  const int64_t blocks = elements * 2 * kLargestCluster / widest;  // with as much of a row as of its totals
  const int64_t at_once = running_in_clusters(cuda.threads * kResident) / std::max<int64_t>(blocks, 1);
  return has_clusters(cuda) && blocks > kFewBlocksOfCluster && points > at_once &&
         points < kTurnsOfClusters * at_once;
}

// To start a block takes as long as to read some of the row again.
bool repays_sections(int64_t points, int64_t sections, int64_t bytes, const Target& cuda) {
  for (int64_t blocks = 1; blocks <= (has_clusters(cuda) ? kBlocksOfSections : 1); ++blocks) {
    const int64_t beside = sections / blocks, all = points * blocks;
    if (sections % blocks != 0 || beside > kSectionsOfBlock || beside * bytes > kSectionBytes) continue;
    const bool busy = all * 2 >= cuda.threads || points * sections * bytes <= kBusyAnyway;
    const int64_t fewest = all <= kBlocksThatNeedNotRepay * cuda.threads ? 0
                           : blocks > 1                                  ? kFewestClusterBytes
                                                                         : kFewestSectionBytes;
    if (busy && beside * bytes >= fewest) return true;
  }
  return false;
}

int64_t narrowest_totals(const Target& cpu) { return has_masks(cpu) ? 2 : kNarrowestTotals; }

int64_t shortest_section(const Target& cpu) {
  return has_masks(cpu) ? kShortestMaskedSection : kShortestSection;
}

int64_t fewest_rows_of_totals(int64_t elements) {
  return elements > kLongTotals ? kFewestLongRowsOfTotals : kFewestRowsOfTotals;
}

}  // namespace weft::machine
