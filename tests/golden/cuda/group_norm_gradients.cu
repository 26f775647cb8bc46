// rows of 10 sections of 256 threads along axis 3, rows stay in registers, 5 blocks a row; 16 elements a thread access, loads to stay in the cache
// 2560 blocks of 512 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
// x / c for many x and one c, of which weft_inverse_f32 is given. The product is within 2^-51 of the quotient, which is
// never so near to the middle of two normal floats: it rounds as division does. Of subnormals exactly in the middle it
// may take the other one.
static __device__ __forceinline__ float weft_divide_by_f32(float x, double inverse) { return (float)((double)x * inverse); }
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
static __device__ __forceinline__ float weft_square_f32(float a) { return (float)(a * a); }
static __device__ __forceinline__ float weft_rsqrt_f32(float x) { return rsqrtf(x); }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
typedef int I;
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
// What is loaded with it leaves the second-level cache after everything else.
static __device__ __forceinline__ unsigned long long weft_to_stay() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
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
static __device__ __forceinline__ W weft_get_to_stay(const T* p) {
  W x;
  if constexpr (sizeof(W) % 16 == 0) {
#pragma unroll
    for (int k = 0; k < (int)sizeof(W) / 16; ++k) {
      uint4 v;
      asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"((const uint4*)p + k), "l"(weft_to_stay()));
      ((uint4*)&x)[k] = v;
    }
  } else if constexpr (sizeof(W) == 8) {
    uint2 v;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
                 : "=r"(v.x), "=r"(v.y) : "l"(p), "l"(weft_to_stay()));
    *(uint2*)&x = v;
  } else if constexpr (sizeof(W) == 4) {
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.b32 %0, [%1], %2;"
                 : "=r"(*(unsigned int*)&x) : "l"(p), "l"(weft_to_stay()));
  } else {
    x = weft_get<W>(p);
  }
  return x;
}
struct Args { unsigned long long w[26]; };
struct __align__(4) S0 { float t0; float t1; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = a.t0 + b.t0;
  a.t1 = a.t1 + b.t1;
}
struct __align__(4) S1 { float t3; };
static __device__ __forceinline__ void join1(S1& a, const S1& b) {
  a.t3 = a.t3 + b.t3;
}
struct __align__(4) S2 { float t4; };
static __device__ __forceinline__ void join2(S2& a, const S2& b) {
  a.t4 = a.t4 + b.t4;
}
struct __align__(4) S4 { float t2; float t5; };
static __device__ __forceinline__ void join4(S4& a, const S4& b) {
  a.t2 = a.t2 + b.t2;
  a.t5 = a.t5 + b.t5;
}
extern "C" __global__ void __launch_bounds__(512, 2) weft_cb8dd2b0d3f93b6a(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  const float* const b2 = (const float*)args.w[2];
  float* const b3 = (float*)args.w[3];
  float* const b4 = (float*)args.w[4];
  float* const b5 = (float*)args.w[5];
  const I p[] = {(I)args.w[6], (I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12], (I)args.w[13], (I)args.w[14], (I)args.w[15], (I)args.w[16], (I)args.w[17], (I)args.w[18], (I)args.w[19], (I)args.w[20], (I)args.w[21], (I)args.w[22], (I)args.w[23], (I)args.w[24], (I)args.w[25]};
  const I n = p[1] * p[0];
  const I t = (I)threadIdx.x;
  I q = (I)(blockIdx.x / 5);
  const I rank = (I)(blockIdx.x % 5);
  const bool live = true;
  const I x1 = weft_split_by(q, p[1], p[18], p[19]);
  const I x0 = q;
  const I m = p[3] / 4;
  q = rank * 2 + t / 256;
  const I x2 = q;
  S4 s4;
  s4.t2 = weft_splat_f32(-0x0p+0f);
  s4.t5 = weft_splat_f32(-0x0p+0f);
  __shared__ unsigned long long told0;
  __shared__ unsigned long long told1;
  __shared__ unsigned long long told2;
  if (threadIdx.x == 0) { weft_set_up(told0); weft_set_up(told1); weft_set_up(told2); }
  __syncwarp();
  if (threadIdx.x == 0) { weft_expect(told0, 5 * sizeof(S0)); weft_expect(told1, 5 * sizeof(S1)); weft_expect(told2, 5 * sizeof(S2)); }
  weft_arrive();
  Vec<float, 4> k0[4];
  Vec<float, 4> k4[4];
  S0 s0;
  s0.t0 = weft_splat_f32(-0x0p+0f);
  s0.t1 = weft_splat_f32(-0x0p+0f);
  {
    I x3[4];
    float h1[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = t % 256 + u * 256;
      x3[u] = q * 4;
      k0[u] = weft_get_to_stay<Vec<float, 4>>(b0 + (x0 * p[4] + x1 * p[5] + x2 * p[6] + x3[u]));
      const float v1 = weft_unpack_f32(b1[x1 * p[7] + x2]);
      h1[u] = v1;
      k4[u] = weft_get_to_stay<Vec<float, 4>>(b2 + (x0 * p[8] + x1 * p[9] + x2 * p[10] + x3[u]));
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v0 = weft_unpack_f32(k0[u].e[e]);
        const float v2 = v0 * h1[u];
        s0.t0 = s0.t0 + v2;
        const float v4 = weft_unpack_f32(k4[u].e[e]);
        s0.t1 = s0.t1 + v4;
        s4.t2 = s4.t2 + v0;
      }
    }
  }
#pragma unroll
  for (int k = 16; k; k /= 2) join0(s0, weft_exchange(s0, k));
  __shared__ S0 joined0[16];
  if (threadIdx.x % 32 == 0) joined0[threadIdx.x / 32] = s0;
  __syncthreads();
  s0 = joined0[threadIdx.x % 16];
