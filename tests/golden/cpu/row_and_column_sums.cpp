struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
struct S0 {
  const char* past0;
  double T0;
  const float* r0;
  float* z_t1;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const char* const past0 = s->past0;
  const float* const r0_row = s->r0;
  float* const z_t1_row = s->z_t1;
  long done = 0;
  f32v A0 = weft_splat_f32(-0x0p+0f);
  f64v B0 = weft_splat_f64(-0x0p+0);
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const float* const r0 = r0_row + done;
    float* const z_t1 = z_t1_row + done;
    f32v T1 = weft_load_f32(z_t1);
    f32v v0 = weft_load_first_f32(r0, alive, rest, past0);
    f32v v1 = weft_square_f32(v0);
    A0 = A0 + weft_select_f32(alive, v1, weft_splat_f32(-0x0p+0f));
    T1 = T1 + v1;
    weft_store_f32(z_t1, T1);
    done += L;
  };
  for (long k = 0; k < live / L;) {
  for (const long most = weft_least(live / L, k + 16); k < most; ++k) step(weft_splat_bool(-1), L);
    B0 = B0 + weft_cast_f32_f64(A0);
    A0 = weft_splat_f32(-0x0p+0f);
  }
  if (const long rest = live % L)
    step(weft_first(rest), rest);
  B0 = B0 + weft_cast_f32_f64(A0);
  s->T0 = s->T0 + weft_join_sum_f64(B0)[0];
}
struct S1 {
  const double* z3;
  float* w0;
};
static inline __attribute__((always_inline)) void span1(S1* s, long live) {
  const double* const z3_row = s->z3;
  float* const w0_row = s->w0;
  long done = 0;
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const double* const z3 = z3_row + done;
    float* const w0 = w0_row + done;
    f32v v3 = weft_cast_f64_f32(weft_load_f64(z3));
    f32v v4 = weft_sqrt_f32(v3);
    weft_store_first_f32(w0, v4, rest);
    done += L;
  };
  for (long k = 0; k < live / L; ++k) step(weft_splat_bool(-1), L);
  if (const long rest = live % L)
    step(weft_first(rest), rest);
}
extern "C" void weft_a99c0d639b6e0579(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  float* b2 = (float*)w[2];
  char* partials = (char*)w[3];
  long p[13];
  __builtin_memcpy(p, w + 4, 13 * 8);
  const char* const past0 = (const char*)(((long)(b0 + p[12]) + 4095) & -4096);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[10], last = weft_least(first + p[10], p[11]);
    for (long k = 0; k < p[3]; k += L)
      weft_store_f32(((float*)(partials + p[8]) + t * p[3]) + k, weft_splat_f32(-0x0p+0f));
    for (long o = first; o < last; ++o) {
      long a0 = o;
      double T0 = -0x0p+0;
      {
      const long left = 0, right = p[1];
      {
      S0 s;
      s.past0 = past0;
      s.T0 = T0;
      s.r0 = b0 + a0 * p[2] + left;
      s.z_t1 = (float*)((float*)(partials + p[8]) + t * p[3]) - left + left;
      span0(&s, right - left);
      T0 = s.T0;
      }
      }
      f32v v2 = weft_cast_f64_f32(weft_splat_f64(T0));
      weft_store_one_f32(b1 + a0, v2);
    }
  }
}
extern "C" void weft_a99c0d639b6e0579_finish(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  float* b2 = (float*)w[2];
  char* partials = (char*)w[3];
  long p[13];
  __builtin_memcpy(p, w + 4, 13 * 8);
  for (long t = begin; t < end; ++t) {
      const long line = t / p[6], left = t % p[6] * p[5];
      const long right = weft_least(left + p[5], p[1]);
      for (long k = 0; k < right - left; k += L) {
        f64v x = weft_splat_f64(-0x0p+0);
        for (long q = 0; q < p[4]; ++q)
          x = x + weft_cast_f32_f64(weft_load_f32((float*)(partials + p[8]) + q * p[3] + line * p[7] + left + k));
        weft_store_f64((double*)(scratch + p[9]) + k, x);
      }
      {
      S1 s;
      s.z3 = (double*)(scratch + p[9]) - left + left;
      s.w0 = b2 + 0 + left;
      span1(&s, right - left);
      }
  }
}
