// From std::mdspan and to it, and to what has its members, as Kokkos' where a standard library has none.
#pragma once

#include <array>
#include <concepts>
#include <type_traits>
#include <vector>

#include "frontend/cpp/weft/create.h"

namespace weft {

// Elements at strides from a pointer. Accessors that change what is read are no memory, and not taken.
template <class M>
concept StridedSpan = requires(const M& m) {
  typename M::element_type;
  typename M::extents_type;
  { M::rank() } -> std::convertible_to<size_t>;
  { m.extent(size_t{0}) } -> std::convertible_to<int64_t>;
  { m.stride(size_t{0}) } -> std::convertible_to<int64_t>;
  { m.data_handle() } -> std::convertible_to<const typename M::element_type*>;
} && Element<std::remove_cv_t<typename M::element_type>>;

namespace detail {

template <StridedSpan M>
Shape shape_of(const M& m) {
  Shape shape;
  for (size_t i = 0; i < M::rank(); ++i) shape.push_back(static_cast<int64_t>(m.extent(i)));
  return shape;
}

// Calls f with each element, row-major.
template <StridedSpan M, class F>
void for_each_element(const M& m, F&& f) {
  const Shape shape = shape_of(m);
  Dims at(shape.size(), 0);
  for (int64_t left = element_count(shape); left > 0; --left) {
    int64_t offset = 0;
    for (size_t i = 0; i < at.size(); ++i) offset += at[i] * static_cast<int64_t>(m.stride(i));
    f(m.data_handle()[offset]);
    for (size_t i = at.size(); i > 0; --i) {
      if (++at[i - 1] < shape[i - 1]) break;
      at[i - 1] = 0;
    }
  }
}

}  // namespace detail

// Copies the elements.
template <StridedSpan M>
Array from(const M& m, const std::string& device = {}) {
  using T = std::remove_cv_t<typename M::element_type>;
  std::vector<T> elements;
  const Shape shape = detail::shape_of(m);
  elements.reserve(static_cast<size_t>(element_count(shape)));
  detail::for_each_element(m, [&](const T& element) { elements.push_back(element); });
  return from(elements, shape, device);
}

// Writes the array's elements to those of the span. Error where their shapes differ, TypeError where their types do.
template <StridedSpan M>
  requires(!std::is_const_v<typename M::element_type>)
void copy_to(const Array& x, const M& m) {
  if (x.shape() != detail::shape_of(m))
    throw Error("copy_to: the array and the span have one shape: got " + to_string(x.shape()) + " and " +
                to_string(detail::shape_of(m)));
  const auto elements = x.to_vector<typename M::element_type>();
  size_t next = 0;
  detail::for_each_element(m, [&](typename M::element_type& element) { element = elements[next++]; });
}

// The array's memory as a span of constant elements, row-major: std::mdspan<const float, std::dextents<size_t, 2>>.
// It holds for as long as the array is neither written nor let go. Error as of Array::span().
template <StridedSpan M>
  requires std::is_const_v<typename M::element_type>
M as_mdspan(const Array& x) {
  if (x.ndim() != M::rank())
    throw Error("as_mdspan: the array has as many axes as the span: got " + std::to_string(x.ndim()) +
                " and " + std::to_string(M::rank()));
  std::array<typename M::extents_type::index_type, M::rank()> extents;
  for (size_t i = 0; i < M::rank(); ++i)
    extents[i] = static_cast<typename M::extents_type::index_type>(x.shape()[i]);
  return M(x.span<std::remove_cv_t<typename M::element_type>>().data(), typename M::extents_type(extents));
}

}  // namespace weft
