// CUDA C++ on scalars, as the spelling of values.
#pragma once

#include <fmt/format.h>

#include "compiler/emit/spell.h"

namespace weft::emit {

class CudaDialect : public Dialect {
 public:
  CudaDialect() : Dialect("long long", "") {}
  std::string value_type(DType t) const override {
    if (t == DType::Bool) return "bool";
    if (t == DType::F16) return "f16";
    return element_type(t == DType::BF16 ? DType::F32 : t);
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
