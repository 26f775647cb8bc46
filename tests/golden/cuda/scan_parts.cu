// rows of 256 threads along axis 0, parts of it in turn, each in shared memory, split in 16384; 8 elements a thread access, passing the cache by
// 16384 blocks of 256 threads, finish 0 of 1, 65536 bytes shared, 270608 bytes of partials
static __device__ __forceinline__ double weft_splat_f64(double x) { return x; }
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ double weft_cast_f32_f64(float x) { return (double)x; }
static __device__ __forceinline__ float weft_cast_f64_f32(double x) { return (float)x; }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
// x / n of numbers below 2^31, by what the host has found for n.
static __device__ __forceinline__ unsigned int weft_quotient_by(unsigned int x, I factor, I shift) {
  return __umulhi(x, (unsigned int)factor) >> (unsigned int)shift;
}
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
// Each word of a state lies with the sign that it is there, so that nobody sees the one without the other.
template <class S>
static __device__ __forceinline__ void weft_publish(unsigned long long* at, const S& s) {
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((volatile unsigned long long*)at)[i] = 1ull << 32 | ((const unsigned int*)&s)[i];
}
// Waits for it.
template <class S>
static __device__ __forceinline__ void weft_find(const unsigned long long* at, S& s) {
  unsigned long long word[sizeof(S) / 4], there;
  do {
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) / 4); ++i) word[i] = ((const volatile unsigned long long*)at)[i];
    there = ~0ull;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) / 4); ++i) there &= word[i];
  } while (!(there >> 32));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i) ((unsigned int*)&s)[i] = (unsigned int)word[i];
}
template <class S>
static __device__ __forceinline__ S weft_exchange(const S& s, int k) {
  S r;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((unsigned int*)&r)[i] = __shfl_xor_sync(0xffffffffu, ((const unsigned int*)&s)[i], k);
  return r;
}
// A vector of 4, 8 or 16 bytes.
template <class W, class T>
static __device__ __forceinline__ void weft_copy_ahead(W* to, const T* from) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
  if constexpr (sizeof(W) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(W)) : "memory");
}
static __device__ __forceinline__ void weft_copied() { asm volatile("cp.async.wait_all;" ::: "memory"); }
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
template <class T, int V>
static __device__ __forceinline__ void weft_put_once(T* p, const Vec<T, V>& x) {
  if constexpr (sizeof(x) % 16 == 0) {
#pragma unroll
    for (int k = 0; k < (int)sizeof(x) / 16; ++k) __stcs((uint4*)p + k, ((const uint4*)&x)[k]);
  } else if constexpr (sizeof(x) == 8) {
    __stcs((uint2*)p, *(const uint2*)&x);
  } else if constexpr (sizeof(x) == 4) {
    __stcs((unsigned int*)p, *(const unsigned int*)&x);
  } else {
    weft_put(p, x);
  }
}
struct Args { unsigned long long w[9]; };
extern __shared__ __align__(16) unsigned char weft_shared[];
struct __align__(8) S0 { double t1; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t1 = a.t1 + b.t1;
}
struct __align__(8) R0 { double t; };
extern "C" __global__ void __launch_bounds__(256, 3) weft_2761135e97a604e1(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  void* const partials = (void*)args.w[3];
  const I p[] = {(I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8]};
  const I n = 1;
  __shared__ unsigned int taken;
  if (threadIdx.x == 0) taken = atomicAdd((unsigned int*)partials, 1u);
  __syncthreads();
  const unsigned int number = taken;
  const I t = (I)threadIdx.x;
  I q = (I)(weft_quotient_by(number, p[3], p[4]));
  const bool live = true;
  const I row = q;
  const I m = p[0] / 4;
  const I k = (I)(number - weft_quotient_by(number, p[3], p[4]) * (unsigned int)p[1]);
  const I begin = k * p[2];
  const I end = weft_min(begin + p[2], m);
  const I run = (p[2] + 7) / 8;
  const I lane = t % 32, from = begin + t / 32 * run, stop = weft_min(from + run, end);
  Vec<float, 4>* z0 = (Vec<float, 4>*)(weft_shared + p[2] * 0) + (I)(threadIdx.x / 256) * p[2];
  Vec<float, 4>* z1 = (Vec<float, 4>*)(weft_shared + p[2] * 16) + (I)(threadIdx.x / 256) * p[2];
#pragma unroll 4
  for (I c = from + lane; c < stop; c += 32) {
    I q = c;
    const I x0 = q * 4;
    weft_copy_ahead(z0 + c - begin, b0 + (x0));
    weft_copy_ahead(z1 + c - begin, b1 + (x0));
  }
  weft_copied();
  S0 s0;
  s0.t1 = weft_splat_f64(-0x0p+0);
#pragma unroll 1
  for (I c = from + lane; c < stop; c += 32 * 2) {
    I x0[2];
    I at[2];
    Vec<float, 4> k0[2];
    Vec<float, 4> k1[2];
    float r1;
    r1 = weft_splat_f32(-0x0p+0f);
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + u * 32;
      at[u] = q - begin;
      k0[u] = z0[at[u]];
      k1[u] = z1[at[u]];
      x0[u] = q * 4;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v0 = weft_unpack_f32(k0[u].e[e]);
        const float v1 = weft_unpack_f32(k1[u].e[e]);
        const float v2 = v0 * v1;
        r1 = r1 + v2;
      }
    }
    s0.t1 = s0.t1 + weft_cast_f32_f64(r1);
  }
  const I groups = (p[1] + 31) / 32, tops = (groups + 31) / 32;
  unsigned long long* const parts = (unsigned long long*)partials + 2 + (long long)row * (p[1] + groups + tops) * 2;
  unsigned long long* const group = parts + ((long long)p[1] + k / 32) * 2;
  unsigned long long* const top = parts + ((long long)p[1] + groups + k / 1024) * 2;
  const I nth = k % 32, nth_group = k / 32 % 32;
