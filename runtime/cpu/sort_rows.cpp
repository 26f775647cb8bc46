#include "runtime/cpu/sort_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "runtime/cpu/sort_words.h"

namespace weft::runtime {
namespace {

constexpr int64_t kGrain = 16384;  // words that one thread works on in one go
constexpr int64_t kLeast =
    int64_t{1} << 17;  // of a piece that is sorted apart: to merge less takes longer than it saves
constexpr int64_t kMost = int64_t{1} << 22;  // of a piece: threads may be stopped between pieces

template <class Word>
WordCode<Word> code_of(DType dtype) {
  switch (kind(dtype)) {
    case DTypeKind::Signed:
      return {Numbers::Signed};
    case DTypeKind::Float:
      break;
    default:
      return {Numbers::Unsigned};
  }
  if constexpr (sizeof(Word) == 8) return {Numbers::Float, 0x7ff0000000000000};
  if constexpr (sizeof(Word) == 4) return {Numbers::Float, 0x7f800000};
  return {Numbers::Float, static_cast<Word>(dtype == DType::BF16 ? 0x7f80 : 0x7c00)};
}

// What orders one row: alone, or shared by the device's threads.
struct Share {
  const ParallelFor* parallel = nullptr;
  int threads = 1;

  void operator()(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) const {
    if (parallel) {
      (*parallel)(count, grain, body);
    } else {
      body(0, count);
    }
  }
  // Calls f(piece, where it begins) for pieces of the row.
  template <class Word, class F>
  void pieces(std::span<Word> row, F&& f) const {
    (*this)(std::ssize(row), kGrain, [&](int64_t begin, int64_t end) {
      f(row.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)), begin);
    });
  }
};

// How many of the `k` least words of two sorted rows stand in the first of them.
template <class Word>
int64_t of_the_first(std::span<const Word> a, std::span<const Word> b, int64_t k) {
  int64_t low = std::max<int64_t>(0, k - std::ssize(b)), high = std::min<int64_t>(k, std::ssize(a));
  while (low < high) {
    const int64_t i = (low + high) / 2;
    if (a[static_cast<size_t>(i)] <= b[static_cast<size_t>(k - i - 1)]) {
      low = i + 1;
    } else {
      high = i;
    }
  }
  return low;
}

// Without a branch that the words decide: they are as good as random.
template <class Word>
void merge(const Word* a, const Word* a_end, const Word* b, const Word* b_end, Word* to) {
  while (a < a_end && b < b_end) {
    const bool second = *b < *a;
    *to++ = second ? *b : *a;
    b += second;
    a += !second;
  }
  std::copy(b, b_end, std::copy(a, a_end, to));
}

// Merges two neighbours each of `pieces` sorted pieces; every thread merges a part of each result.
template <class Word>
void merge_pairs(const Word* from, Word* to, int64_t n, int64_t pieces, const Share& share) {
  const auto edge = [&](int64_t piece) { return piece * n / pieces; };
  const int64_t pairs = pieces / 2, parts = 1 + std::max(2 * share.threads / pairs, n / pairs / kMost);
  share(pairs * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t pair = i / parts, part = i % parts;
      const int64_t first = edge(2 * pair), middle = edge(2 * pair + 1), last = edge(2 * pair + 2);
      const std::span<const Word> a(from + first, static_cast<size_t>(middle - first)),
          b(from + middle, static_cast<size_t>(last - middle));
      const int64_t k = part * (last - first) / parts, k_end = (part + 1) * (last - first) / parts;
      const int64_t in_a = of_the_first(a, b, k), a_end = of_the_first(a, b, k_end);
      merge(a.data() + in_a, a.data() + a_end, b.data() + (k - in_a), b.data() + (k_end - a_end),
            to + first + k);
    }
  });
}

int64_t pieces_of(int64_t n, const Share& share) {
  const auto shared = static_cast<uint64_t>(std::clamp<int64_t>(n / kLeast, 1, share.threads));
  return static_cast<int64_t>(
      std::max(std::bit_floor(shared), std::bit_ceil(static_cast<uint64_t>(n / kMost))));
}

