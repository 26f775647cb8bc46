// pointwise, 4 lanes along axis 1, blocks of 16 rows; 8 elements a thread access, passing the cache by
// 32768 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ float weft_select_f32(bool m, float a, float b) { return m ? a : b; }

// Between what memory holds and what is computed with.
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
// The remainder of q by n; q becomes the quotient.
static __device__ __forceinline__ I weft_split(I& q, I n) {
  unsigned int a = (unsigned int)q, by = (unsigned int)n, whole = a / by;
  q = (I)whole;
  return (I)(a - whole * by);
}
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
template <class T, int V>
static __device__ __forceinline__ T weft_pick(const Vec<T, V>& a, const Vec<T, V>& b, int k) {
  return k < V ? a.e[k] : b.e[k - V];
}
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
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
struct Args { unsigned long long w[10]; };
extern "C" __global__ void __launch_bounds__(256) weft_eb9e0778ee754d5d(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9]};
  const I n = p[1] / 4;
  I q = (I)blockIdx.x;
  const I right = weft_split(q, (n + 31) / 32) * 32 + (I)(threadIdx.x % 32);
  const I first = weft_split(q, (p[0] + 15) / 16) * 16 + (I)(threadIdx.x / 32);
  const I x1 = weft_min(right, n - 1) * 4;
  I x0[2];
  bool ok[2];
  bool h0[2];
  float h10[2];
  float h13[2];
  Vec<float, 4> m2[2];
  Vec<float, 4> m3[2];
  Vec<float, 4> m4[2];
  Vec<float, 4> w18[2];
  Vec<float, 4> c0[2];
  Vec<float, 4> c1[2];
  Vec<float, 4> c2[2];
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    const I row = first + u * 8;
    ok[u] = right < n && row < p[0];
    x0[u] = weft_min(row, p[0] - 1);
    const bool v0 = (unsigned int)(-1 + x0[u]) < (unsigned int)p[2];
    h0[u] = v0;
    m2[u] = weft_get<Vec<float, 4>>(b0 + (x0[u] * p[4] + x1));
    const float v10 = weft_splat_f32(0x1p+2f);
    h10[u] = v10;
    const float v13 = weft_splat_f32(0x1.99999ap-4f);
    h13[u] = v13;
    unsigned int g0 = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const I y = x1 + e;
      const bool v1 = (unsigned int)(-1 + y) < (unsigned int)p[3];
      g0 |= (unsigned int)(v0 && v1) << e;
    }
    if (g0) m3[u] = weft_get<Vec<float, 4>>(b0 + (p[5] + x0[u] * p[4] + x1));
    if (g0) m4[u] = weft_get<Vec<float, 4>>(b0 + (p[6] + x0[u] * p[4] + x1));
    if (g0 & 0x1u) c0[u] = weft_get<Vec<float, 4>>(b0 + (-1 + x0[u] * p[4] + x1 - 3));
    if (g0 & 0xfu) c1[u] = weft_get<Vec<float, 4>>(b0 + (-1 + x0[u] * p[4] + x1 + 1));
    if (g0 & 0x8u) c2[u] = weft_get<Vec<float, 4>>(b0 + (1 + x0[u] * p[4] + x1 + 3));
  }
#pragma unroll
  for (int u = 0; u < 2; ++u) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const bool in_fold = ok[u];
      const bool in_store = ok[u];
      const I y = x1 + e;
      const bool v1 = (unsigned int)(-1 + y) < (unsigned int)p[3];
      const float v2 = weft_unpack_f32(m2[u].e[e]);
      const float v3 = weft_unpack_f32(m3[u].e[e]);
      const float v4 = weft_unpack_f32(m4[u].e[e]);
      const float v5 = v3 + v4;
      const float v6 = weft_unpack_f32(weft_pick(c0[u], c1[u], e + 3));
      const float v7 = weft_unpack_f32(weft_pick(c1[u], c2[u], e + 1));
      const float v8 = v6 + v7;
      const float v9 = v5 + v8;
      const float v11 = v2 * h10[u];
      const float v12 = v9 - v11;
      const float v14 = v12 * h13[u];
      const float v15 = v2 + v14;
      const bool v16 = h0[u] & v1;
      const float v17 = weft_select_f32(v16, v15, v2);
      w18[u].e[e] = weft_pack_f32(v17);
    }
  }
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    if (!ok[u]) continue;
    weft_put_once(b1 + (x0[u] * p[7] + x1), w18[u]);
  }
}
