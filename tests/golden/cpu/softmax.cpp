struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
struct S0 {
  const char* past0;
  f32v T0;
  const float* r0;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const char* const past0 = s->past0;
  const float* const r0_row = s->r0;
  long done = 0;
  f32v A0 = s->T0;
  unsigned long N0 = weft_nans_f32(A0);
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const float* const r0 = r0_row + done;
    f32v v0 = weft_load_first_f32(r0, alive, rest, past0);
    weft_extend_max_f32(A0, N0, weft_select_f32(alive, v0, weft_splat_f32(-__builtin_inff())));
    done += L;
  };
  for (long k = 0; k < live / L; ++k) step(weft_splat_bool(-1), L);
  if (const long rest = live % L)
    step(weft_first(rest), rest);
  s->T0 = weft_unless_nan_f32(A0, N0);
}
struct S1 {
  const char* past0;
  f32v v1;
  double T1;
  const float* r6;
  float* y3;
};
static inline __attribute__((always_inline)) void span1(S1* s, long live) {
  const char* const past0 = s->past0;
  const f32v v1 = s->v1;
  const float* const r6_row = s->r6;
  float* const y3_row = s->y3;
  long done = 0;
  f32v A1 = weft_splat_f32(-0x0p+0f);
  f64v B1 = weft_splat_f64(-0x0p+0);
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const float* const r6 = r6_row + done;
    float* const y3 = y3_row + done;
    f32v v6 = weft_load_first_f32(r6, alive, rest, past0);
    f32v v2 = v6 - v1;
    f32v v3 = weft_exp_f32(v2);
    A1 = A1 + weft_select_f32(alive, v3, weft_splat_f32(-0x0p+0f));
    weft_store_f32(y3, v3);
    done += L;
  };
  for (long k = 0; k < live / L;) {
  for (const long most = weft_least(live / L, k + 16); k < most; ++k) step(weft_splat_bool(-1), L);
    B1 = B1 + weft_cast_f32_f64(A1);
    A1 = weft_splat_f32(-0x0p+0f);
  }
  if (const long rest = live % L)
    step(weft_first(rest), rest);
  B1 = B1 + weft_cast_f32_f64(A1);
  s->T1 = s->T1 + weft_join_sum_f64(B1)[0];
}
struct S2 {
  f32v v4;
  const float* z3;
  float* w0;
};
static inline __attribute__((always_inline)) void span2(S2* s, long live) {
  const f32v v4 = s->v4;
  const float* const z3_row = s->z3;
  float* const w0_row = s->w0;
  long done = 0;
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const float* const z3 = z3_row + done;
    float* const w0 = w0_row + done;
    f32v v3 = weft_load_f32(z3);
    f32v v5 = v3 / v4;
    weft_store_first_f32(w0, v5, rest);
    done += rest;
  };
  if (const long rest = weft_least(weft_to_aligned(w0_row, sizeof *w0_row), live)) {
    live -= rest;
    step(weft_first(rest), rest);
  }
  for (long k = 0; k < live / L; ++k) step(weft_splat_bool(-1), L);
  if (const long rest = live % L)
    step(weft_first(rest), rest);
}
extern "C" void weft_2555a0822d4289a5(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  long p[9];
  __builtin_memcpy(p, w + 2, 9 * 8);
  const char* const past0 = (const char*)(((long)(b0 + p[8]) + 4095) & -4096);
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
      s.past0 = past0;
      s.T0 = T0;
      s.r0 = b0 + a0 * p[2] + left;
      span0(&s, right - left);
      T0 = s.T0;
      }
      }
      f32v v1 = weft_join_max_f32(T0);
      double T1 = -0x0p+0;
      {
      const long left = 0, right = p[1];
      {
      S1 s;
      s.past0 = past0;
      s.v1 = v1;
      s.T1 = T1;
      s.r6 = b0 + a0 * p[2] + left;
      s.y3 = (float*)(scratch + p[4]) - left + left;
      span1(&s, right - left);
      T1 = s.T1;
      }
      }
      f32v v4 = weft_cast_f64_f32(weft_splat_f64(T1));
      {
      const long left = 0, right = p[1];
      {
      S2 s;
      s.v4 = v4;
      s.z3 = (float*)(scratch + p[4]) - left + left;
      s.w0 = b1 + a0 * p[3] + left;
      span2(&s, right - left);
      }
      }
    }
  }
}
