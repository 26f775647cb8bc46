// The kernels of radix_sort.h.
#pragma once

#include <cstdint>

#include "compiler/base/dtype.h"

namespace weft::detail {

constexpr int64_t kRadixThreads = 256, kRadixDigits = 256;
constexpr bool is_wide_radix_word(DType word) { return word == DType::U64; }
// Elements of a thread, and of a block.
constexpr int64_t radix_items(DType word) { return is_wide_radix_word(word) ? 8 : 16; }
constexpr int64_t radix_tile(DType word) { return kRadixThreads * radix_items(word); }

// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" by Adinets and Merrill, 2022.
inline constexpr const char* kRadixSortText = R"(
constexpr int kThreads = 256, kWarps = kThreads / 32, kDigits = 256;
constexpr unsigned kAll = 0xffffffffu;

// How often each digit of each pass is there, added to counts[pass][digit]. Lanes that are neighbours count for themselves: real
// numbers share their highest digits, and additions to one word wait for each other.
template <class Word>
__global__ void __launch_bounds__(kThreads) count_digits(const Word* words, unsigned* counts, int n, int passes) {
  constexpr int kCopies = 4;
  __shared__ unsigned found[sizeof(Word) * kDigits * kCopies];
  for (int k = threadIdx.x; k < passes * kDigits * kCopies; k += kThreads) found[k] = 0;
  __syncthreads();
  for (long i = (long)blockIdx.x * kThreads + threadIdx.x; i < n; i += (long)gridDim.x * kThreads) {
    const Word word = words[i];
    for (int pass = 0; pass < passes; ++pass)
      atomicAdd(&found[(pass * kDigits + (int)(word >> (8 * pass) & 255)) * kCopies + threadIdx.x % kCopies], 1u);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < passes * kDigits; k += kThreads) {
    unsigned sum = 0;
    for (int copy = 0; copy < kCopies; ++copy) sum += found[k * kCopies + copy];
    if (sum) atomicAdd(&counts[k], sum);
  }
}

// The sums of what the threads before give.
__device__ unsigned long long sum_before(unsigned long long mine, unsigned long long* sums) {
  sums[threadIdx.x] = mine;
  for (int step = 1; step < kThreads; step *= 2) {
    __syncthreads();
    const unsigned long long other = (int)threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += other;
  }
  return sums[threadIdx.x] - mine;
}

// Lanes whose digit is mine.
__device__ unsigned lanes_with(unsigned digit) {
  unsigned same = kAll;
  for (int bit = 0; bit < 8; ++bit) {
    const unsigned votes = __ballot_sync(kAll, (int)(digit >> bit & 1));
    same &= digit >> bit & 1 ? votes : ~votes;
  }
  return same;
}

// One pass: `out` has the words in the order of eight bits from `shift` on, and `to` the positions that they had before, which
// are those of `from`, or of the words themselves if `first`. state: 0 at first: how many tiles were begun, then for each tile
// and digit a count with one of two marks: of this tile alone, or of all tiles up to it.
template <class Word, bool kPositions, int kItems>
__global__ void __launch_bounds__(kThreads)
    place(const Word* words, const int* from, const unsigned* counts, Word* out, int* to, unsigned* state, int n, int shift, int first) {
  constexpr unsigned kOwn = 1u << 30, kUpTo = 1u << 31, kCount = kOwn - 1;
  constexpr int kTile = kThreads * kItems;
  __shared__ unsigned begun, of_warp[kWarps][kDigits], first_at[kDigits];
  __shared__ unsigned long long sums[kThreads];
  __shared__ Word sorted[kTile];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const unsigned below = (1u << lane) - 1;
  if (thread == 0) begun = atomicAdd(&state[0], 1u);  // tiles begin in order, whichever blocks do
  for (int k = 0; k < kWarps; ++k) of_warp[k][thread] = 0;
  __syncthreads();
  const int tile = (int)begun;
  const long begin = (long)tile * kTile;
  const int size = n - begin < kTile ? (int)(n - begin) : kTile;
  const int mine = warp * 32 * kItems + lane;

  Word word[kItems];
  unsigned rank[kItems];  // within the warp, then within the tile
#pragma unroll
  for (int i = 0; i < kItems; ++i) word[i] = mine + i * 32 < size ? words[begin + mine + i * 32] : ~(Word)0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const unsigned digit = (unsigned)(word[i] >> shift & 255), same = lanes_with(digit);
    const unsigned before = of_warp[warp][digit];
    __syncwarp();
    if (!(same & below)) of_warp[warp][digit] = before + __popc(same);
    __syncwarp();
    rank[i] = before + __popc(same & below);
  }
  __syncthreads();

  // A thread for each digit: those of the warps before, of the digits before, of the tiles before.
  unsigned total = 0;
  for (int k = 0; k < kWarps; ++k) {
    const unsigned count = of_warp[k][thread];
    of_warp[k][thread] = total;
    total += count;
  }
  volatile unsigned* const known = state + 1 + thread;
  known[(long)tile * kDigits] = total | (tile == 0 ? kUpTo : kOwn);
  unsigned of_tiles = 0;
  if (tile > 0) {
    for (long k = tile - 1;; --k) {
      unsigned count;
      do count = known[k * kDigits];
      while (!(count & (kOwn | kUpTo)));
      of_tiles += count & kCount;
      if (count & kUpTo) break;
    }
    known[(long)tile * kDigits] = (of_tiles + total) | kUpTo;
  }
  const unsigned long long before = sum_before((unsigned long long)counts[thread] << 32 | total, sums);
  const unsigned in_tile = (unsigned)before;
  for (int k = 0; k < kWarps; ++k) of_warp[k][thread] += in_tile;
  first_at[thread] = (unsigned)(before >> 32) + of_tiles - in_tile;
  __syncthreads();

  // Through shared memory, so that neighbours write to neighbours.
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    rank[i] += of_warp[warp][word[i] >> shift & 255];
    sorted[rank[i]] = word[i];
  }
  __syncthreads();
  unsigned place[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int k = thread + i * kThreads;
    if (k >= size) continue;
    const Word one = sorted[k];
    place[i] = first_at[one >> shift & 255] + k;
    out[place[i]] = one;
  }
  if constexpr (kPositions) {
    int* const positions = (int*)sorted;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const long at = begin + mine + i * 32;
      if (mine + i * 32 < size) positions[rank[i]] = first ? (int)at : from[at];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int k = thread + i * kThreads;
      if (k < size) to[place[i]] = positions[k];
    }
  }
}
)";

}  // namespace weft::detail
