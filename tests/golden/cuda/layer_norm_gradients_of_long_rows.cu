// rows of 256 threads along axis 1, 37 in turn, totalled across too, rows stay in registers, 16 blocks a row; 16 elements a thread access, loads to stay in the cache
// 224 blocks of 256 threads, finish 1024 of 128, 32768 bytes shared, 7340032 bytes of partials
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
static __device__ __forceinline__ double weft_splat_f64(double x) { return x; }
static __device__ __forceinline__ double weft_cast_f32_f64(float x) { return (double)x; }
static __device__ __forceinline__ float weft_cast_f64_f32(double x) { return (float)x; }
typedef int I;
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
// As weft_await_told, turn after turn: one thread then says how many bytes will come the next time.
static __device__ __forceinline__ void weft_await_turn(unsigned long long& told, unsigned int phase, unsigned int bytes) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told), all;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count), "r"(phase) : "memory");
  while (!all);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(count), "r"(bytes) : "memory");
  }
}
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
static __device__ __forceinline__ void weft_copy_to_stay(W* to, const T* from) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
  if constexpr (sizeof(W) == 16)
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                 ::"r"(at), "l"(from), "l"(weft_to_stay()) : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;"
                 ::"r"(at), "l"(from), "n"(sizeof(W)), "l"(weft_to_stay()) : "memory");
}
static __device__ __forceinline__ void weft_copied() { asm volatile("cp.async.wait_all;" ::: "memory"); }
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
struct Args { unsigned long long w[18]; };
extern __shared__ __align__(16) unsigned char weft_shared[];
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
extern "C" __global__ void __launch_bounds__(256, 2) weft_84794236b999f49f(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  const float* const b2 = (const float*)args.w[2];
  float* const b3 = (float*)args.w[3];
  float* const b4 = (float*)args.w[4];
  float* const b5 = (float*)args.w[5];
  void* const partials = (void*)args.w[6];
  const I p[] = {(I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12], (I)args.w[13], (I)args.w[14], (I)args.w[15], (I)args.w[16], (I)args.w[17]};
  const I n = p[0];
  const I t = (I)threadIdx.x;
  const I rank = (I)(blockIdx.x % 16);
  const I walker = (I)(blockIdx.x / 16);
  const I m = p[1] / 4;
  float across2[4][4];
#pragma unroll
  for (int u = 0; u < 4; ++u) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      across2[u][e] = weft_splat_f32(-0x0p+0f);
    }
  }
  float across5[4][4];
#pragma unroll
  for (int u = 0; u < 4; ++u) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      across5[u][e] = weft_splat_f32(-0x0p+0f);
    }
  }
  __shared__ unsigned long long told0[2];
  __shared__ unsigned long long told1[2];
  __shared__ unsigned long long told2[2];
  if (threadIdx.x == 0) { weft_set_up(told0[0]); weft_set_up(told0[1]); weft_set_up(told1[0]); weft_set_up(told1[1]); weft_set_up(told2[0]); weft_set_up(told2[1]); }
  __syncwarp();
  if (threadIdx.x == 0) { weft_expect(told0[0], 16 * sizeof(S0)); weft_expect(told0[1], 16 * sizeof(S0)); weft_expect(told1[0], 16 * sizeof(S1)); weft_expect(told1[1], 16 * sizeof(S1)); weft_expect(told2[0], 16 * sizeof(S2)); weft_expect(told2[1], 16 * sizeof(S2)); }
  weft_arrive();
  weft_await();
  const I rows_end = weft_min(walker * p[5] + p[5], n);
  Vec<float, 4>* const z0 = (Vec<float, 4>*)(weft_shared + 0) + threadIdx.x;
  Vec<float, 4>* const z4 = (Vec<float, 4>*)(weft_shared + 16384) + threadIdx.x;
  {
    I q = walker * p[5];
    const I x0 = q;
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = rank * 256 + t + u * 4096;
      const I x1 = q * 4;
      weft_copy_to_stay(z0 + u * 256, b0 + (x0 * p[2] + x1));
      weft_copy_to_stay(z4 + u * 256, b2 + (x0 * p[3] + x1));
    }
  }
  unsigned int turn = 0;
