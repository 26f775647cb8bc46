// rows of 8 threads along axis 1, nothing crosses sweeps; 64 elements a thread access
// 2048 blocks of 128 threads, finish 0 of 1, 0 bytes shared, 0 bytes of partials
static __device__ __forceinline__ bool weft_splat_bool(bool x) { return x; }
static __device__ __forceinline__ unsigned char weft_pack_bool(bool x) { return x; }
typedef int I;
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
static __device__ __forceinline__ void weft_fold_any(unsigned int (&f)[2], unsigned int word) { f[0] |= word; }
static __device__ __forceinline__ bool weft_folded_any(const unsigned int (&f)[2]) { return f[0] != 0; }
// From 0 to n.
static __device__ __forceinline__ I weft_within(I x, I n) { return x < 0 ? 0 : weft_min(x, n); }
template <class S>
static __device__ __forceinline__ S weft_exchange(const S& s, int k) {
  S r;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((unsigned int*)&r)[i] = __shfl_xor_sync(0xffffffffu, ((const unsigned int*)&s)[i], k);
  return r;
}
// Elements of a vector before number `first` and from number `last` on, of BITS each, become those of `none`.
template <int BITS, class W>
static __device__ __forceinline__ void weft_cut(W& x, I first, I last, unsigned int none) {
  constexpr I lanes = 8 * sizeof(W) / BITS, words = sizeof(W) / 4;
  if (first <= 0 && last >= lanes) return;
  const I begin = weft_within(first, lanes) * BITS, end = (lanes - weft_within(last, lanes)) * BITS;
#pragma unroll
  for (int k = 0; k < words; ++k) {
    // Of 64 bits, since 32 of them cannot be shifted by 32.
    const unsigned int low = (unsigned int)(0xffffffffull << weft_within(begin - 32 * k, 32)),
                       keep = low & (unsigned int)(0xffffffffull >> weft_within(end - 32 * (words - 1 - k), 32));
    unsigned int& word = ((unsigned int*)&x)[k];
    word = (word & keep) | (none & ~keep);
  }
}
template <class W, class T>
static __device__ __forceinline__ W weft_get(const T* p) {
  return *(const W*)p;
}
struct Args { unsigned long long w[5]; };
struct __align__(4) S0 { bool t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = a.t0 | b.t0;
}
extern "C" __global__ void __launch_bounds__(128, 8) weft_b8b4aaf4a83ad135(const __grid_constant__ Args args) {
  const unsigned char* const b0 = (const unsigned char*)args.w[0];
  unsigned char* const b1 = (unsigned char*)args.w[1];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4]};
  const I n = p[0];
  const I t = (I)(threadIdx.x % 8);
  I q = (I)blockIdx.x * 16 + (I)(threadIdx.x / 8);
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I x0 = q;
  const I m = (p[1] + 30) / 16;
  S0 s0;
  s0.t0 = weft_splat_bool(false);
#pragma unroll 1
  for (I c = t; c < m; c += 8 * 4) {
    I x1[4];
    bool ok[4];
    Vec<unsigned int, 4> m0[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      I q = c + u * 8;
      ok[u] = u < 2 || q < m;
      if (u >= 2) q = weft_min(q, m - 1);
      x1[u] = q * 16;
      x1[u] -= (x0 * p[2] + 0) & 15;
      if (u >= 2) {
        ok[u] = ok[u] & (x1[u] < p[1]);
        x1[u] -= x1[u] < p[1] ? 0 : 16;
      }
      m0[u] = weft_get<Vec<unsigned int, 4>>(b0 + (x0 * p[2] + x1[u]));
    }
    unsigned int f0[2] = {0x0u, 0x0u};
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      Vec<unsigned int, 4> of = m0[u];
      weft_cut<8>(of, u == 0 ? -x1[u] : 0, !ok[u] ? 0 : u < 2 ? 16 : p[1] - x1[u], 0x0u);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        weft_fold_any(f0, ((const unsigned int*)&of)[e]);
      }
    }
    s0.t0 = s0.t0 | weft_folded_any(f0);
  }
#pragma unroll
  for (int k = 4; k; k /= 2) join0(s0, weft_exchange(s0, k));
  const bool v1 = s0.t0;
  if (live && t == 0) {
    b1[x0] = weft_pack_bool(v1);
  }
}
