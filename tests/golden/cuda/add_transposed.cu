// pointwise, tiles of 64 by 64 of axes 0 and 1: loads run along both; 16 elements a thread access
// 16384 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
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
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
struct Args { unsigned long long w[10]; };
extern "C" __global__ void __launch_bounds__(256) weft_3f561e29db69628b(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  const I p[] = {(I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9]};
  const I tx = (I)(threadIdx.x % 16) * 4, ty = (I)(threadIdx.x / 16);
  I q = (I)blockIdx.x;
  const I lane = weft_split_by(q, (p[1] + 63) / 64, p[5], p[6]) * 64;
  const I across = q * 64;
  const I x1 = weft_min(lane + tx, p[1] - 4);
  I x0[4];
  bool ok[4];
  Vec<float, 4> m0[4];
  Vec<float, 4> w3[4];
  __shared__ float tile1[64][65];
  Vec<float, 4> d1[4];
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const I down = weft_min(lane + ty + u * 16, p[1] - 1);
    const I right = weft_min(across + tx, p[0] - 4);
    d1[u] = weft_get<Vec<float, 4>>(b1 + (right + down * p[3]));
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const I q = across + ty + u * 16;
    ok[u] = lane + tx < p[1] && q < p[0];
    x0[u] = weft_min(q, p[0] - 1);
    m0[u] = weft_get<Vec<float, 4>>(b0 + (x0[u] * p[2] + x1));
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      tile1[tx + e][ty + u * 16] = d1[u].e[e];
    }
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < 4; ++u) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float v0 = weft_unpack_f32(m0[u].e[e]);
      const float v1 = weft_unpack_f32(tile1[ty + u * 16][tx + e]);
      const float v2 = v0 + v1;
      w3[u].e[e] = weft_pack_f32(v2);
    }
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    if (ok[u]) {
      weft_put(b2 + (x0[u] * p[4] + x1), w3[u]);
    }
  }
}