#pragma unroll
  for (int i = 16; i; i /= 2) join0(s0, weft_exchange(s0, i));
  __shared__ S0 runs[8];
  if (lane == 0) runs[t / 32] = s0;
  __syncthreads();
  S0 mine;
  mine.t1 = weft_splat_f64(-0x0p+0);
  s0 = mine;
  for (int i = 0; i < 8; ++i) {
    if (i == t / 32) mine = s0;
    join0(s0, runs[i]);
  }
  if (t == 0 && nth < 31) weft_publish(parts + (long long)k * 2, s0);
  S0 before;
  before.t1 = weft_splat_f64(-0x0p+0);
  if (t < nth) weft_find(parts + (long long)(k - nth + t) * 2, before);
  if (t >= 32 && t - 32 < nth_group) weft_find(group - (long long)(nth_group - t + 32) * 2, before);
  if (t == 64 && k >= 1024) weft_find(top - 2, before);
#pragma unroll
  for (int i = 16; i; i /= 2) join0(before, weft_exchange(before, i));
  __shared__ S0 earlier[3];
  if (t == 0 && nth == 31) {
    S0 all = before;
    join0(all, s0);
    weft_publish(group, all);
  }
  if (t < 96 && t % 32 == 0) earlier[t / 32] = before;
  __syncthreads();
  before = earlier[2];
  join0(before, earlier[1]);
  join0(before, earlier[0]);
  if (t == 0 && k % 1024 == 1023) {
    join0(s0, before);
    weft_publish(top, s0);
  }
  join0(before, mine);
  double so_far0;
  so_far0 = before.t1;
  double scan0[2][4];
#pragma unroll 1
  for (I c = from; c < from + run; c += 32 * 2) {
    I x0[2];
    I at[2];
    Vec<float, 4> k0[2];
    Vec<float, 4> k1[2];
    Vec<float, 4> w3[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + lane + u * 32;
      at[u] = q - begin;
      k0[u] = z0[at[u]];
      k1[u] = z1[at[u]];
      x0[u] = q * 4;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v7 = weft_unpack_f32(k0[u].e[e]) * weft_unpack_f32(k1[u].e[e]);
        scan0[u][e] = weft_splat_f64(-0x0p+0);
        scan0[u][e] = weft_cast_f32_f64(v7);
      }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      R0 all = {scan0[u][0]};
#pragma unroll
      for (int e = 1; e < 4; ++e) scan0[u][e] = all.t = all.t + scan0[u][e];
      double before = weft_splat_f64(-0x0p+0);
#pragma unroll
      for (int k = 1; k < 32; k *= 2) {
        const R0 other = weft_exchange(all, k);
        if (threadIdx.x & k) before = other.t + before;
        all.t = all.t + other.t;
      }
      before = so_far0 + before;
      so_far0 = so_far0 + all.t;
#pragma unroll
      for (int e = 0; e < 4; ++e) scan0[u][e] = before + scan0[u][e];
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v4 = weft_cast_f64_f32(scan0[u][e]);
        const float v5 = v4 - weft_unpack_f32(k0[u].e[e]);
        w3[u].e[e] = weft_pack_f32(v5);
      }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      weft_put_once(b2 + (x0[u]), w3[u]);
    }
  }
}
