// Array: NumPy's array, lazily. An Array is a handle on a cell, which holds a value, and a view of it.
// Copying the handle shares the cell, as assignment does in Python; slices, transposes and reshapes are views
// of the same cell; a write through any of them is seen through all of them. Nothing is computed before a
// value is looked at.
#pragma once

#if __cplusplus < 202002L
#error \
    "weft needs C++20: compile with -std=c++20 or later (CMake: target_compile_features(app PRIVATE cxx_std_20))"
#endif

#include <initializer_list>
#include <iosfwd>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/base/shape.h"
#include "frontend/cpp/weft/element.h"
#include "frontend/cpp/weft/handle.h"
#include "frontend/cpp/weft/index.h"

namespace weft {

struct SourceLine;

class Operand;
class Picked;
class Values;

// Where an operation is recorded; defaults to the caller's own line.
using Where = std::source_location;

class Array {
 public:
  Array() = default;  // no value; using it is an Error
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array&) & = default;  // binds the name to another array, as in Python
  Array& operator=(Array&&) & noexcept = default;
  // a(Slice{1, -1}) = x writes through the view: broadcast and converted to the view's dtype.
  void operator=(const Operand& value) &&;
  // The same of a row of values, as those of a std::vector.
  void operator=(const Values& values) &&;

  bool has_value() const { return static_cast<bool>(cell_); }
  DType dtype() const;
  const Shape& shape() const;
  size_t ndim() const { return shape().size(); }
  int64_t size() const { return element_count(shape()); }
  size_t itemsize() const { return size_of(dtype()); }
  std::string device() const;
  // False for what broadcasting repeated, and what with_access() made so.
  bool writable() const;
  // Whether both are views of one cell.
  bool shares_cell(const Array& other) const { return cell_ == other.cell_; }
  // Whether others share this array's cell.
  bool is_viewed() const;

  // ---- views of the same cell
  template <std::convertible_to<Index>... Indices>
  Array operator()(Indices&&... indices) const& {
    const std::initializer_list<Index> list = {Index(indices)...};
    return index({list.begin(), list.size()});
  }
  // A view of a temporary is all that is left of it.
  template <std::convertible_to<Index>... Indices>
  Array operator()(Indices&&... indices) && {
    Array view = (*this)(std::forward<Indices>(indices)...);
    cell_ = {};
    return view;
  }
  Array operator[](const Index& first) const { return index({&first, 1}); }
  Array index(std::span<const Index> indices) const;
  // What a mask or an array of positions along the first axis picks, to be read or written: a[a < 0] = 0.
  Picked operator[](const Array& picks) const;
  // One element as an array of rank 0; reading it compiles nothing.
  template <std::integral... Positions>
  Array at(Positions... positions) const {
    return element(Dims{Index(positions).position()...});
  }
  Array element(const Dims& positions) const;
  // One extent may be -1. A view where the layout allows it, as in NumPy, else a copy.
  Array reshape(const Shape& shape, Where at = Where::current()) const;
  Array transpose(const Dims& axes) const;
  Array T() const;  // axes reversed
  // The same elements, which can be written to through it and its views, or cannot. Error for what
  // broadcasting repeated, which never can.
  Array with_access(bool writable) const;
  // The same bits as another dtype. One of another size needs a last axis without gaps, which becomes longer
  // or shorter.
  Array view_as(DType dtype) const;

  // ---- new arrays
  Array copy() const;
  Array astype(DType dtype, Where at = Where::current()) const;
  Array to(const std::string& device) const;  // itself where it already lies there

  // ---- writes, seen by every array that shares the cell. To a temporary that shares it with none: Error.
  void assign(const Operand& value) &;
  void assign(const Operand& value) &&;
  // The result is converted back to this array's dtype where that stays in or above its kind, else TypeError.
#define WEFT_IN_PLACE(op)                     \
  Array& operator op(const Operand & value)&; \
  Array operator op(const Operand& value)&&;
  WEFT_IN_PLACE(+=)
  WEFT_IN_PLACE(-=)
  WEFT_IN_PLACE(*=)
  WEFT_IN_PLACE(/=)
  WEFT_IN_PLACE(%=)
  WEFT_IN_PLACE(&=)
  WEFT_IN_PLACE(|=)
  WEFT_IN_PLACE(^=)
  WEFT_IN_PLACE(<<=)
  WEFT_IN_PLACE(>>=)
#undef WEFT_IN_PLACE

