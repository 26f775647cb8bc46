struct c64e { float re, im; };
struct c128e { double re, im; };
__attribute__((aligned(64))) static const unsigned char weft_zeros[1024] = {};
static inline long weft_least(long a, long b) { return a < b ? a : b; }
static inline long weft_most(long a, long b) { return a < b ? b : a; }
static inline long weft_floor_div(long a, long b) { return a / b - (a % b < 0); }
static inline long weft_floor_mod(long a, long b) { long r = a % b; return r < 0 ? r + b : r; }
static inline long weft_within(long i, long n) { i = i < 0 ? i + n : i; i = i < n ? i : n - 1; return i < 0 ? 0 : i; }
static inline __attribute__((always_inline)) void weft_load_run_u8_3(const void* from, long rest, u8v (&to)[3]) {
  typedef unsigned char Vectors __attribute__((ext_vector_type(192)));
  typedef Vectors Unaligned __attribute__((aligned(1), may_alias));
  typedef unsigned char Item __attribute__((aligned(1), may_alias));
  Vectors all;
  if (rest >= L) {
    all = *(const Unaligned*)from;
  } else {
    unsigned char items[3 * L] = {};
    for (long k = 0; k < 3 * rest; ++k) items[k] = ((const Item*)from)[k];
    __builtin_memcpy(&all, items, sizeof all);
  }
  to[0] = weft_unpack_u8(__builtin_shufflevector(all, all, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105, 108, 111, 114, 117, 120, 123, 126, 129, 132, 135, 138, 141, 144, 147, 150, 153, 156, 159, 162, 165, 168, 171, 174, 177, 180, 183, 186, 189));
  to[1] = weft_unpack_u8(__builtin_shufflevector(all, all, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58, 61, 64, 67, 70, 73, 76, 79, 82, 85, 88, 91, 94, 97, 100, 103, 106, 109, 112, 115, 118, 121, 124, 127, 130, 133, 136, 139, 142, 145, 148, 151, 154, 157, 160, 163, 166, 169, 172, 175, 178, 181, 184, 187, 190));
  to[2] = weft_unpack_u8(__builtin_shufflevector(all, all, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38, 41, 44, 47, 50, 53, 56, 59, 62, 65, 68, 71, 74, 77, 80, 83, 86, 89, 92, 95, 98, 101, 104, 107, 110, 113, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152, 155, 158, 161, 164, 167, 170, 173, 176, 179, 182, 185, 188, 191));
}
static inline __attribute__((always_inline)) void weft_store_run_u8_3(void* to, long rest, const u8v (&from)[3]) {
  typedef unsigned char Vectors __attribute__((ext_vector_type(192)));
  typedef Vectors Unaligned __attribute__((aligned(1), may_alias));
  typedef unsigned char Item __attribute__((aligned(1), may_alias));
  const auto j0 = weft_pack_u8(from[0]);
  const auto j1 = weft_pack_u8(from[1]);
  const auto j2 = weft_pack_u8(from[2]);
  const auto j4 = __builtin_shufflevector(j0, j1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127);
  const auto j5 = __builtin_shufflevector(j2, j2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const auto lined = __builtin_shufflevector(j4, j5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255);
  const Vectors all = __builtin_shufflevector(lined, lined, 0, 64, 128, 1, 65, 129, 2, 66, 130, 3, 67, 131, 4, 68, 132, 5, 69, 133, 6, 70, 134, 7, 71, 135, 8, 72, 136, 9, 73, 137, 10, 74, 138, 11, 75, 139, 12, 76, 140, 13, 77, 141, 14, 78, 142, 15, 79, 143, 16, 80, 144, 17, 81, 145, 18, 82, 146, 19, 83, 147, 20, 84, 148, 21, 85, 149, 22, 86, 150, 23, 87, 151, 24, 88, 152, 25, 89, 153, 26, 90, 154, 27, 91, 155, 28, 92, 156, 29, 93, 157, 30, 94, 158, 31, 95, 159, 32, 96, 160, 33, 97, 161, 34, 98, 162, 35, 99, 163, 36, 100, 164, 37, 101, 165, 38, 102, 166, 39, 103, 167, 40, 104, 168, 41, 105, 169, 42, 106, 170, 43, 107, 171, 44, 108, 172, 45, 109, 173, 46, 110, 174, 47, 111, 175, 48, 112, 176, 49, 113, 177, 50, 114, 178, 51, 115, 179, 52, 116, 180, 53, 117, 181, 54, 118, 182, 55, 119, 183, 56, 120, 184, 57, 121, 185, 58, 122, 186, 59, 123, 187, 60, 124, 188, 61, 125, 189, 62, 126, 190, 63, 127, 191);
  if (rest >= L) {
    *(Unaligned*)to = all;
    return;
  }
  unsigned char items[3 * L];
  __builtin_memcpy(items, &all, sizeof all);
  for (long k = 0; k < 3 * rest; ++k) ((Item*)to)[k] = items[k];
}
struct S0 {
  const unsigned char* r0;
  long r0_by;
  const unsigned char* r1;
  unsigned char* w0;
  long w0_by;
};
static inline __attribute__((always_inline)) void span0(S0* s, long live) {
  const unsigned char* r0 = s->r0;
  const long r0_by = s->r0_by;
  const unsigned char* r1 = s->r1;
  unsigned char* w0 = s->w0;
  const long w0_by = s->w0_by;
  auto step = [&](const boolv alive, const long rest) __attribute__((always_inline)) {
    u8v q0[3];
    weft_load_run_u8_3(r0, rest, q0);
    u8v v0 = q0[0];
    u8v v3 = q0[1];
    u8v v4 = q0[2];
    u8v v1 = weft_load_masked_u8(r1, alive);
    u8v v2 = v0 + v1;
    u8v v5 = v3 + v1;
    u8v v6 = v4 + v1;
    u8v u0[3];
    u0[0] = v2;
    u0[1] = v5;
    u0[2] = v6;
    weft_store_run_u8_3(w0, rest, u0);
    r0 += r0_by * L;
    r1 += L;
    w0 += w0_by * L;
  };
  for (long k = 0; k < live / L; ++k) step(weft_splat_bool(-1), L);
  if (const long rest = live % L)
    step(weft_less_i32(__builtin_convertvector(weft_lanes_i64(), i32v), (i32v)((int)rest)), rest);
}
extern "C" void weft_12b81148ff0e0c31(const unsigned long* w, long begin, long end, char* scratch) {
  const long* p = (const long*)(w + 3);
  const unsigned char* b0 = (const unsigned char*)w[0];
  const unsigned char* b1 = (const unsigned char*)w[1];
  unsigned char* b2 = (unsigned char*)w[2];
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
