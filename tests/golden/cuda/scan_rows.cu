// rows of 128 threads along axis 1, nothing crosses sweeps; 8 elements a thread access, passing the cache by
// 8192 blocks of 128 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ double weft_splat_f64(double x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ double weft_cast_f32_f64(float x) { return (double)x; }
static __device__ __forceinline__ float weft_cast_f64_f32(double x) { return (float)x; }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
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
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
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
struct Args { unsigned long long w[8]; };
struct __align__(8) R0 { double t; };
extern "C" __global__ void __launch_bounds__(128) weft_42c60b7d4acb5737(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  const I p[] = {(I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7]};
  const I n = p[0];
  const I t = (I)threadIdx.x;
  I q = (I)blockIdx.x;
  const bool live = true;
  const I x0 = q;
  const I m = p[1] / 4;
  double so_far0;
  so_far0 = weft_splat_f64(-0x0p+0);
  double scan0[2][4];
  __shared__ R0 warps0[2][4];
#pragma unroll 1
  for (I c = 0; c < m; c += 128 * 2) {
    I x1[2];
    bool ok[2];
    Vec<float, 4> m0[2];
    Vec<float, 4> m1[2];
    Vec<float, 4> w5[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + t + u * 128;
      ok[u] = q < m;
      q = weft_min(q, m - 1);
      x1[u] = q * 4;
      m0[u] = weft_get_once<Vec<float, 4>>(b0 + (x0 * p[2] + x1[u]));
      m1[u] = weft_get_once<Vec<float, 4>>(b1 + (x0 * p[3] + x1[u]));
    }
    float y0[2][4];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        y0[u][e] = v0;
        const float v1 = weft_unpack_f32(m1[u].e[e]);
        const float v2 = v0 * v1;
        scan0[u][e] = weft_splat_f64(-0x0p+0);
        if (in_fold) scan0[u][e] = weft_cast_f32_f64(v2);
      }
    }
    double before0[2];
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
      before0[u] = before;
      if (threadIdx.x % 32 == 0) warps0[u][threadIdx.x / 32] = all;
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const int first = (int)threadIdx.x / 128 * 4;
      R0 all = {weft_splat_f64(-0x0p+0)}, earlier = all;
      for (int k = first; k < first + 4; ++k) {
        const R0 other = warps0[u][k];
        if (k < (int)threadIdx.x / 32) earlier.t = earlier.t + other.t;
        all.t = all.t + other.t;
      }
      double before = earlier.t + before0[u];
      before = so_far0 + before;
      so_far0 = so_far0 + all.t;
#pragma unroll
      for (int e = 0; e < 4; ++e) scan0[u][e] = before + scan0[u][e];
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v4 = weft_cast_f64_f32(scan0[u][e]);
        const float v5 = v4 - y0[u][e];
        w5[u].e[e] = weft_pack_f32(v5);
      }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      if (ok[u]) {
        weft_put_once(b2 + (x0 * p[4] + x1[u]), w5[u]);
      }
    }
  }
}
