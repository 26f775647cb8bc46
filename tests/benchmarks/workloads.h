// The workloads of workloads.py on Weft's arrays, written as a user would.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/cpp/weft/weft.h"

namespace weft::bench {

// As in workloads.py. `kCpuSizes` run past a shared last-level cache, `kGpuSizes` fill an H100 or H200.
struct Sizes {
  int64_t n;
  Shape rows;
  int64_t cube;
  Shape matvec;
  int64_t square, bodies;
  Shape svd, mlp, wide;
};
inline const Sizes kCpuSizes = {1 << 24,           {4096, 4096},     256,         {16384, 1024}, 4096, 4096,
                                {1024, 128, 1024}, {512, 512, 2048}, {256, 65536}};
inline const Sizes kGpuSizes = {
    1 << 27,      {32768, 4096}, 256, {65536, 8192}, 16384, 32768, {8192, 1024, 8192}, {4096, 4096, 16384},
    {4096, 65536}};

struct Workload {
  const char* name;
  std::vector<Array> (*run)(std::span<const Array> inputs);
  std::vector<Shape> (*inputs)(const Sizes& sizes);
};
const std::vector<Workload>& workloads();

}  // namespace weft::bench
