// What stands between the brackets of an array: integers, slices, newaxis and ellipsis, with NumPy's meaning.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

namespace weft {

// start:stop:step. Negative positions count from the end; Slice{} is a whole axis, Slice{{}, {}, -1} reverses
// it.
struct Slice {
  std::optional<int64_t> start = std::nullopt, stop = std::nullopt;
  int64_t step = 1;
};

struct NewAxis {};
struct Ellipsis {};
inline constexpr NewAxis newaxis;    // a new axis of extent 1
inline constexpr Ellipsis ellipsis;  // as many whole axes as are left

// One entry of an index.
class Index {
 public:
  enum class Kind : uint8_t { Position, Range, NewAxis, Ellipsis };

  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T position) : kind_(Kind::Position), position_(static_cast<int64_t>(position)) {  // NOLINT
    if constexpr (std::unsigned_integral<T>)
      if (position_ < 0) throw_out_of_range(position);
  }
  Index(Slice range) : kind_(Kind::Range), range_(range) {}  // NOLINT
  Index(NewAxis) : kind_(Kind::NewAxis) {}                   // NOLINT
  Index(Ellipsis) : kind_(Kind::Ellipsis) {}                 // NOLINT

  Kind kind() const { return kind_; }
  int64_t position() const { return position_; }
  const Slice& range() const { return range_; }

 private:
  // IndexError: no array is that long.
  [[noreturn]] static void throw_out_of_range(uint64_t position);

  Kind kind_;
  int64_t position_ = 0;
  Slice range_;
};

}  // namespace weft
