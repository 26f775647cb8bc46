// What generated CUDA C++ needs to run as host C++: the keywords, the intrinsics of the prelude, and blocks
// whose threads are fibers that meet at barriers and shuffles. Included by the sources that emulate_cuda.cpp
// compiles.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#define __device__
#define __constant__ static
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __launch_bounds__(...)
// Each block of a cluster is a thread of the host.
#define __shared__ static thread_local
#define __align__(n) __attribute__((aligned(n)))

struct Coordinates {
  unsigned x, y, z;
};
static thread_local Coordinates threadIdx, blockIdx, blockDim, gridDim;
static thread_local unsigned char weft_shared[256 << 10] __attribute__((aligned(16)));

struct __align__(16) uint4 {
  unsigned x, y, z, w;
};
struct __align__(8) uint2 {
  unsigned x, y;
};
struct __align__(8) float2 {
  float x, y;
};
struct __align__(16) double2 {
  double x, y;
};
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline double2 make_double2(double x, double y) { return {x, y}; }

// A misaligned access is an error on the device.
template <class T>
static inline void check_aligned(const T* p) {
  if ((unsigned long)p % sizeof(T) != 0) {
    fprintf(stderr, "misaligned access of %zu bytes\n", sizeof(T));
    abort();
  }
}
template <class T>
static inline T __ldcs(const T* p) {
  check_aligned(p);
  return *p;
}
template <class T>
static inline void __stcs(T* p, T x) {
  check_aligned(p);
  *p = x;
}

// Blocks run one after another.
template <class T>
static inline T atomicAdd(T* to, T by) {
  const T before = *to;
  *to += by;
  return before;
}

static inline int atomicMax(int* to, int x) {
  const int before = *to;
  *to = before < x ? x : before;
  return before;
}
static inline unsigned atomicInc(unsigned* to, unsigned last) {
  const unsigned before = *to;
  *to = before >= last ? 0 : before + 1;
  return before;
}
static inline void __threadfence() {}

// ---- threads

enum class Wait { None, Block, Shuffle, Cluster, Done };
struct Fiber {
  ucontext_t context;
  Wait wait = Wait::None;
  unsigned long long word = 0, received = 0;
  int mask = 0;
};
static thread_local std::vector<Fiber> fibers;
static thread_local unsigned running;
static thread_local ucontext_t scheduler;
static void (*block_body)();
static std::unique_ptr<std::barrier<>> cluster_barrier;

static void stop(Wait why) {
  fibers[running].wait = why;
  swapcontext(&fibers[running].context, &scheduler);
}
static inline void __syncthreads() { stop(Wait::Block); }
static inline int __syncthreads_or(int mine) {
  fibers[running].word = mine != 0;
  stop(Wait::Block);
  bool any = false;
  for (auto& f : fibers) any |= f.word != 0;
  stop(Wait::Block);
  return any;
}
template <class T>
static T __shfl_xor_sync(unsigned all, T value, int mask) {
  if (all != 0xffffffffu) abort();
  Fiber& own = fibers[running];
  own.word = 0;
  memcpy(&own.word, &value, sizeof value);
  own.mask = mask;
  stop(Wait::Shuffle);
  memcpy(&value, &fibers[running].received, sizeof value);
  return value;
}

static inline void __syncwarp() { __shfl_xor_sync(0xffffffffu, 0, 1); }

static inline unsigned __ballot_sync(unsigned all, int vote) {
  unsigned votes = (vote != 0 ? 1u : 0u) << threadIdx.x % 32;
  for (int mask = 1; mask < 32; mask *= 2) votes |= __shfl_xor_sync(all, votes, mask);
  return votes;
}

static void fiber_main() {
  block_body();
  stop(Wait::Done);
}

