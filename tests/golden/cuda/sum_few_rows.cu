// rows of 256 threads along axis 1, nothing crosses sweeps, all of a row is loaded at once, 4 blocks a row; 64 elements a thread access
// 128 blocks of 256 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ double weft_splat_f64(double x) { return x; }
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ double weft_cast_f32_f64(float x) { return (double)x; }
static __device__ __forceinline__ float weft_cast_f64_f32(double x) { return (float)x; }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
// Writes to a shared variable of another block of the cluster, which counts the bytes in `told`.
template <class S>
static __device__ __forceinline__ void weft_tell_block(S& place, unsigned long long& told, unsigned int rank, const S& s) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&place), count = (unsigned int)__cvta_generic_to_shared(&told);
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(count) : "r"(count), "r"(rank));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 ::"r"(at + 4 * i), "r"(((const unsigned int*)&s)[i]), "r"(count) : "memory");
}
// Before the blocks meet, one thread sets the counts up and says how many bytes will come; then each waits for them.
static __device__ __forceinline__ void weft_set_up(unsigned long long& told) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ __forceinline__ void weft_expect(unsigned long long& told, unsigned int bytes) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(count), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void weft_await_told(unsigned long long& told) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told), all;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count) : "memory");
  while (!all);
}
// The blocks of the cluster know that all of them run, and nothing about memory: a barrier that orders it
// waits for all that is being stored.
static __device__ __forceinline__ void weft_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
static __device__ __forceinline__ void weft_await() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
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
struct Args { unsigned long long w[5]; };
struct __align__(8) S0 { double t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = a.t0 + b.t0;
}
extern "C" __global__ void __launch_bounds__(256, 2) weft_c5157d8a4965f18a(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4]};
  const I n = p[0];
  const I t = (I)threadIdx.x;
  I q = (I)(blockIdx.x / 4);
  const I rank = (I)(blockIdx.x % 4);
  const bool live = true;
  const I x0 = q;
  const I m = p[1] / 4;
  __shared__ unsigned long long told0;
  if (threadIdx.x == 0) { weft_set_up(told0); }
  __syncwarp();
  if (threadIdx.x == 0) { weft_expect(told0, 4 * sizeof(S0)); }
  weft_arrive();
  S0 s0;
  s0.t0 = weft_splat_f64(-0x0p+0);
  {
    float r0;
    r0 = weft_splat_f32(-0x0p+0f);
    I x1[16];
    Vec<float, 4> m0[16];
#pragma unroll
    for (int u = 0; u < 16; ++u) {
      I q = rank * 256 + t + u * 1024;
      x1[u] = q * 4;
      m0[u] = weft_get<Vec<float, 4>>(b0 + (x0 * p[2] + x1[u]));
    }
#pragma unroll
    for (int u = 0; u < 16; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        r0 = r0 + v0;
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
  __shared__ S0 blocks0[4];
  weft_await();
  if (threadIdx.x < 4) weft_tell_block(blocks0[rank], told0, threadIdx.x, s0);
  weft_await_told(told0);
  s0 = blocks0[0];
#pragma unroll
  for (int k = 1; k < 4; ++k) join0(s0, blocks0[k]);
  const float v1 = weft_cast_f64_f32(s0.t0);
  if (live && t == 0 && rank == 0) {
    b1[x0] = weft_pack_f32(v1);
  }
}
