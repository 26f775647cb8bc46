#include "frontend/cpp/ops/radix_sort.h"

#include <algorithm>

#include "frontend/cpp/ops/radix_sort_text.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/kernels.h"

namespace weft::detail {

namespace {

constexpr int kDigitBits = 8;
// A GPU compares all elements of shorter rows with each other sooner; a count and two marks share a word of 32 bits.
constexpr int64_t kFewest = int64_t{1} << 15, kMost = int64_t{1} << 30;
constexpr int64_t kCountingBlocks = 1024;

std::string type_of(DType word) { return is_wide_radix_word(word) ? "unsigned long long" : "unsigned int"; }

// Made once: a text takes longer to read than a kernel to start.
struct SortKernels {
  explicit SortKernels(DType word)
      : count(define_cuda_kernel(kRadixSortText, "count_digits<" + type_of(word) + ">")),
        place(define_cuda_kernel(kRadixSortText, named(word, "false"))),
        place_both(define_cuda_kernel(kRadixSortText, named(word, "true"))) {}
  static std::string named(DType word, const std::string& positions) {
    return "place<" + type_of(word) + ", " + positions + ", " + std::to_string(radix_items(word)) + ">";
  }
  static const SortKernels& of(DType word) {
    static const SortKernels narrow(DType::U32), wide(DType::U64);
    return is_wide_radix_word(word) ? wide : narrow;
  }

  TextKernel count, place, place_both;
};

struct Sorted {
  Array words, positions;
};

Sorted passes_over(Array words, int bits, bool positions) {
  const DType dtype = words.dtype();
  const int64_t n = words.size(), passes = std::max((bits + kDigitBits - 1) / kDigitBits, 1);
  const int64_t tiles = (n + radix_tile(dtype) - 1) / radix_tile(dtype);
  const Make counter(DType::U32, words.device());
  const auto number = [](int64_t value) { return Operand(value); };
  const SortKernels& kernels = SortKernels::of(dtype);
  const TextKernel& place = positions ? kernels.place_both : kernels.place;
  const Array counts = kernels.count(
      {.grid = {std::min(tiles, kCountingBlocks)}, .block = {kRadixThreads}},
      {words, KernelInOut{zeros({passes, kRadixDigits}, counter)}, number(n), number(passes)})[0];
  const Shape moved = positions ? Shape{n} : Shape{1};
  Array from = zeros(moved, Make(DType::I32, words.device()));
  for (int64_t pass = 0; pass < passes; ++pass) {
    const std::vector<Array> placed =
        place({.grid = {tiles}, .block = {kRadixThreads}},
              {words, from, counts(pass), KernelOutput{{n}, dtype}, KernelOutput{moved, DType::I32},
               KernelInOut{zeros({1 + tiles * kRadixDigits}, counter)}, number(n), number(pass * kDigitBits),
               number(pass == 0)});
    words = placed[0], from = placed[1];
  }
  return {words, from};
}

}  // namespace

bool radix_sorts(int64_t elements, const std::string& device) {
  return device.starts_with("cuda") && elements >= kFewest && elements < kMost;
}

Array radix_sorted(const Array& words, int bits) { return passes_over(words, bits, false).words; }
Array radix_ordered(const Array& words, int bits) { return passes_over(words, bits, true).positions; }

}  // namespace weft::detail
