// The bound of every function of the CPU prelude for real floats, in ulp of the exact result. The numbers
// that the prelude states beside its functions and that the op table documents are these; zero means exact.
#pragma once

namespace weft::test {

struct Accuracy {
  const char* name;
  int arity;
  double f32, f64;
};

inline constexpr Accuracy kAccuracy[] = {
    {"acos", 1, 0.8, 0.8},      {"acosh", 1, 1.2, 1.2}, {"asin", 1, 0.8, 0.8},       {"asinh", 1, 1.3, 1.4},
    {"atan", 1, 1.3, 1.9},      {"atan2", 2, 1.6, 2.1}, {"atanh", 1, 1, 1},          {"cbrt", 1, 0.6, 0.6},
    {"ceil", 1, 0, 0},          {"copysign", 2, 0, 0},  {"cos", 1, 1.6, 1.6},        {"cosh", 1, 1.1, 1.1},
    {"erf", 1, 1.2, 1.1},       {"erfc", 1, 2.1, 2.2},  {"exp", 1, 1.5, 1.5},        {"exp2", 1, 1.2, 1.3},
    {"expm1", 1, 1.6, 1.9},     {"floor", 1, 0, 0},     {"floor_divide", 2, 0, 0},   {"fma", 3, 0.5, 0.5},
    {"fmod", 2, 0, 0},          {"gelu", 1, 1.9, 2.2},  {"gelu_tanh", 1, 1.4, 1.3},  {"hypot", 2, 1.1, 1.2},
    {"lgamma", 1, 5, 4.5},  // of max(|lgamma(x)|, lgamma(|x|), 1) where x is negative
    {"log", 1, 0.9, 1},         {"log10", 1, 1.1, 1.1}, {"log1p", 1, 0.9, 1},        {"log2", 1, 1, 1.1},
    {"logaddexp", 2, 2.1, 2.1},  // of max(|result|, |a|, |b|)
    {"nextafter", 2, 0, 0},     {"pow", 2, 0.7, 1.2},   {"reciprocal", 1, 0.5, 0.5}, {"remainder", 2, 0, 0},
    {"round", 1, 0, 0},         {"rsqrt", 1, 1.6, 1.7}, {"sigmoid", 1, 1.3, 1.3},    {"sign", 1, 0, 0},
    {"sin", 1, 1.6, 1.7},       {"sinh", 1, 1.8, 1.6},  {"softplus", 1, 1.3, 1.4},   {"sqrt", 1, 0.5, 0.5},
    {"tan", 1, 2, 2},           {"tanh", 1, 1.6, 1.5},  {"trunc", 1, 0, 0},
};

}  // namespace weft::test
