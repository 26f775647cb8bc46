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
  const float* r0;
  const float* r1;
  const float* r3;
  const float* r4;
  float* w0;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const f32v v7 = weft_splat_f32(0x1p-2f);
  const float* const r0_row = s->r0;
  const float* const r1_row = s->r1;
  const float* const r3_row = s->r3;
  const float* const r4_row = s->r4;
  float* const w0_row = s->w0;
  long done = 0;
  for (long k = 0; k < n; ++k) {
    const float* const r0 = r0_row + done;
    const float* const r1 = r1_row + done;
    const float* const r3 = r3_row + done;
    const float* const r4 = r4_row + done;
    float* const w0 = w0_row + done;
    f32v v0 = weft_load_f32(r0);
    f32v v1 = weft_load_f32(r1);
    f32v v2 = v0 + v1;
    f32v v3 = weft_load_f32(r3);
    f32v v4 = weft_load_f32(r4);
    f32v v5 = v3 + v4;
    f32v v6 = v2 + v5;
    f32v v8 = v6 * v7;
    weft_store_f32(w0, v8);
    done += L;
  }
}
extern "C" void weft_39c0a2ee80a6200f(const unsigned long* w, long begin, long end, char* scratch) {
  const float* b0 = (const float*)w[0];
  float* b1 = (float*)w[1];
  long p[11];
  __builtin_memcpy(p, w + 2, 11 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[10] * p[9];
    block /= p[10];
    long right = weft_least(left + p[9], p[1]);
    long first = block * p[7], last = weft_least(first + p[7], p[8]);
    for (long o = first; o < last; ++o) {
      long a0 = o;
      {
      f32v v7 = weft_splat_f32(0x1p-2f);
      {
      S0 s;
      static const WalkStream streams[] = {
        {sizeof(float), 1, __builtin_offsetof(S0, r0), -1, 0, 0, 1, 0},
        {sizeof(float), 1, __builtin_offsetof(S0, r1), -1, 0, 0, 1, 0},
        {sizeof(float), 1, __builtin_offsetof(S0, r3), -1, 0, 0, 1, 0},
        {sizeof(float), 1, __builtin_offsetof(S0, r4), -1, 0, 0, 1, 0},
        {sizeof(float), 1, __builtin_offsetof(S0, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 0x7fffffffffffffff, 5, 0, -2, -1, -1};
      const WalkMemory memory[] = {
        {b0 + a0 * p[2] + 1, 1, 0},
        {b0 + a0 * p[2] + p[3], 1, 0},
        {b0 + a0 * p[2] + p[4], 1, 0},
        {b0 + a0 * p[2] + p[5], 1, 0},
        {b1 + a0 * p[6], 1, 0},
      };
      __attribute__((aligned(64))) char pads[320];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      }
      }
    }
  }
}
