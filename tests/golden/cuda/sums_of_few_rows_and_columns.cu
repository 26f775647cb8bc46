// rows of 256 threads along axis 1, 4 in turn, totalled across too, rows stay in registers; 20 elements a thread access
// 125 blocks of 256 threads, finish 157 of 512, 0 bytes shared, 2500000 bytes of partials
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
static __device__ __forceinline__ double weft_splat_f64(double x) { return x; }
static __device__ __forceinline__ double weft_cast_f32_f64(float x) { return (double)x; }
static __device__ __forceinline__ float weft_cast_f64_f32(double x) { return (float)x; }
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
struct Args { unsigned long long w[11]; };
struct __align__(4) S0 { float t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = a.t0 + b.t0;
}
extern "C" __global__ void __launch_bounds__(256, 4) weft_abf325e5fbfca2b5(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  void* const partials = (void*)args.w[3];
  const I p[] = {(I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10]};
  const I n = p[0];
  const I t = (I)threadIdx.x;
  const I walker = (I)blockIdx.x;
  const I m = p[1] / 4;
  float across1[5][4];
#pragma unroll
  for (int u = 0; u < 5; ++u) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      across1[u][e] = weft_splat_f32(-0x0p+0f);
    }
  }
  const I rows_end = weft_min(walker * p[3] + p[3], n);
#pragma unroll 1
  for (I first = walker * p[3]; first < rows_end; first += 1) {
    I q = first;
    const bool live = true;
    const I x0 = q;
    S0 s0;
    s0.t0 = weft_splat_f32(-0x0p+0f);
    {
      I x1[5];
      bool ok[5];
      Vec<float, 4> m0[5];
#pragma unroll
      for (int u = 0; u < 5; ++u) {
        I q = t + u * 256;
        ok[u] = u < 4 || q < m;
        if (u >= 4) q = weft_min(q, m - 1);
        x1[u] = q * 4;
        m0[u] = weft_get<Vec<float, 4>>(b0 + (x0 * p[2] + x1[u]));
      }
#pragma unroll
      for (int u = 0; u < 5; ++u) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const bool in_fold = ok[u];
          const bool in_store = ok[u];
          const float v0 = weft_unpack_f32(m0[u].e[e]);
          if (in_fold) s0.t0 = s0.t0 + v0;
          if (in_store) across1[u][e] = across1[u][e] + v0;
        }
      }
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
    if (live && t == 0) {
      b1[x0] = weft_pack_f32(v1);
    }
    __syncthreads();
  }
#pragma unroll
  for (int u = 0; u < 5; ++u) {
    const I q = t + u * 256;
    if (q < m) {
      Vec<float, 4> w1;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        w1.e[e] = across1[u][e];
      }
      weft_put((float*)((char*)partials + p[5]) + ((long long)walker * m + q) * 4, w1);
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) weft_abf325e5fbfca2b5_finish(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  void* const partials = (void*)args.w[3];
  const I p[] = {(I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10]};
  const I m = p[1] / 4 * 4;
  const I tx = (I)(threadIdx.x % 32), ty = (I)(threadIdx.x / 32);
  I slot = (I)blockIdx.x * 32 + tx;
  const bool there = slot < m;
  slot = weft_min(slot, m - 1);
  const float* const part1 = (const float*)((const char*)partials + p[6]);
  double total1 = weft_splat_f64(-0x0p+0);
#pragma unroll 8
  for (I k = ty; k < p[4]; k += 16)
    total1 = total1 + weft_cast_f32_f64(part1[(long long)k * m + slot]);
  __shared__ double down1[16][32];
  down1[ty][tx] = total1;
  for (int k = 8; k; k /= 2) {
    __syncthreads();
    if (ty < k) down1[ty][tx] = total1 = total1 + down1[ty + k][tx];
  }
  const float v2 = weft_cast_f64_f32(total1);
  I q = slot / 4;
  const I x1 = q * 4;
  const I y = x1 + slot % 4;
  const bool live = there && ty == 0;
  if (live) {
    b2[y] = weft_pack_f32(v2);
  }
}