  // ---- values
  // Starts computing this array (on a GPU it may still run when this returns).
  const Array& eval() const;
  // Row-major elements in host memory. TypeError when T is not the dtype's C++ type.
  template <Element T>
  std::vector<T> to_vector() const {
    check_dtype("to_vector", dtype_of<T>());
    if constexpr (std::same_as<T, bool>) {
      const std::vector<uint8_t> bytes = host_bytes();
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> result(static_cast<size_t>(size()));
      copy_to(result.data());
      return result;
    }
  }
  // The elements where they lie, for as long as this cell is neither written nor let go; Error on a GPU and
  // for a view that is not contiguous.
  template <Element T>
  std::span<const T> span() const {
    check_dtype("span", dtype_of<T>());
    return {static_cast<const T*>(host_data()), static_cast<size_t>(size())};
  }
  // Writes size() * itemsize() bytes.
  void copy_to(void* out) const;
  // The only element, converted to T. Error when there is not exactly one, OverflowError when T does not hold
  // it.
  template <Element T>
  T item() const {
    const Scalar value = only_element();
    check_held(value, dtype_of<T>());
    return from_scalar<T>(value);
  }
  Scalar only_element() const;
  // The same in `double x{a(0, 0)}` and `if (any(a < 0))`. Implicit it would compete with the operators.
  template <Element T>
  explicit operator T() const {
    check_convertible(dtype_of<T>());
    return item<T>();
  }

  // ---- views along the first axis: for (Array row : a)
  class Rows {
   public:
    using value_type = Array;
    using difference_type = std::ptrdiff_t;
    Rows() = default;
    Rows(const Array* of, int64_t at) : of_(of), at_(at) {}
    Array operator*() const { return (*of_)[at_]; }
    Rows& operator++() {
      ++at_;
      return *this;
    }
    Rows operator++(int) {
      const Rows before = *this;
      ++at_;
      return before;
    }
    bool operator==(const Rows& other) const { return at_ == other.at_; }

   private:
    const Array* of_ = nullptr;
    int64_t at_ = 0;
  };
  Rows begin() const;  // Error of rank 0
  Rows end() const;

 private:
  friend struct detail::Access;
  Array(detail::Ref<detail::Cell> cell, detail::Ref<const detail::View> view)
      : cell_(std::move(cell)), view_(std::move(view)) {}
  void check_dtype(const char* what, DType wanted) const;
  static void check_held(const Scalar& value, DType wanted);
  void check_convertible(DType wanted) const;
  std::vector<uint8_t> host_bytes() const;
  const void* host_data() const;

  detail::Ref<detail::Cell> cell_;
  detail::Ref<const detail::View> view_;  // none: the whole cell
};

// A plain number. Its dtype gives way to the arrays' unless its kind (bool, integer, float, complex) exceeds
// theirs.
class Number {
 public:
  template <Element T>
  Number(T value) : value_(to_scalar(value)) {}  // NOLINT: that is its purpose
  // A value whose kind is stated by its dtype.
  explicit Number(const Scalar& value) : value_(value) {}
  // A number whose dtype counts as an array's does, as that of NumPy's scalars.
  static Number typed(const Scalar& value) {
    Number number(value);
    number.typed_ = true;
    return number;
  }
  const Scalar& value() const { return value_; }
  DTypeKind kind() const { return weft::kind(value_.dtype); }
  bool is_typed() const { return typed_; }

 private:
  Scalar value_;
  bool typed_ = false;
};

