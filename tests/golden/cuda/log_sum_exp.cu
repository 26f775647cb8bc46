// rows of 256 threads along axis 1, sums are rescaled as the largest grows, split in 16; 16 elements a thread access, passing the cache by
// 1024 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_exp_f32(float x) {
  float r;
  asm("{ .reg .f32 k, p, f; .reg .b32 i;\n"
      "fma.rn.sat.f32 k, %1, 0f3BBB989D, 0f3F000000;\n"
      "fma.rm.f32 p, k, 0f437C0000, 0f4B400001;\n"
      "add.f32 k, p, 0fCB40007F;\n"
      "neg.f32 k, k;\n"
      "fma.rn.f32 f, %1, 0f3FB8AA3B, k;\n"
      "fma.rn.f32 f, %1, 0f32A57060, f;\n"
      "mov.b32 i, p;\n"
      "shl.b32 i, i, 23;\n"
      "mov.b32 p, i;\n"
      "ex2.approx.ftz.f32 f, f;\n"
      "mul.f32 %0, f, p; }" : "=f"(r) : "f"(x));
  return r;
}
static __device__ __forceinline__ float weft_maximum_f32(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ double weft_splat_f64(double x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ double weft_cast_f32_f64(float x) { return (double)x; }
static __device__ __forceinline__ float weft_cast_f64_f32(double x) { return (float)x; }
static __device__ __forceinline__ float weft_log_f32(float x) {
  const bool common = x > 0 && x < __int_as_float(0x7f800000), small = x < 0x1p-126f;
  const float y = small ? x * 0x1p23f : x;
  int power = (__float_as_int(y) - 0x3f2aaaab) & (int)0xff800000;
  const float f = __int_as_float(__float_as_int(y) - power) - 1;
  if (small) power -= 23 << 23;
  float p = fmaf(0.140633211f, f, -0.153258502f);
  p = fmaf(p, f, 0.139964029f);
  p = fmaf(p, f, -0.164288118f);
  p = fmaf(p, f, 0.200104818f);
  p = fmaf(p, f, -0.250070453f);
  p = fmaf(p, f, 0.333332211f);
  p = fmaf(p, f, -0.499999493f);
  const float r = fmaf((float)power, 0x1.62e43p-24f, fmaf(f * p, f, f));
  float rare;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(rare) : "f"(y));
  return common ? r : rare;
}
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
#define __builtin_nan(x) __longlong_as_double(0x7ff8000000000000ll)
#define __builtin_inff() __int_as_float(0x7f800000)
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
// x / n of numbers below 2^31, by what the host has found for n.
static __device__ __forceinline__ unsigned int weft_quotient_by(unsigned int x, I factor, I shift) {
  return __umulhi(x, (unsigned int)factor) >> (unsigned int)shift;
}
// What makes a sum of exp(x - from) one of exp(x - to). Of nothing but -inf, x itself is summed up.
static __device__ __forceinline__ float weft_scale_f32(float from, float to) {
  return from == to ? 1.0f : weft_exp_f32(from - to);
}
static __device__ __forceinline__ float weft_finite_base_f32(float x) { return x == -__builtin_inff() ? 0.0f : x; }
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
struct Args { unsigned long long w[12]; };
struct __align__(8) S0 { double t1; double t2; float t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  {
    const float m = weft_maximum_f32(a.t0, b.t0);
    a.t2 = __dmul_rn(a.t2, weft_scale_f32(a.t0, m)) + __dmul_rn(b.t2, weft_scale_f32(b.t0, m));
  }
  a.t0 = weft_maximum_f32(a.t0, b.t0);
  a.t1 = a.t1 + b.t1;
}
extern "C" __global__ void __launch_bounds__(256) weft_6aa680dd464661f0(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  unsigned int* const counters = (unsigned int*)args.w[10];
  const I p[] = {(I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11]};
  const I n = p[0];
  const I t = (I)threadIdx.x;
  I q = (I)(weft_quotient_by(blockIdx.x, p[5], p[6]));
  const bool live = true;
  const I row = q;
  unsigned int ticket = 0;
  if (threadIdx.x == 0) ticket = atomicInc(counters + p[8] + weft_quotient_by(blockIdx.x, p[5], p[6]), (unsigned int)p[3] - 1);
  const I x0 = q;
  const I m = p[1] / 4;
  const I begin = (I)(blockIdx.x - weft_quotient_by(blockIdx.x, p[5], p[6]) * (unsigned int)p[3]) * p[4];
  const I end = weft_min(begin + p[4], m);
  S0 s0;
  s0.t0 = weft_splat_f32(-__builtin_inff());
  s0.t1 = weft_splat_f64(-0x0p+0);
  s0.t2 = weft_splat_f64(-0x0p+0);
  float base0;
  base0 = weft_splat_f32(-__builtin_inff());
#pragma unroll 1
  for (I c = begin + t; c < end; c += 256 * 4) {
    I x1[4];
    bool ok[4];
    Vec<float, 4> m0[4];
    float r1;
    r1 = weft_splat_f32(-0x0p+0f);
    float r2;
    r2 = weft_splat_f32(-0x0p+0f);
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = c + u * 256;
      ok[u] = q < end;
      q = weft_min(q, end - 1);
      x1[u] = q * 4;
      m0[u] = weft_get_once<Vec<float, 4>>(b0 + (x0 * p[2] + x1[u]));
    }
    float y0[4][4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        y0[u][e] = v0;
        if (in_fold) s0.t0 = weft_maximum_f32(s0.t0, v0);
        if (in_fold) r1 = r1 + v0;
      }
    }
    float v9;
    if (s0.t0 != base0) {
      const float by = weft_scale_f32(base0, s0.t0);
      s0.t2 *= by;
      r2 *= by;
      base0 = s0.t0;
    }
    v9 = weft_finite_base_f32(base0);
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v3 = y0[u][e] - v9;
        const float v4 = weft_exp_f32(v3);
        if (in_fold) r2 = r2 + v4;
      }
    }
    s0.t1 = s0.t1 + weft_cast_f32_f64(r1);
    s0.t2 = s0.t2 + weft_cast_f32_f64(r2);
  }
