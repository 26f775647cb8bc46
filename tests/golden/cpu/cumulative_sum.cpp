struct c64e { float re, im; };
struct c128e { double re, im; };
__attribute__((aligned(64))) static const unsigned char weft_zeros[1024] = {};
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
struct WalkStream {
int bytes, place, by_place, guards_begin, guards_end, in, out;
};
struct WalkPlan {
void (*span)(void* state, long vectors, long live);
const WalkStream* streams;
const int* guards;
long lanes, limit;
int streams_count, tests_count, rows_place, position_place, aligned;
};
struct WalkMemory {
const void* start;
long by, rows;
};
struct WalkTest {
long base, by, extent, place, low, high;
};
extern "C" void weft_walk_1(const WalkPlan* plan, long left, long right, long rows, const WalkMemory* memory, WalkTest* tests, char* pads, void* state);
struct S0 {
  f64v T0;
  const float* r0;
  float* w0;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const float* r0 = s->r0;
  float* w0 = s->w0;
  const boolv alive = weft_less_i64(weft_lanes_i64(), (i64v)(live));
  f64v T0 = s->T0;
  for (long k = 0; k < n; ++k) {
    f32v v0 = weft_load_f32(r0);
    f32v v1 = weft_square_f32(v0);
    f32v P0 = weft_prefix_sum_f32(weft_select_f32(alive, v1, weft_splat_f32(-0x0p+0f)), weft_splat_f32(-0x0p+0f));
    f64v R0 = T0 + weft_cast_f32_f64(P0);
    T0 = T0 + weft_cast_f32_f64(weft_last_f32(P0));
    f32v v3 = weft_cast_f64_f32(R0);
    f32v v4 = weft_sqrt_f32(v3);
    weft_store_f32(w0, v4);
    r0 += L;
    w0 += L;
  }
  s->T0 = T0;
}
extern "C" void weft_1950877f58504bc5(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 2);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
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
      s.T0 = T0;
      static const WalkStream streams[] = {
        {sizeof(float), __builtin_offsetof(S0, r0), -1, 0, 0, 1, 0},
        {sizeof(float), __builtin_offsetof(S0, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 0x7fffffffffffffff, 2, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + a0 * p[2], 1, 0},
        {b1 + a0 * p[3], 1, 0},
      };
      __attribute__((aligned(64))) char pads[128];
      long done = left;
      const long whole = (right - left) / L;
      if (whole > 0 && whole <= 0x7fffffffffffffff) {
        s.r0 = (const float*)memory[0].start + left * memory[0].by;
        s.w0 = (float*)memory[1].start + left * memory[1].by;
        span0(&s, whole, L);
        done += whole * L;
      }
      if (done < right)
        weft_walk_1(&plan, done, right, 1, memory, nullptr, pads, &s);
      }
      }
    }
  }
}
