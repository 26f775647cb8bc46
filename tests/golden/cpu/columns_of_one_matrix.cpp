struct c64e { float re, im; };
struct c128e { double re, im; };
__attribute__((aligned(64))) static const unsigned char weft_zeros[1024] = {};
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
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
  const double* r0;
  long r0_by;
  const double* r1;
  const double* r3;
  double* w0;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const double* r0 = s->r0;
  const long r0_by = s->r0_by;
  const double* r1 = s->r1;
  const double* r3 = s->r3;
  double* const w0_row = s->w0;
  long done = 0;
  for (long k = 0; k < n; ++k) {
    double* const w0 = w0_row + done;
    f64v v0 = weft_load_strided_f64(r0, r0_by);
    f64v v1 = weft_load_strided_f64(r1, r0_by);
    f64v v2 = v0 * v1;
    f64v v3 = weft_load_strided_f64(r3, r0_by);
    f64v v4 = v2 + v3;
    weft_store_f64(w0, v4);
    r0 += r0_by * L;
    r1 += r0_by * L;
    r3 += r0_by * L;
    done += L;
  }
}
extern "C" void weft_e06d6feb846de348(const unsigned long* w, long begin, long end, char* scratch) {
  const double* b0 = (const double*)w[0];
  double* b1 = (double*)w[1];
  long p[9];
  __builtin_memcpy(p, w + 2, 9 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[8] * p[7];
    block /= p[8];
    long right = weft_least(left + p[7], p[0]);
    long first = block * p[5], last = weft_least(first + p[5], p[6]);
    for (long o = first; o < last; ++o) {
      {
      {
      S0 s;
      static const WalkStream streams[] = {
        {sizeof(double), __builtin_offsetof(S0, r0), __builtin_offsetof(S0, r0_by), 0, 0, 1, 0},
        {sizeof(double), __builtin_offsetof(S0, r1), __builtin_offsetof(S0, r0_by), 0, 0, 1, 0},
        {sizeof(double), __builtin_offsetof(S0, r3), __builtin_offsetof(S0, r0_by), 0, 0, 1, 0},
        {sizeof(double), __builtin_offsetof(S0, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 0x7fffffffffffffff, 4, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + p[2], p[1], 0},
        {b0 + p[3], p[1], 0},
        {b0 + p[4], p[1], 0},
        {b1 + 0, 1, 0},
      };
      __attribute__((aligned(64))) char pads[512];
      weft_walk_1(&plan, left, right, 1, memory, nullptr, pads, &s);
      }
      }
    }
  }
}
