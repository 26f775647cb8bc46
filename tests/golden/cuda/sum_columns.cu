// columns, 4 lanes along axis 0, 8 threads down each, split in 8; 16 elements a thread access
// 512 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 524288 bytes of partials
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
// Whether this block is the last of n to come here. It sees what the others stored before, and leaves 0 in the counter.
static __device__ __forceinline__ bool weft_is_last(unsigned int* counter, unsigned int n) {
  bool last = false;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(counter, n - 1) == n - 1;
    __threadfence();
  }
  return __syncthreads_or(last);
}
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
struct Args { unsigned long long w[11]; };
struct __align__(8) S0 { double t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = a.t0 + b.t0;
}
extern "C" __global__ void __launch_bounds__(256) weft_406c770499aeb4d6(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  void* const partials = (void*)args.w[2];
  unsigned int* const counters = (unsigned int*)args.w[10];
  const I p[] = {(I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10]};
  const I n = p[0] / 4;
  const I tx = (I)(threadIdx.x % 32), ty = (I)(threadIdx.x / 32);
  I q = (I)(weft_quotient_by(blockIdx.x, p[5], p[6])) * 32 + tx;
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I column = q;
  const I x0 = q * 4;
  __shared__ __align__(16) unsigned char joins[8192];
  const I m = p[1];
  const I k = (I)(blockIdx.x - weft_quotient_by(blockIdx.x, p[5], p[6]) * (unsigned int)p[3]);
  const I begin = k * p[4];
  const I end = weft_min(begin + p[4], m);
  S0 s0[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e].t0 = weft_splat_f64(-0x0p+0);
  }
#pragma unroll 1
  for (I c = begin + ty; c < end; c += 8 * 4) {
    I x1[4];
    bool ok[4];
    Vec<float, 4> m0[4];
    float r0[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      r0[e] = weft_splat_f32(-0x0p+0f);
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = c + u * 8;
      ok[u] = q < end;
      q = weft_min(q, end - 1);
      x1[u] = q;
      m0[u] = weft_get<Vec<float, 4>>(b0 + (x0 + x1[u] * p[2]));
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const bool in_fold = ok[u];
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        if (in_fold) r0[e] = r0[e] + v0;
      }
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      s0[e].t0 = s0[e].t0 + weft_cast_f32_f64(r0[e]);
    }
  }
  S0 (*const joined0)[128] = (S0 (*)[128])joins;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    joined0[ty][e * 32 + tx] = s0[e];
  }
  __syncthreads();
  if (const unsigned int k = threadIdx.x; k < 128) {
    S0 all = joined0[0][k];
#pragma unroll
    for (int j = 1; j < 8; ++j) join0(all, joined0[j][k]);
    joined0[0][k] = all;
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e] = joined0[0][e * 32 + tx];
  }
  if (live && ty == 0) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      ((S0*)partials)[((long long)k * n + column) * 4 + e] = s0[e];
    }
  }
  if (weft_is_last(counters + weft_quotient_by(blockIdx.x, p[5], p[6]), (unsigned int)p[3])) {
    S0 s0[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      s0[e].t0 = weft_splat_f64(-0x0p+0);
    }
#pragma unroll 1
    for (I part = ty; part < p[3]; part += 8) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        join0(s0[e], ((const S0*)partials)[((long long)part * n + column) * 4 + e]);
      }
    }
    S0 (*const joined0)[128] = (S0 (*)[128])joins;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      joined0[ty][e * 32 + tx] = s0[e];
    }
    __syncthreads();
    if (const unsigned int k = threadIdx.x; k < 128) {
      S0 all = joined0[0][k];
#pragma unroll
      for (int j = 1; j < 8; ++j) join0(all, joined0[j][k]);
      joined0[0][k] = all;
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      s0[e] = joined0[0][e * 32 + tx];
    }
    float h1[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      h1[e] = weft_cast_f64_f32(s0[e].t0);
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const bool in_store = live && ty == 0;
      const I y = x0 + e;
      if (in_store) b1[y] = weft_pack_f32(h1[e]);
    }
  }
}
