#include "runtime/cpu/sort_words.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "runtime/blocks/loops.h"

// What stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is compiled once for each kind of vectors, in its namespace.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/cpu/sort_words.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
// clang-format off: in this order
#include <hwy/foreach_target.h>
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace weft::runtime::HWY_NAMESPACE {

namespace hw = hwy::HWY_NAMESPACE;

template <class T>
void ascending(T* values, size_t count) {
  const hw::detail::SharedTraits<hw::detail::TraitsLane<hw::detail::OrderAscending<T>>> order;
  hw::Sort(hw::SortTag<T>(), order, values, count, static_cast<T*>(nullptr));
}

template <class Word>
struct Loops {
  using Code = WordCode<Word>;
  static constexpr Word kTop = Code::kTop;

  static void sort(std::span<Word> words) {
    if constexpr (sizeof(Word) == 1) {
      std::array<size_t, 256> counts{};
      for (const Word word : words) ++counts[word];
      Word* to = words.data();
      for (size_t word = 0; word < counts.size(); to += counts[word++])
        std::memset(to, static_cast<int>(word), counts[word]);
    } else {
      ascending(words.data(), words.size());
    }
  }

  static void sort_values(std::span<Word> bits, Code code) {
    if constexpr (sizeof(Word) > 1) {
      if (code.numbers == Numbers::Signed)
        return ascending(reinterpret_cast<std::make_signed_t<Word>*>(bits.data()), bits.size());
    }
    // As words, floats too: the sort of floats makes finite numbers of infinities.
    encode(bits, code);
    sort(bits);
    decode(bits, code);
  }

  static Alike alike(std::span<const Word> bits, Code code) {
    Alike out;
    for (const Word one : bits) {
      out.nan += code.is_nan(one);
      out.zero += one == 0;
      out.minus_zero += one == kTop;
    }
    return out;
  }

  static Word of_float(Word bits) {
    return bits & kTop ? static_cast<Word>(~bits) : static_cast<Word>(bits | kTop);
  }
  static Word class_of_float(Word bits, Code code) {
    const Word word = code.is_zero(bits) ? kTop : of_float(bits);
    return code.is_nan(bits) ? std::numeric_limits<Word>::max() : word;
  }

  // Calls f with what makes words of bits.
  template <class F>
  static void by_kind(Code code, F&& f) {
    switch (code.numbers) {
      case Numbers::Unsigned:
        return f([](Word bits) { return bits; });
      case Numbers::Signed:
        return f([](Word bits) { return static_cast<Word>(bits ^ kTop); });
      case Numbers::Float:
        return f([code](Word bits) { return class_of_float(bits, code); });
    }
  }

  static void encode(std::span<Word> bits, Code code) {
    if (code.numbers == Numbers::Float) {
      for (Word& one : bits) one = of_float(one);
    } else if (code.numbers == Numbers::Signed) {
      for (Word& one : bits) one ^= kTop;
    }
  }
  static void decode(std::span<Word> words, Code code) {
    if (code.numbers == Numbers::Float) {
      for (Word& one : words) one = one & kTop ? static_cast<Word>(one ^ kTop) : static_cast<Word>(~one);
    } else {
      encode(words, code);
    }
  }

  static Extent<Word> extent(std::span<const Word> bits, Code code) {
    Extent<Word> out;
    by_kind(code, [&](auto word) {
      for (const Word one : bits) {
        out.least = std::min<Word>(out.least, word(one));
        out.most = std::max<Word>(out.most, word(one));
      }
    });
    return out;
  }

  template <class Packed>
  static void pack(std::span<const Word> bits, Code code, Word least, int drop, int width, int64_t first,
                   Packed* packed) {
    auto position = static_cast<Packed>(first);
    by_kind(code, [&](auto word) {
      for (const Word one : bits) {
        const auto high = static_cast<Packed>(static_cast<Word>(word(one) - least) >> drop);
        *packed++ = static_cast<Packed>(high << width | position++);
      }
    });
  }
};

}  // namespace weft::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

// Where pivots are drawn. The library's own function asks the system for random bytes, and is all that its binary is needed for.
void hwy::Sorter::Fill24Bytes(const void* /*keys*/, size_t count, void* bytes) {
  const uint64_t numbers[3] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb ^ count};
  std::memcpy(bytes, numbers, sizeof(numbers));
}

namespace weft::runtime {
namespace {

// Calls f with the loops for this processor.
template <class Word, class F>
auto here(F&& f) {
#if __x86_64__
  switch (vectors_here()) {
    case Vectors::Bits512:
      return f(N_AVX3::Loops<Word>());
    case Vectors::Bits256:
      return f(N_AVX2::Loops<Word>());
    case Vectors::Bits128:
      break;
  }
  return f(N_SSE4::Loops<Word>());
#else
  return f(HWY_STATIC_NAMESPACE::Loops<Word>());
#endif
}

}  // namespace

template <class Word>
void WordLoops<Word>::sort(std::span<Word> words) {
  here<Word>([&](auto loops) { loops.sort(words); });
}
template <class Word>
void WordLoops<Word>::sort_values(std::span<Word> bits, WordCode<Word> code) {
  here<Word>([&](auto loops) { loops.sort_values(bits, code); });
}
template <class Word>
Alike WordLoops<Word>::alike(std::span<const Word> bits, WordCode<Word> code) {
  return here<Word>([&](auto loops) { return loops.alike(bits, code); });
}
template <class Word>
void WordLoops<Word>::encode(std::span<Word> bits, WordCode<Word> code) {
  here<Word>([&](auto loops) { loops.encode(bits, code); });
}
template <class Word>
void WordLoops<Word>::decode(std::span<Word> words, WordCode<Word> code) {
  here<Word>([&](auto loops) { loops.decode(words, code); });
}
template <class Word>
Word WordLoops<Word>::word(Word bits, WordCode<Word> code) {
  return extent({&bits, 1}, code).least;
}
template <class Word>
Extent<Word> WordLoops<Word>::extent(std::span<const Word> bits, WordCode<Word> code) {
  return here<Word>([&](auto loops) { return loops.extent(bits, code); });
}
template <class Word>
void WordLoops<Word>::pack(std::span<const Word> bits, WordCode<Word> code, Word least, int drop, int width,
                           int64_t first, uint32_t* packed) {
  here<Word>([&](auto loops) { loops.pack(bits, code, least, drop, width, first, packed); });
}
template <class Word>
void WordLoops<Word>::pack(std::span<const Word> bits, WordCode<Word> code, Word least, int drop, int width,
                           int64_t first, uint64_t* packed) {
  here<Word>([&](auto loops) { loops.pack(bits, code, least, drop, width, first, packed); });
}

template struct WordLoops<uint8_t>;
template struct WordLoops<uint16_t>;
template struct WordLoops<uint32_t>;
template struct WordLoops<uint64_t>;

}  // namespace weft::runtime

#endif
