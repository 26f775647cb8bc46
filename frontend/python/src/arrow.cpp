// Arrays as columns of Arrow, by its C data interface (https://arrow.apache.org/docs/format/CDataInterface.html): what
// pyarrow, Polars and others take without a copy.
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

// A dtype as Arrow spells it.
const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return "b";
    case DType::I8:
      return "c";
    case DType::I16:
      return "s";
    case DType::I32:
      return "i";
    case DType::I64:
      return "l";
    case DType::U8:
      return "C";
    case DType::U16:
      return "S";
    case DType::U32:
      return "I";
    case DType::U64:
      return "L";
    case DType::F16:
      return "e";
    case DType::F32:
      return "f";
    case DType::F64:
      return "g";
    default:
      throw TypeError("__arrow_c_array__: Arrow has no numbers of this dtype: got " +
                      std::string(name(dtype)) + "; convert it first, as with astype('float64')");
  }
}

// What a column's memory lives by: the array's own, or for bools, which Arrow keeps as bits, some made for it.
struct Column {
  std::shared_ptr<void> owner;
  std::vector<uint8_t> bits;
  std::array<const void*, 2> buffers = {nullptr, nullptr};  // no element is missing; the values
};

Column column_of(const Array& x) {
  Column column;
  if (x.dtype() == DType::Bool) {
    const std::vector<bool> values = x.to_vector<bool>();
    column.bits.resize((values.size() + 7) / 8 + 1);
    for (size_t i = 0; i < values.size(); ++i) column.bits[i / 8] |= static_cast<uint8_t>(values[i] << i % 8);
    column.buffers[1] = column.bits.data();
    return column;
  }
  const Lent lent = lend(strides(x) == contiguous_strides(x.shape()) ? x : duplicate(x));
  column.owner = lent.owner;
  column.buffers[1] = lent.data;
  return column;
}

// A capsule that nobody took releases what it holds. It is the capsule's to delete, whoever moved the content out.
template <class T>
void drop(PyObject* capsule) {
  auto* held = static_cast<T*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (held->release) held->release(held);
  delete held;
}

template <class T>
nb::object capsule_of(std::unique_ptr<T> held, const char* name) {
  PyObject* capsule = PyCapsule_New(held.get(), name, drop<T>);
  if (!capsule) throw nb::python_error();
  held.release();
  return nb::steal(capsule);
}

// The dtype that a taker asks for; none for what no array holds, of which takers make what they want themselves.
std::optional<DType> dtype_asked(nb::handle schema) {
  if (schema.is_none()) return {};
  const auto* asked = static_cast<const ArrowSchema*>(PyCapsule_GetPointer(schema.ptr(), "arrow_schema"));
  if (!asked) throw nb::python_error();
  for (const DType t : {DType::Bool, DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16,
                        DType::U32, DType::U64, DType::F16, DType::F32, DType::F64})
    if (std::string_view(format_of(t)) == asked->format) return t;
  return {};
}

nb::object to_arrow(const Array& x, nb::handle schema_asked) {
  const Array given = x.astype(dtype_asked(schema_asked).value_or(x.dtype()));
  if (given.ndim() != 1) {
    throw Error("__arrow_c_array__: a column of Arrow has one axis: got shape " + to_string(given.shape()) +
                "; give a row, or x.reshape(-1)");
  }
  auto schema = std::make_unique<ArrowSchema>();
  *schema = {format_of(given.dtype()),
             "",
             nullptr,
             0,
             0,
             nullptr,
             nullptr,
             [](ArrowSchema* s) { s->release = nullptr; },
             nullptr};
  auto column = std::make_unique<Column>(column_of(given.to("cpu")));
  auto array = std::make_unique<ArrowArray>();
  *array = {given.size(),
            0,
            0,
            2,
            0,
            column->buffers.data(),
            nullptr,
            nullptr,
            [](ArrowArray* a) {
              delete static_cast<Column*>(a->private_data);
              a->release = nullptr;
            },
            nullptr};
  array->private_data = column.release();
  nb::object second = capsule_of(std::move(array), "arrow_array");
  return nb::make_tuple(capsule_of(std::move(schema), "arrow_schema"), second);
}

}  // namespace

void bind_arrow(nb::module_& m) {
  m.def(
      "to_arrow",
      [](const Array& x, nb::handle schema) {
        const PythonLine line;
        return to_arrow(x, schema);
      },
      "x"_a, "schema"_a.none(), "The capsules of a schema and of an array.");
}

}  // namespace weft::python
