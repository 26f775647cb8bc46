// One function for each shape of a CUDA schedule: the program as the shape wants it and the schedule, or
// nothing where another shape does better. The list says in which order schedule_cuda() asks them.
#pragma once

#include <optional>
#include <string>

#include "compiler/plan/plan.h"
#include "compiler/plan/schedule/cuda/cuda_schedule.h"
#include "compiler/plan/schedule/cuda/facts.h"

namespace weft::plan::cuda {

struct Scheduled {
  RowProgram program;
  CudaSchedule schedule;
};
using Choice = std::optional<Scheduled>;

// clang-format off
// Of each walk in the order in which they are asked; the last one of a walk always answers.
#define WEFT_CUDA_SHAPES(X)                                                          \
  X(Points, tiles)              /* transposes */                                     \
  X(Points, maps)               /* all others, and stencils */                       \
                                                                                     \
  X(OrderedColumns, ordered_columns)                                                 \
  X(Totals, totals)                                                                  \
  X(Sections, sections)                                                              \
  X(Pairs, pairs)                                                                    \
                                                                                     \
  X(Columns, one_sweep_columns) /* nothing crosses sweeps */                         \
  X(Columns, register_columns)  /* of a few elements: a thread's */                  \
  X(Columns, turn_columns)      /* long ones, many strips: while the next is copied */ \
  X(Columns, shared_columns)    /* as long as shared memory has room for */          \
  X(Columns, columns_loaded_again)                                                   \
                                                                                     \
  X(Rows, few_rows)             /* too few for the device: of clusters, in registers */ \
  X(Rows, device_rows)          /* longer ones: of all blocks, in registers */       \
  X(Rows, bundled_rows)         /* short odd ones, one behind the other */           \
  X(Rows, register_rows)        /* of a block or a part of it, in registers */       \
  X(Rows, look_back_rows)       /* long scans */                                     \
  X(Rows, one_sweep_rows)       /* nothing crosses sweeps */                         \
  X(Rows, shared_rows)          /* in shared memory, of a block or a cluster */      \
  X(Rows, rows_loaded_again)
// clang-format on

#define WEFT_CUDA_SHAPE(walk, name) Choice choose_##name(const RowProgram& program, const Facts& facts);
WEFT_CUDA_SHAPES(WEFT_CUDA_SHAPE)
#undef WEFT_CUDA_SHAPE

// ---- what several of them ask

// Threads of a row, and vectors of each in flight, where the row does not stay in their registers.
struct RowThreads {
  int threads = 1, vectors = 1;
  bool alone = false;  // a block of its own reads a row in less time than several take to join their parts
};
RowThreads threads_of_row(const RowProgram& program, const Facts& facts);

// Vectors of a row.
int64_t vectors_of_row(const RowProgram& program, const Vectors& vectors);

// As many blocks for a row as run at once, where each thread has a vector to take; one: none are needed.
struct DeviceShare {
  int64_t blocks = 1, threads = 1, vectors = 1, resident = 1;  // vectors: of a thread
};
DeviceShare share_device(const Facts& facts, int64_t row_vectors, int64_t points, bool in_registers);

// Stores of large arrays pass the cache by.
inline Caching caching_by_size(const Facts& facts) {
  return facts.large ? Caching::Streaming : Caching::Plain;
}

// Threads of a block whose rows have so many each.
int block_of_rows(int threads);
// A schedule of rows, of `block` threads in a block. `where` says for people where rows stay.
CudaSchedule schedule_of_rows(const Facts& facts, const Shape& shape, int block, const std::string& where);

// Vectors along the axis of columns, so few that the joins of a block's threads find room.
Vectors vectors_of_columns(const RowProgram& program, const Facts& facts);

}  // namespace weft::plan::cuda