// Pieces are sorted, then merged two by two, to and fro between the words and as many beside them.
template <class Word>
void sort_words(std::span<Word> words, const Share& share) {
  const int64_t n = std::ssize(words), pieces = pieces_of(n, share);
  if (pieces == 1) return WordLoops<Word>::sort(words);
  const auto beside = std::make_unique_for_overwrite<Word[]>(words.size());
  const bool odd = std::countr_zero(static_cast<uint64_t>(pieces)) % 2 != 0;
  Word *from = odd ? beside.get() : words.data(), *to = odd ? words.data() : beside.get();
  share(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t first = piece * n / pieces, last = (piece + 1) * n / pieces;
      if (odd) std::copy(words.data() + first, words.data() + last, from + first);
      WordLoops<Word>::sort(std::span<Word>(from + first, static_cast<size_t>(last - first)));
    }
  });
  for (int64_t left = pieces; left > 1; left /= 2) {
    merge_pairs(from, to, n, left, share);
    std::swap(from, to);
  }
}

template <class Word>
Alike alike(std::span<const Word> row, const WordCode<Word>& code, const Share& share) {
  std::atomic<int64_t> nan = 0, zero = 0, minus_zero = 0;
  share.pieces(row, [&](std::span<const Word> piece, int64_t) {
    const Alike here = WordLoops<Word>::alike(piece, code);
    nan += here.nan, zero += here.zero, minus_zero += here.minus_zero;
  });
  return {nan, zero, minus_zero};
}

template <class Word>
void sort_row(std::span<Word> row, const WordCode<Word>& code, const Share& share) {
  // NaN goes to the end, and zeros that differ in sign get their order back: the sort puts -0.0 first.
  std::vector<Word> nans, zeros;
  std::span<Word> numbers = row;
  if (code.numbers == Numbers::Float) {
    const Alike there = alike<Word>(row, code, share);
    const bool both = there.zero > 0 && there.minus_zero > 0;
    nans.reserve(static_cast<size_t>(there.nan));
    if (both) zeros.reserve(static_cast<size_t>(there.zero + there.minus_zero));
    if (there.nan > 0 || both) {
      auto to = row.begin();
      for (const Word bits : row) {
        if (both && code.is_zero(bits)) zeros.push_back(bits);
        if (code.is_nan(bits)) {
          nans.push_back(bits);
        } else {
          *to++ = bits;
        }
      }
      std::ranges::copy(nans, to);
      numbers = row.first(row.size() - nans.size());
    }
  }
  if (numbers.empty()) return;
  if (pieces_of(std::ssize(numbers), share) == 1) {
    WordLoops<Word>::sort_values(numbers, code);
    const auto below = [&](Word bits) { return bits > WordCode<Word>::kTop; };  // less than -0.0
    if (!zeros.empty()) std::ranges::copy(zeros, std::ranges::partition_point(numbers, below));
    return;
  }
  share.pieces(numbers, [&](std::span<Word> piece, int64_t) { WordLoops<Word>::encode(piece, code); });
  sort_words(numbers, share);
  if (!zeros.empty()) {
    WordLoops<Word>::encode(zeros, code);
    std::ranges::copy(zeros, std::ranges::lower_bound(numbers, std::ranges::min(zeros)));
  }
  share.pieces(numbers, [&](std::span<Word> piece, int64_t) { WordLoops<Word>::decode(piece, code); });
}

// Where the rows' positions are sorted; kept from row to row.
struct Room {
  std::vector<uint32_t> narrow;
  std::vector<uint64_t> wide;
};

