struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
static inline void weft_bounds(long base, long by, long extent, long& low, long& high) {
const bool down = by < 0;
const long step = down ? -by : by, from = down ? extent - 1 - base : base, left = extent - 1 - from;
low = -(step == 1 ? from : from / step - (from % step < 0));
high = (step == 1 ? left : left / step - (left % step < 0)) + 1;
}
struct S0 {
  int low1, high1;
  boolv v0;
  const float* r2;
  float* w0;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const i32v low1 = (i32v)(s->low1), high1 = (i32v)(s->high1);
  const boolv v0 = s->v0;
  const f32v v3 = weft_splat_f32(0x0p+0f);
  const float* const r2_row = s->r2;
  float* const w0_row = s->w0;
  long done = 0;
  i32v lane = __builtin_convertvector(weft_lanes_i64(), i32v);
  long base = 0, begin = 0, end = live;
  begin = weft_most(begin, s->low1), end = weft_least(end, s->high1);
  auto step = [&](const boolv alive, const long rest, const bool inside) __attribute__((always_inline)) {
    const float* const r2 = r2_row + done;
    float* const w0 = w0_row + done;
    boolv v1 = inside ? weft_splat_bool(-1) : weft_bitwise_and_bool(weft_greater_equal_i32(lane, low1), weft_less_i32(lane, high1));
    const boolv m0 = alive & v1;
    f32v v2 = weft_load_masked_f32(r2, m0);
    boolv v4 = v0 & v1;
    f32v v5 = weft_select_f32(v4, v2, v3);
    f32v v6 = weft_exp_f32(v5);
    weft_store_first_f32(w0, v6, rest);
    done += rest;
    lane += (i32v)((int)rest);
  };
  if (const long rest = weft_least(weft_to_aligned(w0_row, sizeof *w0_row), live)) {
    live -= rest;
    base = rest;
    step(weft_first(rest), rest, false);
  }
  const long whole = live / L, from = weft_least(whole, (weft_most(begin - base, 0) + L - 1) / L);
  const long to = weft_most(from, weft_least(whole, (end - base) / L));
  for (long k = 0; k < from; ++k) step(weft_splat_bool(-1), L, false);
  for (long k = 0; k < to - from; ++k) step(weft_splat_bool(-1), L, true);
  for (long k = 0; k < whole - to; ++k) step(weft_splat_bool(-1), L, false);
  if (const long rest = live % L)
    step(weft_first(rest), rest, false);
}
extern "C" void weft_7c25ef9845e1994e(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  long p[17];
  __builtin_memcpy(p, w + 2, 17 * 8);
  const char* const first0 = (const char*)((long)(b0 + p[16]) & -4096);
  const char* const past0 = (const char*)(((long)(b0 + p[15]) + 4095) & -4096);
  __builtin_memset((scratch + p[9]), 0, p[10]);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[14] * p[13];
    block /= p[14];
    long right = weft_least(left + p[13], p[1]);
    long first = block * p[11], last = weft_least(first + p[11], p[12]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      {
      bool g0 = (unsigned long)(a0 + -1) < (unsigned long)(p[2]); boolv v0 = weft_splat_bool(g0);
      f32v v3 = weft_splat_f32(0x0p+0f);
      {
      S0 s;
      {
        long low, high;
        weft_bounds(p[3], 1, p[4], low, high);
        s.low1 = (int)weft_least(weft_most(low - left, 0), right - left);
        s.high1 = (int)weft_least(weft_most(high - left, 0), right - left);
      }
      s.v0 = v0;
      const float* at2 = b0 + a0 * p[5] + p[6] + left;
      s.r2 = !(g0) ? (const float*)(scratch + p[9]) : (const char*)at2 >= first0 && (const char*)(at2 + right - left + 16) <= past0 ? at2
               : (const float*)weft_aside(at2, weft_most(0, s.low1), weft_least(right - left, s.high1), right - left + 16, 4, (scratch + p[8]));
      s.w0 = b1 + a0 * p[7] + left;
      span0(&s, right - left);
      }
      }
    }
  }
}
