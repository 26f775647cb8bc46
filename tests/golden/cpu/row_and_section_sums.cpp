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
  double T1;
  const float* r0;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const char* const past0 = s->past0;
  const float* const r0_row = s->r0;
  long done = 0;
  f32v A0 = weft_splat_f32(-0x0p+0f);
  f64v B0 = weft_splat_f64(-0x0p+0);
  f32v A1 = weft_splat_f32(-0x0p+0f);
  f64v B1 = weft_splat_f64(-0x0p+0);
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const float* const r0 = r0_row + done;
    f32v v0 = weft_load_first_f32(r0, alive, rest, past0);
    A0 = weft_select_f32(alive, weft_fma_f32(v0, v0, A0), A0);
    A1 = A1 + weft_select_f32(alive, v0, weft_splat_f32(-0x0p+0f));
    done += L;
  };
  for (long k = 0; k < live / L;) {
  for (const long most = weft_least(live / L, k + 16); k < most; ++k) step(weft_splat_bool(-1), L);
    B0 = B0 + weft_cast_f32_f64(A0);
    A0 = weft_splat_f32(-0x0p+0f);
    B1 = B1 + weft_cast_f32_f64(A1);
    A1 = weft_splat_f32(-0x0p+0f);
  }
  if (const long rest = live % L)
    step(weft_first(rest), rest);
  B0 = B0 + weft_cast_f32_f64(A0);
  s->T0 = s->T0 + weft_join_sum_f64(B0)[0];
  B1 = B1 + weft_cast_f32_f64(A1);
  s->T1 = s->T1 + weft_join_sum_f64(B1)[0];
}
extern "C" void weft_8f906de627b003a4(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  float* b2 = (float*)w[2];
  long p[9];
  __builtin_memcpy(p, w + 3, 9 * 8);
  const char* const past0 = (const char*)(((long)(b0 + p[8]) + 4095) & -4096);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[6], last = weft_least(first + p[6], p[7]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      double T0 = -0x0p+0;
      {
      for (long a1 = 0; a1 < p[1]; ++a1) {
      double T1 = -0x0p+0;
      const long left = 0, right = p[2];
      {
      S0 s;
      s.past0 = past0;
      s.T0 = T0;
      s.T1 = T1;
      s.r0 = b0 + a0 * p[3] + a1 * p[4] + left;
      span0(&s, right - left);
      T0 = s.T0;
      T1 = s.T1;
      }
      f32v v3 = weft_cast_f64_f32(weft_splat_f64(T1));
      weft_store_one_f32(b1 + a0 * p[5] + a1, v3);
      }
      }
      f32v v2 = weft_cast_f64_f32(weft_splat_f64(T0));
      weft_store_one_f32(b2 + a0, v2);
    }
  }
}
