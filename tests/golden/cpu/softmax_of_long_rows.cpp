struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
struct WalkStream {
int bytes, count, place, by_place, guards_begin, guards_end, in, out;
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
extern "C" void weft_walk_3(const WalkPlan* plan, long left, long right, long rows, const WalkMemory* memory, WalkTest* tests, char* pads, void* state);
struct S0 {
  f32v T0;
  const float* r0;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const float* const r0_row = s->r0;
  long done = 0;
  f32v A0 = s->T0;
  unsigned long N0 = weft_nans_f32(A0);
  for (long k = 0; k < n; ++k) {
    const float* const r0 = r0_row + done;
    f32v v0 = weft_load_f32(r0);
    weft_extend_max_f32(A0, N0, v0);
    done += L;
  }
  s->T0 = weft_unless_nan_f32(A0, N0);
}
struct S1 {
  f32v v1;
  double T1;
  const float* r6;
  float* y3;
};
static __attribute__((noinline)) void span1(void* state, long n, long live) {
  S1* s = (S1*)state;
  const f32v v1 = s->v1;
  const float* const r6_row = s->r6;
  float* const y3_row = s->y3;
  long done = 0;
  f32v A1 = weft_splat_f32(-0x0p+0f);
  f64v B1 = weft_splat_f64(-0x0p+0);
  for (long k = 0; k < n;) {
  for (const long most = weft_least(n, k + 16); k < most; ++k) {
    const float* const r6 = r6_row + done;
    float* const y3 = y3_row + done;
    f32v v6 = weft_load_f32(r6);
    f32v v2 = v6 - v1;
    f32v v3 = weft_exp_f32(v2);
    A1 = A1 + v3;
    weft_store_f32(y3, v3);
    done += L;
  }
    B1 = B1 + weft_cast_f32_f64(A1);
    A1 = weft_splat_f32(-0x0p+0f);
  }
  weft_keep_live_f64(B1, live, weft_splat_f64(-0x0p+0));
  s->T1 = s->T1 + weft_join_sum_f64(B1)[0];
}
struct S2 {
  f32v v4;
  const float* z3;
  float* w0;
};
static __attribute__((noinline)) void span2(void* state, long n, long live) {
  S2* s = (S2*)state;
  const f32v v4 = s->v4;
  const float* const z3_row = s->z3;
  float* const w0_row = s->w0;
  long done = 0;
  for (long k = 0; k < n; ++k) {
    const float* const z3 = z3_row + done;
    float* const w0 = w0_row + done;
    f32v v3 = weft_load_f32(z3);
    f32v v5 = v3 / v4;
    weft_store_f32(w0, v5);
    done += L;
  }
}
extern "C" void weft_f52eed4dfbe63503(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  long p[8];
  __builtin_memcpy(p, w + 2, 8 * 8);
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
      s.T0 = T0;
      static const WalkStream streams[] = {
        {sizeof(float), 1, __builtin_offsetof(S0, r0), -1, 0, 0, 1, 0},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 128, 1, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + a0 * p[2], 1, 0},
      };
      __attribute__((aligned(64))) char pads[128];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      T0 = s.T0;
      }
      }
      f32v v1 = weft_join_max_f32(T0);
      double T1 = -0x0p+0;
      {
      const long left = 0, right = p[1];
      {
      S1 s;
      s.v1 = v1;
      s.T1 = T1;
      static const WalkStream streams[] = {
        {sizeof(float), 1, __builtin_offsetof(S1, r6), -1, 0, 0, 1, 0},
        {sizeof(float), 1, __builtin_offsetof(S1, y3), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span1, streams, nullptr, L, 128, 2, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + a0 * p[2], 1, 0},
        {(float*)(scratch + p[4]) - left, 1, 0},
      };
      __attribute__((aligned(64))) char pads[256];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      T1 = s.T1;
      }
      }
      f32v v4 = weft_cast_f64_f32(weft_splat_f64(T1));
      {
      const long left = 0, right = p[1];
      {
      S2 s;
      s.v4 = v4;
      static const WalkStream streams[] = {
        {sizeof(float), 1, __builtin_offsetof(S2, z3), -1, 0, 0, 1, 0},
        {sizeof(float), 1, __builtin_offsetof(S2, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span2, streams, nullptr, L, 0x7fffffffffffffff, 2, 0, -2, -1, -1};
      const WalkMemory memory[] = {
        {(float*)(scratch + p[4]) - left, 1, 0},
        {b1 + a0 * p[3], 1, 0},
      };
      __attribute__((aligned(64))) char pads[256];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      }
      }
    }
  }
}
