// C++ with Clang's vector types, as the spelling of values.
#pragma once

#include <fmt/format.h>

#include "compiler/emit/spell.h"

namespace weft::emit {

class CpuDialect : public Dialect {
 public:
  CpuDialect() : Dialect("long", "e") {}
  std::string value_type(DType t) const override {
    if (t == DType::Bool) return "boolv";
    return suffix(is_half(t) ? DType::F32 : t) + "v";
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
