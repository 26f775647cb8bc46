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
  const unsigned short* r0;
  unsigned short* w0;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const char* const past0 = s->past0;
  const f32v v1 = weft_splat_f16(0x1p+0f);
  const unsigned short* const r0_row = s->r0;
  unsigned short* const w0_row = s->w0;
  long done = 0;
  f32v A0 = weft_splat_f32(-0x0p+0f);
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const unsigned short* const r0 = r0_row + done;
    unsigned short* const w0 = w0_row + done;
    f32v v0 = weft_load_first_f16(r0, alive, rest, past0);
    f32v e2 = v0 + v1; f32v v2 = weft_round_f16(e2);
    weft_store_first_f16(w0, e2, rest);
    A0 = A0 + weft_select_f32(alive, v2, weft_splat_f32(-0x0p+0f));
    done += L;
  };
  for (long k = 0; k < 3; ++k) step(weft_splat_bool(-1), L);
  const long rest = live % L;
  step(weft_first(rest), rest);
  s->T0 = s->T0 + weft_join_sum_f32(A0)[0];
}
extern "C" void weft_d95d258a1211b7f4(const unsigned long* w, long begin, long end, char* scratch) {
  const unsigned short* b0 = (const unsigned short*)w[0];
  unsigned short* b1 = (unsigned short*)w[1];
  unsigned short* b2 = (unsigned short*)w[2];
  long p[7];
  __builtin_memcpy(p, w + 3, 7 * 8);
  const char* const past0 = (const char*)(((long)(b0 + p[6]) + 4095) & -4096);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[4], last = weft_least(first + p[4], p[5]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      f32v v1 = weft_splat_f16(0x1p+0f);
      float T0 = -0x0p+0f;
      {
      const long left = 0, right = p[1];
      {
      S0 s;
      s.past0 = past0;
      s.T0 = T0;
      s.r0 = b0 + a0 * p[2] + left;
      s.w0 = b1 + a0 * p[3] + left;
      span0(&s, right - left);
      T0 = s.T0;
      }
      }
      f32v e3 = weft_splat_f32(T0); f32v v3 = weft_round_f16(e3);
      weft_store_one_f16(b2 + a0, e3);
    }
  }
}
