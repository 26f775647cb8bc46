// The math preludes: source text that generated kernels include, one constant for each file of the prelude.
// A text is a list of sections; each opens with a line `//@ NAME` and holds exactly one function or table of
// that name. A section depends on every other section whose name occurs in it, so a kernel gets only what it
// needs.
#pragma once

namespace weft::emit {

extern const char* const kPreludeCpuCore;  // what every CPU kernel may need
extern const char* const kPreludeCpuMemory;
extern const char* const kPreludeCpuIntegers;
extern const char* const kPreludeCpuConvert;
extern const char* const kPreludeCpuJoin;
// Real functions on f32v and f64v, which need each other.
extern const char* const kPreludeCpuF32;
extern const char* const kPreludeCpuF32Trigonometric;
extern const char* const kPreludeCpuF32Special;
extern const char* const kPreludeCpuF64;
extern const char* const kPreludeCpuF64Trigonometric;
extern const char* const kPreludeCpuF64Special;
// Complex functions upon the real ones, the same text for both targets.
extern const char* const kPreludeComplex;
// Random draws upon the real functions, the same text for both targets.
extern const char* const kPreludeDraws;
extern const char* const kPreludeCuda;  // the scalar functions of CUDA kernels

}  // namespace weft::emit
