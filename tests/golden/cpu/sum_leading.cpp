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
  long r0_rows;
  const float* r0;
  double* z_t0;
  long rows;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const long r0_rows = s->r0_rows;
  const float* const r0_row = s->r0;
  double* const z_t0_row = s->z_t0;
  long done = 0;
  const long rows = s->rows;
  for (long k = 0; k < n; ++k) {
    const float* const r0 = r0_row + done;
    double* const z_t0 = z_t0_row + done;
    f64v T0 = weft_load_f64(z_t0);
    f32v A0 = weft_splat_f32(-0x0p+0f);
    for (long u = 0; u < rows; ++u) {
    f32v v0 = weft_load_f32(r0 + u * r0_rows);
    A0 = A0 + v0;
    }
    T0 = T0 + weft_cast_f32_f64(A0);
    weft_store_f64(z_t0, T0);
    done += L;
  }
}
struct S1 {
  const double* z1;
  float* w0;
};
static __attribute__((noinline)) void span1(void* state, long n, long live) {
  S1* s = (S1*)state;
  const double* const z1_row = s->z1;
  float* const w0_row = s->w0;
  long done = 0;
  for (long k = 0; k < n; ++k) {
    const double* const z1 = z1_row + done;
    float* const w0 = w0_row + done;
    f32v v1 = weft_cast_f64_f32(weft_load_f64(z1));
    weft_store_f32(w0, v1);
    done += L;
  }
}
extern "C" void weft_825125f65f5605a1(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  long p[14];
  __builtin_memcpy(p, w + 3, 14 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long part = block % p[10];
    block /= p[10];
    long left = block % p[9] * p[8];
    block /= p[9];
    long right = weft_least(left + p[8], p[0]);
    long first = block * p[6], last = weft_least(first + p[6], p[7]);
    for (long o = first; o < last; ++o) {
      for (long k = 0; k < p[8]; k += L) {
        weft_store_f64((double*)(scratch + p[3]) + k, weft_splat_f64(-0x0p+0));
      }
      {
      long y0 = weft_least(part * p[11], p[1]), y1 = weft_least(y0 + p[11], p[1]);
      for (long a1 = y0; a1 < y1; a1 += 8) {
      const long rows = weft_least(y1 - a1, 8);
      {
      S0 s;
      s.r0_rows = p[2];
      static const WalkStream streams[] = {
        {sizeof(float), 1, __builtin_offsetof(S0, r0), -1, 0, 0, 1, 0},
        {sizeof(double), 1, __builtin_offsetof(S0, z_t0), -1, 0, 0, 1, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 0x7fffffffffffffff, 2, 0, __builtin_offsetof(S0, rows), -1, -1};
      const WalkMemory memory[] = {
        {b0 + a1 * p[2], 1, s.r0_rows},
        {(double*)(scratch + p[3]) - left, 1, 0},
      };
      __attribute__((aligned(64))) char pads[384];
      weft_walk_3(&plan, left, right, rows, memory, nullptr, pads, &s);
      }
      }
      }
      __builtin_memcpy(((double*)(partials + p[4]) + part * p[5] + o * p[0] + left), (scratch + p[3]), (right - left) * sizeof(double));
    }
  }
}
extern "C" void weft_825125f65f5605a1_finish(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  char* partials = (char*)w[2];
  long p[14];
  __builtin_memcpy(p, w + 3, 14 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[13] * p[12];
    block /= p[13];
    long right = weft_least(left + p[12], p[0]);
    long first = block * p[6], last = weft_least(first + p[6], p[7]);
    for (long o = first; o < last; ++o) {
      for (long k = 0; k < p[12]; k += L) {
        weft_store_f64((double*)(scratch + p[3]) + k, weft_splat_f64(-0x0p+0));
      }
      for (long q = 0; q < p[10]; ++q)
        for (long k = 0; k < right - left; k += L) {
          double* to = (double*)(scratch + p[3]) + k;
          f64v x = weft_load_f64(to);
          f64v y = weft_load_f64(((double*)(partials + p[4]) + q * p[5] + o * p[0] + left) + k);
          x = x + y;
          weft_store_f64(to, x);
        }
      {
      S1 s;
      static const WalkStream streams[] = {
        {sizeof(double), 1, __builtin_offsetof(S1, z1), -1, 0, 0, 1, 0},
        {sizeof(float), 1, __builtin_offsetof(S1, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span1, streams, nullptr, L, 0x7fffffffffffffff, 2, 0, -2, -1, -1};
      const WalkMemory memory[] = {
        {(double*)(scratch + p[3]) - left, 1, 0},
        {b1 + 0, 1, 0},
      };
      __attribute__((aligned(64))) char pads[384];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      }
    }
  }
}
