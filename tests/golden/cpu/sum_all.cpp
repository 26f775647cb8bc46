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
  double T0;
  const float* r0;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const float* const r0_row = s->r0;
  long done = 0;
  f32v A0 = weft_splat_f32(-0x0p+0f);
  f64v B0 = weft_splat_f64(-0x0p+0);
  for (long k = 0; k < n;) {
  for (const long most = weft_least(n, k + 16); k < most; ++k) {
    const float* const r0 = r0_row + done;
    f32v v0 = weft_load_f32(r0);
    A0 = A0 + v0;
    done += L;
  }
    B0 = B0 + weft_cast_f32_f64(A0);
    A0 = weft_splat_f32(-0x0p+0f);
  }
  weft_keep_live_f64(B0, live, weft_splat_f64(-0x0p+0));
  s->T0 = s->T0 + weft_join_sum_f64(B0)[0];
}
extern "C" void weft_123e85efb58cf7b7(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  long p[7];
  __builtin_memcpy(p, w + 3, 7 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long part = block % p[5];
    block /= p[5];
    long first = block * p[3], last = weft_least(first + p[3], p[4]);
    for (long o = first; o < last; ++o) {
      double T0 = -0x0p+0;
      {
      long y0 = weft_least(part * p[6], p[0]), y1 = weft_least(y0 + p[6], p[0]);
      const long left = y0, right = y1;
      {
      S0 s;
      s.T0 = T0;
      static const WalkStream streams[] = {
        {sizeof(float), 1, __builtin_offsetof(S0, r0), -1, 0, 0, 1, 0},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 128, 1, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + 0, 1, 0},
      };
      __attribute__((aligned(64))) char pads[128];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      T0 = s.T0;
      }
      }
      f32v v1 = weft_cast_f64_f32(weft_splat_f64(T0));
      weft_store_one_f64(((double*)(partials + p[1]) + part * p[2] + o), weft_splat_f64(T0));
    }
  }
}
extern "C" void weft_123e85efb58cf7b7_finish(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  long p[7];
  __builtin_memcpy(p, w + 3, 7 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[3], last = weft_least(first + p[3], p[4]);
    for (long o = first; o < last; ++o) {
      double T0 = -0x0p+0;
      for (long q = 0; q < p[5]; ++q)
        T0 = T0 + *((double*)(partials + p[1]) + q * p[2] + o);
      f32v v1 = weft_cast_f64_f32(weft_splat_f64(T0));
      weft_store_one_f32(b1 + 0, v1);
    }
  }
}
