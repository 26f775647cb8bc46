// The functions of NVRTC, the CUDA C++ compiler library, that Weft calls: declared here as nvrtc.h has them
// and opened at run time.
#pragma once

#include <cstddef>

namespace weft::runtime::cuda {

using NvrtcResult = int;
using NvrtcProgram = struct _nvrtcProgram*;

inline constexpr NvrtcResult kNvrtcSuccess = 0;
inline constexpr NvrtcResult kNvrtcInvalidOption = 5;

// X(function, return type, parameters)
#define WEFT_NVRTC_FUNCTIONS(X)                                                                      \
  X(nvrtcGetErrorString, const char*, (NvrtcResult result))                                          \
  X(nvrtcVersion, NvrtcResult, (int* major, int* minor))                                             \
  X(nvrtcCreateProgram, NvrtcResult,                                                                 \
    (NvrtcProgram * program, const char* source, const char* name, int headers,                      \
     const char* const* header_text, const char* const* header_names))                               \
  X(nvrtcDestroyProgram, NvrtcResult, (NvrtcProgram * program))                                      \
  X(nvrtcCompileProgram, NvrtcResult, (NvrtcProgram program, int count, const char* const* options)) \
  X(nvrtcGetPTXSize, NvrtcResult, (NvrtcProgram program, size_t* bytes))                             \
  X(nvrtcGetPTX, NvrtcResult, (NvrtcProgram program, char* text))                                    \
  X(nvrtcGetCUBINSize, NvrtcResult, (NvrtcProgram program, size_t* bytes))                           \
  X(nvrtcGetCUBIN, NvrtcResult, (NvrtcProgram program, char* image))                                 \
  X(nvrtcGetProgramLogSize, NvrtcResult, (NvrtcProgram program, size_t* bytes))                      \
  X(nvrtcGetProgramLog, NvrtcResult, (NvrtcProgram program, char* text))

struct NvrtcApi {
#define WEFT_X(function, type, parameters) type(*function) parameters = nullptr;
  WEFT_NVRTC_FUNCTIONS(WEFT_X)
#undef WEFT_X
};

}  // namespace weft::runtime::cuda
