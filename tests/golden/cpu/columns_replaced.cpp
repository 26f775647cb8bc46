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
  const double* r0;
  double* w0;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const double* const r0_row = s->r0;
  double* const w0_row = s->w0;
  long done = 0;
  for (long k = 0; k < n; ++k) {
    const double* const r0 = r0_row + done;
    double* const w0 = w0_row + done;
    f64v v0 = weft_load_f64(r0);
    f64v v1 = -v0;
    weft_stream_f64(w0, v1);
    done += L;
  }
}
extern "C" void weft_252b4009cef6b50f(const unsigned long* w, long begin, long end, char* scratch) {
  const double* b0 = (const double*)w[0];
  double* b1 = (double*)w[1];
  long p[5];
  __builtin_memcpy(p, w + 2, 5 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[4] * p[3];
    block /= p[4];
    long right = weft_least(left + p[3], p[0]);
    long first = block * p[1], last = weft_least(first + p[1], p[2]);
    for (long o = first; o < last; ++o) {
      {
      {
      S0 s;
      static const WalkStream streams[] = {
        {sizeof(double), 1, __builtin_offsetof(S0, r0), -1, 0, 0, 1, 0},
        {sizeof(double), 1, __builtin_offsetof(S0, w0), -1, 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 0x7fffffffffffffff, 2, 0, -1, -1, 1};
      const WalkMemory memory[] = {
        {b0 + 0, 1, 0},
        {b1 + 0, 1, 0},
      };
      __attribute__((aligned(64))) char pads[256];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      }
      }
    }
  }
}
#define L 16
typedef float f32v __attribute__((ext_vector_type(L)));
typedef double f64v __attribute__((ext_vector_type(L)));
typedef signed char i8v __attribute__((ext_vector_type(L)));
typedef short i16v __attribute__((ext_vector_type(L)));
typedef int i32v __attribute__((ext_vector_type(L)));
typedef long i64v __attribute__((ext_vector_type(L)));
typedef unsigned char u8v __attribute__((ext_vector_type(L)));
typedef unsigned short u16v __attribute__((ext_vector_type(L)));
typedef unsigned int u32v __attribute__((ext_vector_type(L)));
typedef unsigned long u64v __attribute__((ext_vector_type(L)));
typedef bool boolv __attribute__((ext_vector_type(L)));
#define weft_pack_f64(x) (x)
#define weft_unpack_f64(x) (x)
static inline __attribute__((always_inline)) f64v weft_load_strided_f64(const void* p, long stride) {
  typedef double Item __attribute__((aligned(1), may_alias));
  f64v v;
  const Item* q = (const Item*)p;
#pragma clang loop unroll(full)
  for (int i = 0; i < 1 * L; i += 1, q += stride * 1)
    for (int c = 0; c < 1; ++c) v[i + c] = q[c];
  return weft_unpack_f64(v);
}
static inline __attribute__((always_inline)) f64v weft_load_f64(const void* p) {
  typedef f64v Unaligned __attribute__((aligned(1), may_alias));
  return weft_unpack_f64(*(const Unaligned*)p);
}

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
static inline __attribute__((always_inline)) void weft_store_near_f64_2(double* at, long by, const f64v (&from)[2]) {
  typedef double V2 __attribute__((ext_vector_type(2), aligned(1), may_alias));
  const auto v0 = weft_pack_f64(from[0]);
  const auto v1 = weft_pack_f64(from[1]);
  const auto v2 = __builtin_shufflevector(v0, v1, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
  const auto v3 = __builtin_shufflevector(v0, v1, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  const auto v4 = __builtin_shufflevector(v2, v2, 0, 1);
  const auto v5 = __builtin_shufflevector(v3, v3, 0, 1);
  const auto v6 = __builtin_shufflevector(v2, v2, 2, 3);
  const auto v7 = __builtin_shufflevector(v3, v3, 2, 3);
  const auto v8 = __builtin_shufflevector(v2, v2, 4, 5);
  const auto v9 = __builtin_shufflevector(v3, v3, 4, 5);
  const auto v10 = __builtin_shufflevector(v2, v2, 6, 7);
  const auto v11 = __builtin_shufflevector(v3, v3, 6, 7);
  const auto v12 = __builtin_shufflevector(v2, v2, 8, 9);
  const auto v13 = __builtin_shufflevector(v3, v3, 8, 9);
  const auto v14 = __builtin_shufflevector(v2, v2, 10, 11);
  const auto v15 = __builtin_shufflevector(v3, v3, 10, 11);
  const auto v16 = __builtin_shufflevector(v2, v2, 12, 13);
  const auto v17 = __builtin_shufflevector(v3, v3, 12, 13);
  const auto v18 = __builtin_shufflevector(v2, v2, 14, 15);
  const auto v19 = __builtin_shufflevector(v3, v3, 14, 15);
  *(V2*)at = v4;
  at += by;
  *(V2*)at = v5;
  at += by;
  *(V2*)at = v6;
  at += by;
  *(V2*)at = v7;
  at += by;
  *(V2*)at = v8;
  at += by;
  *(V2*)at = v9;
  at += by;
  *(V2*)at = v10;
  at += by;
  *(V2*)at = v11;
  at += by;
  *(V2*)at = v12;
  at += by;
  *(V2*)at = v13;
  at += by;
  *(V2*)at = v14;
  at += by;
  *(V2*)at = v15;
  at += by;
  *(V2*)at = v16;
  at += by;
  *(V2*)at = v17;
  at += by;
  *(V2*)at = v18;
  at += by;
  *(V2*)at = v19;
  at += by;
}
struct S0 {
  const double* r0;
  long r0_by;
  const double* r1;
  double* w0;
  long w0_by;
};
static __attribute__((noinline)) void span0(void* state, long n, long live) {
  S0* s = (S0*)state;
  const double* r0 = s->r0;
  const long r0_by = s->r0_by;
  const double* const r1_row = s->r1;
  double* w0 = s->w0;
  const long w0_by = s->w0_by;
  long done = 0;
  for (long k = 0; k < n; ++k) {
    const double* const r1 = r1_row + done;
    f64v v0 = weft_load_strided_f64(r0, r0_by);
    f64v v1 = weft_load_f64(r1);
    f64v v2 = v0 + v1;
    f64v u0[2];
    u0[0] = v2;
    f64v v3 = v2 * v1;
    u0[1] = v3;
    weft_store_near_f64_2(w0, w0_by, u0);
    r0 += r0_by * L;
    w0 += w0_by * L;
    done += L;
  }
}
extern "C" void weft_eedd66d7b27a3b4b(const unsigned long* w, long begin, long end, char* scratch) {
  const double* b0 = (const double*)w[0];
  const double* b1 = (const double*)w[1];
  double* b2 = (double*)w[2];
  long p[10];
  __builtin_memcpy(p, w + 3, 10 * 8);
  for (long t = begin; t < end; ++t) {
    long block = t;
    long left = block % p[9] * p[8];
    block /= p[9];
    long right = weft_least(left + p[8], p[0]);
    long first = block * p[6], last = weft_least(first + p[6], p[7]);
    for (long o = first; o < last; ++o) {
      {
      {
      S0 s;
      static const WalkStream streams[] = {
        {sizeof(double), 1, __builtin_offsetof(S0, r0), __builtin_offsetof(S0, r0_by), 0, 0, 1, 0},
        {sizeof(double), 1, __builtin_offsetof(S0, r1), -1, 0, 0, 1, 0},
        {sizeof(double), 2, __builtin_offsetof(S0, w0), __builtin_offsetof(S0, w0_by), 0, 0, 0, 1},
      };
      static const WalkPlan plan = {span0, streams, nullptr, L, 0x7fffffffffffffff, 3, 0, -1, -1, -1};
      const WalkMemory memory[] = {
        {b0 + p[2], p[1], 0},
        {b1 + 0, 1, 0},
        {b2 + p[4], p[3], 0},
      };
      __attribute__((aligned(64))) char pads[512];
      weft_walk_3(&plan, left, right, 1, memory, nullptr, pads, &s);
      }
      }
    }
  }
}
