struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
struct S0 {
  const char* past0;
  f64v T0;
  const float* r0;
  float* w0;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const char* const past0 = s->past0;
  const float* const r0_row = s->r0;
  float* const w0_row = s->w0;
  long done = 0;
  f64v T0 = s->T0;
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const float* const r0 = r0_row + done;
    float* const w0 = w0_row + done;
    f32v v0 = weft_load_first_f32(r0, alive, rest, past0);
    f32v v1 = weft_square_f32(v0);
    f32v P0 = weft_prefix_sum_f32(weft_select_f32(alive, v1, weft_splat_f32(-0x0p+0f)), weft_splat_f32(-0x0p+0f));
    f64v R0 = T0 + weft_cast_f32_f64(P0);
    T0 = T0 + weft_cast_f32_f64(weft_last_f32(P0));
    f32v v3 = weft_cast_f64_f32(R0);
    f32v v4 = weft_sqrt_f32(v3);
    weft_store_first_f32(w0, v4, rest);
    done += L;
  };
  for (long k = 0; k < live / L; ++k) step(weft_splat_bool(-1), L);
  if (const long rest = live % L)
    step(weft_first(rest), rest);
  s->T0 = T0;
}
extern "C" void weft_ec03f6793639caba(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  long p[7];
  __builtin_memcpy(p, w + 2, 7 * 8);
  const char* const past0 = (const char*)(((long)(b0 + p[6]) + 4095) & -4096);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[4], last = weft_least(first + p[4], p[5]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      f64v T0 = weft_splat_f64(-0x0p+0);
      {
      const long left = 0, right = p[1];
      {
      S0 s;
      s.past0 = past0;
      s.T0 = T0;
      s.r0 = b0 + a0 * p[2] + left;
      s.w0 = b1 + a0 * p[3] + left;
      span0(&s, right - left);
      }
      }
    }
  }
}
