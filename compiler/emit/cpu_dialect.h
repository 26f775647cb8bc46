// C++ with Clang's vector types, as the spelling of values.
#pragma once

#include <fmt/format.h>

#include "compiler/emit/spell.h"

namespace weft::emit {

class CpuDialect : public Dialect {
 public:
  std::string value_type(DType t) const override {
    if (t == DType::Bool) return "boolv";
    return suffix(is_half(t) ? DType::F32 : t) + "v";
  }
  std::string element_type(DType t) const override {
    switch (t) {
      case DType::Bool:
      case DType::U8:
        return "unsigned char";
      case DType::I8:
        return "signed char";
      case DType::I16:
        return "short";
      case DType::I32:
        return "int";
      case DType::I64:
        return "long";
      case DType::U16:
      case DType::F16:
      case DType::BF16:
        return "unsigned short";
      case DType::U32:
        return "unsigned int";
      case DType::U64:
        return "unsigned long";
      case DType::F32:
        return "float";
      case DType::F64:
        return "double";
      case DType::C64:
        return "c64e";
      case DType::C128:
        return "c128e";
    }
    return "";
  }
  std::string splat(DType t, const std::string& scalar) const override {
    return fmt::format("weft_splat_{}({})", suffix(t), scalar);
  }
  // Kernels are compiled with wrapping arithmetic, and vectors do not promote.
  std::string wrap(DType, const std::string& expression, const std::string& a,
                   const std::string& b) const override {
    return fmt::format(fmt::runtime(expression), a, b);
  }
};

}  // namespace weft::emit
