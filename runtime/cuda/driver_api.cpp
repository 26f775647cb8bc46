#include "runtime/cuda/driver_api.h"

#include <fmt/format.h>

#include "runtime/cuda/shared_library.h"

namespace weft::runtime::cuda {

std::shared_ptr<const DriverApi> DriverApi::open(const std::vector<std::string>& directories,
                                                 std::string& reason) {
  auto library = SharedLibrary::open({"libcuda.so.1"}, directories, reason);
  if (!library) {
    reason = "no NVIDIA driver: " + reason;
    return nullptr;
  }
  auto api = std::make_shared<DriverApi>();
#define WEFT_X(function, symbol_name, parameters)                                              \
  api->function = reinterpret_cast<CUresult(*) parameters>(library->symbol(#symbol_name));     \
  if (!api->function) {                                                                        \
    reason = fmt::format("{}: too old a driver, it has no {}", library->path(), #symbol_name); \
    return nullptr;                                                                            \
  }
  WEFT_CUDA_DRIVER_FUNCTIONS(WEFT_X)
#undef WEFT_X
#define WEFT_X(function, symbol_name, parameters) \
  api->function = reinterpret_cast<CUresult(*) parameters>(library->symbol(#symbol_name));
  WEFT_CUDA_OPTIONAL_DRIVER_FUNCTIONS(WEFT_X)
#undef WEFT_X
  CUresult result = api->cuInit(0);
  if (result == kCudaSuccess) result = api->cuDriverGetVersion(&api->version);
  if (result != kCudaSuccess) {
    reason = fmt::format("{} does not start: {}", library->path(), api->describe(result));
    return nullptr;
  }
  return api;
}

std::string DriverApi::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != kCudaSuccess || !name) return fmt::format("CUDA error {}", result);
  if (cuGetErrorString(result, &text) != kCudaSuccess || !text) return name;
  return fmt::format("{} ({})", name, text);
}

}  // namespace weft::runtime::cuda
