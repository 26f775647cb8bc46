// pairs, 2 points of axis 0 by 8 of the row in a thread, 8 threads down each, in 132 equal shares; 16 elements a thread access
// 384 blocks of 512 threads, finish 256 of 128, 84480 bytes shared, 2064384 bytes of partials
static __device__ __forceinline__ float weft_minimum_f32(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ double weft_splat_f64(double x) { return x; }
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_square_f32(float a) { return (float)(a * a); }
static __device__ __forceinline__ double weft_cast_f32_f64(float x) { return (double)x; }
static __device__ __forceinline__ float weft_rsqrt_f32(float x) { return rsqrtf(x); }
static __device__ __forceinline__ float weft_cast_f64_f32(double x) { return (float)x; }
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
static __device__ __forceinline__ long long weft_pack_i64(long long x) { return x; }
typedef int I;
#define __builtin_inff() __int_as_float(0x7f800000)
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
// Takes (w, j) where it goes before (v, i): smaller, or NaN, or the same and earlier.
template <class T, class U>
static __device__ __forceinline__ void weft_first_min(T& v, I& i, U value, I j) {
  const T w = value;
  if (w < v || (w == v && j < i) || (w != w && (v == v || j < i))) v = w, i = j;
}
static __device__ __forceinline__ float weft_rsqrt_normal(float x) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
// A block's strip of columns, which part of it that is, and from which step of it to which. Whole strips come first, then
// shares that begin in a strip, then what shares have of the next one, the longest first.
struct Share { I strip, part, begin, end; };
static __device__ __forceinline__ Share weft_take_share(I block, I whole, I periods, I strips, I shares, I inverse, I steps) {
  if (block < whole) return {block, 0, 0, steps};
  block -= whole;
  const bool end = block >= periods * shares;
  if (end) block -= periods * shares;
  const I period = end ? block % periods : block / shares;
  const I share = end ? (strips - 1 - block / periods) * inverse % shares - 1 : block % shares;
  const I each = strips * steps / shares, rest = strips * steps % shares;
  const I from = share * each + share * rest / shares, to = (share + 1) * each + (share + 1) * rest / shares;
  const I strip = from / steps + end, first = strip * steps, last = first + steps;
  return {whole + period * strips + strip, share - strip * shares / strips, (from > first ? from : first) - first,
          (to < last ? to : last) - first};
}
static __device__ __forceinline__ I weft_parts(I strip, I whole, I periods, I strips, I shares, I inverse, I steps) {
  if (strip < whole) return 1;
  strip = (strip - whole) % strips;
  return ((strip + 1) * shares + strips - 1) / strips - strip * shares / strips;
}
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
struct Args { unsigned long long w[18]; };
struct __align__(8) S0 { double t0; double t1; float t2; float t3; I i3; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = a.t0 + b.t0;
  a.t1 = a.t1 + b.t1;
  a.t2 = weft_minimum_f32(a.t2, b.t2);
  weft_first_min(a.t3, a.i3, b.t3, b.i3);
}
extern "C" __global__ void __launch_bounds__(512, 1) weft_c8c027b750483f27(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  const float* const b2 = (const float*)args.w[2];
  const float* const b3 = (const float*)args.w[3];
  float* const b4 = (float*)args.w[4];
  float* const b5 = (float*)args.w[5];
  float* const b6 = (float*)args.w[6];
  long long* const b7 = (long long*)args.w[7];
  void* const partials = (void*)args.w[8];
  const I p[] = {(I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12], (I)args.w[13], (I)args.w[14], (I)args.w[15], (I)args.w[16]};
  const float a0 = weft_unpack_f32(*(const float*)&args.w[17]);
  const I n = p[0] / 2;
  const I tx = (I)(threadIdx.x % 64), ty = (I)(threadIdx.x / 64);
  const Share mine = weft_take_share((I)blockIdx.x, p[2], p[3], p[4], p[5], p[6], p[7]);
  I q = mine.strip * 64 + tx;
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I column = q;
  const I x0 = q * 2;
  __shared__ __align__(16) unsigned char joins[32768];
  const I m = p[1];
  const I k = mine.part, begin = mine.begin * 64, end = weft_min(mine.end * 64, m);
  float h1[2];
  float h5[2];
  float h9[2];
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    const bool in_store = live && ty == 0;
    const I y = x0 + e;
    const float v1 = weft_unpack_f32(b1[y]);
    h1[e] = v1;
    const float v5 = weft_unpack_f32(b3[y]);
    h5[e] = v5;
    const float v9 = a0;
    h9[e] = v9;
  }
  S0 s0[2];
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    s0[e].t0 = weft_splat_f64(-0x0p+0);
    s0[e].t1 = weft_splat_f64(-0x0p+0);
    s0[e].t2 = weft_splat_f32(__builtin_inff());
    s0[e].t3 = weft_splat_f32(__builtin_inff());
    s0[e].i3 = 0x7fffffff;
  }
  if (a0 >= 0x1p-126f) {
    Vec<float, 8> g0;
    Vec<float, 8> g4;
    {
      I q = weft_min(begin + ty * 8, m - 8);
      const I x1 = q;
      g0 = weft_get<Vec<float, 8>>(b0 + (x1));
      g4 = weft_get<Vec<float, 8>>(b2 + (x1));
    }
    for (I d = begin + ty * 8; d < end; d += 8 * 128) {
      float r0[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        r0[e] = weft_splat_f32(-0x0p+0f);
      }
      float r1[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        r1[e] = weft_splat_f32(-0x0p+0f);
      }
      const I stop = weft_min(d + 8 * 128, end);
#pragma unroll 1
      for (I c = d; c < stop; c += 8 * 8) {
        I x1[8];
        float h0[8];
        float h4[8];
        long long h18[8];
#pragma unroll
        for (int u = 0; u < 8; ++u) {
          I q = c + u * 1;
          x1[u] = q;
          const float v0 = weft_unpack_f32(g0.e[u]);
          h0[u] = v0;
          const float v4 = weft_unpack_f32(g4.e[u]);
          h4[u] = v4;
          const long long v18 = (long long)(x1[u]);
          h18[u] = v18;
        }
#pragma unroll
        for (int u = 0; u < 8; ++u) {
          float y2[2];
          float y6[2];
          float y8[2];
          float y11[2];
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const float v2 = h0[u] - h1[e];
            y2[e] = v2;
            const float v3 = v2 * v2;
            const float v6 = h4[u] - h5[e];
            y6[e] = v6;
            const float v7 = weft_square_f32(v6);
            const float v8 = v3 + v7;
            y8[e] = v8;
            const float v10 = v8 + h9[e];
            const float v11 = weft_rsqrt_normal(v10);
            y11[e] = v11;
          }
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const float v12 = y2[e] * y11[e];
            r0[e] = r0[e] + v12;
            const float v14 = y6[e] * y11[e];
            r1[e] = r1[e] + v14;
            s0[e].t2 = weft_minimum_f32(s0[e].t2, y8[e]);
            weft_first_min(s0[e].t3, s0[e].i3, y8[e], (I)h18[u]);
          }
        }
        {
          I q = weft_min(c + 8 * 8, m - 8);
          const I x1 = q;
          g0 = weft_get<Vec<float, 8>>(b0 + (x1));
          g4 = weft_get<Vec<float, 8>>(b2 + (x1));
        }
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        s0[e].t0 = s0[e].t0 + weft_cast_f32_f64(r0[e]);
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        s0[e].t1 = s0[e].t1 + weft_cast_f32_f64(r1[e]);
      }
    }
  } else {
    for (I d = begin + ty; d < end; d += 8 * 128) {
      float r0[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        r0[e] = weft_splat_f32(-0x0p+0f);
      }
      float r1[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        r1[e] = weft_splat_f32(-0x0p+0f);
      }
      const I stop = weft_min(d + 8 * 128, end);
#pragma unroll 1
      for (I c = d; c < stop; c += 8 * 1) {
        I x1[1];
        float h0[1];
        float h4[1];
        long long h18[1];
        {
          const int u = 0;
          I q = c + u * 8;
          x1[u] = q;
          const float v0 = weft_unpack_f32(b0[x1[u]]);
          h0[u] = v0;
          const float v4 = weft_unpack_f32(b2[x1[u]]);
          h4[u] = v4;
          const long long v18 = (long long)(x1[u]);
          h18[u] = v18;
        }
        {
          const int u = 0;
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const float v2 = h0[u] - h1[e];
            const float v3 = v2 * v2;
            const float v6 = h4[u] - h5[e];
            const float v7 = weft_square_f32(v6);
            const float v8 = v3 + v7;
            const float v10 = v8 + h9[e];
            const float v11 = weft_rsqrt_f32(v10);
            const float v12 = v2 * v11;
            r0[e] = r0[e] + v12;
            const float v14 = v6 * v11;
            r1[e] = r1[e] + v14;
            s0[e].t2 = weft_minimum_f32(s0[e].t2, v8);
            weft_first_min(s0[e].t3, s0[e].i3, v8, (I)h18[u]);
          }
        }
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        s0[e].t0 = s0[e].t0 + weft_cast_f32_f64(r0[e]);
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        s0[e].t1 = s0[e].t1 + weft_cast_f32_f64(r1[e]);
      }
    }
  }
  S0 (*const joined0)[128] = (S0 (*)[128])joins;
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    joined0[ty][e * 64 + tx] = s0[e];
  }
  __syncthreads();
  if (const unsigned int k = threadIdx.x; k < 128) {
    S0 all = joined0[0][k];
#pragma unroll 1
    for (int j = 1; j < 8; ++j) join0(all, joined0[j][k]);
    joined0[0][k] = all;
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    s0[e] = joined0[0][e * 64 + tx];
  }
  if (live && ty == 0) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      ((S0*)partials)[((long long)k * (n - p[2] * 64) + column) * 2 + e] = s0[e];
    }
  }
}
extern "C" __global__ void __launch_bounds__(128) weft_c8c027b750483f27_finish(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  const float* const b2 = (const float*)args.w[2];
  const float* const b3 = (const float*)args.w[3];
  float* const b4 = (float*)args.w[4];
  float* const b5 = (float*)args.w[5];
  float* const b6 = (float*)args.w[6];
  long long* const b7 = (long long*)args.w[7];
  void* const partials = (void*)args.w[8];
  const I p[] = {(I)args.w[9], (I)args.w[10], (I)args.w[11], (I)args.w[12], (I)args.w[13], (I)args.w[14], (I)args.w[15], (I)args.w[16]};
  const float a0 = weft_unpack_f32(*(const float*)&args.w[17]);
  const I n = p[0];
  const I tx = (I)(threadIdx.x % 128), ty = (I)(threadIdx.x / 128);
  I q = (I)blockIdx.x * 128 + tx;
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I column = q;
  const I x0 = q;
  float h1[1];
  float h5[1];
  float h9[1];
  {
    const int e = 0;
    const bool in_store = live;
    const float v1 = weft_unpack_f32(b1[x0]);
    h1[e] = v1;
    const float v5 = weft_unpack_f32(b3[x0]);
    h5[e] = v5;
    const float v9 = a0;
    h9[e] = v9;
  }
  const I parts = weft_parts(column / 128, p[2], p[3], p[4], p[5], p[6], p[7]);
  S0 s0[1];
  {
    const int e = 0;
    s0[e].t0 = weft_splat_f64(-0x0p+0);
    s0[e].t1 = weft_splat_f64(-0x0p+0);
    s0[e].t2 = weft_splat_f32(__builtin_inff());
    s0[e].t3 = weft_splat_f32(__builtin_inff());
    s0[e].i3 = 0x7fffffff;
  }
#pragma unroll 1
  for (I part = ty; part < parts; part += 1) {
    {
      const int e = 0;
      join0(s0[e], ((const S0*)partials)[((long long)part * (n - p[2] * 128) + column) * 1 + e]);
    }
  }
  float h13[1];
  {
    const int e = 0;
    h13[e] = weft_cast_f64_f32(s0[e].t0);
  }
  float h15[1];
  {
    const int e = 0;
    h15[e] = weft_cast_f64_f32(s0[e].t1);
  }
  float h16[1];
  {
    const int e = 0;
    h16[e] = s0[e].t2;
  }
  long long h17[1];
  {
    const int e = 0;
    h17[e] = s0[e].i3;
  }
  {
    const int e = 0;
    const bool in_store = live;
    if (in_store) b4[x0] = weft_pack_f32(h13[e]);
    if (in_store) b5[x0] = weft_pack_f32(h15[e]);
    if (in_store) b6[x0] = weft_pack_f32(h16[e]);
    if (in_store) b7[x0] = weft_pack_i64(h17[e]);
  }
}
