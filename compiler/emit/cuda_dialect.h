// CUDA C++ on scalars, as the spelling of values.
#pragma once

#include <fmt/format.h>

#include "compiler/emit/spell.h"

namespace weft::emit {

class CudaDialect : public Dialect {
 public:
  std::string value_type(DType t) const override {
    if (t == DType::Bool) return "bool";
    return element_type(is_half(t) ? DType::F32 : t);
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
        return "long long";
      case DType::U16:
      case DType::F16:
      case DType::BF16:
        return "unsigned short";
      case DType::U32:
        return "unsigned int";
      case DType::U64:
        return "unsigned long long";
      case DType::F32:
        return "float";
      case DType::F64:
        return "double";
      case DType::C64:
      case DType::C128:
        return suffix(t);
    }
    return "";
  }
  std::string splat(DType t, const std::string& scalar) const override {
    return fmt::format("weft_splat_{}({})", suffix(t), scalar);
  }
  // Signed overflow is undefined in CUDA C++, unsigned arithmetic wraps.
  std::string wrap(DType t, const std::string& expression, const std::string& a,
                   const std::string& b) const override {
    std::string type = size_of(t) == 8 ? "unsigned long long" : "unsigned int";
    return fmt::format("({})({})", value_type(t),
                       fmt::format(fmt::runtime(expression), fmt::format("({}){}", type, a),
                                   fmt::format("({}){}", type, b)));
  }
};

}  // namespace weft::emit
