// rows of 256 threads along axis 0, nothing crosses sweeps, split in 1056; 16 elements a thread access, passing the cache by
// 1056 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
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
// Waits for it and leaves nothing there.
template <class S>
static __device__ __forceinline__ void weft_take(unsigned long long* at, S& s) {
  weft_find(at, s);
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i) at[i] = 0;
}
template <class S>
static __device__ __forceinline__ S weft_exchange(const S& s, int k) {
  S r;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((unsigned int*)&r)[i] = __shfl_xor_sync(0xffffffffu, ((const unsigned int*)&s)[i], k);
  return r;
}
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
template <class W, class T>
static __device__ __forceinline__ W weft_get_once(const T* p) {
  W x;
  if constexpr (sizeof(W) % 16 == 0) {
#pragma unroll
    for (int k = 0; k < (int)sizeof(W) / 16; ++k) ((uint4*)&x)[k] = __ldcs((const uint4*)p + k);
  } else if constexpr (sizeof(W) == 8) {
    *(uint2*)&x = __ldcs((const uint2*)p);
  } else if constexpr (sizeof(W) == 4) {
    *(unsigned int*)&x = __ldcs((const unsigned int*)p);
  } else {
    x = weft_get<W>(p);
  }
  return x;
}
struct Args { unsigned long long w[9]; };
struct __align__(8) S0 { double t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = a.t0 + b.t0;
}
extern "C" __global__ void __launch_bounds__(256) weft_3a833e5bf1974cf1(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  unsigned int* const counters = (unsigned int*)args.w[7];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8]};
  const I n = 1;
  const I t = (I)threadIdx.x;
  I q = (I)(weft_quotient_by(blockIdx.x, p[3], p[4]));
  const bool live = true;
  const I row = q;
  unsigned int ticket = 0;
  if (threadIdx.x == 0) ticket = atomicInc(counters + p[6] + weft_quotient_by(blockIdx.x, p[3], p[4]), (unsigned int)p[1] - 1);
  const I m = p[0] / 4;
  const I begin = (I)(blockIdx.x - weft_quotient_by(blockIdx.x, p[3], p[4]) * (unsigned int)p[1]) * p[2];
  const I end = weft_min(begin + p[2], m);
  S0 s0;
  s0.t0 = weft_splat_f64(-0x0p+0);
#pragma unroll 1
  for (I c = begin + t; c < end; c += 256 * 4) {
    I x0[4];
    bool ok[4];
    Vec<float, 4> m0[4];
    float r0;
    r0 = weft_splat_f32(-0x0p+0f);
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = c + u * 256;
      ok[u] = q < end;
      q = weft_min(q, end - 1);
      x0[u] = q * 4;
      m0[u] = weft_get_once<Vec<float, 4>>(b0 + (x0[u]));
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        if (in_fold) r0 = r0 + v0;
      }
    }
    s0.t0 = s0.t0 + weft_cast_f32_f64(r0);
  }
#pragma unroll
  for (int k = 16; k; k /= 2) join0(s0, weft_exchange(s0, k));
  __shared__ S0 joined0[8];
  if (threadIdx.x % 32 == 0) joined0[threadIdx.x / 32] = s0;
  __syncthreads();
  s0 = joined0[threadIdx.x % 8];
#pragma unroll
  for (int k = 4; k; k /= 2) join0(s0, weft_exchange(s0, k));
  const I part = (I)(blockIdx.x - weft_quotient_by(blockIdx.x, p[3], p[4]) * (unsigned int)p[1]);
  unsigned long long* const parts = (unsigned long long*)counters + (long long)row * p[1] * 2;
  const bool collects = __syncthreads_or(threadIdx.x == 0 && ticket == (unsigned int)p[1] - 1);
  if (!collects && live && t == 0) weft_publish(parts + (long long)part * 2, s0);
  if (collects) {
    const S0 mine = s0;
    s0.t0 = weft_splat_f64(-0x0p+0);
#pragma unroll 1
    for (I k = t; live && k < p[1]; k += 256) {
      S0 other = mine;
      if (k != part) weft_take(parts + (long long)k * 2, other);
      join0(s0, other);
    }
#pragma unroll
    for (int k = 16; k; k /= 2) join0(s0, weft_exchange(s0, k));
    __shared__ S0 joined0[8];
    if (threadIdx.x % 32 == 0) joined0[threadIdx.x / 32] = s0;
    __syncthreads();
    s0 = joined0[threadIdx.x % 8];
#pragma unroll
    for (int k = 4; k; k /= 2) join0(s0, weft_exchange(s0, k));
    const float v1 = weft_cast_f64_f32(s0.t0);
    if (live && t == 0) {
      b1[0] = weft_pack_f32(v1);
    }
  }
}
