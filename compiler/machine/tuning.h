// The numbers that were measured rather than derived, in one table: docs/tuning.md lists it. Facts that follow
// from what a machine is stand in machine.h, questions that fusion and schedules both ask in feasible.h. A
// number that one schedule alone looks at, for one dtype or one width, stands in its file beside the reason.
//
// A row: the constant's name, type, value and unit, when it was found, what it says, and the fact of the machine
// that it follows from. The groups name the machine that rows were measured on, and the command that repeats it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// clang-format off

// ---- schedules for CPUs
#define WEFT_TUNING_OF_CPU_SCHEDULES(X)                                                                        \
  X(kManyTotalledRows, int64_t, 256, "rows", "2026-11-22", "that are totalled across, at least, make tasks of 16 rows and more", "fixed: order of sums") \
  X(kMostTotalledRows, int64_t, 64, "rows", "2026-11-22", "that a task totals across, at most, and as many tasks where there are many rows", "fixed: order of sums") \
  X(kFewTotalledRows, int64_t, 16, "rows", "2026-11-22", "the same where there are few", "fixed: order of sums")                       \
  X(kFewestTotalledRows, int64_t, 4, "rows", "2026-11-22", "that a task totals across, at least", "fixed: order of sums")              \
  X(kFewestLightRows, int64_t, 8, "rows", "2026-11-22", "the same of light bodies, which read and write little but totals", "fixed: order of sums") \
  X(kRepeatedBesideScratch, float, 6, "multiply-adds", "2026-11-21",                                           \
    "of a value, at most, that each sweep computes again where others stay in scratch", "first-level cache")                        \
  X(kPartElements, int64_t, 1 << 16, "elements", "2026-11-21",                                                 \
    "a part of a split row; fixed, so that results do not depend on the number of threads", "fixed: order of sums")                    \
  X(kPartBytes, int64_t, 1 << 16, "bytes", "2026-11-23",                                                       \
    "a part of points whose few elements are totalled, each by itself", "fixed: order of sums")                                        \
  X(kTaskBytes, int64_t, 1 << 16, "bytes", "2026-11-21", "of traffic of a task of a map, about", "second-level cache")             \
  X(kFewestOfTask, int64_t, 1024, "elements", "2026-11-21", "of such a task, at least", "cost of a task")                        \
  X(kMostOfTask, int64_t, 16384, "elements", "2026-11-21", "the same, at most", "first-level cache")                                \
  X(kTasksOfLanes, int64_t, 64, "tasks", "2026-11-27", "of a loop that walks along slices: its lanes are work for many threads", "cost of a task") \
  X(kPointsAcross, int64_t, 128, "points", "2026-11-21", "of a task of a map that reads along another axis than its lanes'", "first-level cache") \
  X(kWidthOfTiles, int64_t, 512, "elements", "2026-11-21", "along the lanes of such a task that transposes squares, at most", "second-level cache") \
  X(kWidthAcross, int64_t, 64, "elements", "2026-11-21", "the same where it does not", "first-level cache")                         \
  X(kWorkOfRows, float, 4096, "multiply-adds", "2026-11-21", "of short rows that one task takes, about", "cost of a task")       \
  X(kMostRowsOfTask, int64_t, 64, "rows", "2026-11-21", "of a task, at most", "cost of a task")                                  \
  X(kPointsThatSplit, int64_t, 64, "points", "2026-11-21", "of so many no row is split", "fixed: order of sums")                       \
  X(kPointsThatSplitScans, int64_t, 16, "points", "2026-11-21", "the same where rows are scanned, which reads them twice", "fixed: order of sums") \
  X(kMostParts, int64_t, 4096, "parts", "2026-11-21", "of a row, at most", "fixed: order of sums")                                     \
  X(kWideBlock, int64_t, 4096, "columns", "2026-11-21", "of a task, at most, where tasks are enough", "second-level cache")          \
  X(kNarrowBlock, int64_t, 1024, "columns", "2026-11-21", "the same where they are not", "second-level cache")                       \
  X(kWideScan, int64_t, 1024, "columns", "2026-11-21", "of a task that scans, at most, where tasks are enough", "first-level cache") \
  X(kNarrowScan, int64_t, 512, "columns", "2026-11-21", "the same where they are not", "first-level cache")                         \
  X(kBlocksOfColumns, int64_t, 16, "tasks", "2026-11-21", "are enough", "cost of a task")                                        \
  X(kRowsOfPart, int64_t, 64, "rows", "2026-11-21", "of a part of columns, at least", "fixed: order of sums")                          \
  X(kPartsOfColumns, int64_t, 64, "parts", "2026-11-21", "of columns, at most", "fixed: order of sums")                                \
  X(kWorthAThread, int64_t, 160'000, "units of work", "2026-11-21",                                            \
    "pay for waking a thread; a unit is a multiply-add of a lane, a byte of traffic half of one", "cost of waking threads")              \
  X(kCostOfByte, float, 0.5f, "multiply-adds", "2026-11-21", "a byte of memory traffic, in those of a lane", "bandwidth, multiply-adds")   \
  X(kStreamedRow, int64_t, 8192, "elements", "2026-11-24",                                                     \
    "shortest reduced row whose stores pass the cache though it does not fill its lines", "bandwidth")                      \
  X(kStreamedMapRow, int64_t, 1 << 16, "elements", "2026-11-24", "the same for a row of a map", "bandwidth")                \
  X(kStreamedAnyway, int64_t, 256, "elements", "2026-11-21",                                                   \
    "from so many on a streamed row is worth more than masks", "cost of a task")                                                 \
  X(kKeptElements, int64_t, 4096, "elements", "2026-11-21", "of short rows, fit the first-level cache", "first-level cache")        \
  X(kCostOfEnds, double, 200, "bytes", "2026-11-21", "what the ends of a run along the lanes cost", "cost of a task")            \
  X(kTimeOfCall, double, 30, "ns", "2026-11-21", "a call of the span for a row of a map", "cost of a task")                      \
  X(kTimeOfMaskedCall, double, 2.7, "ns", "2026-11-21", "the same with masks", "cost of a task")                                 \
  X(kTimeOfNear, double, 0.37, "ns", "2026-11-21", "an element gathered from a line that its neighbours use", "gather")  \
  X(kTimeOfFar, double, 1.5, "ns", "2026-11-21", "an element gathered from a line of its own", "gather")                 \
  X(kTimeOfByte, double, 0.015, "ns", "2026-11-21", "a byte of a contiguous run", "bandwidth")                              \
  X(kNear, int64_t, 192, "bytes", "2026-11-21", "apart, two lanes still share lines of memory", "cache line")                \
  X(kMaskedRow, int64_t, 2048, "elements", "2026-11-21", "longest row of a map that is one call with masks", "cost of a task")   \
  X(kMaskedReducedRow, int64_t, 8192, "elements", "2026-11-22", "the same for a row that is reduced", "cost of a task")          \
  X(kAlignedRow, int64_t, 192, "bytes", "2026-11-22",                                                          \
    "shortest row that gains more from whole lines than a step to them costs", "cache line")                                 \
  X(kLightBody, float, 6, "multiply-adds", "2026-11-22", "of an element, let a body run on four vectors", "vector width and registers")      \
  X(kMediumBody, float, 24, "multiply-adds", "2026-11-22", "the same on two vectors", "vector width and registers")                           \
  X(kVectorsWorthJoins, int64_t, 32, "vectors", "2026-11-22", "of a row, at least, that runs on more than two at once and joins them at its end", "fixed: order of sums") \
  X(kWideRow, int64_t, 4096, "bytes", "2026-11-21",                                                            \
    "rows of fewer, whose columns are reduced, are read in order for the prefetchers' sake", "prefetchers")                   \
  X(kNarrowRowBytes, int64_t, 256, "bytes", "2026-11-21", "of rows of fewer, several are read together", "prefetchers")       \
  X(kFeelsItsEnd, int64_t, 1 << 16, "bytes", "2026-11-22", "rows of more do not feel what happens at ends", "second-level cache")    \
  X(kTinyRow, int64_t, 16, "elements", "2026-11-21", "at most, are done one after another, across rows", "cost of a task")       \
  X(kUnrolledWork, float, 330, "multiply-adds", "2026-11-21", "of all elements of a tiny row, at most", "compiler's time")        \
  X(kTotalledWork, float, 660, "multiply-adds", "2026-11-23",                                                  \
    "the same where each is totalled across rows, which masks are slower at", "compiler's time")                                  \
  X(kShufflesOfSweep, double, 6, "shuffles", "2026-11-21", "take as long as a sweep of a row", "vector width and registers")                 \
  X(kShufflesOfJoin, double, 4.5, "shuffles", "2026-11-21", "take as long as joining the lanes of a sum", "vector width and registers")      \
  X(kGatheredRow, int64_t, 7, "elements", "2026-11-21",                                                        \
    "at most, cost less to gather across rows than a row with masks", "gather")                                          \
  X(kFewColumns, int64_t, 8, "columns", "2026-11-23", "fewer are each reduced with lanes of their own", "vector width and registers")        \
  X(kFoldedVectors, int64_t, 128, "vectors", "2026-11-21",                                                     \
    "of a call; a masked row that is reduced has no more", "fixed: order of sums")                                                     \
  X(kNarrowTerms, int64_t, 16, "terms", "2026-11-22",                                                          \
    "of a lane, added up in their own dtype before they join a wider sum, as in NumPy's pairwise sums", "fixed: order of sums")

// ---- what C++ for CPUs looks like
#define WEFT_TUNING_OF_CPU_TEXT(X)                                                                             \
  X(kMostWindow, int64_t, 1 << 17, "bytes", "2026-11-23",                                                      \
    "longer rows have their vectors looked at one by one for what is mapped", "page")                                  \
  X(kMostNeighbours, int64_t, 8, "elements", "2026-11-22", "of a run; longer ones have more to deal than they spare", "vector width and registers") \
  X(kWorkOfMasks, float, 40, "multiply-adds", "2026-11-21", "of a lane, beside which masks cost nothing", "vector width and registers")      \
  X(kCountedVectors, int64_t, 8, "vectors", "2026-11-22", "of a row, at most, are counted in its text", "compiler's time")        \
  X(kCountedWork, float, 64, "multiply-adds", "2026-11-22", "of all of these, at most: Clang writes each out", "compiler's time") \
  X(kFinishedTogether, int64_t, 512, "elements", "2026-11-21", "of a row, whose parts one task joins", "cost of a task")         \
  X(kRowsOfSpan, int, 8, "rows", "2026-11-21", "read at once, as many streams as prefetchers follow", "prefetchers")          \
  X(kRowOfDirectCalls, int64_t, 1024, "elements", "2026-11-21", "longer rows do not feel the walk between sweeps", "cost of a task")

// ---- schedules for GPUs
#define WEFT_TUNING_OF_CUDA_SCHEDULES(X)                                                                       \
  X(kThreadsPerProcessor, int64_t, 2048, "threads", "2026-11-21", "keep a multiprocessor's memory busy", "resident threads")       \
  X(kKeptBytes, int64_t, 256, "bytes", "2026-11-21", "of a row, at most, stay in a thread's registers", "registers of a thread")        \
  X(kMostUnrolled, int64_t, 2048, "statements", "2026-11-21", "of an unrolled body; more compile slowly and spill", "compiler's time") \
  X(kThreads, int, 256, "threads", "2026-11-21", "of a block", "resident threads")                                                 \
  X(kThreadsOfRows, int, 128, "threads", "2026-11-21", "of a block of several rows", "resident threads")                           \
  X(kInFlight, int64_t, 64, "bytes", "2026-11-21", "that a thread of a row should ask for at once", "memory latency, bandwidth")            \
  X(kKeptOfManyThreads, int64_t, 64, "bytes", "2026-11-21", "a thread that keeps no more is one of 1024 of a multiprocessor", "resident threads") \
  X(kRowBytes, int64_t, 64, "bytes", "2026-11-21", "in flight in a thread that goes on to fold them", "memory latency, bandwidth")          \
  X(kPointBytes, int64_t, 16, "bytes", "2026-11-21", "in flight in a thread that goes on to nothing else", "memory latency, bandwidth")     \
  X(kJoinBytes, int64_t, 40 << 10, "bytes", "2026-11-21", "of static shared memory that joins take, at most", "shared memory")  \
  X(kRunElements, int, 128, "elements", "2026-11-21", "added up in their own dtype lose nothing that matters", "fixed: order of sums") \
  X(kKeepingBlocks, int64_t, 3, "blocks", "2026-11-21",                                                        \
    "of a multiprocessor with a part of a row in shared memory hide each other's waiting", "shared memory")                     \
  X(kStepsAlone, int64_t, 2048, "steps", "2026-11-22", "of a thread, at most, of a row that one block reads", "memory latency, bandwidth")  \
  X(kLittleKept, int64_t, 32, "bytes", "2026-11-22", "a thread that keeps no more waits for its block's rows", "memory latency, bandwidth") \
  X(kManyOfAVector, int, 8, "lanes", "2026-11-22", "from which on light odd rows get 64 registers a thread", "registers of a thread")   \
  X(kLightFold, float, 4, "multiply-adds", "2026-11-22", "of an op, at most, where little is computed of a row", "registers of a thread") \
  X(kManyThreads, int64_t, 256, "threads", "2026-11-22", "of a row, of which half may be enough", "resident threads")              \
  X(kThreadsOfHalves, int64_t, 16, "threads", "2026-11-22", "the same for rows of single halves", "resident threads")              \
  X(kSharersOfFewRows, int64_t, 4, "blocks", "2026-11-22", "of a cluster, at least, share each of few rows", "multiprocessors")   \
  X(kVectorsWorthHalving, int64_t, 2, "vectors", "2026-11-22", "of a thread, above which a cluster is doubled", "memory latency, bandwidth") \
  X(kVectorsOfFewRows, int64_t, 8, "vectors", "2026-11-22", "of a thread, at most, of few rows", "registers of a thread")               \
  X(kVectorsWorthMoreBlocks, int64_t, 4, "vectors", "2026-11-23", "the same where not all blocks run at once", "memory latency, bandwidth") \
  X(kElementsOf64Registers, int64_t, 32, "elements", "2026-11-22", "and what is computed of them", "registers of a thread")             \
  X(kShortestDeviceRow, int64_t, 2048, "vectors", "2026-11-22", "longer ones, of few, take the whole device", "multiprocessors")  \
  X(kRowsOfLargeBlocks, int64_t, 8, "rows", "2026-11-22", "of so few, one block a multiprocessor is enough", "multiprocessors")   \
  X(kElementsAcrossDevice, int64_t, 104, "elements", "2026-11-22", "that a thread keeps of such a row, at most", "registers of a thread") \
  X(kVectorsInCluster, int64_t, 16, "vectors", "2026-11-22", "of a thread, at most, where a cluster reduces a row", "registers of a thread") \
  X(kVectorsAtOnce, int64_t, 8, "vectors", "2026-11-22", "of a thread that takes a row in one step, at most", "registers of a thread")  \
  X(kLookBackThreads, int, 256, "threads", "2026-11-22", "of a block that scans a part of a row", "resident threads")                 \
  X(kBusyColumnThreads, int64_t, 1024, "threads", "2026-11-21", "of a multiprocessor, where accumulators take registers too", "resident threads") \
  X(kAgainThreads, int64_t, 512, "threads", "2026-11-28", "of a multiprocessor, where columns are loaded in each sweep", "resident threads") \
  X(kTurnThreads, int64_t, 512, "threads", "2026-11-22", "of a block that takes strips of columns in turn", "resident threads")    \
  X(kLongColumn, int64_t, 1024, "elements", "2026-11-22", "from which on blocks take strips in turn", "shared memory")          \
  X(kLongSingleColumn, int64_t, 8192, "elements", "2026-11-22", "the same for columns without vectors", "shared memory")        \
  X(kThreadsAcrossTotals, int64_t, 512, "threads", "2026-11-21", "of a block whose rows are totalled across, at most", "resident threads") \
  X(kOtherBytes, int64_t, 160, "bytes", "2026-11-22", "of a thread's registers beside totals and rows", "registers of a thread")        \
  X(kOtherBytesAlone, int64_t, 112, "bytes", "2026-11-22", "the same where a row or a section is a thread's own", "registers of a thread") \
  X(kFewInTurn, int64_t, 4, "rows", "2026-11-23", "that a block takes in turn at least, while all are busy", "memory latency, bandwidth")   \
  X(kSectionThreads, int64_t, 512, "threads", "2026-11-23", "of a block whose rows have sections, at most", "resident threads")    \
  X(kBundledBytes, int64_t, 64, "bytes", "2026-11-22", "of a row, at most, that is one thread's and no multiple of a vector", "shared memory") \
  X(kWidestSharedRow, int64_t, 400, "bytes", "2026-11-22", "of a row that a few threads keep and that passes through shared memory", "shared memory") \
  X(kWidestSharedVectors, int64_t, 256, "bytes", "2026-11-22", "the same for a row of whole vectors", "shared memory")          \
  X(kThreadsOfSharedRow, int64_t, 8, "threads", "2026-11-22", "of such a row, at most", "shared memory")                        \
  X(kElementsOfSharedRow, int64_t, 32, "elements", "2026-11-22", "of each of them, at most", "registers of a thread")                   \
  X(kWorthSharing, int64_t, 200, "statements", "2026-11-22", "of all threads, take as long as another launch", "cost of a launch") \
  X(kWorthLoadingAhead, float, 6, "multiply-adds", "2026-11-22", "of a step of pairs that hides the next one's loads", "memory latency, bandwidth") \
  X(kNarrowRowElements, int64_t, 512, "elements", "2026-11-21", "rows of no more, and no multiples of a vector, are walked as one", "memory sector") \
  X(kRepeatedInRegisters, float, 4, "multiply-adds", "2026-11-21", "of a value, at most, that each sweep computes again where others stay", "registers of a thread") \
  X(kAnyWork, float, 1e30f, "multiply-adds", "2026-11-21", "the same where nothing stays: whatever it costs", "none: whatever it costs") \
  X(kLanesWithoutAccess, int, 4, "lanes", "2026-11-21", "of an axis along which nothing is loaded or stored", "memory sector") \
  X(kVectorsOfRaggedAxis, int64_t, 64, "vectors", "2026-11-21", "of an axis, at least, whose last vector is not full", "memory sector") \
  X(kNarrowElement, int64_t, 8, "bytes", "2026-11-22", "of single elements, at most, instead of which vectors are shifted", "memory sector") \
  X(kNarrowVector, int64_t, 4, "bytes", "2026-11-22", "the same of vectors, and of rows that are walked as one", "memory sector") \
  X(kVectorsOfShiftedLoads, int64_t, 3, "vectors", "2026-11-22", "of an axis, at least, whose vectors are shifted", "memory sector") \
  X(kVectorsOfShiftedStores, int64_t, 16, "vectors", "2026-11-22", "the same where stores are shifted: those at the ends are single ones", "memory sector") \
  X(kMostVectorsInFlight, int64_t, 8, "vectors", "2026-11-21", "of a thread, at most", "memory latency, bandwidth") \
  X(kSmallBody, int64_t, 16, "bodies", "2026-11-21", "of such size, together, may be unrolled where two vectors are in flight beside shared memory", "memory latency, bandwidth") \
  X(kStaticJoins, int64_t, 4 << 10, "bytes", "2026-11-21", "of static shared memory, for joins, beside rows that stay there", "shared memory") \
  X(kColumnJoins, int64_t, 1 << 10, "bytes", "2026-11-21", "the same beside columns", "shared memory") \
  X(kFewestColumns, int64_t, 16, "columns", "2026-11-21", "that threads go down beside each other", "memory sector") \
  X(kRowsOfThread, int64_t, 8, "elements", "2026-11-21", "of a column, at most, that a thread keeps", "registers of a thread") \
  X(kWidestStrip, int64_t, 256, "bytes", "2026-11-21", "of a row of a strip of columns, at most: memory is slower at less", "memory sector") \
  X(kNarrowestStrip, int64_t, 64, "bytes", "2026-11-21", "the same, at least", "memory sector") \
  X(kFewestPointsOfPairs, int64_t, 128, "points", "2026-11-21", "that reduce over the same elements, as pairs", "memory sector") \
  X(kShortestRowOfPairs, int64_t, 64, "elements", "2026-11-21", "that they reduce over, at least", "memory sector") \
  X(kPointsOfPairs, int, 4, "points", "2026-11-21", "of a thread of pairs", "registers of a thread") \
  X(kElementsOfPairs, int, 8, "elements", "2026-11-21", "of a step of pairs; four take 3 % longer on an H200", "registers of a thread") \
  X(kLongCopiedRow, int64_t, 64, "elements", "2026-11-23", "of a row of totals whose next one is copied meanwhile", "memory latency, bandwidth") \
  X(kLongCopiedVectors, int64_t, 16, "vectors", "2026-11-23", "the same in vectors", "memory latency, bandwidth") \
  X(kFewestPointsOfNarrowRows, int64_t, 1024, "points", "2026-11-21", "whose narrow rows are walked as one", "memory sector") \
  X(kLanesOfDivision, int, 4, "lanes", "2026-11-22", "from which on quotients are computed for all elements of a thread at once", "memory latency, bandwidth") \
  X(kWidthOfStencil, int64_t, 32, "vectors", "2026-11-21", "of a row, at least, of a stencil whose threads take several rows", "memory sector") \
  X(kHeightOfStencil, int64_t, 8, "rows", "2026-11-21", "of such a stencil, at least", "memory sector") \
  X(kAcrossStencil, int64_t, 128, "threads", "2026-11-21", "beside each other in such a stencil, at most", "resident threads") \
  X(kRowsOfStencil, int64_t, 4, "rows", "2026-11-21", "of a thread of such a stencil, at most", "registers of a thread") \
  X(kShortestTransposed, int64_t, 32, "elements", "2026-11-21", "along both axes of a transpose, at least", "memory sector") \
  X(kSmallestTile, int64_t, 16, "points", "2026-11-21", "along each side of a tile", "shared memory") \
  X(kLargestTile, int64_t, 64, "points", "2026-11-21", "the same, at most: so it compiles fast", "compiler's time") \
  X(kTileOfFewBlocks, int64_t, 32, "points", "2026-11-21", "the same, at most, where larger ones are two waves of blocks or less", "multiprocessors") \
  X(kBusyWork, float, 3, "multiply-adds", "2026-11-22", "that a GPU does in the time of a byte", "bandwidth, multiply-adds")

// ---- what CUDA C++ looks like
#define WEFT_TUNING_OF_CUDA_TEXT(X)                                                                            \
  X(kThreadsOfJoinedTotals, int, 512, "threads", "2026-11-21", "of a block that joins totals across rows, at most", "resident threads")  \
  X(kMostSpan, int64_t, 6, "rows", "2026-11-21", "that loads of a stencil share; more take too many registers", "registers of a thread") \
  X(kLongShiftedRow, int64_t, 128, "vectors", "2026-11-22", "from which on whole vectors of a shifted row have a branch of their own", "memory sector") \
  X(kManyShiftedLanes, int64_t, 16, "lanes", "2026-11-22", "the same: with 8 and fewer the branch costs more", "memory sector")

// ---- what fusion asks of machines (feasible.cpp)
#define WEFT_TUNING_OF_FEASIBILITY(X)                                                                          \
  X(kPointsOfThreads, int64_t, 16, "points", "2026-11-21", "CPU: keep the threads busy, whatever their number", "fixed: order of sums") \
  X(kShortRow, int64_t, 65536, "elements", "2026-11-21", "CPU: a row of one thread though there are few", "fixed: order of sums")      \
  X(kColumnsOfThread, int64_t, 1024, "columns", "2026-11-23", "CPU: beside each other, are one thread's", "fixed: order of sums")      \
  X(kElementsOfThread, int64_t, 1 << 18, "elements", "2026-11-23", "CPU: of such columns, are too many for one thread", "fixed: order of sums") \
  X(kElementsOfFew, int64_t, 1 << 15, "elements", "2026-11-23", "CPU: the same of columns that are unrolled", "fixed: order of sums")  \
  X(kNarrowestTotals, int64_t, 64, "elements", "2026-11-21", "CPU without masks: shorter rows are better walked beside each other", "cost of a task") \
  X(kLongTotals, int64_t, 1 << 16, "elements", "2026-11-23", "CPU: rows of more take 128 of them to be totalled across", "fixed: order of sums") \
  X(kFewestRowsOfTotals, int64_t, 64, "rows", "2026-11-23", "CPU: fewer are not totalled across", "fixed: order of sums")              \
  X(kFewestLongRowsOfTotals, int64_t, 128, "rows", "2026-11-23", "CPU: the same where rows are long", "fixed: order of sums")          \
  X(kShortestSection, int64_t, 64, "elements", "2026-11-23", "CPU without masks: repay a call of their own", "cost of a task")   \
  X(kShortestMaskedSection, int64_t, 16, "elements", "2026-11-23", "CPU with masks: the same", "cost of a task")                 \
  X(kLongestRow, int64_t, 262144, "words", "2026-11-22", "CUDA: of a row that a cluster's shared memory keeps", "shared memory") \
  X(kLongestColumn, int64_t, 16384, "elements", "2026-11-21", "CUDA: of a column that it keeps", "shared memory")               \
  X(kLongestOfBlock, int64_t, 8192, "elements", "2026-11-22", "CUDA: of a row that one block walks, for a scan or for want of clusters", "shared memory") \
  X(kMostSectors, int64_t, 20 << 20, "bytes", "2026-11-22", "CUDA: of sectors that are read in less time than kernels for strips are launched", "cost of a launch") \
  X(kTotalsOfBlock, int64_t, 128 << 10, "bytes", "2026-11-22", "CUDA: of totals that a block alone keeps in registers", "registers of a thread") \
  X(kTotalsOfCluster, int64_t, 1 << 20, "bytes", "2026-11-22", "CUDA: the same of the largest cluster", "registers of a thread")        \
  X(kTurnsOfClusters, int64_t, 3, "turns", "2026-11-23", "CUDA: from which on clusters with many blocks are worth their turns", "multiprocessors") \
  X(kFewBlocksOfCluster, int64_t, 4, "blocks", "2026-11-23", "CUDA: of a cluster that is worth it anyway", "multiprocessors")     \
  X(kSectionsOfBlock, int64_t, 16, "sections", "2026-11-23", "CUDA: of a row that a block's threads share out, at most", "multiprocessors") \
  X(kBlocksOfSections, int64_t, 8, "blocks", "2026-11-23", "CUDA: of a cluster that shares out sections, at most", "multiprocessors") \
  X(kSectionBytes, int64_t, 64 << 10, "bytes", "2026-11-23", "CUDA: of sections that a block has registers for", "registers of a thread") \
  X(kFewestSectionBytes, int64_t, 1536, "bytes", "2026-11-23", "CUDA: of sections that repay the start of a block", "cost of a launch") \
  X(kFewestClusterBytes, int64_t, 4096, "bytes", "2026-11-23", "CUDA: the same in a cluster", "cost of a launch")                  \
  X(kBusyAnyway, int64_t, 1 << 20, "bytes", "2026-11-23", "CUDA: of data so small that half the device may be idle", "multiprocessors") \
  X(kBlocksThatNeedNotRepay, int64_t, 16, "blocks", "2026-11-23", "CUDA: of a multiprocessor, at most, in all", "multiprocessors")

// ---- what fusion repeats and stores
#define WEFT_TUNING_OF_FUSION(X)                                                                               \
  X(kCostOfScan, float, 8, "multiply-adds", "2026-11-21", "of a scanned element that a later sweep would compute again", "bandwidth, multiply-adds") \
  X(kRepeatedWork, float, 16, "multiply-adds", "2026-11-21", "an element that may be repeated before a value is stored", "bandwidth, multiply-adds") \
  X(kSharedWork, float, 60, "multiply-adds", "2026-11-21", "the same for a value that several kernels need", "bandwidth, multiply-adds")   \
  X(kSpreadWork, float, 36, "multiply-adds", "2026-11-22", "the same for a value of few elements that is repeated along the last axis", "bandwidth, multiply-adds") \
  X(kComplexWork, float, 4, "times", "2026-11-22", "of a complex op, in real ones", "bandwidth, multiply-adds")                            \
  X(kPartWork, float, 1, "multiply-adds", "2026-11-21", "of a concat or pad, an element", "bandwidth, multiply-adds")                      \
  X(kGatherWork, float, 6, "multiply-adds", "2026-11-23", "of an element that a CPU reads from a place of its own", "gather") \
  X(kSpreadOfMany, float, 3, "multiply-adds", "2026-11-23", "CPU: of a value of few elements that is stored sooner", "bandwidth, multiply-adds") \
  X(kSparedInAll, float, 1 << 19, "multiply-adds", "2026-11-23", "CPU: that storing it has to spare in all", "bandwidth, multiply-adds")   \
  X(kSmallLoops, int64_t, 1 << 16, "elements", "2026-11-21", "of loops that take less time than to start a kernel", "cost of a task") \
  X(kLoopsOfOneLaunch, int64_t, 1 << 19, "elements", "2026-11-23", "of loops that take no longer than that beside each other", "cost of a task") \
  X(kTotalsInRegisters, size_t, 16, "totals", "2026-11-23", "of a kernel; of 160,000 f64 in cache 16 sums took 11 us each and 64 took 22", "first-level cache") \
  X(kSmallSiblings, size_t, 8, "roots", "2026-11-21", "over small arrays in one kernel, at most", "cost of a task")

// ---- passes over graphs
#define WEFT_TUNING_OF_PASSES(X)                                                                               \
  X(kFewTerms, int64_t, 4, "terms", "2026-11-22", "of a product's sums, at most, make it a map", "vector width and registers")               \
  X(kLongRow, int64_t, 64, "elements", "2026-11-22", "of its rows, at least: along shorter ones no vector is filled", "vector width and registers") \
  X(kFewestJoined, size_t, 4, "vectors", "2026-11-22", "that one matrix multiplies become a matrix: for fewer packing costs more", "vector width and registers") \
  X(kFewElements, int64_t, 32, "elements", "2026-11-23", "of a sum, at most, are written out where others compare them", "vector width and registers") \
  X(kLargestText, int64_t, 256, "real additions", "2026-11-23", "of all of these together, at most", "compiler's time")           \
  X(kWorthACopy, size_t, 8, "updates", "2026-11-21", "in a chain are written into a copy of what it starts from", "bandwidth, multiply-adds") \
  X(kWorthOrdering, size_t, 2, "updates", "2026-11-21", "that become writes in place are worth an order of reads and writes", "bandwidth, multiply-adds") \
  X(kLargeValue, int64_t, 1 << 12, "elements", "2026-11-21", "of a value, at least, whose update is worth a kernel of its own", "bandwidth, multiply-adds") \
  X(kSmallUpdate, int64_t, 2, "times", "2026-11-21", "such an update, or a copy of new elements, goes into the whole", "bandwidth, multiply-adds") \
  X(kMostTests, size_t, 8, "tests", "2026-11-24", "an element, at most, where updates are choices in the kernels of what reads them", "bandwidth, multiply-adds") \
  X(kPartOfInterleaved, int64_t, 8, "elements", "2026-11-24", "of which one is written, at least, where all are passed over for it", "bandwidth, multiply-adds") \
  X(kWorkOfUnwritten, float, 8, "multiply-adds", "2026-11-24", "an element, at most, of what is computed for those that are not written, too", "bandwidth, multiply-adds") \
  X(kMostUnwritten, float, 1 << 16, "multiply-adds", "2026-11-29", "CPU: that are computed for elements of rows that are written in part, at most", "bandwidth, multiply-adds") \
  X(kWidestConcat, size_t, 32, "parts", "2026-11-21", "of a concat; more become a concat of concats", "compiler's time")          \
  X(kScattered, int64_t, 8, "elements", "2026-11-22", "that are read in order while one is that is not", "gather")       \
  X(kSpread, int64_t, 4, "times", "2026-11-21", "that each element is computed, at most, before its value is stored", "bandwidth, multiply-adds") \
  X(kShortestLoop, int64_t, 32, "elements", "2026-11-22", "that are worth a loop of their own for lanes", "cost of a task")      \
  X(kOrderedStore, int64_t, 1 << 20, "bytes", "2026-11-22", "CUDA: moved while a row of a scatter is stored in order", "cost of a launch") \
  X(kLaunch, int64_t, 16 << 20, "bytes", "2026-11-22", "CUDA: moved in the time of the launches that store without an order", "cost of a launch")

// clang-format on

namespace weft::tuning {

#define WEFT_TUNED(name, type, value, unit, since, what, from) inline constexpr type name = value;
WEFT_TUNING_OF_CPU_SCHEDULES(WEFT_TUNED)
WEFT_TUNING_OF_CPU_TEXT(WEFT_TUNED)
WEFT_TUNING_OF_CUDA_SCHEDULES(WEFT_TUNED)
WEFT_TUNING_OF_CUDA_TEXT(WEFT_TUNED)
WEFT_TUNING_OF_FEASIBILITY(WEFT_TUNED)
WEFT_TUNING_OF_FUSION(WEFT_TUNED)
WEFT_TUNING_OF_PASSES(WEFT_TUNED)
#undef WEFT_TUNED

struct Row {
  std::string_view name;
  double value;
  std::string_view unit, since, what;
  std::string_view from;  // the fact of the machine that it follows from, as docs/tuning.md explains
};

struct Group {
  std::string_view title, measured_on, measured_again_by;
  std::span<const Row> rows;
};

// The whole table.
std::span<const Group> table();

// docs/tuning.md's tables.
std::string markdown();

}  // namespace weft::tuning
