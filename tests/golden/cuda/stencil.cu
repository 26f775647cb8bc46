// pointwise, 4 lanes along axis 1, blocks of 2 rows; 4 elements a thread access
// 65536 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ float weft_select_f32(bool m, float a, float b) { return m ? a : b; }

// Between what memory holds and what is computed with.
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
// x / n of numbers below 2^31, by what the host has found for n.
static __device__ __forceinline__ unsigned int weft_quotient_by(unsigned int x, I factor, I shift) {
  return __umulhi(x, (unsigned int)factor) >> (unsigned int)shift;
}
// The remainder of q by n; q becomes the quotient.
static __device__ __forceinline__ I weft_split_by(I& q, I n, I factor, I shift) {
  const unsigned int a = (unsigned int)q, whole = weft_quotient_by(a, factor, shift);
  q = (I)whole;
  return (I)(a - whole * (unsigned int)n);
}
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
struct Args { unsigned long long w[12]; };
extern "C" __global__ void __launch_bounds__(256) weft_e91178a22e072dc0(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11]};
  const I n = p[1] / 4;
  I q = (I)blockIdx.x;
  const I right = weft_split_by(q, (n + 127) / 128, p[8], p[9]) * 128 + (I)(threadIdx.x % 128);
  const I shelf = q * 2;
  const I first = shelf + (I)(threadIdx.x / 128) * 1;
  const I x1 = weft_min(right, n - 1) * 4;
  I x0[1];
  bool ok[1];
  bool h0[1];
  float h10[1];
  float h13[1];
  Vec<float, 4> m3[1];
  Vec<float, 4> m4[1];
  Vec<float, 4> w18[1];
  Vec<float, 4> c0[1];
  Vec<float, 4> c1[1];
  Vec<float, 4> c2[1];
  Vec<float, 4> c3[1];
  {
    const int u = 0;
    const I row = weft_min(first + u, p[0] - 1);
    c0[u] = weft_get<Vec<float, 4>>(b0 + (row * p[4] + x1));
  }
  {
    const int u = 0;
    ok[u] = right < n && first + u < p[0];
    x0[u] = weft_min(first + u, p[0] - 1);
    const bool v0 = (unsigned int)(-1 + x0[u]) < (unsigned int)p[2];
    h0[u] = v0;
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
    if (g0 & 0x1u) c1[u] = weft_get<Vec<float, 4>>(b0 + (-1 + x0[u] * p[4] + x1 - 3));
    if (g0 & 0xfu) c2[u] = weft_get<Vec<float, 4>>(b0 + (-1 + x0[u] * p[4] + x1 + 1));
    if (g0 & 0x8u) c3[u] = weft_get<Vec<float, 4>>(b0 + (1 + x0[u] * p[4] + x1 + 3));
  }
  {
    const int u = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const I y = x1 + e;
      const bool v1 = (unsigned int)(-1 + y) < (unsigned int)p[3];
      const float v2 = weft_unpack_f32(c0[u].e[e]);
      const float v3 = weft_unpack_f32(m3[u].e[e]);
      const float v4 = weft_unpack_f32(m4[u].e[e]);
      const float v5 = v3 + v4;
      const float v6 = weft_unpack_f32(weft_pick(c1[u], c2[u], e + 3));
      const float v7 = weft_unpack_f32(weft_pick(c2[u], c3[u], e + 1));
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
  {
    const int u = 0;
    if (ok[u]) {
      weft_put(b1 + (x0[u] * p[7] + x1), w18[u]);
    }
  }
}
