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
static inline __attribute__((always_inline)) void weft_load_near_f64_2(const double* at, long by, f64v (&to)[2]) {
  typedef double V2 __attribute__((ext_vector_type(2), aligned(1), may_alias));
  const auto v0 = *(const V2*)at;
  at += by;
  const auto v8 = *(const V2*)at;
  at += by;
  const auto v1 = *(const V2*)at;
  at += by;
  const auto v9 = *(const V2*)at;
  at += by;
  const auto v2 = *(const V2*)at;
  at += by;
  const auto v10 = *(const V2*)at;
  at += by;
  const auto v3 = *(const V2*)at;
  at += by;
  const auto v11 = *(const V2*)at;
  at += by;
  const auto v4 = *(const V2*)at;
  at += by;
  const auto v12 = *(const V2*)at;
  at += by;
  const auto v5 = *(const V2*)at;
  at += by;
  const auto v13 = *(const V2*)at;
  at += by;
  const auto v6 = *(const V2*)at;
  at += by;
  const auto v14 = *(const V2*)at;
  at += by;
  const auto v7 = *(const V2*)at;
  at += by;
  const auto v15 = *(const V2*)at;
  at += by;
  const auto v16 = __builtin_shufflevector(v0, v1, 0, 1, 2, 3);
  const auto v17 = __builtin_shufflevector(v2, v3, 0, 1, 2, 3);
  const auto v18 = __builtin_shufflevector(v4, v5, 0, 1, 2, 3);
  const auto v19 = __builtin_shufflevector(v6, v7, 0, 1, 2, 3);
  const auto v20 = __builtin_shufflevector(v16, v17, 0, 1, 2, 3, 4, 5, 6, 7);
  const auto v21 = __builtin_shufflevector(v18, v19, 0, 1, 2, 3, 4, 5, 6, 7);
  const auto v22 = __builtin_shufflevector(v20, v21, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto v23 = __builtin_shufflevector(v8, v9, 0, 1, 2, 3);
  const auto v24 = __builtin_shufflevector(v10, v11, 0, 1, 2, 3);
  const auto v25 = __builtin_shufflevector(v12, v13, 0, 1, 2, 3);
  const auto v26 = __builtin_shufflevector(v14, v15, 0, 1, 2, 3);
  const auto v27 = __builtin_shufflevector(v23, v24, 0, 1, 2, 3, 4, 5, 6, 7);
  const auto v28 = __builtin_shufflevector(v25, v26, 0, 1, 2, 3, 4, 5, 6, 7);
  const auto v29 = __builtin_shufflevector(v27, v28, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto v30 = __builtin_shufflevector(v22, v29, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
  const auto v31 = __builtin_shufflevector(v22, v29, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  to[0] = weft_unpack_f64(v30);
  to[1] = weft_unpack_f64(v31);
}
struct S0 {
  const double* r0;
  long r0_by;
  const double* r3;
  long r3_by;
  double* w0;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const double* r0 = s->r0;
  const long r0_by = s->r0_by;
  const double* r3 = s->r3;
  const long r3_by = s->r3_by;
  double* const w0_row = s->w0;
  long done = 0;
  for (long k = 0; k < n; ++k) {
    double* const w0 = w0_row + done;
    f64v q0[2];
    weft_load_near_f64_2(r0, r0_by, q0);
    f64v v0 = q0[0];
    f64v v1 = q0[1];
    f64v v3 = weft_load_strided_f64(r3, r3_by);
    f64v v4 = weft_fma_f64(v0, v1, v3);
    weft_store_f64(w0, v4);
    r0 += r0_by * L;
    r3 += r3_by * L;
    done += L;
  }
}
extern "C" void weft_5be025cc6c2b3735(const unsigned long* w, long begin, long end, char* scratch) {
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
        {sizeof(double), 2, __builtin_offsetof(S0, r0), __builtin_offsetof(S0, r0_by), 0, 0, 1, 0},
        {sizeof(double), 1, __builtin_offsetof(S0, r3), __builtin_offsetof(S0, r3_by), 0, 0, 1, 0},
        {sizeof(double), 1, __builtin_offsetof(S0, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 0x7fffffffffffffff, 3, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + p[2], p[1], 0},
        {b0 + p[4], p[1], 0},
        {b1 + 0, 1, 0},
      };
      __attribute__((aligned(64))) char pads[512];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      }
      }
    }
  }
}
