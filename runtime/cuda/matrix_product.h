// Matrix products by cuBLASLt: row-major operands seen as the transposed column-major ones, C' = B' A'.
// How a product is computed is asked of the library once for each distinct shape, layout and alignment.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/hash.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/cublaslt_api.h"
#include "runtime/cuda/device_pool.h"
#include "runtime/device.h"

namespace weft::runtime::cuda {

class MatrixProduct {
 public:
  // The newest cuBLASLt that the driver can run; null with the `reason` where there is none. The context must
  // be current here and in `run`. `pool` outlives the object.
  static std::unique_ptr<MatrixProduct> open(std::shared_ptr<Context> context, DevicePool& pool,
                                             const std::vector<std::string>& directories,
                                             std::string& reason);
  ~MatrixProduct();
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  static bool supports(DType dtype);
  // Puts the product on the stream. f32 is computed in f32 (no TF32); f16 and bf16 accumulate in f32.
  void run(const Dot& what, void* c, const void* a, const void* b);

 private:
  struct Plan;
  MatrixProduct(std::shared_ptr<Context> context, DevicePool& pool)
      : context_(std::move(context)), pool_(pool) {}
  void fill_zero(const Dot& what, void* c);
  void run_batch(const Dot& what, void* c, const void* a, const void* b);
  std::shared_ptr<const Plan> plan(const Dot& what, const void* c, const void* a, const void* b);
  void describe_operands(Plan& made, const Dot& what) const;
  void choose_algorithm(Plan& made, const Dot& what, const void* c, const void* a, const void* b) const;
  bool wants_square_tiles(const Dot& what) const;
  void check(CublasStatus status, const char* doing, const Dot& what) const;

  std::shared_ptr<Context> context_;
  DevicePool& pool_;
  CublasLtApi api_;
  CublasLtHandle handle_ = nullptr;
  std::mutex mutex_;
  std::unordered_map<Hash, std::shared_ptr<const Plan>, HashOf> plans_;
};

}  // namespace weft::runtime::cuda