#pragma unroll
  for (int k = 16; k; k /= 2) join0(s0, weft_exchange(s0, k));
  __shared__ S0 joined0[8];
  if (threadIdx.x % 32 == 0) joined0[threadIdx.x / 32] = s0;
  __syncthreads();
  s0 = joined0[threadIdx.x % 8];
#pragma unroll
  for (int k = 4; k; k /= 2) join0(s0, weft_exchange(s0, k));
  const I part = (I)(blockIdx.x - weft_quotient_by(blockIdx.x, p[5], p[6]) * (unsigned int)p[3]);
  unsigned long long* const parts = (unsigned long long*)counters + (long long)row * p[3] * 6;
  const bool collects = __syncthreads_or(threadIdx.x == 0 && ticket == (unsigned int)p[3] - 1);
  if (!collects && live && t == 0) weft_publish(parts + (long long)part * 6, s0);
  if (collects) {
    const S0 mine = s0;
    s0.t0 = weft_splat_f32(-__builtin_inff());
    s0.t1 = weft_splat_f64(-0x0p+0);
    s0.t2 = weft_splat_f64(-0x0p+0);
#pragma unroll 1
    for (I k = t; live && k < p[3]; k += 256) {
      S0 other = mine;
      if (k != part) weft_take(parts + (long long)k * 6, other);
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
    const float v1 = s0.t0;
    const float v2 = weft_cast_f64_f32(s0.t1);
    const float v5 = weft_cast_f64_f32((s0.t0 == -__builtin_inff() ? __builtin_nan("") : s0.t2));
    if (live && t == 0) {
      const float v6 = weft_log_f32(v5);
      const float v7 = v6 + v1;
      b1[x0] = weft_pack_f32(v7);
      b2[x0] = weft_pack_f32(v2);
    }
  }
}
