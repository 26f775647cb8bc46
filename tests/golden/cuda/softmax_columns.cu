// columns, 4 lanes along axis 0, 16 threads down each, which stay in shared memory, 2 blocks a strip; 8 elements a thread access
// 512 blocks of 256 threads, finish 0 of 1, 65536 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_maximum_f32(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
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
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
// 1 / c within 2^-52, from the hardware's 20 bits; zero, infinity and NaN, whose e is NaN, have what the hardware gives.
static __device__ __forceinline__ double weft_inverse_f32(float c) {
  double r;
  asm("{ .reg .f64 d, e, h; .reg .pred p;\n"
      "cvt.f64.f32 d, %1;\n"
      "rcp.approx.ftz.f64 h, d;\n"
      "neg.f64 d, d;\n"
      "fma.rn.f64 e, d, h, 0d3FF0000000000000;\n"
      "setp.eq.f64 p, e, e;\n"
      "fma.rn.f64 e, e, e, e;\n"
      "fma.rn.f64 e, e, h, h;\n"
      "selp.f64 %0, e, h, p; }" : "=d"(r) : "f"(c));
  return r;
}
// x / c for many x and one c, of which weft_inverse_f32 is given. The product is within 2^-51 of the quotient, which is
// never so near to the middle of two normal floats: it rounds as division does. Of subnormals exactly in the middle it
// may take the other one.
static __device__ __forceinline__ float weft_divide_by_f32(float x, double inverse) { return (float)((double)x * inverse); }
typedef int I;
#define __builtin_inff() __int_as_float(0x7f800000)
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
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
// A vector of 4, 8 or 16 bytes.
template <class W, class T>
static __device__ __forceinline__ void weft_copy_ahead(W* to, const T* from) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
  if constexpr (sizeof(W) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(W)) : "memory");
}
static __device__ __forceinline__ void weft_copied() { asm volatile("cp.async.wait_all;" ::: "memory"); }
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
struct Args { unsigned long long w[7]; };
extern __shared__ __align__(16) unsigned char weft_shared[];
struct __align__(4) S0 { float t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = weft_maximum_f32(a.t0, b.t0);
}
struct __align__(4) S1 { float t1; };
static __device__ __forceinline__ void join1(S1& a, const S1& b) {
  a.t1 = a.t1 + b.t1;
}
extern "C" __global__ void __launch_bounds__(256, 3) weft_b28fba9e22e375e1(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6]};
  const I n = p[0] / 4;
  const I tx = (I)(threadIdx.x % 16), ty = (I)(threadIdx.x / 16);
  I q = (I)(blockIdx.x / 2) * 16 + tx;
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I x0 = q * 4;
  __shared__ __align__(16) unsigned char joins[2048];
  const I m = p[1];
  const I rank = (I)(blockIdx.x % 2);
  __shared__ unsigned long long told0;
  __shared__ unsigned long long told1;
  if (threadIdx.x == 0) { weft_set_up(told0); weft_set_up(told1); }
  __syncwarp();
  if (threadIdx.x == 0) { weft_expect(told0, 128 * sizeof(S0)); weft_expect(told1, 128 * sizeof(S1)); }
  weft_arrive();
  const I begin = rank * p[4];
  const I end = weft_min(begin + p[4], m);
  Vec<float, 4>* z0 = (Vec<float, 4>*)(weft_shared + p[4] * 0) + tx;
  Vec<float, 4>* z3 = (Vec<float, 4>*)(weft_shared + p[4] * 0) + tx;
#pragma unroll 4
  for (I c = begin + ty; c < end; c += 16) {
    I q = c;
    const I x1 = q;
    weft_copy_ahead(z0 + (c - begin) * 16, b0 + (x0 + x1 * p[2]));
  }
  weft_copied();
  S0 s0[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e].t0 = weft_splat_f32(-__builtin_inff());
  }
#pragma unroll 1
  for (I c = begin + ty; c < end; c += 16 * 2) {
    I x1[2];
    I at[2];
    Vec<float, 4> k0[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + u * 16;
      at[u] = (q - begin) * 16;
      k0[u] = z0[at[u]];
      x1[u] = q;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v0 = weft_unpack_f32(k0[u].e[e]);
        s0[e].t0 = weft_maximum_f32(s0[e].t0, v0);
      }
    }
  }