#pragma unroll 1
  for (I first = walker * p[5]; first < rows_end; first += 1, ++turn) {
    I q = first;
    const bool live = true;
    const I x0 = q;
    Vec<float, 4> k0[4];
    Vec<float, 4> k4[4];
    weft_copied();
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      k0[u] = z0[u * 256];
      k4[u] = z4[u * 256];
    }
    if (first + 1 < rows_end) {
      {
        I q = first + 1;
        const I x0 = q;
#pragma unroll
        for (int u = 0; u < 4; ++u) {
          I q = rank * 256 + t + u * 4096;
          const I x1 = q * 4;
          weft_copy_to_stay(z0 + u * 256, b0 + (x0 * p[2] + x1));
          weft_copy_to_stay(z4 + u * 256, b2 + (x0 * p[3] + x1));
        }
      }
    }
    S0 s0;
    s0.t0 = weft_splat_f32(-0x0p+0f);
    s0.t1 = weft_splat_f32(-0x0p+0f);
    {
      I x1[4];
      Vec<float, 4> m1[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        I q = rank * 256 + t + u * 4096;
        x1[u] = q * 4;
        m1[u] = weft_get<Vec<float, 4>>(b1 + (x1[u]));
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float v0 = weft_unpack_f32(k0[u].e[e]);
          const float v1 = weft_unpack_f32(m1[u].e[e]);
          const float v2 = v0 * v1;
          s0.t0 = s0.t0 + v2;
          const float v4 = weft_unpack_f32(k4[u].e[e]);
          s0.t1 = s0.t1 + v4;
          across2[u][e] = across2[u][e] + v0;
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
    __shared__ S0 blocks0[2][16];
    if (threadIdx.x < 16) weft_tell_block(blocks0[turn % 2][rank], told0[turn % 2], threadIdx.x, s0);
    weft_await_turn(told0[turn % 2], turn / 2 % 2, 16 * sizeof(S0));
    s0 = blocks0[turn % 2][0];
#pragma unroll
    for (int k = 1; k < 16; ++k) join0(s0, blocks0[turn % 2][k]);
    const float v3 = s0.t0;
    const float v5 = s0.t1;
    const float v7 = weft_splat_f32(0x1p+16f);
    const float v8 = weft_divide_by_f32(v5, weft_inverse_f32(v7));
    S1 s1;
    s1.t3 = weft_splat_f32(-0x0p+0f);
    {
      I x1[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        I q = rank * 256 + t + u * 4096;
        x1[u] = q * 4;
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
    __shared__ S1 joined1[8];
    if (threadIdx.x % 32 == 0) joined1[threadIdx.x / 32] = s1;
    __syncthreads();
    s1 = joined1[threadIdx.x % 8];
#pragma unroll
    for (int k = 4; k; k /= 2) join1(s1, weft_exchange(s1, k));
    __shared__ S1 blocks1[2][16];
    if (threadIdx.x < 16) weft_tell_block(blocks1[turn % 2][rank], told1[turn % 2], threadIdx.x, s1);
    weft_await_turn(told1[turn % 2], turn / 2 % 2, 16 * sizeof(S1));
    s1 = blocks1[turn % 2][0];
#pragma unroll
    for (int k = 1; k < 16; ++k) join1(s1, blocks1[turn % 2][k]);
    const float v11 = s1.t3;
    const float v12 = weft_splat_f32(0x1p+16f);
    const float v13 = weft_divide_by_f32(v11, weft_inverse_f32(v12));
    const float v14 = weft_splat_f32(0x1.0624dep-10f);
    const float v15 = v13 + v14;
    const float v16 = weft_rsqrt_f32(v15);
    S2 s2;
    s2.t4 = weft_splat_f32(-0x0p+0f);
    {
      I x1[4];
      Vec<float, 4> m33[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        I q = rank * 256 + t + u * 4096;
        x1[u] = q * 4;
        m33[u] = weft_get<Vec<float, 4>>(b1 + (x1[u]));
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float v32 = weft_unpack_f32(k4[u].e[e]) - v8;
          const float v17 = v32 * v16;
          const float v33 = weft_unpack_f32(m33[u].e[e]);
          const float v34 = weft_unpack_f32(k0[u].e[e]) * v33;
          const float v18 = v34 * v17;
          s2.t4 = s2.t4 + v18;
          const float v20 = weft_unpack_f32(k0[u].e[e]) * v17;
          across5[u][e] = across5[u][e] + v20;
        }
      }
    }
#pragma unroll
    for (int k = 16; k; k /= 2) join2(s2, weft_exchange(s2, k));
    __shared__ S2 joined2[8];
    if (threadIdx.x % 32 == 0) joined2[threadIdx.x / 32] = s2;
    __syncthreads();
    s2 = joined2[threadIdx.x % 8];
#pragma unroll
    for (int k = 4; k; k /= 2) join2(s2, weft_exchange(s2, k));
    __shared__ S2 blocks2[2][16];
    if (threadIdx.x < 16) weft_tell_block(blocks2[turn % 2][rank], told2[turn % 2], threadIdx.x, s2);
    weft_await_turn(told2[turn % 2], turn / 2 % 2, 16 * sizeof(S2));
    s2 = blocks2[turn % 2][0];
#pragma unroll
    for (int k = 1; k < 16; ++k) join2(s2, blocks2[turn % 2][k]);
    const float v19 = s2.t4;
    const float v22 = weft_splat_f32(0x1p+16f);
    const float v23 = weft_divide_by_f32(v3, weft_inverse_f32(v22));
    const float v25 = weft_splat_f32(0x1p+16f);
    const float v26 = weft_divide_by_f32(v19, weft_inverse_f32(v25));
    {
      I x1[4];
      Vec<float, 4> m35[4];
      Vec<float, 4> w8[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        I q = rank * 256 + t + u * 4096;
        x1[u] = q * 4;
        m35[u] = weft_get<Vec<float, 4>>(b1 + (x1[u]));
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float v35 = weft_unpack_f32(m35[u].e[e]);
          const float v36 = weft_unpack_f32(k0[u].e[e]) * v35;
          const float v24 = v36 - v23;
          const float v37 = weft_unpack_f32(k4[u].e[e]) - v8;
          const float v38 = v37 * v16;
          const float v27 = v38 * v26;
          const float v28 = v24 - v27;
          const float v29 = v28 * v16;
          w8[u].e[e] = weft_pack_f32(v29);
        }
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        weft_put(b3 + (x0 * p[4] + x1[u]), w8[u]);
      }
    }
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const I q = rank * 256 + t + u * 4096;
    if (q < m) {
      Vec<float, 4> w2;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        w2.e[e] = across2[u][e];
      }
      weft_put((float*)((char*)partials + p[7]) + ((long long)walker * m + q) * 4, w2);
      Vec<float, 4> w5;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        w5.e[e] = across5[u][e];
      }
      weft_put((float*)((char*)partials + p[8]) + ((long long)walker * m + q) * 4, w5);
    }
  }
}
extern "C" __global__ void __launch_bounds__(128) weft_84794236b999f49f_finish(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  const float* const b2 = (const float*)args.w[2];
  float* const b3 = (float*)args.w[3];
  float* const b4 = (float*)args.w[4];
  float* const b5 = (float*)args.w[5];
  void* const partials = (void*)args.w[6];
  const I p[] = {(I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12], (I)args.w[13], (I)args.w[14], (I)args.w[15], (I)args.w[16], (I)args.w[17]};
  const I m = p[1] / 4 * 4;
  const I tx = (I)(threadIdx.x % 64), ty = (I)(threadIdx.x / 64);
  I slot = (I)blockIdx.x * 64 + tx;
  const bool there = slot < m;
  slot = weft_min(slot, m - 1);
  const float* const part2 = (const float*)((const char*)partials + p[9]);
  double total2 = weft_splat_f64(-0x0p+0);
#pragma unroll 8
  for (I k = ty; k < p[6]; k += 2)
    total2 = total2 + weft_cast_f32_f64(part2[(long long)k * m + slot]);
  __shared__ double down2[2][64];
  down2[ty][tx] = total2;
  for (int k = 1; k; k /= 2) {
    __syncthreads();
    if (ty < k) down2[ty][tx] = total2 = total2 + down2[ty + k][tx];
  }
  const float v6 = weft_cast_f64_f32(total2);
  const float* const part5 = (const float*)((const char*)partials + p[10]);
  double total5 = weft_splat_f64(-0x0p+0);
#pragma unroll 8
  for (I k = ty; k < p[6]; k += 2)
    total5 = total5 + weft_cast_f32_f64(part5[(long long)k * m + slot]);
  __shared__ double down5[2][64];
  down5[ty][tx] = total5;
  for (int k = 1; k; k /= 2) {
    __syncthreads();
    if (ty < k) down5[ty][tx] = total5 = total5 + down5[ty + k][tx];
  }
  const float v21 = weft_cast_f64_f32(total5);
  I q = slot / 4;
  const I x1 = q * 4;
  const I y = x1 + slot % 4;
  const bool live = there && ty == 0;
  if (live) {
    const float v30 = weft_unpack_f32(b1[y]);
    const float v31 = v21 * v30;
    b4[y] = weft_pack_f32(v31);
    b5[y] = weft_pack_f32(v6);
  }
}