#pragma unroll
  for (int k = 8; k; k /= 2) join0(s0, weft_exchange(s0, k));
  __shared__ S0 blocks0[5];
  weft_await();
  if (threadIdx.x < 5) weft_tell_block(blocks0[rank], told0, threadIdx.x, s0);
  weft_await_told(told0);
  s0 = blocks0[0];
#pragma unroll
  for (int k = 1; k < 5; ++k) join0(s0, blocks0[k]);
  const float v3 = s0.t0;
  const float v5 = s0.t1;
  const float v7 = weft_splat_f32(0x1.4p+15f);
  const float v8 = weft_divide_by_f32(v5, weft_inverse_f32(v7));
  S1 s1;
  s1.t3 = weft_splat_f32(-0x0p+0f);
  {
    I x3[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = t % 256 + u * 256;
      x3[u] = q * 4;
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v9 = weft_unpack_f32(k4[u].e[e]) - v8;
        const float v10 = weft_square_f32(v9);
        s1.t3 = s1.t3 + v10;
      }
    }
  }
#pragma unroll
  for (int k = 16; k; k /= 2) join1(s1, weft_exchange(s1, k));
  __shared__ S1 joined1[16];
  if (threadIdx.x % 32 == 0) joined1[threadIdx.x / 32] = s1;
  __syncthreads();
  s1 = joined1[threadIdx.x % 16];
#pragma unroll
  for (int k = 8; k; k /= 2) join1(s1, weft_exchange(s1, k));
  __shared__ S1 blocks1[5];
  if (threadIdx.x < 5) weft_tell_block(blocks1[rank], told1, threadIdx.x, s1);
  weft_await_told(told1);
  s1 = blocks1[0];
#pragma unroll
  for (int k = 1; k < 5; ++k) join1(s1, blocks1[k]);
  const float v11 = s1.t3;
  const float v12 = weft_splat_f32(0x1.4p+15f);
  const float v13 = weft_divide_by_f32(v11, weft_inverse_f32(v12));
  const float v14 = weft_splat_f32(0x1.0624dep-10f);
  const float v15 = v13 + v14;
  const float v16 = weft_rsqrt_f32(v15);
  S2 s2;
  s2.t4 = weft_splat_f32(-0x0p+0f);
  {
    I x3[4];
    float h31[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = t % 256 + u * 256;
      x3[u] = q * 4;
      const float v31 = weft_unpack_f32(b1[x1 * p[7] + x2]);
      h31[u] = v31;
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v30 = weft_unpack_f32(k4[u].e[e]) - v8;
        const float v17 = v30 * v16;
        const float v32 = weft_unpack_f32(k0[u].e[e]) * h31[u];
        const float v18 = v32 * v17;
        s2.t4 = s2.t4 + v18;
        const float v20 = weft_unpack_f32(k0[u].e[e]) * v17;
        s4.t5 = s4.t5 + v20;
      }
    }
  }
#pragma unroll
  for (int k = 16; k; k /= 2) join2(s2, weft_exchange(s2, k));
  __shared__ S2 joined2[16];
  if (threadIdx.x % 32 == 0) joined2[threadIdx.x / 32] = s2;
  __syncthreads();
  s2 = joined2[threadIdx.x % 16];
#pragma unroll
  for (int k = 8; k; k /= 2) join2(s2, weft_exchange(s2, k));
  __shared__ S2 blocks2[5];
  if (threadIdx.x < 5) weft_tell_block(blocks2[rank], told2, threadIdx.x, s2);
  weft_await_told(told2);
  s2 = blocks2[0];
#pragma unroll
  for (int k = 1; k < 5; ++k) join2(s2, blocks2[k]);
  const float v19 = s2.t4;
  const float v22 = weft_splat_f32(0x1.4p+15f);
  const float v23 = weft_divide_by_f32(v3, weft_inverse_f32(v22));
  const float v25 = weft_splat_f32(0x1.4p+15f);
  const float v26 = weft_divide_by_f32(v19, weft_inverse_f32(v25));
  {
    I x3[4];
    float h33[4];
    Vec<float, 4> w8[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = t % 256 + u * 256;
      x3[u] = q * 4;
      const float v33 = weft_unpack_f32(b1[x1 * p[7] + x2]);
      h33[u] = v33;
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v34 = weft_unpack_f32(k0[u].e[e]) * h33[u];
        const float v24 = v34 - v23;
        const float v35 = weft_unpack_f32(k4[u].e[e]) - v8;
        const float v36 = v35 * v16;
        const float v27 = v36 * v26;
        const float v28 = v24 - v27;
        const float v29 = v28 * v16;
        w8[u].e[e] = weft_pack_f32(v29);
      }
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      weft_put(b5 + (x0 * p[15] + x1 * p[16] + x2 * p[17] + x3[u]), w8[u]);
    }
  }
#pragma unroll
  for (int k = 16; k; k /= 2) join4(s4, weft_exchange(s4, k));
  __shared__ S4 joined4[16];
  if (threadIdx.x % 32 == 0) joined4[threadIdx.x / 32] = s4;
  __syncthreads();
  s4 = joined4[threadIdx.x / 256 * 8 + threadIdx.x % 8];
#pragma unroll
  for (int k = 4; k; k /= 2) join4(s4, weft_exchange(s4, k));
  const float v6 = s4.t2;
  const float v21 = s4.t5;
  if (t % 256 == 0) {
    b3[x0 * p[11] + x1 * p[12] + x2] = weft_pack_f32(v6);
  }
  if (t % 256 == 0) {
    b4[x0 * p[13] + x1 * p[14] + x2] = weft_pack_f32(v21);
  }
}
