// Words in the order in which the text first asks for them, so that the text alone decides where they are.
#include "compiler/emit/cuda/arguments.h"

#include <fmt/format.h>

#include "compiler/emit/cuda/inverse.h"

namespace weft::emit {

using fmt::format;

std::string Arguments::add(int64_t value) {
  words_.push_back(value);
  return format("p[{}]", program_params_ + words_.size() - 1);
}

std::string Arguments::last_row_of(int64_t length, int64_t value) {
  std::string& word = last_rows_[length];
  if (word.empty()) word = add(value);
  return word;
}

// What weft_quotient_by takes behind x.
std::string Arguments::inverse(const std::string& n, int64_t value) {
  std::string& words = inverses_[n];
  if (words.empty()) {
    const CudaInverse by = cuda_inverse(value);
    words = add(by.factor);
    words += ", " + add(by.shift);
  }
  return words;
}

std::string Arguments::quotient(const std::string& x, const std::string& n, int64_t value) {
  if (value < 2) return format("{} / (unsigned int){}", x, n);
  return format("weft_quotient_by({}, {})", x, inverse(n, value));
}

std::string Arguments::remainder(const std::string& x, const std::string& n, int64_t value) {
  return format("{} - {} * (unsigned int){}", x, quotient(x, n, value), n);
}

std::string Arguments::split(const std::string& x, const std::string& n, int64_t value) {
  if (wide_ || value < 2) return format("weft_split({}, {})", x, n);
  return format("weft_split_by({}, {}, {})", x, n, inverse(n, value));
}

}  // namespace weft::emit
