// Extents, strides and axis lists: a short vector of int64 that keeps small ranks inline.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace weft {

// Any rank; up to five entries live inside the object, so that recording a node costs no allocation for them.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> v) : Dims(std::span<const int64_t>(v.begin(), v.size())) {}
  explicit Dims(std::span<const int64_t> v) { assign(v.data(), v.size()); }
  Dims(size_t n, int64_t value) {
    reserve(n);
    size_ = static_cast<uint32_t>(n);
    std::fill(begin(), end(), value);
  }
  Dims(const Dims& o) : size_(o.size_), inline_(o.inline_) {
    if (!o.on_heap()) return;  // few axes: nearly always
    size_ = 0;
    assign(o.data(), o.size());
  }
  Dims(Dims&& o) noexcept : size_(o.size_), capacity_(o.capacity_), inline_(o.inline_) { o.let_go(); }
  Dims& operator=(const Dims& o) {
    if (this != &o) assign(o.data(), o.size());
    return *this;
  }
  Dims& operator=(Dims&& o) noexcept {
    if (this == &o) return *this;
    if (on_heap()) delete[] heap_;
    size_ = o.size_, capacity_ = o.capacity_, inline_ = o.inline_;
    o.let_go();
    return *this;
  }
  ~Dims() {
    if (on_heap()) delete[] heap_;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return on_heap() ? heap_ : inline_.data(); }
  const int64_t* data() const { return on_heap() ? heap_ : inline_.data(); }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& back() { return data()[size_ - 1]; }
  int64_t back() const { return data()[size_ - 1]; }
  void push_back(int64_t v) {
    reserve(size_ + 1);
    data()[size_++] = v;
  }
  void pop_back() { --size_; }
  void resize(size_t n, int64_t value = 0) {
    reserve(n);
    for (size_t i = size_; i < n; ++i) data()[i] = value;
    size_ = static_cast<uint32_t>(n);
  }
  void insert(size_t at, int64_t v) {
    push_back(v);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  operator std::span<const int64_t>() const { return {data(), size_}; }
  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  static constexpr uint32_t kInline = 5;
  void assign(const int64_t* v, size_t n) {
    reserve(n);
    std::copy(v, v + n, data());
    size_ = static_cast<uint32_t>(n);
  }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    const size_t capacity = std::max<size_t>(n, capacity_ * 2);
    auto* grown = new int64_t[capacity];
    std::copy(begin(), end(), grown);
    if (on_heap()) delete[] heap_;
    heap_ = grown;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  bool on_heap() const { return capacity_ > kInline; }
  void let_go() {
    size_ = 0;
    capacity_ = kInline;
  }

  uint32_t size_ = 0, capacity_ = kInline;
  union {  // NOLINTBEGIN: its members are the class's private ones
    std::array<int64_t, kInline> inline_{};
    int64_t* heap_;  // where there are more entries
  };  // NOLINTEND
};

using Shape = Dims;

// Number of elements; 1 for rank 0. Shapes are checked when they are made, so this does not overflow.
inline int64_t element_count(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

// Element strides of a row-major array.
Dims contiguous_strides(const Shape& shape);

// The most memory that one array may take up.
inline constexpr int64_t kMaxBytes = int64_t{1} << 62;
// Throws Error when an extent is negative or when count * item_bytes passes kMaxBytes.
void check_size(std::string_view op, std::span<const int64_t> shape, size_t item_bytes);

// The NumPy broadcast of two shapes; Error naming `op` and both shapes when there is none.
Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b);

// `axis` counted from the end when negative; IndexError naming `op` when outside of `rank`.
int64_t normalize_axis(std::string_view op, int64_t axis, size_t rank);

// "(3, 4)", "(3,)", "()".
std::string to_string(const Dims& dims);

}  // namespace weft
