// Arrays as NumPy prints them.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <ostream>

#include "compiler/base/error.h"
#include "frontend/cpp/session/asked.h"
#include "frontend/cpp/weft/array.h"
#include "frontend/cpp/weft/compiled.h"
#include "frontend/cpp/weft/derivatives.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft {
namespace {

constexpr int64_t kThreshold = 1000, kEdge = 3;
constexpr size_t kLineWidth = 75;
constexpr int kDigits = 8;

// The digits of a finite number: the fewest that read back as the same number of its dtype, at most eight after
// the point.
struct Digits {
  bool negative = false;
  std::string whole, fraction;
  int exponent = 0;  // of scientific notation
};

std::string shortest(double value, std::chars_format format) {
  char text[512];
  return {text, std::to_chars(text, text + sizeof text, value, format).ptr};
}

double read_back(const char* begin, const char* end) {
  double value = 0;
  std::from_chars(begin, end, value);
  return value;
}

// From where on numbers have an exponent: beyond the digits that the dtype holds, and there are no more than that.
double exponent_from(DType dtype, double most) {
  if (dtype == DType::F16) return 1e3;
  return dtype == DType::F32 || dtype == DType::C64 ? 1e6 : most;
}

// The number of the fewest digits that a narrower dtype rounds to this value of its own.
double with_few_digits(double value, DType dtype) {
  if (!std::isfinite(value)) return value;
  char text[64];
  if (dtype == DType::F32 || dtype == DType::C64)
    return read_back(text, std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr);
  if (dtype != DType::F16 && dtype != DType::BF16) return value;
  for (int digits = 0; digits < kDigits; ++digits) {
    const auto format = std::chars_format::scientific;
    const double read = read_back(text, std::to_chars(text, text + sizeof text, value, format, digits).ptr);
    if (from_scalar<double>(Scalar::of(read).cast(dtype)) == value) return read;
  }
  return value;
}

// With at most so many digits after the point: std::to_chars rounds the exact value, as NumPy does.
std::string rounded(double value, std::string text, std::chars_format format) {
  const size_t point = text.find('.');
  const size_t end = std::min(text.find('e'), text.size());
  if (point == std::string::npos || end - point - 1 <= kDigits) return text;
  char cut[512];
  const auto to = std::to_chars(cut, cut + sizeof cut, value, format, kDigits).ptr;
  text.assign(cut, to);
  size_t last = std::min(text.find('e'), text.size());
  while (text[last - 1] == '0') text.erase(--last, 1);
  return text;
}

Digits digits_of(double value, std::chars_format format) {
  Digits d;
  d.negative = std::signbit(value);
  std::string text = shortest(std::abs(value), format);
  text = rounded(std::abs(value), std::move(text), format);
  if (const size_t e = text.find('e'); e != std::string::npos) {
    d.exponent = std::stoi(text.substr(e + 1));
    text.resize(e);
  }
  const size_t point = text.find('.');
  d.whole = text.substr(0, point);
  if (point != std::string::npos) d.fraction = text.substr(point + 1);
  return d;
}

// How the floats of one array are written: with a point, or with an exponent where they differ too much.
class FloatFormat {
 public:
  FloatFormat(const std::vector<double>& values, DType dtype, bool sign) : sign_(sign) {
    double largest = 0, smallest = INFINITY;
    for (const double v : values) {
      if (!std::isfinite(v) || v == 0) continue;
      largest = std::max(largest, std::abs(v)), smallest = std::min(smallest, std::abs(v));
    }
    if (largest > 0 && (largest >= exponent_from(dtype, 1e8) || smallest < 1e-4 || largest / smallest > 1000))
      format_ = std::chars_format::scientific;
    for (const double v : values) widen(v);
    for (const double v : values) {
      if (std::isfinite(v)) continue;
      const size_t text = std::isnan(v) ? 3 + (sign_ ? 1u : 0u) : 3u + (v < 0 || sign_ ? 1u : 0u);
      left_ = std::max(left_, text > tail() ? text - tail() : 0);
    }
  }