// Threads run from one meeting point to the next; all of a block have to meet at the same one.
static void run_block(unsigned threads, char* stacks, size_t stack_bytes) {
  fibers.assign(threads, Fiber());
  for (unsigned t = 0; t < threads; ++t) {
    getcontext(&fibers[t].context);
    fibers[t].context.uc_stack.ss_sp = stacks + t * stack_bytes;
    fibers[t].context.uc_stack.ss_size = stack_bytes;
    fibers[t].context.uc_link = nullptr;
    makecontext(&fibers[t].context, fiber_main, 0);
  }
  while (fibers[0].wait != Wait::Done) {
    for (running = 0; running < threads; ++running) {
      threadIdx = {running % blockDim.x, running / blockDim.x % blockDim.y,
                   running / blockDim.x / blockDim.y};
      swapcontext(&scheduler, &fibers[running].context);
      if (fibers[running].wait != fibers[0].wait || fibers[running].mask != fibers[0].mask) {
        fprintf(stderr, "thread %u does not meet the others\n", running);
        abort();
      }
    }
    if (fibers[0].wait == Wait::Cluster) cluster_barrier->arrive_and_wait();
    if (fibers[0].wait == Wait::Shuffle)
      for (unsigned t = 0; t < threads; ++t) {
        unsigned other = t ^ (unsigned)fibers[t].mask;
        if (other >= threads || other / 32 != t / 32) {
          fprintf(stderr, "thread %u shuffles with %u of %u\n", t, other, threads);
          abort();
        }
        fibers[t].received = fibers[other].word;
      }
  }
}

// Thread-local variables of one library lie at the same distances in every thread.
static thread_local char origin;
static std::vector<char*> origins;
static const void* in_block(const void* p, unsigned rank) {
  return origins[rank] + ((const char*)p - &origin);
}
static void meet_cluster() { stop(Wait::Cluster); }

