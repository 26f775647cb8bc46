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
  f32v A0 = weft_splat_f32(-0x0p+0f);
#pragma clang loop unroll(disable)
  for (long k = 0; k < n; ++k) {
    f32v v0 = weft_load_f32(r0);
    A0 = A0 + v0;
    r0 += L;
  }
  s->A0 = A0;
}
extern "C" void weft_fbdf4a4afeb4eada(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 3);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  for (long t = begin; t < end; ++t) {
    long block = t;
    long part = block % p[5];
    block /= p[5];
    long first = block * p[3], last = weft_least(first + p[3], p[4]);
    for (long o = first; o < last; ++o) {
      f64v T0 = weft_splat_f64(-0x0p+0);
      {
      long y0 = weft_least(part * p[6], p[0]), y1 = weft_least(y0 + p[6], p[0]);
      const long left = y0, right = y1;
      {
      S0 s;
      const float* const r0 = b0 + 0;
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
        if (partial) s.A0 = weft_select_f32(live, s.A0, weft_splat_f32(-0x0p+0f));
        T0 = T0 + weft_cast_f32_f64(s.A0);
        c += m;
      }
      }
      }
      f32v v1 = weft_cast_f64_f32(weft_join_sum_f64(T0));
      weft_store_one_f64(((double*)(partials + p[1]) + part * p[2] + o), weft_join_sum_f64(T0));
    }
  }
}
extern "C" void weft_fbdf4a4afeb4eada_finish(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 3);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[3], last = weft_least(first + p[3], p[4]);
    for (long o = first; o < last; ++o) {
      f64v T0 = weft_splat_f64(-0x0p+0);
      for (long part = 0; part < p[5]; ++part)
        T0 = T0 + weft_load_one_f64(((double*)(partials + p[1]) + part * p[2] + o));
      f32v v1 = weft_cast_f64_f32(T0);
      weft_store_one_f32(b1 + 0, v1);
    }
  }
}
