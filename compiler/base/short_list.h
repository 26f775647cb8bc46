// A list of a length that is known when it is made, of up to `kShort` elements inside the object: for what a
// function needs while it runs.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace weft {

template <class T, size_t kShort>
class ShortList {
 public:
  explicit ShortList(size_t size) : size_(size) {
    if (size > kShort) long_ = std::make_unique<T[]>(size);
  }
  ShortList(const ShortList&) = delete;
  ShortList& operator=(const ShortList&) = delete;

  size_t size() const { return size_; }
  T* begin() { return long_ ? long_.get() : short_.data(); }
  T* end() { return begin() + size_; }
  T& operator[](size_t i) { return begin()[i]; }
  operator std::span<const T>() { return {begin(), size_}; }

 private:
  size_t size_;
  std::array<T, kShort> short_{};
  std::unique_ptr<T[]> long_;
};

}  // namespace weft
