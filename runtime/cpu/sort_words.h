// Real numbers as unsigned words in the same order, and loops over words by the widest vectors of the processor, on the
// calling thread. The sort is Highway's.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace weft::runtime {

enum class Numbers : uint8_t { Unsigned, Signed, Float };

// How the bits of a dtype's values become words. `infinity`: the bits of a float's.
template <class Word>
struct WordCode {
  static constexpr Word kTop = Word{1} << (8 * sizeof(Word) - 1);
  Numbers numbers = Numbers::Unsigned;
  Word infinity = 0;

  bool is_nan(Word bits) const { return static_cast<Word>(bits & ~kTop) > infinity; }
  bool is_zero(Word bits) const { return static_cast<Word>(bits & ~kTop) == 0; }
};

// What floats have that no order tells apart.
struct Alike {
  int64_t nan = 0, zero = 0, minus_zero = 0;
};

// What the words of a row lie between.
template <class Word>
struct Extent {
  Word least = std::numeric_limits<Word>::max(), most = 0;
};

// For uint8_t, uint16_t, uint32_t and uint64_t.
template <class Word>
struct WordLoops {
  static void sort(std::span<Word> words);
  // The values themselves, of which none is NaN; zeros of both signs come in any order.
  static void sort_values(std::span<Word> bits, WordCode<Word> code);
  static Alike alike(std::span<const Word> bits, WordCode<Word> code);
  // In place, from a value's bits to its word and back, of which none is NaN. -0.0 comes before 0.0.
  static void encode(std::span<Word> bits, WordCode<Word> code);
  static void decode(std::span<Word> words, WordCode<Word> code);
  // From here on what is equal has one word: zeros of both signs, and all NaNs, the last.
  static Word word(Word bits, WordCode<Word> code);
  static Extent<Word> extent(std::span<const Word> bits, WordCode<Word> code);
  // The words less `least`, without their `drop` lowest bits, before `width` bits of their positions from `first` on.
  static void pack(std::span<const Word> bits, WordCode<Word> code, Word least, int drop, int width,
                   int64_t first, uint32_t* packed);
  static void pack(std::span<const Word> bits, WordCode<Word> code, Word least, int drop, int width,
                   int64_t first, uint64_t* packed);
};

}  // namespace weft::runtime
