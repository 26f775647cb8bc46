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
static __attribute__((noinline)) void weft_pad_8(void* t, const void* s, long by, long m) {
#pragma clang loop unroll(disable)
  for (long k = 0; k < L; ++k) ((long*)t)[k] = ((const long*)s)[k < m ? k * by : 0];
}
static __attribute__((noinline)) void weft_unpad_8(void* d, long by, const void* t, long m) {
#pragma clang loop unroll(disable)
  for (long k = 0; k < m; ++k) ((long*)d)[k * by] = ((const long*)t)[k];
}
struct S0 {
  long r0_rows;
  const float* r0;
  double* z_t0;
  long rows;
};
static __attribute__((noinline)) void span0(S0* s, long n) {
  const long r0_rows = s->r0_rows;
  const float* r0 = s->r0;
  double* z_t0 = s->z_t0;
  const long rows = s->rows;
#pragma clang loop unroll(disable)
  for (long k = 0; k < n; ++k) {
    f64v T0 = weft_load_f64(z_t0);
    f32v A0 = weft_splat_f32(-0x0p+0f);
    for (long u = 0; u < rows; ++u) {
    f32v v0 = weft_load_f32(r0 + u * r0_rows);
    A0 = A0 + v0;
    }
    T0 = T0 + weft_cast_f32_f64(A0);
    weft_store_f64(z_t0, T0);
    r0 += L;
    z_t0 += L;
  }
}
struct S1 {
  const double* z1;
  float* w0;
};
static __attribute__((noinline)) void span1(S1* s, long n) {
  const double* z1 = s->z1;
  float* w0 = s->w0;
#pragma clang loop unroll(disable)
  for (long k = 0; k < n; ++k) {
    f32v v1 = weft_cast_f64_f32(weft_load_f64(z1));
    weft_store_f32(w0, v1);
    z1 += L;
    w0 += L;
  }
}
extern "C" void weft_70403cecbd8c7d5a(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 3);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  for (long t = begin; t < end; ++t) {
    long block = t;
    long part = block % p[10];
    block /= p[10];
    long left = block % p[9] * p[8];
    block /= p[9];
    long right = weft_least(left + p[8], p[0]);
    long first = block * p[6], last = weft_least(first + p[6], p[7]);
    for (long o = first; o < last; ++o) {
      for (long k = 0; k < p[8]; k += L) {
        weft_store_f64((double*)(scratch + p[3]) + k, weft_splat_f64(-0x0p+0));
      }
      {
      long y0 = weft_least(part * p[11], p[1]), y1 = weft_least(y0 + p[11], p[1]);
      for (long a1 = y0; a1 < y1; a1 += 16) {
      const long rows = weft_least(y1 - a1, 16);
      {
      S0 s;
      const float* const r0 = b0 + a1 * p[2];
      const long r0_rows = s.r0_rows = p[2];
      double* const z_t0 = (double*)(scratch + p[3]) - left;
      for (long c = left; c < right;) {
        long m = right - c;
        const bool partial = m < L;
        long n = partial ? 1 : m / L;
        if (!partial) m = n * L;
        s.rows = partial ? 1 : rows;
        for (long u = 0; u < rows; u += s.rows) {
        s.r0 = r0 + c + u * r0_rows;
        s.z_t0 = z_t0 + c;
        __attribute__((aligned(64))) float r0_t[L];
        __attribute__((aligned(64))) double z_t0_t[L];
        if (partial) {
          weft_pad_4(r0_t, s.r0, 1, m);
          s.r0 = r0_t;
          weft_pad_8(z_t0_t, s.z_t0, 1, m);
          s.z_t0 = z_t0_t;
        }
        span0(&s, n);
        if (partial) {
          weft_unpad_8(z_t0 + c, 1, z_t0_t, m);
        }
        }
        c += m;
      }
      }
      }
      }
      __builtin_memcpy(((double*)(partials + p[4]) + part * p[5] + o * p[0] + left), (scratch + p[3]), (right - left) * sizeof(double));
    }
  }
}
extern "C" void weft_70403cecbd8c7d5a_finish(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 3);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[9] * p[8];
    block /= p[9];
    long right = weft_least(left + p[8], p[0]);
    long first = block * p[6], last = weft_least(first + p[6], p[7]);
    for (long o = first; o < last; ++o) {
      for (long k = 0; k < p[8]; k += L) {
        weft_store_f64((double*)(scratch + p[3]) + k, weft_splat_f64(-0x0p+0));
      }
      for (long part = 0; part < p[10]; ++part)
        for (long k = 0; k < right - left; k += L) {
          long n = weft_least(right - left - k, L);
          double* q = (double*)(scratch + p[3]) + k;
          f64v x = weft_load_f64(q);
          f64v y = weft_load_partial_f64(((double*)(partials + p[4]) + part * p[5] + o * p[0] + left) + k, n);
          x = x + y;
          weft_store_f64(q, x);
        }
      {
      S1 s;
      const double* const z1 = (double*)(scratch + p[3]) - left;
      float* const w0 = b1 + 0;
      for (long c = left; c < right;) {
        long m = right - c;
        const bool partial = m < L;
        long n = partial ? 1 : m / L;
        if (!partial) m = n * L;
        s.z1 = z1 + c;
        s.w0 = w0 + c;
        __attribute__((aligned(64))) double z1_t[L];
        __attribute__((aligned(64))) float w0_t[L];
        if (partial) {
          weft_pad_8(z1_t, s.z1, 1, m);
          s.z1 = z1_t;
          s.w0 = w0_t;
        }
        span1(&s, n);
        if (partial) {
          weft_unpad_4(w0 + c, 1, w0_t, m);
        }
        c += m;
      }
      }
    }
  }
}
