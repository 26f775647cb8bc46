// columns, 4 lanes along axis 0, 32 threads down each, which stay in shared memory, 8 blocks a strip; 8 elements a thread access
// 4096 blocks of 256 threads, finish 0 of 1, 65536 bytes shared, 0 bytes of partials
static __device__ __forceinline__ float weft_maximum_f32(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
static __device__ __forceinline__ float weft_splat_f32(float x) { return x; }
static __device__ __forceinline__ float weft_unpack_f32(float x) { return x; }
static __device__ __forceinline__ float weft_exp_f32(float x) {
  float r;
  asm("{ .reg .f32 k, p, f; .reg .b32 i;\n"
      "fma.rn.sat.f32 k, %1, 0f3BBB989D, 0f3F000000;\n"
      "fma.rm.f32 p, k, 0f437C0000, 0f4B400001;\n"
      "add.f32 k, p, 0fCB40007F;\n"
      "neg.f32 k, k;\n"
      "fma.rn.f32 f, %1, 0f3FB8AA3B, k;\n"
      "fma.rn.f32 f, %1, 0f32A57060, f;\n"
      "mov.b32 i, p;\n"
      "shl.b32 i, i, 23;\n"
      "mov.b32 p, i;\n"
      "ex2.approx.ftz.f32 f, f;\n"
      "mul.f32 %0, f, p; }" : "=f"(r) : "f"(x));
  return r;
}
static __device__ __forceinline__ float weft_pack_f32(float x) { return x; }
// 1 / c within 2^-52, from the hardware's 20 bits; zero, infinity and NaN, whose e is NaN, have what the hardware gives.
static __device__ __forceinline__ double weft_inverse_f32(float c) {
  double r;
  asm("{ .reg .f64 d, e, h; .reg .pred p;\n"
      "cvt.f64.f32 d, %1;\n"
      "rcp.approx.ftz.f64 h, d;\n"
      "neg.f64 d, d;\n"
      "fma.rn.f64 e, d, h, 0d3FF0000000000000;\n"
      "setp.eq.f64 p, e, e;\n"
      "fma.rn.f64 e, e, e, e;\n"
      "fma.rn.f64 e, e, h, h;\n"
      "selp.f64 %0, e, h, p; }" : "=d"(r) : "f"(c));
  return r;
}
// x / c for many x and one c, of which weft_inverse_f32 is given. The product is within 2^-51 of the quotient, which is
// never so near to the middle of two normal floats: it rounds as division does. Of subnormals exactly in the middle it
// may take the other one.
static __device__ __forceinline__ float weft_divide_by_f32(float x, double inverse) { return (float)((double)x * inverse); }
typedef int I;
#define __builtin_inff() __int_as_float(0x7f800000)
static __device__ __forceinline__ I weft_min(I a, I b) { return a < b ? a : b; }
// Writes to a shared variable of another block of the cluster.
template <class S>
static __device__ __forceinline__ void weft_tell_block(S& place, unsigned int rank, const S& s) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&place);
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at + 4 * i), "r"(((const unsigned int*)&s)[i]) : "memory");
}
static __device__ __forceinline__ void weft_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
static __device__ __forceinline__ void weft_await() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ __forceinline__ void weft_copy_ahead(void* to, const void* from) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}
static __device__ __forceinline__ void weft_copied() { asm volatile("cp.async.wait_all;" ::: "memory"); }
template <class S>
static __device__ __forceinline__ S weft_exchange(const S& s, int k) {
  S r;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((unsigned int*)&r)[i] = __shfl_xor_sync(0xffffffffu, ((const unsigned int*)&s)[i], k);
  return r;
}
template <class T, int V>
struct __align__(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vec {
  T e[V];
};
template <class T, int V>
static __device__ __forceinline__ void weft_put(T* p, const Vec<T, V>& x) {
  *(Vec<T, V>*)p = x;
}
struct Args { unsigned long long w[7]; };
extern __shared__ __align__(16) unsigned char weft_shared[];
struct __align__(4) S0 { float t0; };
static __device__ __forceinline__ void join0(S0& a, const S0& b) {
  a.t0 = weft_maximum_f32(a.t0, b.t0);
}
struct __align__(4) S1 { float t1; };
static __device__ __forceinline__ void join1(S1& a, const S1& b) {
  a.t1 = a.t1 + b.t1;
}
extern "C" __global__ void __launch_bounds__(256, 3) weft_46ec130a9d5a58bb(const __grid_constant__ Args args) {
  const float* const b0 = (const float*)args.w[0];
  float* const b1 = (float*)args.w[1];
  const I p[] = {(I)args.w[2], (I)args.w[3], (I)args.w[4], (I)args.w[5], (I)args.w[6]};
  const I n = p[0] / 4;
  const I tx = (I)(threadIdx.x % 8), ty = (I)(threadIdx.x / 8);
  I q = (I)(blockIdx.x / 8) * 8 + tx;
  const bool live = q < n;
  q = weft_min(q, n - 1);
  const I x0 = q * 4;
  const I m = p[1];
  const I rank = (I)(blockIdx.x % 8);
  weft_arrive();
  const I begin = rank * p[4];
  const I end = weft_min(begin + p[4], m);
  Vec<float, 4>* z0 = (Vec<float, 4>*)(weft_shared + p[4] * 0) + tx;
  Vec<float, 4>* z3 = (Vec<float, 4>*)(weft_shared + p[4] * 0) + tx;
#pragma unroll 4
  for (I c = begin + ty; c < end; c += 32) {
    I q = c;
    const I x1 = q;
    weft_copy_ahead(z0 + (c - begin) * 8, b0 + (x0 + x1 * p[2]));
  }
  weft_copied();
  S0 s0[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e].t0 = weft_splat_f32(-__builtin_inff());
  }
#pragma unroll 1
  for (I c = begin + ty; c < end; c += 32 * 2) {
    I x1[2];
    I at[2];
    Vec<float, 4> k0[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + u * 32;
      at[u] = (q - begin) * 8;
      k0[u] = z0[at[u]];
      x1[u] = q;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v0 = weft_unpack_f32(k0[u].e[e]);
        s0[e].t0 = weft_maximum_f32(s0[e].t0, v0);
      }
    }
  }
