// pointwise, 2 lanes along axis 1, blocks of 8 rows; 8 elements a thread access
// 32768 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
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
extern "C" __global__ void __launch_bounds__(256) weft_70b939abe95ad2b6(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11]};
  const I n = p[1] / 2;
  I q = (I)blockIdx.x;
  const I right = weft_split_by(q, (n + 127) / 128, p[8], p[9]) * 128 + (I)(threadIdx.x % 128);
  const I shelf = q * 8;
  const I first = shelf + (I)(threadIdx.x / 128) * 4;
  const I x1 = weft_min(right, n - 1) * 2;
  I x0[4];
  bool ok[4];
  float h8[4];
  Vec<float, 2> w11[4];
  Vec<float, 2> c0[6];
  Vec<float, 2> c1[6];
#pragma unroll
  for (int u = 0; u < 6; ++u) {
    const I row = weft_min(first + u, p[0] + 1);
    c0[u] = weft_get<Vec<float, 2>>(b0 + (1 + row * p[2] + x1 - 1));
    c1[u] = weft_get<Vec<float, 2>>(b0 + (1 + row * p[2] + x1 + 1));
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    ok[u] = right < n && first + u < p[0];
    x0[u] = weft_min(first + u, p[0] - 1);
    const float v8 = weft_splat_f32(0x1p+2f);
    h8[u] = v8;
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const float v0 = weft_unpack_f32(weft_pick(c0[u], c1[u], e + 1));
      const float v1 = weft_unpack_f32(weft_pick(c0[u + 2], c1[u + 2], e + 1));
      const float v2 = v0 + v1;
      const float v3 = weft_unpack_f32(c0[u + 1].e[e]);
      const float v4 = weft_unpack_f32(c1[u + 1].e[e]);
      const float v5 = v3 + v4;
      const float v6 = v2 + v5;
      const float v7 = weft_unpack_f32(weft_pick(c0[u + 1], c1[u + 1], e + 1));
      const float v9 = v7 * h8[u];
      const float v10 = v6 - v9;
      w11[u].e[e] = weft_pack_f32(v10);
    }
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    if (ok[u]) {
      weft_put(b1 + (x0[u] * p[7] + x1), w11[u]);
    }
  }
}
