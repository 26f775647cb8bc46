// columns, 4 lanes along axis 0, 1 threads down each, split in 8; 8 elements a thread access
// 512 blocks of 256 threads, finish 512 of 256, 0 bytes shared, 2097152 bytes of partials
static __device__ __forceinline__ float weft_maximum_f32(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
#define __builtin_inff() __int_as_float(0x7f800000)
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
// x / n of numbers below 2^31, by what the host has found for n.
static __device__ __forceinline__ unsigned int weft_quotient_by(unsigned int x, I factor, I shift) {
  return __umulhi(x, (unsigned int)factor) >> (unsigned int)shift;
}
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
struct Args { unsigned long long w[13]; };
struct __align__(4) S0 { float t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = weft_maximum_f32(a.t0, b.t0);
}
struct __align__(8) R0 { float t; };
extern "C" __global__ void __launch_bounds__(256) weft_53439d9eb25b4f51(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  void* const partials = (void*)args.w[3];
  const I p[] = {(I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12]};
  const I n = p[0] / 4;
  const I tx = (I)(threadIdx.x % 256), ty = (I)(threadIdx.x / 256);
  I q = (I)(weft_quotient_by(blockIdx.x, p[7], p[8])) * 256 + tx;
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I column = q;
  const I x0 = q * 4;
  const I m = p[1];
  const I k = (I)(blockIdx.x - weft_quotient_by(blockIdx.x, p[7], p[8]) * (unsigned int)p[5]);
  const I begin = k * p[6];
  const I end = weft_min(begin + p[6], m);
  S0 s0[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e].t0 = weft_splat_f32(-__builtin_inff());
  }
#pragma unroll 1
  for (I c = begin + ty; c < end; c += 1 * 2) {
    I x1[2];
    bool ok[2];
    Vec<float, 4> m0[2];
    Vec<float, 4> m1[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + u * 1;
      ok[u] = q < end;
      q = weft_min(q, end - 1);
      x1[u] = q;
      m0[u] = weft_get<Vec<float, 4>>(b0 + (x0 + x1[u] * p[2]));
      m1[u] = weft_get<Vec<float, 4>>(b1 + (x0 + x1[u] * p[3]));
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        const float v1 = weft_unpack_f32(m1[u].e[e]);
        const float v2 = v0 * v1;
        if (in_fold) s0[e].t0 = weft_maximum_f32(s0[e].t0, v2);
      }
    }
  }
  if (live) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      ((S0*)partials)[((long long)k * n + column) * 4 + e] = s0[e];
    }
  }
}
extern "C" __global__ void __launch_bounds__(256) weft_53439d9eb25b4f51_finish(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  void* const partials = (void*)args.w[3];
  const I p[] = {(I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12]};
  const I n = p[0] / 4;
  const I tx = (I)(threadIdx.x % 256), ty = (I)(threadIdx.x / 256);
  I q = (I)(weft_quotient_by(blockIdx.x, p[7], p[8])) * 256 + tx;
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I column = q;
  const I x0 = q * 4;
  const I m = p[1];
  const I k = (I)(blockIdx.x - weft_quotient_by(blockIdx.x, p[7], p[8]) * (unsigned int)p[5]);
  const I begin = k * p[6];
  const I end = weft_min(begin + p[6], m);
  S0 s0[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e].t0 = weft_splat_f32(-__builtin_inff());
  }
#pragma unroll 1
  for (I part = 0; part < k; part += 1) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      join0(s0[e], ((const S0*)partials)[((long long)part * n + column) * 4 + e]);
    }
  }
  float so_far0[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    so_far0[e] = s0[e].t0;
  }
#pragma unroll 1
  for (I c = begin + ty; c < end; c += 1 * 2) {
    I x1[2];
    bool ok[2];
    Vec<float, 4> m0[2];
    Vec<float, 4> m1[2];
    Vec<float, 4> w5[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + u * 1;
      ok[u] = q < end;
      q = weft_min(q, end - 1);
      x1[u] = q;
      m0[u] = weft_get<Vec<float, 4>>(b0 + (x0 + x1[u] * p[2]));
      m1[u] = weft_get<Vec<float, 4>>(b1 + (x0 + x1[u] * p[3]));
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        const float v1 = weft_unpack_f32(m1[u].e[e]);
        const float v2 = v0 * v1;
        if (in_fold) so_far0[e] = weft_maximum_f32(so_far0[e], v2);
        const float v4 = so_far0[e];
        const float v5 = v4 - v0;
        w5[u].e[e] = weft_pack_f32(v5);
      }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      if (ok[u] & live) {
        weft_put(b2 + (x0 + x1[u] * p[4]), w5[u]);
      }
    }
  }
}
