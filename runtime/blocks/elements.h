// Elements of arrays as bytes of memory of any alignment: reading, repeating, dealing them in and out.
#pragma once

#include <cstdint>
#include <cstring>

namespace weft::runtime {

struct Bytes16 {
  uint64_t half[2];
};

// Calls f with an element of so many bytes.
template <class F>
void with_element(int bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Bytes16{});
  }
}

template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Memory of any alignment, an element at a time.
template <class T>
struct Elements {
  char* at;
  T operator[](int64_t k) const { return read<T>(at + k * int64_t{sizeof(T)}); }
  void put(int64_t k, const T& value) const {
    std::memcpy(at + k * int64_t{sizeof(T)}, &value, sizeof value);
  }
};

// `count` times the element at `from`.
void repeat(char* to, const char* from, int bytes, int64_t count);
// `count` elements that lie `by` apart become neighbours, and the reverse.
void deal_in(char* to, const char* from, int64_t by, int64_t count, int bytes);
void deal_out(char* to, const char* from, int64_t by, int64_t count, int bytes);
// The mask tells which elements are read; others are 0.
void deal_in_masked(char* to, const char* from, int64_t by, const char* mask, int64_t count, int bytes);

}  // namespace weft::runtime