// Positions are the lowest bits of words whose highest bits order the values, so one sort orders both and no two words are
// equal. Where that takes too many bits, `drop` of the values' are left out, and what the others do not tell apart is
// ordered by all.
template <class Packed, class Word>
void order_row(std::span<const Word> row, const WordCode<Word>& code, Word least, int drop, int width,
               std::vector<Packed>& room, int64_t* positions, const Share& share) {
  room.resize(row.size());
  const std::span packed(room);
  share.pieces(row, [&](std::span<const Word> piece, int64_t first) {
    WordLoops<Word>::pack(piece, code, least, drop, width, first, packed.data() + first);
  });
  sort_words(packed, share);
  const auto mask = static_cast<Packed>((Packed{1} << width) - 1);
  share.pieces(packed, [&](std::span<const Packed> piece, int64_t first) {
    for (const Packed one : piece) positions[first++] = one & mask;
  });
  if (drop == 0) return;
  const auto word_at = [&](int64_t at) { return WordLoops<Word>::word(row[static_cast<size_t>(at)], code); };
  for (auto first = packed.begin(), last = first; first != packed.end(); first = last) {
    last = std::find_if(first + 1, packed.end(), [&](Packed one) { return one >> width != *first >> width; });
    if (last - first == 1) continue;
    std::stable_sort(positions + (first - packed.begin()), positions + (last - packed.begin()),
                     [&](int64_t a, int64_t b) { return word_at(a) < word_at(b); });
  }
}

template <class Word>
void order_row(std::span<const Word> row, const WordCode<Word>& code, Room& room, int64_t* positions,
               const Share& share) {
  const Extent<Word> extent = WordLoops<Word>::extent(row, code);
  const int width = std::bit_width(row.size() - 1);
  const int bits = std::bit_width(static_cast<Word>(extent.most - extent.least)) + width;
  if (bits <= 32) {
    order_row(row, code, extent.least, 0, width, room.narrow, positions, share);
  } else {
    order_row(row, code, extent.least, std::max(bits - 64, 0), width, room.wide, positions, share);
  }
}

// Calls f(row's number, its share) for all rows: long ones one after the other by all threads, short ones in parallel.
template <class F>
void each_row(const SortedRows& rows, int threads, const ParallelFor& parallel, F&& f) {
  if (rows.count * rows.length < kGrain) {
    f(int64_t{0}, rows.count, Share{});
  } else if (rows.length > kMost || (rows.length >= 2 * kGrain && rows.count < 4 * threads)) {
    f(int64_t{0}, rows.count, Share{&parallel, threads});
  } else {
    parallel(rows.count, std::max<int64_t>(kGrain / rows.length, 1),
             [&](int64_t begin, int64_t end) { f(begin, end, Share{}); });
  }
}

// Calls f with a word of the values' size.
template <class F>
void by_word(DType dtype, F&& f) {
  switch (size_of(dtype)) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      if (kind(dtype) != DTypeKind::Complex) return f(uint64_t{});
      [[fallthrough]];
    default:
      throw InternalError("sort: rows of " + std::string(name(dtype)));
  }
}

}  // namespace

void sort_rows(const SortedRows& rows, void* values, int threads, const ParallelFor& parallel) {
  by_word(rows.dtype, [&]<class Word>(Word) {
    const WordCode<Word> code = code_of<Word>(rows.dtype);
    const auto length = static_cast<size_t>(rows.length);
    each_row(rows, threads, parallel, [&](int64_t begin, int64_t end, const Share& share) {
      for (int64_t i = begin; i < end; ++i)
        sort_row(std::span(static_cast<Word*>(values) + i * rows.length, length), code, share);
    });
  });
}

void positions_of_rows(const SortedRows& rows, const void* values, int64_t* positions, int threads,
                       const ParallelFor& parallel) {
  by_word(rows.dtype, [&]<class Word>(Word) {
    const WordCode<Word> code = code_of<Word>(rows.dtype);
    const auto length = static_cast<size_t>(rows.length);
    each_row(rows, threads, parallel, [&](int64_t begin, int64_t end, const Share& share) {
      Room room;
      for (int64_t i = begin; i < end; ++i)
        order_row(std::span(static_cast<const Word*>(values) + i * rows.length, length), code, room,
                  positions + i * rows.length, share);
    });
  });
}

}  // namespace weft::runtime
