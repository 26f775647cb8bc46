// CUDA GPUs as devices. The driver, NVRTC and cuBLASLt are opened at run time; without them these functions
// say why.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::runtime {

// Where CUDA's libraries are looked for unless told otherwise; "" is the loader's own search.
std::vector<std::string> default_cuda_directories();

struct CudaOptions {
  // Searched in order for libcuda, libnvrtc and libcublasLt: each directory, and the nvidia/*/lib folders
  // below it (give Python's site-packages to use the libraries of its packages).
  std::vector<std::string> library_directories = default_cuda_directories();
  size_t most_kernels = 4096;  // kernels kept loaded
  bool graphs = true;  // what comes again and again is started as CUDA graphs, where the driver has them
};

// How many GPUs the driver shows; 0 with the `reason` where there is no driver or no GPU.
int cuda_device_count(std::string& reason, const CudaOptions& options = {});

// The number of the GPU in whose memory the pointer lies. Error where it lies in none.
int cuda_device_of(const void* pointer, const CudaOptions& options = {});
// The same for a pointer that may be the host's, page-locked or not: none then. Opens the driver once.
std::optional<int> cuda_memory_of(const void* pointer);

// GPU number `ordinal`. Throws Error when it cannot be had. `cache` may be null; `counters` outlives the
// device.
std::shared_ptr<Device> make_cuda_device(int ordinal, const CudaOptions& options,
                                         std::shared_ptr<KernelCache> cache, Counters& counters);

}  // namespace weft::runtime
