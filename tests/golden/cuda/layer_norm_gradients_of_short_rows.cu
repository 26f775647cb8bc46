// rows of 1 threads along axis 1, 8 in turn, totalled across too, rows stay in registers; 7 elements a thread access, loads to stay in the cache
// 489 blocks of 256 threads, finish 1 of 512, 21504 bytes shared, 27392 bytes of partials
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
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
// Calls word(k) for each 16 bytes of a block's rows, and single(k) for the elements behind them, which all rows that a block
// can have do not have together.
template <int threads, int block, int row, class T, class Word, class Single>
static __device__ __forceinline__ void weft_each_word(I rows, const Word& word, const Single& single) {
  constexpr int all = block * row * (int)sizeof(T) / 16;
  const I t = (I)threadIdx.x;
  if (rows == block) {
#pragma unroll
    for (int k = 0; k < all; k += threads)
      if (k + threads <= all || k + t < all) word(k + t);
  } else {
    const I n = rows * row, whole = n * (I)sizeof(T) / 16, rest = whole * 16 / (I)sizeof(T);
#pragma unroll 1
    for (I k = t; k < whole; k += threads) word(k);
    if (rest + t < n) single(rest + t);
  }
}
template <int threads, int block, int row, class T>
static __device__ __forceinline__ void weft_put_run(T* to, const T* from, I rows) {
  weft_each_word<threads, block, row, T>(rows, [&](I k) { ((Vec<unsigned int, 4>*)to)[k] = ((const Vec<unsigned int, 4>*)from)[k]; },
                                         [&](I k) { to[k] = from[k]; });
}
// The threads of a block copy its rows, from and to where memory is aligned.
template <int threads, int block, int row, class T>
static __device__ __forceinline__ void weft_copy_run(T* to, const T* from, I rows) {
  weft_each_word<threads, block, row, T>(rows, [&](I k) { weft_copy_ahead((Vec<unsigned int, 4>*)to + k, (const Vec<unsigned int, 4>*)from + k); },
                                         [&](I k) { to[k] = from[k]; });
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
extern "C" __global__ void __launch_bounds__(256, 4) weft_8b12fe6f96d20318(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  const float* const b2 = (const float*)args.w[2];
  float* const b3 = (float*)args.w[3];
  float* const b4 = (float*)args.w[4];
  float* const b5 = (float*)args.w[5];
  void* const partials = (void*)args.w[6];
  const I p[] = {(I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12], (I)args.w[13], (I)args.w[14], (I)args.w[15], (I)args.w[16], (I)args.w[17]};
  const I n = p[0];
  const I t = (I)(threadIdx.x % 1);
  const I walker = (I)blockIdx.x;
  const I m = 7;
  float across2[7][1];
#pragma unroll
  for (int u = 0; u < 7; ++u) {
    {
      const int e = 0;
      across2[u][e] = weft_splat_f32(-0x0p+0f);
    }
  }
  float across5[7][1];
#pragma unroll
  for (int u = 0; u < 7; ++u) {
    {
      const int e = 0;
      across5[u][e] = weft_splat_f32(-0x0p+0f);
    }
  }
  const I rows_end = weft_min(walker * p[5] + p[5], n);
  float* const z0 = (float*)(weft_shared + 0 * m);
  float* const z2 = (float*)(weft_shared + 1024 * m);
  float* const z3 = (float*)(weft_shared + 2048 * m);
  weft_copy_run<256, 256, 7>(z0, b0 + walker * p[5] * m, weft_min(n - walker * p[5], 256));
  weft_copy_run<256, 256, 7>(z2, b2 + walker * p[5] * m, weft_min(n - walker * p[5], 256));
#pragma unroll 1
  for (I first = walker * p[5]; first < rows_end; first += 256) {
    I q = first + (I)(threadIdx.x / 1);
    const bool live = q < n;
    q = weft_min(q, n - 1);
    const I x0 = q;
    const I here = weft_min(n - first, 256);
    weft_copied();
    __syncthreads();
    Vec<float, 1> k0[7];
    Vec<float, 1> k4[7];
    S0 s0;
    s0.t0 = weft_splat_f32(-0x0p+0f);
    s0.t1 = weft_splat_f32(-0x0p+0f);
    {
      I x1[7];
      Vec<float, 1> m0[7];
      Vec<float, 1> m1[7];
      Vec<float, 1> m4[7];
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        I q = t + u * 1;
        x1[u] = q;
        m0[u].e[0] = z0[(I)(threadIdx.x / 1) * m + x1[u]];
        m1[u].e[0] = b1[x1[u]];
        m4[u].e[0] = z2[(I)(threadIdx.x / 1) * m + x1[u]];
      }
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        const int e = 0;
        const bool in_store = live;
        const float v0 = weft_unpack_f32(m0[u].e[e]);
        k0[u].e[e] = weft_pack_f32(v0);
        const float v1 = weft_unpack_f32(m1[u].e[e]);
        const float v2 = v0 * v1;
        s0.t0 = s0.t0 + v2;
        const float v4 = weft_unpack_f32(m4[u].e[e]);
        k4[u].e[e] = weft_pack_f32(v4);
        s0.t1 = s0.t1 + v4;
        if (in_store) across2[u][e] = across2[u][e] + v0;
      }
    }
    if (first + 256 < rows_end) {
      __syncthreads();
      const I next = first + 256, here = weft_min(n - next, 256);
      weft_copy_run<256, 256, 7>(z0, b0 + next * m, here);
      weft_copy_run<256, 256, 7>(z2, b2 + next * m, here);
    }
    const float v3 = s0.t0;
    const float v5 = s0.t1;
    const float v7 = weft_splat_f32(0x1.cp+2f);
    const float v8 = weft_divide_by_f32(v5, weft_inverse_f32(v7));
    S1 s1;
    s1.t3 = weft_splat_f32(-0x0p+0f);
    {
      I x1[7];
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        I q = t + u * 1;
        x1[u] = q;
      }
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        const int e = 0;
        const float v9 = weft_unpack_f32(k4[u].e[e]) - v8;
        const float v10 = weft_square_f32(v9);
        s1.t3 = s1.t3 + v10;
      }
    }
    const float v11 = s1.t3;
    const float v12 = weft_splat_f32(0x1.cp+2f);
    const float v13 = weft_divide_by_f32(v11, weft_inverse_f32(v12));
    const float v14 = weft_splat_f32(0x1.0624dep-10f);
    const float v15 = v13 + v14;
    const float v16 = weft_rsqrt_f32(v15);
    S2 s2;
    s2.t4 = weft_splat_f32(-0x0p+0f);
    {
      I x1[7];
      Vec<float, 1> m33[7];
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        I q = t + u * 1;
        x1[u] = q;
        m33[u].e[0] = b1[x1[u]];
      }
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        const int e = 0;
        const bool in_store = live;
        const float v32 = weft_unpack_f32(k4[u].e[e]) - v8;
        const float v17 = v32 * v16;
        const float v33 = weft_unpack_f32(m33[u].e[e]);
        const float v34 = weft_unpack_f32(k0[u].e[e]) * v33;
        const float v18 = v34 * v17;
        s2.t4 = s2.t4 + v18;
        const float v20 = weft_unpack_f32(k0[u].e[e]) * v17;
        if (in_store) across5[u][e] = across5[u][e] + v20;
      }
    }
    const float v19 = s2.t4;
    const float v22 = weft_splat_f32(0x1.cp+2f);
    const float v23 = weft_divide_by_f32(v3, weft_inverse_f32(v22));
    const float v25 = weft_splat_f32(0x1.cp+2f);
    const float v26 = weft_divide_by_f32(v19, weft_inverse_f32(v25));
    {
      I x1[7];
      Vec<float, 1> m35[7];
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        I q = t + u * 1;
        x1[u] = q;
        m35[u].e[0] = b1[x1[u]];
      }
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        const int e = 0;
        const bool in_store = live;
        const float v35 = weft_unpack_f32(m35[u].e[e]);
        const float v36 = weft_unpack_f32(k0[u].e[e]) * v35;
        const float v24 = v36 - v23;
        const float v37 = weft_unpack_f32(k4[u].e[e]) - v8;
        const float v38 = v37 * v16;
        const float v27 = v38 * v26;
        const float v28 = v24 - v27;
        const float v29 = v28 * v16;
        if (in_store) z3[(I)(threadIdx.x / 1) * m + x1[u]] = weft_pack_f32(v29);
      }
    }
    __syncthreads();
    weft_put_run<256, 256, 7>(b3 + first * m, z3, here);
  }
  __shared__ __align__(16) unsigned char beside[224];
  {
    float (*const all)[7] = (float (*)[7])beside;
#pragma unroll
    for (int u = 0; u < 7; ++u) {
      {
        const int e = 0;
#pragma unroll
        for (int k = 16; k >= 1; k /= 2) across2[u][e] = across2[u][e] + weft_exchange(across2[u][e], k);
        if (threadIdx.x % 32 < 1)
          all[threadIdx.x / 32][(t + u * 1) * 1 + e] = across2[u][e];
      }
    }
    __syncthreads();
    for (I k = (I)threadIdx.x; k < m * 1; k += 256) {
      float total = all[0][k];
#pragma unroll
      for (int j = 1; j < 8; ++j) total = total + all[j][k];
      ((float*)((char*)partials + p[7]))[(long long)walker * m * 1 + k] = total;
    }
  }
  __syncthreads();
  {
    float (*const all)[7] = (float (*)[7])beside;
#pragma unroll
    for (int u = 0; u < 7; ++u) {
      {
        const int e = 0;
#pragma unroll
        for (int k = 16; k >= 1; k /= 2) across5[u][e] = across5[u][e] + weft_exchange(across5[u][e], k);
        if (threadIdx.x % 32 < 1)
          all[threadIdx.x / 32][(t + u * 1) * 1 + e] = across5[u][e];
      }
    }
    __syncthreads();
    for (I k = (I)threadIdx.x; k < m * 1; k += 256) {
      float total = all[0][k];
#pragma unroll
      for (int j = 1; j < 8; ++j) total = total + all[j][k];
      ((float*)((char*)partials + p[8]))[(long long)walker * m * 1 + k] = total;
    }
  }
}
extern "C" __global__ void __launch_bounds__(512) weft_8b12fe6f96d20318_finish(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  const float* const b2 = (const float*)args.w[2];
  float* const b3 = (float*)args.w[3];
  float* const b4 = (float*)args.w[4];
  float* const b5 = (float*)args.w[5];
  void* const partials = (void*)args.w[6];
  const I p[] = {(I)args.w[7], (I)args.w[8], (I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12], (I)args.w[13], (I)args.w[14], (I)args.w[15], (I)args.w[16], (I)args.w[17]};
  const I m = p[1] * 1;
  const I tx = (I)(threadIdx.x % 8), ty = (I)(threadIdx.x / 8);
  I slot = (I)blockIdx.x * 8 + tx;
  const bool there = slot < m;
  slot = weft_min(slot, m - 1);
  const float* const part2 = (const float*)((const char*)partials + p[9]);
  double total2 = weft_splat_f64(-0x0p+0);
#pragma unroll 8
  for (I k = ty; k < p[6]; k += 64)
    total2 = total2 + weft_cast_f32_f64(part2[(long long)k * m + slot]);
  __shared__ double down2[64][8];
  down2[ty][tx] = total2;
  for (int k = 32; k; k /= 2) {
    __syncthreads();
    if (ty < k) down2[ty][tx] = total2 = total2 + down2[ty + k][tx];
  }
  const float v6 = weft_cast_f64_f32(total2);
  const float* const part5 = (const float*)((const char*)partials + p[10]);
  double total5 = weft_splat_f64(-0x0p+0);
#pragma unroll 8
  for (I k = ty; k < p[6]; k += 64)
    total5 = total5 + weft_cast_f32_f64(part5[(long long)k * m + slot]);
  __shared__ double down5[64][8];
  down5[ty][tx] = total5;
  for (int k = 32; k; k /= 2) {
    __syncthreads();
    if (ty < k) down5[ty][tx] = total5 = total5 + down5[ty + k][tx];
  }
  const float v21 = weft_cast_f64_f32(total5);
  I q = slot / 1;
  const I x1 = q;
  const bool live = there && ty == 0;
  if (live) {
    const float v30 = weft_unpack_f32(b1[x1]);
    const float v31 = v21 * v30;
    b4[x1] = weft_pack_f32(v31);
    b5[x1] = weft_pack_f32(v6);
  }
}
