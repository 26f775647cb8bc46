// What brackets pick by a mask or by positions, and views along the first axis.
#include "compiler/base/error.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft {
namespace {

// The axes behind the first one.
Shape with_rest(Shape first, const Shape& of) {
  for (size_t i = 1; i < of.size(); ++i) first.push_back(of[i]);
  return first;
}

void put_rows(const Array& of, const Array& picks, const Operand& value) {
  if (of.ndim() == 0) throw IndexError("index: an array of rank 0 has no positions to write to");
  Shape along(of.ndim(), 1);
  along[0] = picks.size();
  const Array index = picks.reshape(along, value.at());
  if (!value.array()) return put_along_axis(of, index, value, 0);
  const Array spread = broadcast_to(*value.array(), with_rest(picks.shape(), of.shape()));
  const Array rows = spread.reshape(with_rest({picks.size()}, of.shape()), value.at());
  put_along_axis(of, index, Operand(rows, value.at()), 0);
}

}  // namespace

const Array& Picked::value() const {
  if (!value_.has_value())
    value_ = picks_.dtype() == DType::Bool ? take_where(of_, picks_) : take(of_, picks_, 0);
  return value_;
}

void Picked::write(const Operand& value) const {
  if (picks_.dtype() == DType::Bool) return put_where(of_, picks_, value);
  put_rows(of_, picks_, value);
}

void Picked::operator=(const Operand& value) && { write(value); }
void Picked::operator=(const Values& values) && { write(Operand(values.array(), values.at())); }
void Picked::operator=(const Picked& other) && { write(Operand(other.value())); }

#define WEFT_IN_PLACE(op)                             \
  void Picked::operator op(const Operand & value)&& { \
    Array now = this->value().copy();                 \
    now op value;                                     \
    write(Operand(now, value.at()));                  \
  }
WEFT_IN_PLACE(+=)
WEFT_IN_PLACE(-=)
WEFT_IN_PLACE(*=)
WEFT_IN_PLACE(/=)
#undef WEFT_IN_PLACE

Picked Array::operator[](const Array& picks) const {
  if (const DTypeKind k = kind(picks.dtype()); k == DTypeKind::Float || k == DTypeKind::Complex)
    throw IndexError("index: takes a mask or whole positions: got an array of " +
                     std::string(name(picks.dtype())));
  return {*this, picks};
}

void Array::operator=(const Values& values) && { std::move(*this) = Operand(values.array(), values.at()); }

Array::Rows Array::begin() const {
  if (ndim() == 0) throw Error("for: an array of rank 0 has no rows: item() reads it");
  return {this, 0};
}
Array::Rows Array::end() const { return {this, ndim() == 0 ? 0 : shape()[0]}; }

}  // namespace weft
