// The numbers that were measured rather than derived, in one table: docs/tuning.md lists it. Facts that follow
// from what a machine is stand in machine.h, questions that fusion and schedules both ask in feasible.h. A
// number that one schedule alone looks at, for one dtype or one width, stands in its file beside the reason.
//
// A row: the constant's name, type, value and unit, when it was found, and what it says. The groups below
// name the machine that its rows were measured on, and the command that measures them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// clang-format off

// ---- schedules for CPUs
#define WEFT_TUNING_OF_CPU_SCHEDULES(X)                                                                        \
  X(kManyTotalledRows, int64_t, 256, "rows", "2026-11-22", "that are totalled across, at least, make tasks of 16 rows and more") \
  X(kMostTotalledRows, int64_t, 64, "rows", "2026-11-22", "that a task totals across, at most, and as many tasks where there are many rows") \
  X(kFewTotalledRows, int64_t, 16, "rows", "2026-11-22", "the same where there are few")                       \
  X(kFewestTotalledRows, int64_t, 4, "rows", "2026-11-22", "that a task totals across, at least")              \
  X(kFewestLightRows, int64_t, 8, "rows", "2026-11-22", "the same of light bodies, which read and write little but totals") \
  X(kRepeatedBesideScratch, float, 6, "multiply-adds", "2026-11-21",                                           \
    "of a value, at most, that each sweep computes again where others stay in scratch")                        \
  X(kPartElements, int64_t, 1 << 16, "elements", "2026-11-21",                                                 \
    "a part of a split row; fixed, so that results do not depend on the number of threads")                    \
  X(kPartBytes, int64_t, 1 << 16, "bytes", "2026-11-23",                                                       \
    "a part of points whose few elements are totalled, each by itself")                                        \
  X(kTaskBytes, int64_t, 1 << 16, "bytes", "2026-11-21", "of traffic of a task of a map, about")             \
  X(kFewestOfTask, int64_t, 1024, "elements", "2026-11-21", "of such a task, at least")                        \
  X(kMostOfTask, int64_t, 16384, "elements", "2026-11-21", "the same, at most")                                \
  X(kTasksOfLanes, int64_t, 64, "tasks", "2026-11-27", "of a loop that walks along slices: its lanes are work for many threads") \
  X(kPointsAcross, int64_t, 128, "points", "2026-11-21", "of a task of a map that reads along another axis than its lanes'") \
  X(kWidthOfTiles, int64_t, 512, "elements", "2026-11-21", "along the lanes of such a task that transposes squares, at most") \
  X(kWidthAcross, int64_t, 64, "elements", "2026-11-21", "the same where it does not")                         \
  X(kWorkOfRows, float, 4096, "multiply-adds", "2026-11-21", "of short rows that one task takes, about")       \
  X(kMostRowsOfTask, int64_t, 64, "rows", "2026-11-21", "of a task, at most")                                  \
  X(kPointsThatSplit, int64_t, 64, "points", "2026-11-21", "of so many no row is split")                       \
  X(kPointsThatSplitScans, int64_t, 16, "points", "2026-11-21", "the same where rows are scanned, which reads them twice") \
  X(kMostParts, int64_t, 4096, "parts", "2026-11-21", "of a row, at most")                                     \
  X(kWideBlock, int64_t, 4096, "columns", "2026-11-21", "of a task, at most, where tasks are enough")          \
  X(kNarrowBlock, int64_t, 1024, "columns", "2026-11-21", "the same where they are not")                       \
  X(kWideScan, int64_t, 1024, "columns", "2026-11-21", "of a task that scans, at most, where tasks are enough") \
  X(kNarrowScan, int64_t, 512, "columns", "2026-11-21", "the same where they are not")                         \
  X(kBlocksOfColumns, int64_t, 16, "tasks", "2026-11-21", "are enough")                                        \
  X(kRowsOfPart, int64_t, 64, "rows", "2026-11-21", "of a part of columns, at least")                          \
  X(kPartsOfColumns, int64_t, 64, "parts", "2026-11-21", "of columns, at most")                                \
  X(kWorthAThread, int64_t, 160'000, "units of work", "2026-11-21",                                            \
    "pay for waking a thread; a unit is a multiply-add of a lane, a byte of traffic half of one")              \
  X(kCostOfByte, float, 0.5f, "multiply-adds", "2026-11-21", "a byte of memory traffic, in those of a lane")   \
  X(kStreamedRow, int64_t, 8192, "elements", "2026-11-24",                                                     \
    "shortest reduced row whose stores pass the cache though it does not fill its lines")                      \
  X(kStreamedMapRow, int64_t, 1 << 16, "elements", "2026-11-24", "the same for a row of a map")                \
  X(kStreamedAnyway, int64_t, 256, "elements", "2026-11-21",                                                   \
    "from so many on a streamed row is worth more than masks")                                                 \
  X(kKeptElements, int64_t, 4096, "elements", "2026-11-21", "of short rows, fit the first-level cache")        \
  X(kCostOfEnds, double, 200, "bytes", "2026-11-21", "what the ends of a run along the lanes cost")            \
  X(kTimeOfCall, double, 30, "ns", "2026-11-21", "a call of the span for a row of a map")                      \
  X(kTimeOfMaskedCall, double, 2.7, "ns", "2026-11-21", "the same with masks")                                 \
  X(kTimeOfNear, double, 0.37, "ns", "2026-11-21", "an element gathered from a line that its neighbours use")  \
  X(kTimeOfFar, double, 1.5, "ns", "2026-11-21", "an element gathered from a line of its own")                 \
  X(kTimeOfByte, double, 0.015, "ns", "2026-11-21", "a byte of a contiguous run")                              \
  X(kNear, int64_t, 192, "bytes", "2026-11-21", "apart, two lanes still share lines of memory")                \
  X(kMaskedRow, int64_t, 2048, "elements", "2026-11-21", "longest row of a map that is one call with masks")   \
  X(kMaskedReducedRow, int64_t, 8192, "elements", "2026-11-22", "the same for a row that is reduced")          \
  X(kAlignedRow, int64_t, 192, "bytes", "2026-11-22",                                                          \
    "shortest row that gains more from whole lines than a step to them costs")                                 \
  X(kLightBody, float, 6, "multiply-adds", "2026-11-22", "of an element, let a body run on four vectors")      \
  X(kMediumBody, float, 24, "multiply-adds", "2026-11-22", "the same on two vectors")                           \
  X(kVectorsWorthJoins, int64_t, 32, "vectors", "2026-11-22", "of a row, at least, that runs on more than two at once and joins them at its end") \
  X(kWideRow, int64_t, 4096, "bytes", "2026-11-21",                                                            \
    "rows of fewer, whose columns are reduced, are read in order for the prefetchers' sake")                   \
  X(kNarrowRowBytes, int64_t, 256, "bytes", "2026-11-21", "of rows of fewer, several are read together")       \
  X(kFeelsItsEnd, int64_t, 1 << 16, "bytes", "2026-11-22", "rows of more do not feel what happens at ends")    \
  X(kTinyRow, int64_t, 16, "elements", "2026-11-21", "at most, are done one after another, across rows")       \
  X(kUnrolledWork, float, 330, "multiply-adds", "2026-11-21", "of all elements of a tiny row, at most")        \
  X(kTotalledWork, float, 660, "multiply-adds", "2026-11-23",                                                  \
    "the same where each is totalled across rows, which masks are slower at")                                  \
  X(kShufflesOfSweep, double, 6, "shuffles", "2026-11-21", "take as long as a sweep of a row")                 \
  X(kShufflesOfJoin, double, 4.5, "shuffles", "2026-11-21", "take as long as joining the lanes of a sum")      \
  X(kGatheredRow, int64_t, 7, "elements", "2026-11-21",                                                        \
    "at most, cost less to gather across rows than a row with masks")                                          \
  X(kFewColumns, int64_t, 8, "columns", "2026-11-23", "fewer are each reduced with lanes of their own")        \
  X(kFoldedVectors, int64_t, 128, "vectors", "2026-11-21",                                                     \
    "of a call; a masked row that is reduced has no more")                                                     \
  X(kNarrowTerms, int64_t, 16, "terms", "2026-11-22",                                                          \
    "of a lane, added up in their own dtype before they join a wider sum, as in NumPy's pairwise sums")

// ---- what C++ for CPUs looks like
#define WEFT_TUNING_OF_CPU_TEXT(X)                                                                             \
  X(kMostWindow, int64_t, 1 << 17, "bytes", "2026-11-23",                                                      \
    "longer rows have their vectors looked at one by one for what is mapped")                                  \
  X(kMostNeighbours, int64_t, 8, "elements", "2026-11-22", "of a run; longer ones have more to deal than they spare") \
  X(kWorkOfMasks, float, 40, "multiply-adds", "2026-11-21", "of a lane, beside which masks cost nothing")      \
  X(kCountedVectors, int64_t, 8, "vectors", "2026-11-22", "of a row, at most, are counted in its text")        \
  X(kCountedWork, float, 64, "multiply-adds", "2026-11-22", "of all of these, at most: Clang writes each out") \
  X(kFinishedTogether, int64_t, 512, "elements", "2026-11-21", "of a row, whose parts one task joins")         \
  X(kRowsOfSpan, int, 8, "rows", "2026-11-21", "read at once, as many streams as prefetchers follow")          \
  X(kRowOfDirectCalls, int64_t, 1024, "elements", "2026-11-21", "longer rows do not feel the walk between sweeps")

// ---- schedules for GPUs
#define WEFT_TUNING_OF_CUDA_SCHEDULES(X)                                                                       \
  X(kThreadsPerProcessor, int64_t, 2048, "threads", "2026-11-21", "keep a multiprocessor's memory busy")       \
  X(kKeptBytes, int64_t, 256, "bytes", "2026-11-21", "of a row, at most, stay in a thread's registers")        \
  X(kMostUnrolled, int64_t, 2048, "statements", "2026-11-21", "of an unrolled body; more compile slowly and spill") \
  X(kThreads, int, 256, "threads", "2026-11-21", "of a block")                                                 \
  X(kThreadsOfRows, int, 128, "threads", "2026-11-21", "of a block of several rows")                           \
  X(kInFlight, int64_t, 64, "bytes", "2026-11-21", "that a thread of a row should ask for at once")            \
  X(kKeptOfManyThreads, int64_t, 64, "bytes", "2026-11-21", "a thread that keeps no more is one of 1024 of a multiprocessor") \
  X(kRowBytes, int64_t, 64, "bytes", "2026-11-21", "in flight in a thread that goes on to fold them")          \
  X(kPointBytes, int64_t, 16, "bytes", "2026-11-21", "in flight in a thread that goes on to nothing else")     \
  X(kJoinBytes, int64_t, 40 << 10, "bytes", "2026-11-21", "of static shared memory that joins take, at most")  \
  X(kRunElements, int, 128, "elements", "2026-11-21", "added up in their own dtype lose nothing that matters") \
  X(kKeepingBlocks, int64_t, 3, "blocks", "2026-11-21",                                                        \
    "of a multiprocessor with a part of a row in shared memory hide each other's waiting")                     \
  X(kStepsAlone, int64_t, 2048, "steps", "2026-11-22", "of a thread, at most, of a row that one block reads")  \
  X(kLittleKept, int64_t, 32, "bytes", "2026-11-22", "a thread that keeps no more waits for its block's rows") \
  X(kManyOfAVector, int, 8, "lanes", "2026-11-22", "from which on light odd rows get 64 registers a thread")   \
  X(kLightFold, float, 4, "multiply-adds", "2026-11-22", "of an op, at most, where little is computed of a row") \
  X(kManyThreads, int64_t, 256, "threads", "2026-11-22", "of a row, of which half may be enough")              \
  X(kThreadsOfHalves, int64_t, 16, "threads", "2026-11-22", "the same for rows of single halves")              \
  X(kSharersOfFewRows, int64_t, 4, "blocks", "2026-11-22", "of a cluster, at least, share each of few rows")   \
  X(kVectorsWorthHalving, int64_t, 2, "vectors", "2026-11-22", "of a thread, above which a cluster is doubled") \
  X(kVectorsOfFewRows, int64_t, 8, "vectors", "2026-11-22", "of a thread, at most, of few rows")               \
  X(kVectorsWorthMoreBlocks, int64_t, 4, "vectors", "2026-11-23", "the same where not all blocks run at once") \
  X(kElementsOf64Registers, int64_t, 32, "elements", "2026-11-22", "and what is computed of them")             \
  X(kShortestDeviceRow, int64_t, 2048, "vectors", "2026-11-22", "longer ones, of few, take the whole device")  \
  X(kRowsOfLargeBlocks, int64_t, 8, "rows", "2026-11-22", "of so few, one block a multiprocessor is enough")   \
  X(kElementsAcrossDevice, int64_t, 104, "elements", "2026-11-22", "that a thread keeps of such a row, at most") \
  X(kVectorsInCluster, int64_t, 16, "vectors", "2026-11-22", "of a thread, at most, where a cluster reduces a row") \
  X(kVectorsAtOnce, int64_t, 8, "vectors", "2026-11-22", "of a thread that takes a row in one step, at most")  \
  X(kLookBackThreads, int, 256, "threads", "2026-11-22", "of a block that scans a part of a row")                 \
  X(kBusyColumnThreads, int64_t, 1024, "threads", "2026-11-21", "of a multiprocessor, where accumulators take registers too") \
  X(kAgainThreads, int64_t, 512, "threads", "2026-11-28", "of a multiprocessor, where columns are loaded in each sweep") \
  X(kTurnThreads, int64_t, 512, "threads", "2026-11-22", "of a block that takes strips of columns in turn")    \
  X(kLongColumn, int64_t, 1024, "elements", "2026-11-22", "from which on blocks take strips in turn")          \
  X(kLongSingleColumn, int64_t, 8192, "elements", "2026-11-22", "the same for columns without vectors")        \
  X(kThreadsAcrossTotals, int64_t, 512, "threads", "2026-11-21", "of a block whose rows are totalled across, at most") \
  X(kOtherBytes, int64_t, 160, "bytes", "2026-11-22", "of a thread's registers beside totals and rows")        \
  X(kOtherBytesAlone, int64_t, 112, "bytes", "2026-11-22", "the same where a row or a section is a thread's own") \
  X(kFewInTurn, int64_t, 4, "rows", "2026-11-23", "that a block takes in turn at least, while all are busy")   \
  X(kSectionThreads, int64_t, 512, "threads", "2026-11-23", "of a block whose rows have sections, at most")    \
  X(kBundledBytes, int64_t, 64, "bytes", "2026-11-22", "of a row, at most, that is one thread's and no multiple of a vector") \
  X(kWidestSharedRow, int64_t, 400, "bytes", "2026-11-22", "of a row that a few threads keep and that passes through shared memory") \
  X(kWidestSharedVectors, int64_t, 256, "bytes", "2026-11-22", "the same for a row of whole vectors")          \
  X(kThreadsOfSharedRow, int64_t, 8, "threads", "2026-11-22", "of such a row, at most")                        \
  X(kElementsOfSharedRow, int64_t, 32, "elements", "2026-11-22", "of each of them, at most")                   \
  X(kWorthSharing, int64_t, 200, "statements", "2026-11-22", "of all threads, take as long as another launch") \
  X(kWorthLoadingAhead, float, 6, "multiply-adds", "2026-11-22", "of a step of pairs that hides the next one's loads") \
  X(kNarrowRowElements, int64_t, 512, "elements", "2026-11-21", "rows of no more, and no multiples of a vector, are walked as one") \
  X(kRepeatedInRegisters, float, 4, "multiply-adds", "2026-11-21", "of a value, at most, that each sweep computes again where others stay") \
  X(kAnyWork, float, 1e30f, "multiply-adds", "2026-11-21", "the same where nothing stays: whatever it costs") \
  X(kLanesWithoutAccess, int, 4, "lanes", "2026-11-21", "of an axis along which nothing is loaded or stored") \
  X(kVectorsOfRaggedAxis, int64_t, 64, "vectors", "2026-11-21", "of an axis, at least, whose last vector is not full") \
  X(kNarrowElement, int64_t, 8, "bytes", "2026-11-22", "of single elements, at most, instead of which vectors are shifted") \
  X(kNarrowVector, int64_t, 4, "bytes", "2026-11-22", "the same of vectors, and of rows that are walked as one") \
  X(kVectorsOfShiftedLoads, int64_t, 3, "vectors", "2026-11-22", "of an axis, at least, whose vectors are shifted") \
  X(kVectorsOfShiftedStores, int64_t, 16, "vectors", "2026-11-22", "the same where stores are shifted: those at the ends are single ones") \
  X(kMostVectorsInFlight, int64_t, 8, "vectors", "2026-11-21", "of a thread, at most") \
  X(kSmallBody, int64_t, 16, "bodies", "2026-11-21", "of such size, together, may be unrolled where two vectors are in flight beside shared memory") \
  X(kStaticJoins, int64_t, 4 << 10, "bytes", "2026-11-21", "of static shared memory, for joins, beside rows that stay there") \
  X(kColumnJoins, int64_t, 1 << 10, "bytes", "2026-11-21", "the same beside columns") \
  X(kFewestColumns, int64_t, 16, "columns", "2026-11-21", "that threads go down beside each other") \
  X(kRowsOfThread, int64_t, 8, "elements", "2026-11-21", "of a column, at most, that a thread keeps") \
  X(kWidestStrip, int64_t, 256, "bytes", "2026-11-21", "of a row of a strip of columns, at most: memory is slower at less") \
  X(kNarrowestStrip, int64_t, 64, "bytes", "2026-11-21", "the same, at least") \
  X(kFewestPointsOfPairs, int64_t, 128, "points", "2026-11-21", "that reduce over the same elements, as pairs") \
  X(kShortestRowOfPairs, int64_t, 64, "elements", "2026-11-21", "that they reduce over, at least") \
  X(kPointsOfPairs, int, 4, "points", "2026-11-21", "of a thread of pairs") \
  X(kElementsOfPairs, int, 8, "elements", "2026-11-21", "of a step of pairs; four take 3 % longer on an H200") \
  X(kLongCopiedRow, int64_t, 64, "elements", "2026-11-23", "of a row of totals whose next one is copied meanwhile") \
  X(kLongCopiedVectors, int64_t, 16, "vectors", "2026-11-23", "the same in vectors") \
  X(kFewestPointsOfNarrowRows, int64_t, 1024, "points", "2026-11-21", "whose narrow rows are walked as one") \
  X(kLanesOfDivision, int, 4, "lanes", "2026-11-22", "from which on quotients are computed for all elements of a thread at once") \
  X(kWidthOfStencil, int64_t, 32, "vectors", "2026-11-21", "of a row, at least, of a stencil whose threads take several rows") \
  X(kHeightOfStencil, int64_t, 8, "rows", "2026-11-21", "of such a stencil, at least") \
  X(kAcrossStencil, int64_t, 128, "threads", "2026-11-21", "beside each other in such a stencil, at most") \
  X(kRowsOfStencil, int64_t, 4, "rows", "2026-11-21", "of a thread of such a stencil, at most") \
  X(kShortestTransposed, int64_t, 32, "elements", "2026-11-21", "along both axes of a transpose, at least") \
  X(kSmallestTile, int64_t, 16, "points", "2026-11-21", "along each side of a tile") \
  X(kLargestTile, int64_t, 64, "points", "2026-11-21", "the same, at most: so it compiles fast") \
  X(kTileOfFewBlocks, int64_t, 32, "points", "2026-11-21", "the same, at most, where larger ones are two waves of blocks or less") \
  X(kBusyWork, float, 3, "multiply-adds", "2026-11-22", "that a GPU does in the time of a byte")

// ---- what CUDA C++ looks like
#define WEFT_TUNING_OF_CUDA_TEXT(X)                                                                            \
  X(kThreadsOfJoinedTotals, int, 512, "threads", "2026-11-21", "of a block that joins totals across rows, at most")  \
  X(kMostSpan, int64_t, 6, "rows", "2026-11-21", "that loads of a stencil share; more take too many registers") \
  X(kLongShiftedRow, int64_t, 128, "vectors", "2026-11-22", "from which on whole vectors of a shifted row have a branch of their own") \
  X(kManyShiftedLanes, int64_t, 16, "lanes", "2026-11-22", "the same: with 8 and fewer the branch costs more")

// ---- what fusion asks of machines (feasible.cpp)
#define WEFT_TUNING_OF_FEASIBILITY(X)                                                                          \
  X(kPointsOfThreads, int64_t, 16, "points", "2026-11-21", "CPU: keep the threads busy, whatever their number") \
  X(kShortRow, int64_t, 65536, "elements", "2026-11-21", "CPU: a row of one thread though there are few")      \
  X(kColumnsOfThread, int64_t, 1024, "columns", "2026-11-23", "CPU: beside each other, are one thread's")      \
  X(kElementsOfThread, int64_t, 1 << 18, "elements", "2026-11-23", "CPU: of such columns, are too many for one thread") \
  X(kElementsOfFew, int64_t, 1 << 15, "elements", "2026-11-23", "CPU: the same of columns that are unrolled")  \
  X(kNarrowestTotals, int64_t, 64, "elements", "2026-11-21", "CPU without masks: shorter rows are better walked beside each other") \
  X(kLongTotals, int64_t, 1 << 16, "elements", "2026-11-23", "CPU: rows of more take 128 of them to be totalled across") \
  X(kFewestRowsOfTotals, int64_t, 64, "rows", "2026-11-23", "CPU: fewer are not totalled across")              \
  X(kFewestLongRowsOfTotals, int64_t, 128, "rows", "2026-11-23", "CPU: the same where rows are long")          \
  X(kShortestSection, int64_t, 64, "elements", "2026-11-23", "CPU without masks: repay a call of their own")   \
  X(kShortestMaskedSection, int64_t, 16, "elements", "2026-11-23", "CPU with masks: the same")                 \
  X(kLongestRow, int64_t, 262144, "words", "2026-11-22", "CUDA: of a row that a cluster's shared memory keeps") \
  X(kLongestColumn, int64_t, 16384, "elements", "2026-11-21", "CUDA: of a column that it keeps")               \
  X(kLongestOfBlock, int64_t, 8192, "elements", "2026-11-22", "CUDA: of a row that one block walks, for a scan or for want of clusters") \
  X(kMostSectors, int64_t, 20 << 20, "bytes", "2026-11-22", "CUDA: of sectors that are read in less time than kernels for strips are launched") \
  X(kTotalsOfBlock, int64_t, 128 << 10, "bytes", "2026-11-22", "CUDA: of totals that a block alone keeps in registers") \
  X(kTotalsOfCluster, int64_t, 1 << 20, "bytes", "2026-11-22", "CUDA: the same of the largest cluster")        \
  X(kTurnsOfClusters, int64_t, 3, "turns", "2026-11-23", "CUDA: from which on clusters with many blocks are worth their turns") \
  X(kFewBlocksOfCluster, int64_t, 4, "blocks", "2026-11-23", "CUDA: of a cluster that is worth it anyway")     \
  X(kSectionsOfBlock, int64_t, 16, "sections", "2026-11-23", "CUDA: of a row that a block's threads share out, at most") \
  X(kBlocksOfSections, int64_t, 8, "blocks", "2026-11-23", "CUDA: of a cluster that shares out sections, at most") \
  X(kSectionBytes, int64_t, 64 << 10, "bytes", "2026-11-23", "CUDA: of sections that a block has registers for") \
  X(kFewestSectionBytes, int64_t, 1536, "bytes", "2026-11-23", "CUDA: of sections that repay the start of a block") \
  X(kFewestClusterBytes, int64_t, 4096, "bytes", "2026-11-23", "CUDA: the same in a cluster")                  \
  X(kBusyAnyway, int64_t, 1 << 20, "bytes", "2026-11-23", "CUDA: of data so small that half the device may be idle") \
  X(kBlocksThatNeedNotRepay, int64_t, 16, "blocks", "2026-11-23", "CUDA: of a multiprocessor, at most, in all")

// ---- what fusion repeats and stores
#define WEFT_TUNING_OF_FUSION(X)                                                                               \
  X(kCostOfScan, float, 8, "multiply-adds", "2026-11-21", "of a scanned element that a later sweep would compute again") \
  X(kRepeatedWork, float, 16, "multiply-adds", "2026-11-21", "an element that may be repeated before a value is stored") \
  X(kSharedWork, float, 60, "multiply-adds", "2026-11-21", "the same for a value that several kernels need")   \
  X(kSpreadWork, float, 36, "multiply-adds", "2026-11-22", "the same for a value of few elements that is repeated along the last axis") \
  X(kComplexWork, float, 4, "times", "2026-11-22", "of a complex op, in real ones")                            \
  X(kPartWork, float, 1, "multiply-adds", "2026-11-21", "of a concat or pad, an element")                      \
  X(kGatherWork, float, 6, "multiply-adds", "2026-11-23", "of an element that a CPU reads from a place of its own") \
  X(kSpreadOfMany, float, 3, "multiply-adds", "2026-11-23", "CPU: of a value of few elements that is stored sooner") \
  X(kSparedInAll, float, 1 << 19, "multiply-adds", "2026-11-23", "CPU: that storing it has to spare in all")   \
  X(kSmallLoops, int64_t, 1 << 16, "elements", "2026-11-21", "of loops that take less time than to start a kernel") \
  X(kLoopsOfOneLaunch, int64_t, 1 << 19, "elements", "2026-11-23", "of loops that take no longer than that beside each other") \
  X(kTotalsInRegisters, size_t, 16, "totals", "2026-11-23", "of a kernel; of 160,000 f64 in cache 16 sums took 11 us each and 64 took 22") \
  X(kSmallSiblings, size_t, 8, "roots", "2026-11-21", "over small arrays in one kernel, at most")

// ---- passes over graphs
#define WEFT_TUNING_OF_PASSES(X)                                                                               \
  X(kFewTerms, int64_t, 4, "terms", "2026-11-22", "of a product's sums, at most, make it a map")               \
  X(kLongRow, int64_t, 64, "elements", "2026-11-22", "of its rows, at least: along shorter ones no vector is filled") \
  X(kFewestJoined, size_t, 4, "vectors", "2026-11-22", "that one matrix multiplies become a matrix: for fewer packing costs more") \
  X(kFewElements, int64_t, 32, "elements", "2026-11-23", "of a sum, at most, are written out where others compare them") \
  X(kLargestText, int64_t, 256, "real additions", "2026-11-23", "of all of these together, at most")           \
  X(kWorthACopy, size_t, 8, "updates", "2026-11-21", "in a chain are written into a copy of what it starts from") \
  X(kWorthOrdering, size_t, 2, "updates", "2026-11-21", "that become writes in place are worth an order of reads and writes") \
  X(kLargeValue, int64_t, 1 << 12, "elements", "2026-11-21", "of a value, at least, whose update is worth a kernel of its own") \
  X(kSmallUpdate, int64_t, 2, "times", "2026-11-21", "such an update, or a copy of new elements, goes into the whole") \
  X(kMostTests, size_t, 8, "tests", "2026-11-24", "an element, at most, where updates are choices in the kernels of what reads them") \
  X(kPartOfInterleaved, int64_t, 8, "elements", "2026-11-24", "of which one is written, at least, where all are passed over for it") \
  X(kWorkOfUnwritten, float, 8, "multiply-adds", "2026-11-24", "an element, at most, of what is computed for those that are not written, too") \
  X(kMostUnwritten, float, 1 << 16, "multiply-adds", "2026-11-29", "CPU: that are computed for elements of rows that are written in part, at most") \
  X(kWidestConcat, size_t, 32, "parts", "2026-11-21", "of a concat; more become a concat of concats")          \
  X(kScattered, int64_t, 8, "elements", "2026-11-22", "that are read in order while one is that is not")       \
  X(kSpread, int64_t, 4, "times", "2026-11-21", "that each element is computed, at most, before its value is stored") \
  X(kShortestLoop, int64_t, 32, "elements", "2026-11-22", "that are worth a loop of their own for lanes")      \
  X(kOrderedStore, int64_t, 1 << 20, "bytes", "2026-11-22", "CUDA: moved while a row of a scatter is stored in order") \
  X(kLaunch, int64_t, 16 << 20, "bytes", "2026-11-22", "CUDA: moved in the time of the launches that store without an order")

// clang-format on

namespace weft::tuning {

#define WEFT_TUNED(name, type, value, unit, since, what) inline constexpr type name = value;
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