// What an operation takes: an array or a number, and the line that passed it. It refers to the array: use it
// as a parameter only.
class Operand {
 public:
  Operand(const Array& array, Where at = Where::current())  // NOLINT: that is its purpose
      : array_(&array), number_(false), at_(at) {}
  template <Element T>
  Operand(T value, Where at = Where::current()) : number_(value), at_(at) {}              // NOLINT
  Operand(const Number& value, Where at = Where::current()) : number_(value), at_(at) {}  // NOLINT
  Operand(const Picked& picked, Where at = Where::current());                             // NOLINT

  const Array* array() const { return array_; }
  const Number& number() const { return number_; }
  Where at() const { return at_; }

 private:
  const Array* array_ = nullptr;
  Number number_;
  Where at_;
};

// a[picks]: what a mask over the leading axes, or positions along the first one, pick of an array. It is
// gathered where it is read as an array. An assignment writes to the array itself; of equal positions the last
// value stays.
class Picked {
 public:
  Picked(Array of, Array picks) : of_(std::move(of)), picks_(std::move(picks)) {}
  Picked(const Picked&) = default;
  const Array& value() const;
  operator const Array&() const { return value(); }  // NOLINT: it is an array to read
  const Shape& shape() const { return value().shape(); }
  size_t ndim() const { return value().ndim(); }
  int64_t size() const { return value().size(); }
  DType dtype() const { return of_.dtype(); }
  template <Element T>
  std::vector<T> to_vector() const {
    return value().to_vector<T>();
  }
  void operator=(const Operand& value) &&;
  void operator=(const Values& values) &&;
  void operator=(const Picked& other) &&;
  void operator+=(const Operand& value) &&;
  void operator-=(const Operand& value) &&;
  void operator*=(const Operand& value) &&;
  void operator/=(const Operand& value) &&;

 private:
  void write(const Operand& value) const;
  Array of_, picks_;
  mutable Array value_;  // once it was asked for
};

// An array, not a number, and the line that passed it: what makes an operator Weft's.
class Traced {
 public:
  Traced(const Array& array, Where at = Where::current()) : array_(&array), at_(at) {}  // NOLINT
  Traced(const Picked& picked, Where at = Where::current())                             // NOLINT
      : array_(&picked.value()), at_(at) {}
  const Array& array() const { return *array_; }
  Where at() const { return at_; }
  operator Operand() const { return Operand(*array_, at_); }

 private:
  const Array* array_;
  Where at_;
};

inline Operand::Operand(const Picked& picked, Where at) : Operand(picked.value(), at) {}

// As NumPy prints it: eight digits after the point, of one value all digits, and of more than 1000 elements the ends alone. What has no
// value while a function is recorded is said by its shape and dtype.
std::string to_string(const Array& x);
std::ostream& operator<<(std::ostream& out, const Array& x);

// While it lives, what this thread records is said to come from this line instead of the C++ caller's.
// `file` lives as long as the program.
class LineScope {
 public:
  // `callers`: a number of lines that called, as the library's own front ends note them; 0: none.
  LineScope(const char* file, uint32_t line, uint32_t callers = 0);
  // Of functions that are made of others: their caller's line, unless an outer scope says another.
  explicit LineScope(Where at);
  ~LineScope();
  LineScope(const LineScope&) = delete;

 private:
  SourceLine& scope_;  // of this thread
  const char* outer_file_;
  uint32_t outer_line_, outer_callers_;
};

// In a function of the caller's that records: while it lives, what this thread records has, besides its own line, the line
// that called the function. So explain() tells apart the calls of one helper. Scopes within each other are a chain:
//   Array scaled(const Array& x, Where at = Where::current()) {
//     const CallerScope caller(at);
//     return x * 2;  // "blur.cpp:4 from blur.cpp:12"
//   }
class CallerScope {
 public:
  explicit CallerScope(Where at);
  ~CallerScope();
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

 private:
  uint32_t outer_;  // the callers of this thread around it
};

// Computes several arrays in one program, so that what they share is computed once.
void eval(std::span<const Array> arrays);
inline void eval(std::initializer_list<Array> arrays) { eval(std::span(arrays.begin(), arrays.size())); }

}  // namespace weft
