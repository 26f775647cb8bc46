struct c64e { float re, im; };
struct c128e { double re, im; };
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
static inline __attribute__((always_inline)) void weft_load_run_u8_3(const void* from, long rest, u8v (&to)[3]) {
  typedef unsigned char Item __attribute__((aligned(1), may_alias));
  unsigned char items[3 * L];
  const char* at = (const char*)from;
  typedef unsigned char V64 __attribute__((ext_vector_type(64), aligned(1), may_alias));
  if (rest < L) {
    __builtin_memset(items, 0, sizeof items);
    for (long k = 0; k < 3 * rest; ++k) items[k] = ((const Item*)from)[k];
    at = (const char*)items;
  }
  const auto v0 = *(const V64*)(at + 0 * sizeof(Item));
  const auto v1 = *(const V64*)(at + 64 * sizeof(Item));
  const auto v2 = *(const V64*)(at + 128 * sizeof(Item));
  const auto v3 = __builtin_shufflevector(v0, v1, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const auto v4 = __builtin_shufflevector(v3, v2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 65, 68, 71, 74, 77, 80, 83, 86, 89, 92, 95, 98, 101, 104, 107, 110, 113, 116, 119, 122, 125);
  const auto v5 = __builtin_shufflevector(v0, v1, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58, 61, 64, 67, 70, 73, 76, 79, 82, 85, 88, 91, 94, 97, 100, 103, 106, 109, 112, 115, 118, 121, 124, 127, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const auto v6 = __builtin_shufflevector(v5, v2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126);
  const auto v7 = __builtin_shufflevector(v0, v1, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38, 41, 44, 47, 50, 53, 56, 59, 62, 65, 68, 71, 74, 77, 80, 83, 86, 89, 92, 95, 98, 101, 104, 107, 110, 113, 116, 119, 122, 125, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const auto v8 = __builtin_shufflevector(v7, v2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 64, 67, 70, 73, 76, 79, 82, 85, 88, 91, 94, 97, 100, 103, 106, 109, 112, 115, 118, 121, 124, 127);
  to[0] = weft_unpack_u8(v4);
  to[1] = weft_unpack_u8(v6);
  to[2] = weft_unpack_u8(v8);
}
static inline __attribute__((always_inline)) void weft_store_run_u8_3(void* to, long rest, const u8v (&from)[3]) {
  typedef unsigned char Item __attribute__((aligned(1), may_alias));
  unsigned char items[3 * L];
  char* at = (char*)to;
  typedef unsigned char V64 __attribute__((ext_vector_type(64), aligned(1), may_alias));
  if (rest < L) at = (char*)items;
  const auto v0 = weft_pack_u8(from[0]);
  const auto v1 = weft_pack_u8(from[1]);
  const auto v2 = weft_pack_u8(from[2]);
  const auto v3 = __builtin_shufflevector(v0, v1, 0, 64, -1, 1, 65, -1, 2, 66, -1, 3, 67, -1, 4, 68, -1, 5, 69, -1, 6, 70, -1, 7, 71, -1, 8, 72, -1, 9, 73, -1, 10, 74, -1, 11, 75, -1, 12, 76, -1, 13, 77, -1, 14, 78, -1, 15, 79, -1, 16, 80, -1, 17, 81, -1, 18, 82, -1, 19, 83, -1, 20, 84, -1, 21);
  const auto v4 = __builtin_shufflevector(v3, v2, 0, 1, 64, 3, 4, 65, 6, 7, 66, 9, 10, 67, 12, 13, 68, 15, 16, 69, 18, 19, 70, 21, 22, 71, 24, 25, 72, 27, 28, 73, 30, 31, 74, 33, 34, 75, 36, 37, 76, 39, 40, 77, 42, 43, 78, 45, 46, 79, 48, 49, 80, 51, 52, 81, 54, 55, 82, 57, 58, 83, 60, 61, 84, 63);
  const auto v5 = __builtin_shufflevector(v0, v1, 85, -1, 22, 86, -1, 23, 87, -1, 24, 88, -1, 25, 89, -1, 26, 90, -1, 27, 91, -1, 28, 92, -1, 29, 93, -1, 30, 94, -1, 31, 95, -1, 32, 96, -1, 33, 97, -1, 34, 98, -1, 35, 99, -1, 36, 100, -1, 37, 101, -1, 38, 102, -1, 39, 103, -1, 40, 104, -1, 41, 105, -1, 42, 106);
  const auto v6 = __builtin_shufflevector(v5, v2, 0, 85, 2, 3, 86, 5, 6, 87, 8, 9, 88, 11, 12, 89, 14, 15, 90, 17, 18, 91, 20, 21, 92, 23, 24, 93, 26, 27, 94, 29, 30, 95, 32, 33, 96, 35, 36, 97, 38, 39, 98, 41, 42, 99, 44, 45, 100, 47, 48, 101, 50, 51, 102, 53, 54, 103, 56, 57, 104, 59, 60, 105, 62, 63);
  const auto v7 = __builtin_shufflevector(v0, v1, -1, 43, 107, -1, 44, 108, -1, 45, 109, -1, 46, 110, -1, 47, 111, -1, 48, 112, -1, 49, 113, -1, 50, 114, -1, 51, 115, -1, 52, 116, -1, 53, 117, -1, 54, 118, -1, 55, 119, -1, 56, 120, -1, 57, 121, -1, 58, 122, -1, 59, 123, -1, 60, 124, -1, 61, 125, -1, 62, 126, -1, 63, 127, -1);
  const auto v8 = __builtin_shufflevector(v7, v2, 106, 1, 2, 107, 4, 5, 108, 7, 8, 109, 10, 11, 110, 13, 14, 111, 16, 17, 112, 19, 20, 113, 22, 23, 114, 25, 26, 115, 28, 29, 116, 31, 32, 117, 34, 35, 118, 37, 38, 119, 40, 41, 120, 43, 44, 121, 46, 47, 122, 49, 50, 123, 52, 53, 124, 55, 56, 125, 58, 59, 126, 61, 62, 127);
  *(V64*)(at + 0 * sizeof(Item)) = v4;
  *(V64*)(at + 64 * sizeof(Item)) = v6;
  *(V64*)(at + 128 * sizeof(Item)) = v8;
  if (rest < L)
    for (long k = 0; k < 3 * rest; ++k) ((Item*)to)[k] = items[k];
}
struct S0 {
  const char* past1;
  const unsigned char* r0;
  long r0_by;
  const unsigned char* r1;
  unsigned char* w0;
  long w0_by;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const char* const past1 = s->past1;
  const unsigned char* r0 = s->r0;
  const long r0_by = s->r0_by;
  const unsigned char* const r1_row = s->r1;
  unsigned char* w0 = s->w0;
  const long w0_by = s->w0_by;
  long done = 0;
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    const unsigned char* const r1 = r1_row + done;
    u8v q0[3];
    weft_load_run_u8_3(r0, rest, q0);
    u8v v0 = q0[0];
    u8v v3 = q0[1];
    u8v v4 = q0[2];
    u8v v1 = weft_load_first_u8(r1, alive, rest, past1);
    u8v v2 = v0 + v1;
    u8v v5 = v3 + v1;
    u8v v6 = v4 + v1;
    u8v u0[3];
    u0[0] = v2;
    u0[1] = v5;
    u0[2] = v6;
    weft_store_run_u8_3(w0, rest, u0);
    r0 += r0_by * L;
    w0 += w0_by * L;
    done += L;
  };
  for (long k = 0; k < live / L; ++k) step(weft_splat_bool(-1), L);
  if (const long rest = live % L)
    step(weft_first(rest), rest);
}
extern "C" void weft_7444774970bcc642(const unsigned long* w, long begin, long end, char* scratch) {
  const unsigned char* b0 = (const unsigned char*)w[0];
  const unsigned char* b1 = (const unsigned char*)w[1];
  unsigned char* b2 = (unsigned char*)w[2];
  long p[10];
  __builtin_memcpy(p, w + 3, 10 * 8);
  const char* const past1 = (const char*)(((long)(b1 + p[9]) + 4095) & -4096);
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
      s.past1 = past1;
      s.r0 = b0 + 0 + left * p[1];
      s.r0_by = p[1];
      s.r1 = b1 + 0 + left;
      s.w0 = b2 + 0 + left * p[3];
      s.w0_by = p[3];
      span0(&s, right - left);
      }
      }
    }
  }
}