  std::string operator()(double v) const {
    if (std::isnan(v)) return right_aligned(sign_ ? "+nan" : "nan");
    if (std::isinf(v)) return right_aligned(v < 0 ? "-inf" : sign_ ? "+inf" : "inf");
    const Digits d = digits_of(v, format_);
    std::string text = (d.negative ? "-" : sign_ ? "+" : "") + d.whole;
    text.insert(0, left_ > text.size() ? left_ - text.size() : 0, ' ');
    text += '.' + d.fraction;
    if (format_ == std::chars_format::scientific) {
      text.append(right_ - d.fraction.size(), '0');
      const std::string exponent = std::to_string(std::abs(d.exponent));
      text += d.exponent < 0 ? "e-" : "e+";
      return text.append(exponent_ - exponent.size(), '0') + exponent;
    }
    return text.append(right_ - d.fraction.size(), ' ');
  }

 private:
  void widen(double v) {
    if (!std::isfinite(v)) return;
    const Digits d = digits_of(v, format_);
    left_ = std::max(left_, d.whole.size() + (d.negative || sign_ ? 1 : 0));
    right_ = std::max(right_, d.fraction.size());
    exponent_ = std::max(exponent_, std::to_string(std::abs(d.exponent)).size());
  }
  // What stands behind the whole digits.
  size_t tail() const { return 1 + right_ + (format_ == std::chars_format::scientific ? 2 + exponent_ : 0); }
  std::string right_aligned(std::string text) const {
    const size_t width = left_ + tail();
    return text.insert(0, width > text.size() ? width - text.size() : 0, ' ');
  }

  bool sign_;
  std::chars_format format_ = std::chars_format::fixed;
  size_t left_ = 0, right_ = 0, exponent_ = 2;
};

std::vector<std::string> texts_of(const std::vector<Scalar>& values, DType dtype) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  const DTypeKind k = kind(dtype);
  if (k == DTypeKind::Float || k == DTypeKind::Complex) {
    std::vector<double> real, imaginary;
    real.reserve(values.size()), imaginary.reserve(values.size());
    for (const Scalar& v : values) {
      const std::complex<double> both = from_scalar<std::complex<double>>(v);
      real.push_back(with_few_digits(both.real(), dtype));
      imaginary.push_back(with_few_digits(both.imag(), dtype));
    }
    const FloatFormat first(real, dtype, false);
    if (k == DTypeKind::Float) {
      for (const double v : real) texts.push_back(first(v));
      return texts;
    }
    const FloatFormat second(imaginary, dtype, true);
    for (size_t i = 0; i < real.size(); ++i) {
      std::string text = second(imaginary[i]);
      text.insert(text.find_last_not_of(' ') + 1, 1, 'j');
      texts.push_back(first(real[i]) + text);
    }
    return texts;
  }
  size_t width = k == DTypeKind::Bool ? 5 : 0;  // of False, whether there is one or not
  for (const Scalar& v : values) {
    texts.push_back(k == DTypeKind::Bool       ? (from_scalar<bool>(v) ? "True" : "False")
                    : k == DTypeKind::Unsigned ? std::to_string(from_scalar<uint64_t>(v))
                                               : std::to_string(from_scalar<int64_t>(v)));
    width = std::max(width, texts.back().size());
  }
  for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
  return texts;
}

// One float: all digits that it takes to read it back, with an exponent where it is large or below 1e-4.
std::string text_of_one(double v, DType dtype, bool whole_has_fraction) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  const double size = std::abs(v), few = with_few_digits(v, dtype);
  if (size != 0 && (size >= exponent_from(dtype, 1e16) || size < 1e-4))
    return shortest(few, std::chars_format::scientific);
  std::string text = shortest(few, std::chars_format::fixed);
  return whole_has_fraction && text.find('.') == std::string::npos ? text + ".0" : text;
}

