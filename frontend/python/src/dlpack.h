// DLPack's C structures, as its versions 0 and 1 lay them out (https://dmlc.github.io/dlpack).
#pragma once

#include <cstdint>

namespace weft::python {

struct DLDevice {
  int32_t kind;  // kDLCPU, kDLCUDA, …
  int32_t number;
};
inline constexpr int32_t kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3;

struct DLDataType {
  uint8_t code;  // of a DLCode
  uint8_t bits;
  uint16_t lanes;
};
enum DLCode : uint8_t { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLComplex = 5, kDLBool = 6 };

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};

// Capsules named "dltensor".
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};

// Capsules named "dltensor_versioned".
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* context;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};
inline constexpr uint64_t kDLReadOnly = 1, kDLCopied = 2;

}  // namespace weft::python
