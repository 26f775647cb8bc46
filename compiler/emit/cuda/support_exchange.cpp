// What the threads of a warp, the blocks of a cluster, and all blocks of a kernel exchange.
#include "compiler/emit/cuda/support_sections.h"

namespace weft::emit {

namespace {

constexpr CudaSection kExchange[] = {
    {"weft_exchange", R"(template <class S>
static __device__ __forceinline__ S weft_exchange(const S& s, int k) {
  S r;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((unsigned int*)&r)[i] = __shfl_xor_sync(0xffffffffu, ((const unsigned int*)&s)[i], k);
  return r;
}
)"},
    {"weft_arrive",
     R"(// The blocks of the cluster know that all of them run, and nothing about memory: a barrier that orders it
// waits for all that is being stored.
static __device__ __forceinline__ void weft_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
static __device__ __forceinline__ void weft_await() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
)"},
    {"weft_tell_block",
     R"(// Writes to a shared variable of another block of the cluster, which counts the bytes in `told`.
template <class S>
static __device__ __forceinline__ void weft_tell_block(S& place, unsigned long long& told, unsigned int rank, const S& s) {
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&place), count = (unsigned int)__cvta_generic_to_shared(&told);
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(count) : "r"(count), "r"(rank));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 ::"r"(at + 4 * i), "r"(((const unsigned int*)&s)[i]), "r"(count) : "memory");
}
// Before the blocks meet, one thread sets the counts up and says how many bytes will come; then each waits for them.
static __device__ __forceinline__ void weft_set_up(unsigned long long& told) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ __forceinline__ void weft_expect(unsigned long long& told, unsigned int bytes) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(count), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void weft_await_told(unsigned long long& told) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told), all;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count) : "memory");
  while (!all);
}
)"},
    {"weft_await_turn",
     R"(// As weft_await_told, turn after turn: one thread then says how many bytes will come the next time.
static __device__ __forceinline__ void weft_await_turn(unsigned long long& told, unsigned int phase, unsigned int bytes) {
  unsigned int count = (unsigned int)__cvta_generic_to_shared(&told), all;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count), "r"(phase) : "memory");
  while (!all);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(count), "r"(bytes) : "memory");
  }
}
)"},
    {"weft_take_share",
     R"(// A block's strip of columns, which part of it that is, and from which step of it to which. Whole strips come first, then
// shares that begin in a strip, then what shares have of the next one, the longest first.
struct Share { I strip, part, begin, end; };
static __device__ __forceinline__ Share weft_take_share(I block, I whole, I periods, I strips, I shares, I inverse, I steps) {
  if (block < whole) return {block, 0, 0, steps};
  block -= whole;
  const bool end = block >= periods * shares;
  if (end) block -= periods * shares;
  const I period = end ? block % periods : block / shares;
  const I share = end ? (strips - 1 - block / periods) * inverse % shares - 1 : block % shares;
  const I each = strips * steps / shares, rest = strips * steps % shares;
  const I from = share * each + share * rest / shares, to = (share + 1) * each + (share + 1) * rest / shares;
  const I strip = from / steps + end, first = strip * steps, last = first + steps;
  return {whole + period * strips + strip, share - strip * shares / strips, (from > first ? from : first) - first,
          (to < last ? to : last) - first};
}
static __device__ __forceinline__ I weft_parts(I strip, I whole, I periods, I strips, I shares, I inverse, I steps) {
  if (strip < whole) return 1;
  strip = (strip - whole) % strips;
  return ((strip + 1) * shares + strips - 1) / strips - strip * shares / strips;
}
)"},
    {"weft_is_last",
     R"(// Whether this block is the last of n to come here. It sees what the others stored before, and leaves 0 in the counter.
static __device__ __forceinline__ bool weft_is_last(unsigned int* counter, unsigned int n) {
  bool last = false;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(counter, n - 1) == n - 1;
    __threadfence();
  }
  return __syncthreads_or(last);
}
)"},
    {"weft_take(",
     R"(// Waits for it and leaves nothing there.
template <class S>
static __device__ __forceinline__ void weft_take(unsigned long long* at, S& s) {
  weft_find(at, s);
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i) at[i] = 0;
}
)"},
    {"weft_publish",
     R"(// Each word of a state lies with the sign that it is there, so that nobody sees the one without the other.
template <class S>
static __device__ __forceinline__ void weft_publish(unsigned long long* at, const S& s) {
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i)
    ((volatile unsigned long long*)at)[i] = 1ull << 32 | ((const unsigned int*)&s)[i];
}
// Waits for it.
template <class S>
static __device__ __forceinline__ void weft_find(const unsigned long long* at, S& s) {
  unsigned long long word[sizeof(S) / 4], there;
  do {
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) / 4); ++i) word[i] = ((const volatile unsigned long long*)at)[i];
    there = ~0ull;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) / 4); ++i) there &= word[i];
  } while (!(there >> 32));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(S) / 4); ++i) ((unsigned int*)&s)[i] = (unsigned int)word[i];
}
)"},
};

}  // namespace

std::span<const CudaSection> cuda_exchange_sections() { return kExchange; }

}  // namespace weft::emit
