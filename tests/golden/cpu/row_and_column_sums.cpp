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
  double T0;
  const float* r0;
  float* z_t1;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const float* r0 = s->r0;
  float* z_t1 = s->z_t1;
  f32v A0 = weft_splat_f32(-0x0p+0f);
  for (long k = 0; k < n; ++k) {
    f32v T1 = weft_load_f32(z_t1);
    f32v v0 = weft_load_f32(r0);
    f32v v1 = weft_square_f32(v0);
    A0 = A0 + v1;
    T1 = T1 + v1;
    weft_store_f32(z_t1, T1);
    r0 += L;
    z_t1 += L;
  }
  weft_keep_live_f32(A0, live, weft_splat_f32(-0x0p+0f));
  s->T0 = s->T0 + weft_join_sum_f64(weft_cast_f32_f64(A0))[0];
}
struct S1 {
  const double* z3;
  float* w0;
};
static __attribute__((noinline)) void span1(void* state, long n, long live) {
  S1* s = (S1*)state;
  const double* z3 = s->z3;
  float* w0 = s->w0;
  for (long k = 0; k < n; ++k) {
    f32v v3 = weft_cast_f64_f32(weft_load_f64(z3));
    f32v v4 = weft_sqrt_f32(v3);
    weft_store_f32(w0, v4);
    z3 += L;
    w0 += L;
  }
}
extern "C" void weft_399a205e5b28ab6e(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 4);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  float* b2 = (float*)w[2];
  char* partials = (char*)w[3];
  for (long t = begin; t < end; ++t) {
    long block = t;
    long first = block * p[11], last = weft_least(first + p[11], p[12]);
    for (long k = 0; k < p[3]; k += L)
      weft_store_f32((float*)(scratch + p[8]) + k, weft_splat_f32(-0x0p+0f));
    for (long o = first; o < last; ++o) {
      long a0 = o;
      double T0 = -0x0p+0;
      {
      const long left = 0, right = p[1];
      {
      S0 s;
      s.T0 = T0;
      static const WalkStream streams[] = {
        {sizeof(float), __builtin_offsetof(S0, r0), -1, 0, 0, 1, 0},
        {sizeof(float), __builtin_offsetof(S0, z_t1), -1, 0, 0, 1, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 128, 2, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + a0 * p[2], 1, 0},
        {(float*)(scratch + p[8]) - left, 1, 0},
      };
      __attribute__((aligned(64))) char pads[256];
      long done = left;
      const long whole = (right - left) / L;
      if (whole > 0 && whole <= 128) {
        s.r0 = (const float*)memory[0].start + left * memory[0].by;
        s.z_t1 = (float*)memory[1].start + left * memory[1].by;
        span0(&s, whole, L);
        done += whole * L;
      }
      if (done < right)
        weft_walk_1(&plan, done, right, 1, memory, nullptr, pads, &s);
      T0 = s.T0;
      }
      }
      f32v v2 = weft_cast_f64_f32(weft_splat_f64(T0));
      weft_store_one_f32(b1 + a0, v2);
    }
    __builtin_memcpy((float*)(partials + p[10]) + t * p[3], (scratch + p[8]), p[3] * sizeof(float));
  }
}
extern "C" void weft_399a205e5b28ab6e_finish(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 4);
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  float* b2 = (float*)w[2];
  char* partials = (char*)w[3];
  for (long t = begin; t < end; ++t) {
      const long line = t / p[6], left = t % p[6] * p[5];
      const long right = weft_least(left + p[5], p[1]);
      for (long k = 0; k < right - left; k += L) {
        f64v x = weft_splat_f64(-0x0p+0);
        for (long q = 0; q < p[4]; ++q)
          x = x + weft_cast_f32_f64(weft_load_f32((float*)(partials + p[10]) + q * p[3] + line * p[7] + left + k));
        weft_store_f64((double*)(scratch + p[9]) + k, x);
      }
      {
      S1 s;
      static const WalkStream streams[] = {
        {sizeof(double), __builtin_offsetof(S1, z3), -1, 0, 0, 1, 0},
        {sizeof(float), __builtin_offsetof(S1, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span1, streams, nullptr, L, 0x7fffffffffffffff, 2, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {(double*)(scratch + p[9]) - left, 1, 0},
        {b2 + 0, 1, 0},
      };
      __attribute__((aligned(64))) char pads[384];
      long done = left;
      const long whole = (right - left) / L;
      if (whole > 0 && whole <= 0x7fffffffffffffff) {
        s.z3 = (const double*)memory[0].start + left * memory[0].by;
        s.w0 = (float*)memory[1].start + left * memory[1].by;
        span1(&s, whole, L);
        done += whole * L;
      }
      if (done < right)
        weft_walk_1(&plan, done, right, 1, memory, nullptr, pads, &s);
      }
  }
}
