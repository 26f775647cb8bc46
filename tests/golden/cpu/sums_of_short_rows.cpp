struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
struct S0 {
  const char* past0;
  float T0;
  const float* r0;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const char* const past0 = s->past0;
  const float* const r0_row = s->r0;
  long done = 0;
  f32v A0 = weft_splat_f32(-0x0p+0f);
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const float* const r0 = r0_row + done;
    f32v v0 = weft_load_first_f32(r0, alive, rest, past0);
    A0 = A0 + weft_select_f32(alive, v0, weft_splat_f32(-0x0p+0f));
    done += L;
  };
  for (long k = 0; k < 3; ++k) step(weft_splat_bool(-1), L);
  const long rest = live % L;
  step(weft_first(rest), rest);
  s->T0 = s->T0 + weft_join_sum_f32(A0)[0];
}
extern "C" void weft_34bb1f9a2a4abf91(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  long p[6];
  __builtin_memcpy(p, w + 2, 6 * 8);
  const char* const past0 = (const char*)(((long)(b0 + p[5]) + 4095) & -4096);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[3], last = weft_least(first + p[3], p[4]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      float T0 = -0x0p+0f;
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
      f32v v1 = weft_splat_f32(T0);
      weft_store_one_f32(b1 + a0, v1);
    }
  }
}
