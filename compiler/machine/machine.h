// What kernels run on: facts that follow from a target, for fusion, schedules and emitters to ask. What was
// measured instead stands in tuning.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/program/options.h"

namespace weft::machine {

// True where a thread computes scalars, and threads come in warps, blocks and perhaps clusters.
inline bool is_gpu(const Target& target) { return target.kind != TargetKind::Cpu; }

// True with AVX-512's masked loads and stores; inferred from 64-byte vectors.
inline bool has_masks(const Target& cpu) { return cpu.vector_bytes >= 64; }

// Bytes of a line of a processor's caches.
inline constexpr int64_t kCpuLine = 64;

// True where blocks form clusters, which read each other's shared memory; inferred from the 227 KiB of shared
// memory that a block may have with compute capability 9.0 and 10.0. The clusters of 12.0, whose blocks have
// 99 KiB, are not used.
inline bool has_clusters(const Target& cuda) { return cuda.shared_bytes >= size_t{200} << 10; }

// Blocks of the largest cluster. Eight are the portable size; sixteen find room in each GPC where a
// multiprocessor takes several of them.
inline constexpr int64_t kLargestCluster = 16, kPortableCluster = 8;

inline constexpr int64_t kSector = 32;             // bytes that a GPU's memory moves at least
inline constexpr int64_t kCudaLine = 128;          // bytes of a line of its caches
inline constexpr int64_t kBanks = 32;              // of shared memory,
inline constexpr int64_t kBankWord = 4;            // each of so many bytes
inline constexpr int64_t kWarp = 32;               // threads
inline constexpr int64_t kThreadsOfBlock = 1024;   // at most,
inline constexpr int64_t kThreadsOfLastAxis = 64;  // of which so many along its third axis
inline constexpr int64_t kBlocksOfFirstAxis = 0x7fffffff, kBlocksOfOtherAxes = 65535;  // of a grid, at most
inline constexpr int64_t kWidestAccess = 16;         // bytes that a thread loads or stores at once
inline constexpr int64_t kRegisterFile = 256 << 10;  // bytes of a multiprocessor
inline constexpr int64_t kThreadsOf64Registers = kRegisterFile / (64 * 4);  // of a multiprocessor, at most
inline constexpr int64_t kStaticShared =
    48 << 10;  // bytes of a block's shared memory that need not be asked for

}  // namespace weft::machine