#pragma unroll
  for (int e = 0; e < 4; ++e) {
#pragma unroll
    for (int k = 16; k >= 16; k /= 2) join0(s0[e], weft_exchange(s0[e], k));
  }
  S0 (*const joined0)[64] = (S0 (*)[64])joins;
  __shared__ S0 all0[64];
  if (ty % 2 == 0) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      joined0[ty / 2][e * 16 + tx] = s0[e];
    }
  }
  __syncthreads();
  if (const unsigned int k = threadIdx.x; k < 64) {
    S0 all = joined0[0][k];
#pragma unroll
    for (int j = 1; j < 8; ++j) join0(all, joined0[j][k]);
    joined0[0][k] = all;
  }
  __syncthreads();
  __shared__ S0 blocks0[2][64];
  weft_await();
  if (const unsigned int k = threadIdx.x; k < 128) {
    weft_tell_block(blocks0[rank][k % 64], told0, k / 64, joined0[0][k % 64]);
  }
  weft_await_told(told0);
  if (const unsigned int k = threadIdx.x; k < 64) {
    S0 all = blocks0[0][k];
#pragma unroll
    for (int j = 1; j < 2; ++j) join0(all, blocks0[j][k]);
    all0[k] = all;
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e] = all0[e * 16 + tx];
  }
  float h1[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    h1[e] = s0[e].t0;
  }
  S1 s1[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s1[e].t1 = weft_splat_f32(-0x0p+0f);
  }
#pragma unroll 1
  for (I c = begin + ty; c < end; c += 16 * 2) {
    I x1[2];
    I at[2];
    Vec<float, 4> k0[2];
    Vec<float, 4> k3[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + u * 16;
      at[u] = (q - begin) * 16;
      k0[u] = z0[at[u]];
      x1[u] = q;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v2 = weft_unpack_f32(k0[u].e[e]) - h1[e];
        const float v3 = weft_exp_f32(v2);
        k3[u].e[e] = weft_pack_f32(v3);
        s1[e].t1 = s1[e].t1 + v3;
      }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      z3[at[u]] = k3[u];
    }
  }
#pragma unroll
  for (int e = 0; e < 4; ++e) {
#pragma unroll
    for (int k = 16; k >= 16; k /= 2) join1(s1[e], weft_exchange(s1[e], k));
  }
  S1 (*const joined1)[64] = (S1 (*)[64])joins;
  __shared__ S1 all1[64];
  if (ty % 2 == 0) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      joined1[ty / 2][e * 16 + tx] = s1[e];
    }
  }
  __syncthreads();
  if (const unsigned int k = threadIdx.x; k < 64) {
    S1 all = joined1[0][k];
#pragma unroll
    for (int j = 1; j < 8; ++j) join1(all, joined1[j][k]);
    joined1[0][k] = all;
  }
  __syncthreads();
  __shared__ S1 blocks1[2][64];
  if (const unsigned int k = threadIdx.x; k < 128) {
    weft_tell_block(blocks1[rank][k % 64], told1, k / 64, joined1[0][k % 64]);
  }
  weft_await_told(told1);
  if (const unsigned int k = threadIdx.x; k < 64) {
    S1 all = blocks1[0][k];
#pragma unroll
    for (int j = 1; j < 2; ++j) join1(all, blocks1[j][k]);
    all1[k] = all;
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s1[e] = all1[e * 16 + tx];
  }
  float h4[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    h4[e] = s1[e].t1;
  }
  {
    double inverse4[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      inverse4[e] = weft_inverse_f32(h4[e]);
    }
#pragma unroll 1
    for (I c = begin + ty; c < end; c += 16 * 2) {
      I x1[2];
      I at[2];
      Vec<float, 4> k0[2];
      Vec<float, 4> k3[2];
      Vec<float, 4> w1[2];
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        I q = c + u * 16;
        at[u] = (q - begin) * 16;
        k0[u] = z0[at[u]];
        k3[u] = z3[at[u]];
        x1[u] = q;
      }
#pragma unroll
      for (int u = 0; u < 2; ++u) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float v5 = weft_divide_by_f32(weft_unpack_f32(k3[u].e[e]), inverse4[e]);
          w1[u].e[e] = weft_pack_f32(v5);
        }
      }
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        if (live) {
          weft_put(b1 + (x0 + x1[u] * p[3]), w1[u]);
        }
      }
    }
  }
}
