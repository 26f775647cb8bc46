// pointwise, 4 lanes along axis 0; 4 elements a thread access
// 8 blocks of 128 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_minimum_f32(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ float weft_erf_f32(float x) {
  const float t = x * x, z = fminf(fabsf(x), 4.2f);
  float p = fmaf(-0.00060249737f, t, 0.00500076963f);
  p = fmaf(p, t, -0.026772581f);
  p = fmaf(p, t, 0.112820074f);
  p = fmaf(p, t, -0.376125157f);
  p = fmaf(p, t, 0.128379151f);
  float q = fmaf(-0.000308061513f, z, 0.00463294145f);
  q = fmaf(q, z, -0.0330068283f);
  q = fmaf(q, z, 0.151835904f);
  q = fmaf(q, z, 0.917165875f);
  q = fmaf(q, z, 0.628096879f);
  const float e = -fmaf(q, z, z);
  float rest;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(rest) : "f"(e));
  return fabsf(x) >= 0.92f ? copysignf(1 - rest, x) : fmaf(p, x, x);
}
static __device__ __forceinline__ float weft_log_f32(float x) {
  const bool common = x > 0 && x < __int_as_float(0x7f800000), small = x < 0x1p-126f;
  const float y = small ? x * 0x1p23f : x;
  int power = (__float_as_int(y) - 0x3f2aaaab) & (int)0xff800000;
  const float f = __int_as_float(__float_as_int(y) - power) - 1;
  if (small) power -= 23 << 23;
  float p = fmaf(0.140633211f, f, -0.153258502f);
  p = fmaf(p, f, 0.139964029f);
  p = fmaf(p, f, -0.164288118f);
  p = fmaf(p, f, 0.200104818f);
  p = fmaf(p, f, -0.250070453f);
  p = fmaf(p, f, 0.333332211f);
  p = fmaf(p, f, -0.499999493f);
  const float r = fmaf((float)power, 0x1.62e43p-24f, fmaf(f * p, f, f));
  float rare;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(rare) : "f"(y));
  return common ? r : rare;
}
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
typedef int I;
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
// Square roots of all elements, rounded as sqrtf does. Whether one of them is no normal number is asked once.
template <int U, int E>
static __device__ __forceinline__ void weft_sqrt_all(float (&to)[U][E], const float (&a)[U][E]) {
  float least = __int_as_float(0x7f800000), largest = 0;
#pragma unroll
  for (int k = 0; k < U * E; ++k) {
    const float x = a[k / E][k % E];
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const float s = x * r;
    to[k / E][k % E] = fmaf(fmaf(-s, s, x), r * 0.5f, s);
    least = fminf(least, x), largest = fmaxf(largest, x);
  }
  if (!(least >= 0x1p-100f && largest < __int_as_float(0x7f800000))) {
#pragma unroll
    for (int k = 0; k < U * E; ++k) to[k / E][k % E] = sqrtf(a[k / E][k % E]);
  }
}
// Quotients of all elements, rounded as division does. Where neither they nor what is left of a are subnormal, a Newton
// step for 1 / b and one for the quotient are all that takes; whether that is so is asked once.
template <int U, int E>
static __device__ __forceinline__ void weft_divide_all(float (&to)[U][E], const float (&a)[U][E], const float (&b)[U][E]) {
  float least = __int_as_float(0x7f800000), least_a = least;
#pragma unroll
  for (int k = 0; k < U * E; ++k) {
    const float x = a[k / E][k % E], y = b[k / E][k % E];
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
    r = fmaf(r, fmaf(-y, r, 1.0f), r);
    float q = x * r;
    q = fmaf(r, fmaf(-y, q, x), q);
    least = weft_minimum_f32(least, fabsf(q));
    least_a = fminf(least_a, fabsf(x));
    to[k / E][k % E] = q;
  }
  if (!(least >= 0x1p-126f && least_a >= 0x1p-100f)) {
#pragma unroll
    for (int k = 0; k < U * E; ++k) to[k / E][k % E] = a[k / E][k % E] / b[k / E][k % E];
  }
}
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
struct Args { unsigned long long w[4]; };
extern "C" __global__ void __launch_bounds__(128) weft_34ccbf453f6e233e(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  const float* const b1 = (const float*)args.w[1];
  float* const b2 = (float*)args.w[2];
  const I p[] = {(I)args.w[3]};
  const I n = p[0] / 4;
  const I first = (I)blockIdx.x * 128 + (I)threadIdx.x;
  I x0[1];
  bool ok[1];
  float h8[1];
  Vec<float, 4> m0[1];
  Vec<float, 4> m1[1];
  Vec<float, 4> w10[1];
  {
    const int u = 0;
    I q = first + u * 128;
    ok[u] = q < n;
    q = weft_min(q, n - 1);
    x0[u] = q * 4;
    m0[u] = weft_get<Vec<float, 4>>(b0 + (x0[u]));
    m1[u] = weft_get<Vec<float, 4>>(b1 + (x0[u]));
    const float v8 = weft_splat_f32(0x1.8p+1f);
    h8[u] = v8;
  }
  float y0[1][4];
  float y1[1][4];
  float y2[1][4];
  float y3[1][4];
  float y4[1][4];
  float y5[1][4];
  float y6[1][4];
  {
    const int u = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float v0 = weft_unpack_f32(m0[u].e[e]);
      y0[u][e] = v0;
      const float v1 = weft_unpack_f32(m1[u].e[e]);
      y1[u][e] = v1;
    }
  }
  weft_divide_all(y2, y0, y1);
  {
    const int u = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float v3 = weft_erf_f32(y2[u][e]);
      y3[u][e] = v3;
    }
  }
  weft_sqrt_all(y4, y1);
  {
    const int u = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float v5 = weft_log_f32(y4[u][e]);
      y5[u][e] = v5;
    }
  }
  weft_divide_all(y6, y3, y5);
  {
    const int u = 0;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float v7 = weft_exp_f32(y6[u][e]);
      const float v9 = v7 / h8[u];
      w10[u].e[e] = weft_pack_f32(v9);
    }
  }
  {
    const int u = 0;
    if (ok[u]) {
      weft_put(b2 + (x0[u]), w10[u]);
    }
  }
}
