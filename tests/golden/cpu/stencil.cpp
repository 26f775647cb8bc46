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
  const float* r0;
  const float* r1;
  const float* r3;
  const float* r4;
  float* w0;
};
static __attribute__((noinline)) void span0(S0* s, long n) {
  const f32v v7 = weft_splat_f32(0x1p-2f);
  const float* r0 = s->r0;
  const float* r1 = s->r1;
  const float* r3 = s->r3;
  const float* r4 = s->r4;
  float* w0 = s->w0;
#pragma clang loop unroll(disable)
  for (long k = 0; k < n; ++k) {
    f32v v0 = weft_load_f32(r0);
    f32v v1 = weft_load_f32(r1);
    f32v v2 = v0 + v1;
    f32v v3 = weft_load_f32(r3);
    f32v v4 = weft_load_f32(r4);
    f32v v5 = v3 + v4;
    f32v v6 = v2 + v5;
    f32v v8 = v6 * v7;
    weft_store_f32(w0, v8);
    r0 += L;
    r1 += L;
    r3 += L;
    r4 += L;
    w0 += L;
  }
}
extern "C" void weft_5162ca11b555880a(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 2);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[10] * p[9];
    block /= p[10];
    long right = weft_least(left + p[9], p[1]);
    long first = block * p[7], last = weft_least(first + p[7], p[8]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      {
      f32v v7 = weft_splat_f32(0x1p-2f);
      {
      S0 s;
      const float* const r0 = b0 + a0 * p[2] + 1;
      const float* const r1 = b0 + a0 * p[2] + p[3];
      const float* const r3 = b0 + a0 * p[2] + p[4];
      const float* const r4 = b0 + a0 * p[2] + p[5];
      float* const w0 = b1 + a0 * p[6];
      for (long c = left; c < right;) {
        long m = right - c;
        const bool partial = m < L;
        long n = partial ? 1 : m / L;
        if (!partial) m = n * L;
        s.r0 = r0 + c;
        s.r1 = r1 + c;
        s.r3 = r3 + c;
        s.r4 = r4 + c;
        s.w0 = w0 + c;
        __attribute__((aligned(64))) float r0_t[L];
        __attribute__((aligned(64))) float r1_t[L];
        __attribute__((aligned(64))) float r3_t[L];
        __attribute__((aligned(64))) float r4_t[L];
        __attribute__((aligned(64))) float w0_t[L];
        if (partial) {
          weft_pad_4(r0_t, s.r0, 1, m);
          s.r0 = r0_t;
          weft_pad_4(r1_t, s.r1, 1, m);
          s.r1 = r1_t;
          weft_pad_4(r3_t, s.r3, 1, m);
          s.r3 = r3_t;
          weft_pad_4(r4_t, s.r4, 1, m);
          s.r4 = r4_t;
          s.w0 = w0_t;
        }
        span0(&s, n);
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