#pragma unroll
  for (int e = 0; e < 4; ++e) {
#pragma unroll
    for (int k = 16; k >= 8; k /= 2) join0(s0[e], weft_exchange(s0[e], k));
  }
  __shared__ S0 joined0[8][32];
  if (ty % 4 == 0) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      joined0[ty / 4][e * 8 + tx] = s0[e];
    }
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e] = joined0[0][e * 8 + tx];
    for (int k = 1; k < 8; ++k) join0(s0[e], joined0[k][e * 8 + tx]);
  }
  __shared__ S0 blocks0[8][32];
  weft_await();
  if (ty < 8) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      weft_tell_block(blocks0[rank][e * 8 + tx], (unsigned int)ty, s0[e]);
    }
  }
  weft_arrive();
  weft_await();
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s0[e] = blocks0[0][e * 8 + tx];
#pragma unroll
    for (int k = 1; k < 8; ++k) join0(s0[e], blocks0[k][e * 8 + tx]);
  }
  float h1[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    h1[e] = s0[e].t0;
  }
  S1 s1[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s1[e].t1 = weft_splat_f32(-0x0p+0f);
  }
#pragma unroll 1
  for (I c = begin + ty; c < end; c += 32 * 2) {
    I x1[2];
    I at[2];
    Vec<float, 4> k0[2];
    Vec<float, 4> k3[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      I q = c + u * 32;
      at[u] = (q - begin) * 8;
      k0[u] = z0[at[u]];
      x1[u] = q;
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float v2 = weft_unpack_f32(k0[u].e[e]) - h1[e];
        const float v3 = weft_exp_f32(v2);
        k3[u].e[e] = weft_pack_f32(v3);
        s1[e].t1 = s1[e].t1 + v3;
      }
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      z3[at[u]] = k3[u];
    }
  }
#pragma unroll
  for (int e = 0; e < 4; ++e) {
#pragma unroll
    for (int k = 16; k >= 8; k /= 2) join1(s1[e], weft_exchange(s1[e], k));
  }
  __shared__ S1 joined1[8][32];
  if (ty % 4 == 0) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      joined1[ty / 4][e * 8 + tx] = s1[e];
    }
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s1[e] = joined1[0][e * 8 + tx];
    for (int k = 1; k < 8; ++k) join1(s1[e], joined1[k][e * 8 + tx]);
  }
  __shared__ S1 blocks1[8][32];
  if (ty < 8) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      weft_tell_block(blocks1[rank][e * 8 + tx], (unsigned int)ty, s1[e]);
    }
  }
  weft_arrive();
  weft_await();
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    s1[e] = blocks1[0][e * 8 + tx];
#pragma unroll
    for (int k = 1; k < 8; ++k) join1(s1[e], blocks1[k][e * 8 + tx]);
  }
  float h4[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    h4[e] = s1[e].t1;
  }
  {
    double inverse4[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      inverse4[e] = weft_inverse_f32(h4[e]);
    }
#pragma unroll 1
    for (I c = begin + ty; c < end; c += 32 * 2) {
      I x1[2];
      I at[2];
      Vec<float, 4> k0[2];
      Vec<float, 4> k3[2];
      Vec<float, 4> w1[2];
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        I q = c + u * 32;
        at[u] = (q - begin) * 8;
        k0[u] = z0[at[u]];
        k3[u] = z3[at[u]];
        x1[u] = q;
      }
#pragma unroll
      for (int u = 0; u < 2; ++u) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const float v5 = weft_divide_by_f32(weft_unpack_f32(k3[u].e[e]), inverse4[e]);
          w1[u].e[e] = weft_pack_f32(v5);
        }
      }
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        if (live) {
          weft_put(b1 + (x0 + x1[u] * p[3]), w1[u]);
        }
      }
    }
  }
}
