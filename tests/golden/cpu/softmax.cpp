struct c64e { float re, im; };
struct c128e { double re, im; };
__attribute__((aligned(64))) static const unsigned char weft_zeros[1024] = {};
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
static inline void weft_bounds(long base, long by, long extent, long* lo, long* hi) {
  if (by < 0) { base = extent - 1 - base; by = -by; }
  *lo = -weft_floor_div(base, by);
  *hi = weft_floor_div(extent - 1 - base, by) + 1;
}
static inline long weft_stretch(long c, long lo, long hi, long m) {
  long e = c < lo ? lo : c < hi ? hi : c + m;
  return weft_least(m, e - c);
}
static __attribute__((noinline)) void weft_pad_4(void* t, const void* s, long by, long m) {
#pragma clang loop unroll(disable)
  for (long k = 0; k < L; ++k) ((int*)t)[k] = ((const int*)s)[k < m ? k * by : 0];
}
static __attribute__((noinline)) void weft_unpad_4(void* d, long by, const void* t, long m) {
#pragma clang loop unroll(disable)
  for (long k = 0; k < m; ++k) ((int*)d)[k * by] = ((const int*)t)[k];
}
struct S0 {
  f32v A0;
  const float* r0;
};
static __attribute__((noinline)) void span0(S0* s, long n) {
  const float* r0 = s->r0;
  f32v A0 = weft_splat_f32(-__builtin_inff());
#pragma clang loop unroll(disable)
  for (long k = 0; k < n; ++k) {
    f32v v0 = weft_load_f32(r0);
    A0 = weft_maximum_f32(A0, v0);
    r0 += L;
  }
  s->A0 = A0;
}
struct S1 {
  f32v v1;
  f32v A1;
  const float* r6;
  float* y3;
};
static __attribute__((noinline)) void span1(S1* s, long n) {
  const f32v v1 = s->v1;
  const float* r6 = s->r6;
  float* y3 = s->y3;
  f32v A1 = weft_splat_f32(-0x0p+0f);
#pragma clang loop unroll(disable)
  for (long k = 0; k < n; ++k) {
    f32v v6 = weft_load_f32(r6);
    f32v v2 = v6 - v1;
    f32v v3 = weft_exp_f32(v2);
    A1 = A1 + v3;
    weft_store_f32(y3, v3);
    r6 += L;
    y3 += L;
  }
  s->A1 = A1;
}
struct S2 {
  f32v v4;
  const float* z3;
  float* w0;
};
static __attribute__((noinline)) void span2(S2* s, long n) {
  const f32v v4 = s->v4;
  const float* z3 = s->z3;
  float* w0 = s->w0;
#pragma clang loop unroll(disable)
  for (long k = 0; k < n; ++k) {
    f32v v3 = weft_load_f32(z3);
    f32v v5 = v3 / v4;
    weft_store_f32(w0, v5);
    z3 += L;
    w0 += L;
  }
}
extern "C" void weft_888b32827b88b8d5(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 2);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[6], last = weft_least(first + p[6], p[7]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      f32v T0 = weft_splat_f32(-__builtin_inff());
      {
      const long left = 0, right = p[1];
      {
      S0 s;
      const float* const r0 = b0 + a0 * p[2];
      for (long c = left; c < right;) {
        long m = right - c;
        const bool partial = m < L;
        long n = partial ? 1 : m / L;
        n = weft_least(n, 64);
        if (!partial) m = n * L;
        s.r0 = r0 + c;
        __attribute__((aligned(64))) float r0_t[L];
        if (partial) {
          weft_pad_4(r0_t, s.r0, 1, m);
          s.r0 = r0_t;
        }
        span0(&s, n);
        const boolv live = weft_less_i64(weft_lanes_i64(), (i64v)(m));
        if (partial) s.A0 = weft_select_f32(live, s.A0, weft_splat_f32(-__builtin_inff()));
        T0 = weft_maximum_f32(T0, s.A0);
        c += m;
      }
      }
      }
      f32v v1 = weft_join_max_f32(T0);
      f64v T1 = weft_splat_f64(-0x0p+0);
      {
      const long left = 0, right = p[1];
      {
      S1 s;
      s.v1 = v1;
      const float* const r6 = b0 + a0 * p[2];
      float* const y3 = (float*)(scratch + p[4]) - left;
      for (long c = left; c < right;) {
        long m = right - c;
        const bool partial = m < L;
        long n = partial ? 1 : m / L;
        n = weft_least(n, 64);
        if (!partial) m = n * L;
        s.r6 = r6 + c;
        s.y3 = y3 + c;
        __attribute__((aligned(64))) float r6_t[L];
        __attribute__((aligned(64))) float y3_t[L];
        if (partial) {
          weft_pad_4(r6_t, s.r6, 1, m);
          s.r6 = r6_t;
          s.y3 = y3_t;
        }
        span1(&s, n);
        if (partial) {
          weft_unpad_4(y3 + c, 1, y3_t, m);
        }
        const boolv live = weft_less_i64(weft_lanes_i64(), (i64v)(m));
        if (partial) s.A1 = weft_select_f32(live, s.A1, weft_splat_f32(-0x0p+0f));
        T1 = T1 + weft_cast_f32_f64(s.A1);
        c += m;
      }
      }
      }
      f32v v4 = weft_cast_f64_f32(weft_join_sum_f64(T1));
      {
      const long left = 0, right = p[1];
      {
      S2 s;
      s.v4 = v4;
      const float* const z3 = (float*)(scratch + p[4]) - left;
      float* const w0 = b1 + a0 * p[3];
      for (long c = left; c < right;) {
        long m = right - c;
        const bool partial = m < L;
        long n = partial ? 1 : m / L;
        if (!partial) m = n * L;
        s.z3 = z3 + c;
        s.w0 = w0 + c;
        __attribute__((aligned(64))) float z3_t[L];
        __attribute__((aligned(64))) float w0_t[L];
        if (partial) {
          weft_pad_4(z3_t, s.z3, 1, m);
          s.z3 = z3_t;
          s.w0 = w0_t;
        }
        span2(&s, n);
        if (partial) {
          weft_unpad_4(w0 + c, 1, w0_t, m);
        }
        c += m;
      }
      }
      }
    }
  }
}