// The one value of rank 0, as NumPy prints its scalars.
std::string text_of_value(const Scalar& value, DType dtype) {
  const DTypeKind k = kind(dtype);
  if (k == DTypeKind::Bool) return from_scalar<bool>(value) ? "True" : "False";
  if (k != DTypeKind::Float && k != DTypeKind::Complex) return texts_of({value}, dtype)[0];
  const std::complex<double> both = from_scalar<std::complex<double>>(value);
  if (k == DTypeKind::Float) return text_of_one(both.real(), dtype, true);
  std::string second = text_of_one(both.imag(), dtype, false) + 'j';
  if (both.real() == 0 && !std::signbit(both.real())) return second;
  return '(' + text_of_one(both.real(), dtype, false) + (second.front() == '-' ? "" : "+") + second + ')';
}

// Lays the texts of the shown elements out in brackets, row-major.
class Layout {
 public:
  Layout(const Shape& shape, bool shortened, std::vector<std::string> texts)
      : shape_(shape), shortened_(shortened), texts_(std::move(texts)) {}

  std::string axis(size_t k, const std::string& indent, size_t width) {
    const bool gap = shortened_ && shape_[k] > 2 * kEdge;
    const int64_t shown = gap ? 2 * kEdge : shape_[k];
    if (k + 1 == shape_.size()) return '[' + row(shown, gap, indent, width) + ']';
    const std::string between(shape_.size() - k - 1, '\n');
    std::string text;
    for (int64_t i = 0; i < shown; ++i) {
      if (gap && i == kEdge) text.append(indent).append("...").append(between);
      text.append(indent).append(axis(k + 1, indent + ' ', width - 1));
      if (i + 1 < shown) text.append(between);
    }
    return '[' + text.substr(std::min(text.size(), indent.size())) + ']';
  }

 private:
  std::string row(int64_t shown, bool gap, const std::string& indent, size_t width) {
    std::string text, line = indent;
    const auto add = [&](const std::string& word, bool last) {
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        text.append(line, 0, line.find_last_not_of(' ') + 1).push_back('\n');
        line = indent;
      }
      line += word;
      if (!last) line += ' ';
    };
    for (int64_t i = 0; i < shown; ++i) {
      if (gap && i == kEdge) add("...", false);
      add(texts_[next_++], i + 1 == shown);
    }
    text += line;
    return text.substr(std::min(text.size(), indent.size()));
  }

  const Shape& shape_;
  bool shortened_;
  std::vector<std::string> texts_;
  size_t next_ = 0;
};

// The ends of each long axis.
Array ends_of(Array x) {
  for (size_t k = 0; k < x.ndim(); ++k) {
    if (x.shape()[k] <= 2 * kEdge) continue;
    std::vector<Index> first(k, Index(Slice{})), last = first;
    first.emplace_back(Slice{0, kEdge});
    last.emplace_back(Slice{-kEdge, {}});
    x = concat({x.index(first), x.index(last)}, static_cast<int64_t>(k));
  }
  return x;
}

std::vector<Scalar> elements_of(const Array& x) {
  std::vector<uint8_t> bytes(static_cast<size_t>(x.size()) * x.itemsize());
  x.copy_to(bytes.data());
  std::vector<Scalar> values;
  values.reserve(static_cast<size_t>(x.size()));
  for (size_t at = 0; at < bytes.size(); at += x.itemsize())
    values.push_back(Scalar::load(x.dtype(), &bytes[at]));
  return values;
}

}  // namespace

std::string to_string(const Array& x) {
  if (!x.has_value()) return "<no array>";
  if (x.size() == 0) return "[]";
  const detail::AskedScope asked("print");
  const bool shortened = x.size() > kThreshold;
  std::vector<std::string> texts;
  try {
    const Array seen = stop_gradient(x);
    if (shortened) seen.eval();
    if (x.ndim() == 0) return text_of_value(elements_of(seen)[0], x.dtype());
    texts = texts_of(elements_of(shortened ? ends_of(seen) : seen), x.dtype());
  } catch (const Error&) {
    if (!Compiled::recording()) throw;
    return "<recorded " + to_string(x.shape()) + " " + std::string(name(x.dtype())) + ">";
  }
  return Layout(x.shape(), shortened, std::move(texts)).axis(0, " ", kLineWidth);
}

std::ostream& operator<<(std::ostream& out, const Array& x) { return out << to_string(x); }
std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }
std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }

}  // namespace weft