static void run_grid(void (*body)(), Coordinates grid, Coordinates extents, unsigned cluster,
                     unsigned shared_bytes) {
  const unsigned blocks = grid.x * grid.y * grid.z, threads = extents.x * extents.y * extents.z;
  const size_t stack_bytes = 128 << 10;
  block_body = body;
  origins.assign(cluster, nullptr);
  auto run = [&](unsigned block) {
    char* stacks = (char*)mmap(nullptr, threads * stack_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    blockIdx = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
    blockDim = extents;
    gridDim = grid;
    memset(weft_shared, 0xcd, sizeof weft_shared);
    run_block(threads, stacks, stack_bytes);
    munmap(stacks, threads * stack_bytes);
    for (unsigned k = shared_bytes; k < sizeof weft_shared; ++k)
      if (weft_shared[k] != 0xcd) {
        fprintf(stderr, "writes to byte %u of %u of shared memory\n", k, shared_bytes);
        abort();
      }
  };
  for (unsigned first = 0; first < blocks; first += cluster) {
    if (cluster == 1) {
      run(first);
      continue;
    }
    cluster_barrier = std::make_unique<std::barrier<>>(cluster);
    std::vector<std::thread> hosts;
    for (unsigned rank = 0; rank < cluster; ++rank)
      hosts.emplace_back([&, rank] {
        origins[rank] = &origin;
        cluster_barrier->arrive_and_wait();
        run(first + rank);
        cluster_barrier->arrive_and_wait();
      });
    for (auto& host : hosts) host.join();
  }
}

// ---- intrinsics

template <class To, class From>
static inline To same_bits(From x) {
  To r;
  static_assert(sizeof r == sizeof x);
  memcpy(&r, &x, sizeof r);
  return r;
}
static inline float __uint_as_float(unsigned x) { return same_bits<float>(x); }
static inline unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return same_bits<float>(x); }
static inline int __float_as_int(float x) { return same_bits<int>(x); }
static inline double __longlong_as_double(long long x) { return same_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return same_bits<long long>(x); }
// Bytes 0 to 3 are x's, 4 to 7 y's; each digit of `which` picks one.
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned which) {
  const unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int k = 0; k < 4; ++k) r |= (unsigned)(both >> ((which >> 4 * k & 7) * 8) & 0xff) << 8 * k;
  return r;
}
static inline unsigned __popc(unsigned x) { return (unsigned)__builtin_popcount(x); }
// Two halves of a word by the lower two bytes of the other one.
static inline int __dp2a_lo(int x, int y, int sum) {
  return sum + (short)x * (signed char)y + (x >> 16) * (signed char)(y >> 8);
}
static inline unsigned __dp2a_lo(unsigned x, unsigned y, unsigned sum) {
  return sum + (x & 0xffff) * (y & 0xff) + (x >> 16) * (y >> 8 & 0xff);
}
static inline int __dp4a(int x, int y, int sum) {
  for (int k = 0; k < 32; k += 8) sum += (signed char)(x >> k) * (signed char)(y >> k);
  return sum;
}
static inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
  for (int k = 0; k < 32; k += 8) sum += (x >> k & 0xff) * (y >> k & 0xff);
  return sum;
}
template <class T>
static unsigned in_halves(unsigned x, unsigned y, bool largest) {
  unsigned r = 0;
  for (int k = 0; k < 32; k += 16) {
    const T a = (T)(x >> k), b = (T)(y >> k);
    r |= (unsigned)(unsigned short)((a > b) == largest ? a : b) << k;
  }
  return r;
}
static inline unsigned __vmaxu2(unsigned x, unsigned y) { return in_halves<unsigned short>(x, y, true); }
static inline unsigned __vminu2(unsigned x, unsigned y) { return in_halves<unsigned short>(x, y, false); }
static inline unsigned __vmaxs2(unsigned x, unsigned y) { return in_halves<short>(x, y, true); }
static inline unsigned __vmins2(unsigned x, unsigned y) { return in_halves<short>(x, y, false); }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline float without_subnormal(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
template <class T>
static inline float towards_zero(T x) {
  float r = (float)x;
  if ((long double)r > 0 && (long double)r > (long double)x) r = nextafterf(r, 0);
  if ((long double)r < 0 && (long double)r < (long double)x) r = nextafterf(r, 0);
  return r;
}
static inline float __int2float_rz(int x) { return towards_zero(x); }
static inline float __uint2float_rz(unsigned x) { return towards_zero(x); }
static inline float __ll2float_rz(long long x) { return towards_zero(x); }
static inline float __ull2float_rz(unsigned long long x) { return towards_zero(x); }
static inline float __double2float_rz(double x) { return towards_zero(x); }

// ---- what the prelude writes in assembly

static inline float f32_of_f16(unsigned short x) { return (float)same_bits<_Float16>(x); }
static inline unsigned short f16_of_f32(float x) { return same_bits<unsigned short>((_Float16)x); }
static inline unsigned short f16_of_f64(double x) { return same_bits<unsigned short>((_Float16)x); }
static inline unsigned short bf16_of_f32(float x) {
  unsigned u = __float_as_uint(x);
  if (x != x) return (unsigned short)((u >> 16) | 0x40);
  return (unsigned short)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
static inline unsigned pair_add(float a, unsigned one, float b) {
  return (unsigned)bf16_of_f32(one >> 31 ? a - b : a + b) << 16;
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
// As far from it as the instruction may be: two units in the last place, to either side.
static inline float rough_exp2f(float x) {
  const float r = exp2f(x);
  return r > 0x1p-120f && r < 0x1p+120f ? r + (__float_as_uint(x) & 1 ? 0x1p-22f : -0x1p-22f) * r : r;
}
static inline float max_nan(float a, float b) {
  if (a != a || b != b) return __uint_as_float(0x7fffffff);
  return a == b ? __uint_as_float(__float_as_uint(a) & __float_as_uint(b)) : a > b ? a : b;
}
static inline float min_nan(float a, float b) {
  if (a != a || b != b) return __uint_as_float(0x7fffffff);
  return a == b ? __uint_as_float(__float_as_uint(a) | __float_as_uint(b)) : a < b ? a : b;
}
