// The math preludes: source text that generated kernels include, one constant for each file of the prelude.
// A text is a list of sections; each opens with a line `//@ NAME` and holds exactly one function or table of
// that name. A section depends on every other section whose name occurs in it, so a kernel gets only what it
// needs.
#pragma once

namespace weft::emit {

extern const char* const kPreludeCpuF32;   // real functions on f32v
extern const char* const kPreludeCpuF64;   // real functions on f64v
extern const char* const kPreludeCpuCore;  // what every CPU kernel may need: conversions, integers, joins
extern const char* const
    kPreludeComplex;  // complex functions upon the real ones, the same text for both targets
extern const char* const kPreludeCuda;  // the scalar functions of CUDA kernels

}  // namespace weft::emit
