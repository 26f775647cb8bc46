#include "runtime/cuda/matrix_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "compiler/base/error.h"
#include "runtime/cuda/cuda_stream.h"
#include "runtime/cuda/shared_library.h"

namespace weft::runtime::cuda {

namespace {

constexpr uint64_t kWorkspaceBytes = uint64_t{32} << 20;
constexpr uint32_t kMostAlignment = 256;
constexpr size_t kMostPlans = 4096;
// Batches are a grid dimension in some of the library's kernels, where 65535 is the limit.
constexpr int64_t kMostBatch = 65535;
// INPLACE and COMPUTE_TYPE: partial sums never pass through a half-precision output.
constexpr uint32_t kReductionSchemes = 1 | 2;
constexpr int kAnswers = 8;

struct Types {
  int data, compute, scale;
};

bool types_of(DType dtype, Types& types) {
  switch (dtype) {
    case DType::F16:
      types = {kCudaR16F, kCublasCompute32F, kCudaR32F};
      return true;
    case DType::BF16:
      types = {kCudaR16BF, kCublasCompute32F, kCudaR32F};
      return true;
    case DType::F32:
      types = {kCudaR32F, kCublasCompute32F, kCudaR32F};
      return true;
    case DType::F64:
      types = {kCudaR64F, kCublasCompute64F, kCudaR64F};
      return true;
    case DType::C64:
      types = {kCudaC32F, kCublasCompute32F, kCudaC32F};
      return true;
    case DType::C128:
      types = {kCudaC64F, kCublasCompute64F, kCudaC64F};
      return true;
    default:
      return false;
  }
}

std::string describe(const Dot& d) {
  return fmt::format(
      "dot of {}: {} x ({} x {}) @ ({} x {}), transposed {} {}, leading {} {} {}, strides {} {} {}",
      name(d.dtype), d.batch, d.m, d.k, d.k, d.n, d.transpose_a, d.transpose_b, d.lda, d.ldb, d.ldc,
      d.stride_a, d.stride_b, d.stride_c);
}

// The leading dimension of an operand stored as rows × columns. That of a single row means nothing, and
// callers may leave anything there, but cuBLASLt insists on a row's length.
int64_t leading(const Dot& what, char operand, int64_t rows, int64_t columns, int64_t given) {
  if (rows == 1) return std::max(given, columns);
  if (given < columns)
    throw InternalError(
        fmt::format("{}: rows of {} elements of {} lie {} apart", describe(what), columns, operand, given));
  return given;
}

uint32_t alignment(const void* pointer) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  return address == 0 ? kMostAlignment
                      : std::min<uint32_t>(kMostAlignment, 1u << std::min(std::countr_zero(address), 30));
}

const void* offset(const void* pointer, int64_t elements, DType dtype) {
  return static_cast<const char*>(pointer) + elements * static_cast<int64_t>(size_of(dtype));
}

// Eight-byte fields only, so that no padding gets into the hash.
struct PlanKey {
  int64_t dtype, batch, m, n, k, transpose_a, transpose_b, lda, ldb, ldc, stride_a, stride_b, stride_c;
  int64_t alignment_a, alignment_b, alignment_c;
};

}  // namespace

struct MatrixProduct::Plan {
  explicit Plan(const CublasLtApi& functions) : api(functions) {}
  ~Plan() {
    if (desc) api.cublasLtMatmulDescDestroy(desc);
    for (CublasLtLayout layout : {first, second, result})
      if (layout) api.cublasLtMatrixLayoutDestroy(layout);
  }
  const CublasLtApi& api;
  CublasLtDesc desc = nullptr;
  CublasLtLayout first = nullptr, second = nullptr, result = nullptr;
  CublasLtAlgo algo{};
  size_t workspace_bytes = 0;
};

std::unique_ptr<MatrixProduct> MatrixProduct::open(std::shared_ptr<Context> context, DevicePool& pool,
                                                   const std::vector<std::string>& directories,
                                                   std::string& reason) {
  std::vector<std::string> names;
  for (int major = std::min(13, context->driver().version / 1000); major >= 12; --major)
    names.push_back(fmt::format("libcublasLt.so.{}", major));
  auto library = SharedLibrary::open(names, directories, reason);
  if (!library) {
    reason = fmt::format("no cuBLASLt for CUDA {}: {}", context->driver().version / 1000, reason);
    return nullptr;
  }
  std::unique_ptr<MatrixProduct> product(new MatrixProduct(std::move(context), pool));
#define WEFT_X(function, type, parameters)                                                   \
  product->api_.function = reinterpret_cast<type(*) parameters>(library->symbol(#function)); \
  if (!product->api_.function) {                                                             \
    reason = fmt::format("{} has no {}", library->path(), #function);                        \
    return nullptr;                                                                          \
  }
  WEFT_CUBLASLT_FUNCTIONS(WEFT_X)
#undef WEFT_X
  CublasStatus status = product->api_.cublasLtCreate(&product->handle_);
  if (status != kCublasSuccess) {
    product->handle_ = nullptr;
    reason =
        fmt::format("{} does not start: {}", library->path(), product->api_.cublasLtGetStatusName(status));
    return nullptr;
  }
  return product;
}

MatrixProduct::~MatrixProduct() {
  Context::Scope scope(*context_);
  if (!scope.entered()) return;
  plans_.clear();
  if (handle_) api_.cublasLtDestroy(handle_);
}

bool MatrixProduct::supports(DType dtype) {
  Types types;
  return types_of(dtype, types);
}

void MatrixProduct::check(CublasStatus status, const char* doing, const Dot& what) const {
  if (status == kCublasSuccess) return;
  // The library hides what the driver said; a failure of earlier work shows here.
  CUresult result = context_->driver().cuStreamQuery(stream_of_thread(*context_));
  constexpr CUresult kNotReady = 600;
  if (result != kNotReady) context_->check(result, "dot");
  throw InternalError(fmt::format("{}: {}: {}: {}", context_->name(), describe(what), doing,
                                  api_.cublasLtGetStatusName(status)));
}

void MatrixProduct::run(const Dot& what, void* c, const void* a, const void* b) {
  if (what.batch < 0 || what.m < 0 || what.n < 0 || what.k < 0)
    throw InternalError(fmt::format("{}: negative extent", describe(what)));
  if (what.batch == 0 || what.m == 0 || what.n == 0) return;
  if (what.k == 0) return fill_zero(what, c);
  for (int64_t first = 0; first < what.batch; first += kMostBatch) {
    Dot part = what;
    part.batch = std::min(kMostBatch, what.batch - first);
    run_batch(part, const_cast<void*>(offset(c, first * what.stride_c, what.dtype)),
              offset(a, first * what.stride_a, what.dtype), offset(b, first * what.stride_b, what.dtype));
  }
}

void MatrixProduct::fill_zero(const Dot& what, void* c) {
  const DriverApi& driver = context_->driver();
  const size_t item = size_of(what.dtype);
  const int64_t ldc = leading(what, 'C', what.m, what.n, what.ldc);
  if ((ldc == what.n || what.m == 1) && (what.batch == 1 || what.stride_c == what.m * what.n)) {
    context_->check(driver.cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(c), 0,
                                           static_cast<size_t>(what.batch * what.m * what.n) * item,
                                           stream_of_thread(*context_)),
                    "dot");
    return;
  }
  for (int64_t i = 0; i < what.batch; ++i) {
    const void* matrix = offset(c, i * what.stride_c, what.dtype);
    context_->check(
        driver.cuMemsetD2D8Async(reinterpret_cast<CUdeviceptr>(matrix), static_cast<size_t>(ldc) * item, 0,
                                 static_cast<size_t>(what.n) * item, static_cast<size_t>(what.m),
                                 stream_of_thread(*context_)),
        "dot");
  }
}

void MatrixProduct::run_batch(const Dot& what, void* c, const void* a, const void* b) {
  std::shared_ptr<const Plan> chosen = plan(what, c, a, b);
  // Freed as soon as the product is on the stream: the pool hands memory out in stream order.
  struct Workspace {
    DevicePool& pool;
    Block block;
    ~Workspace() { pool.free(std::move(block)); }
  } workspace{pool_, pool_.allocate(chosen->workspace_bytes)};

  const float one_f32[2] = {1, 0}, zero_f32[2] = {0, 0};
  const double one_f64[2] = {1, 0}, zero_f64[2] = {0, 0};
  const bool wide = what.dtype == DType::F64 || what.dtype == DType::C128;
  const void* alpha = wide ? static_cast<const void*>(one_f64) : one_f32;
  const void* beta = wide ? static_cast<const void*>(zero_f64) : zero_f32;
  check(api_.cublasLtMatmul(handle_, chosen->desc, alpha, b, chosen->first, a, chosen->second, beta, c,
                            chosen->result, c, chosen->result, &chosen->algo,
                            reinterpret_cast<void*>(workspace.block.pointer), chosen->workspace_bytes,
                            stream_of_thread(*context_)),
        "cublasLtMatmul", what);
}

// Most f32 products that fill an H200 once are fastest, by 1 to 15 %, with tiles of 128 by 128 and without
// splitting k. The library's first answer is mostly another. What needs no workspace is not split.
bool MatrixProduct::wants_square_tiles(const Dot& what) const {
  constexpr int64_t kTile = 128;
  if (what.dtype != DType::F32 || context_->attribute(kDeviceComputeMajor) != 9) return false;
  const int64_t tiles = (what.m + kTile - 1) / kTile * ((what.n + kTile - 1) / kTile) * what.batch;
  return tiles * 8 >= int64_t{context_->attribute(kDeviceMultiprocessors)} * 7;
}

void MatrixProduct::describe_operands(Plan& made, const Dot& what) const {
  Types types;
  if (!types_of(what.dtype, types))
    throw InternalError(fmt::format("{}: cuBLASLt has no such dtype", describe(what)));
  check(api_.cublasLtMatmulDescCreate(&made.desc, types.compute, types.scale), "cublasLtMatmulDescCreate",
        what);
  // In column-major eyes the row-major B is the first operand and A the second, each transposed as it was
  // before.
  const int32_t op_first = what.transpose_b ? kCublasOpT : kCublasOpN;
  const int32_t op_second = what.transpose_a ? kCublasOpT : kCublasOpN;
  auto set_desc = [&](int attribute, int32_t value) {
    check(api_.cublasLtMatmulDescSetAttribute(made.desc, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute", what);
  };
  set_desc(kDescTransposeA, op_first);
  set_desc(kDescTransposeB, op_second);

  auto layout = [&](CublasLtLayout& out, char operand, int64_t rows, int64_t columns, int64_t given,
                    int64_t stride) {
    const int64_t ld = leading(what, operand, rows, columns, given);
    check(api_.cublasLtMatrixLayoutCreate(&out, types.data, static_cast<uint64_t>(columns),
                                          static_cast<uint64_t>(rows), ld),
          "cublasLtMatrixLayoutCreate", what);
    const int32_t batch = static_cast<int32_t>(what.batch);
    if (batch == 1) return;
    check(api_.cublasLtMatrixLayoutSetAttribute(out, kLayoutBatchCount, &batch, sizeof batch),
          "cublasLtMatrixLayoutSetAttribute", what);
    check(api_.cublasLtMatrixLayoutSetAttribute(out, kLayoutBatchStride, &stride, sizeof stride),
          "cublasLtMatrixLayoutSetAttribute", what);
  };
  layout(made.first, 'B', what.transpose_b ? what.n : what.k, what.transpose_b ? what.k : what.n, what.ldb,
         what.stride_b);
  layout(made.second, 'A', what.transpose_a ? what.k : what.m, what.transpose_a ? what.m : what.k, what.lda,
         what.stride_a);
  layout(made.result, 'C', what.m, what.n, what.ldc, what.stride_c);
}

void MatrixProduct::choose_algorithm(Plan& made, const Dot& what, const void* c, const void* a,
                                     const void* b) const {
  struct Preference {
    const CublasLtApi& api;
    CublasLtPreference handle = nullptr;
    ~Preference() {
      if (handle) api.cublasLtMatmulPreferenceDestroy(handle);
    }
  } preference{api_};
  check(api_.cublasLtMatmulPreferenceCreate(&preference.handle), "cublasLtMatmulPreferenceCreate", what);
  auto prefer = [&](int attribute, auto value) {
    check(api_.cublasLtMatmulPreferenceSetAttribute(preference.handle, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute", what);
  };
  prefer(kPreferenceReductionSchemes, kReductionSchemes);
  prefer(kPreferenceAlignmentA, alignment(b));
  prefer(kPreferenceAlignmentB, alignment(a));
  prefer(kPreferenceAlignmentC, alignment(c));
  prefer(kPreferenceAlignmentD, alignment(c));

  std::array<CublasLtHeuristic, kAnswers> answers{};
  auto ask = [&](uint64_t workspace, int wanted) {
    prefer(kPreferenceWorkspaceBytes, workspace);
    int found = 0;
    check(api_.cublasLtMatmulAlgoGetHeuristic(handle_, made.desc, made.first, made.second, made.result,
                                              made.result, preference.handle, wanted, answers.data(), &found),
          "cublasLtMatmulAlgoGetHeuristic", what);
    return std::span(answers).first(static_cast<size_t>(found));
  };
  auto has_square_tiles = [&](const CublasLtHeuristic& answer) {
    uint32_t tile = 0;
    size_t written = 0;
    return answer.state == kCublasSuccess &&
           api_.cublasLtMatmulAlgoConfigGetAttribute(&answer.algo, kAlgoTile, &tile, sizeof tile, &written) ==
               kCublasSuccess &&
           tile == kTile128By128;
  };
  CublasLtHeuristic best{};
  bool chosen = false;
  if (wants_square_tiles(what)) {
    auto found = ask(0, kAnswers);
    auto square = std::ranges::find_if(found, has_square_tiles);
    if (square != found.end()) best = *square, chosen = true;
  }
  if (!chosen) {
    auto found = ask(kWorkspaceBytes, 1);
    if (found.empty())
      throw InternalError(fmt::format("{}: cuBLASLt knows no way to compute it", describe(what)));
    best = found[0];
  }
  check(best.state, "cublasLtMatmulAlgoGetHeuristic", what);
  made.algo = best.algo;
  made.workspace_bytes = best.workspace_bytes;
}

std::shared_ptr<const MatrixProduct::Plan> MatrixProduct::plan(const Dot& what, const void* c, const void* a,
                                                               const void* b) {
  const PlanKey key{static_cast<int64_t>(what.dtype),
                    what.batch,
                    what.m,
                    what.n,
                    what.k,
                    what.transpose_a,
                    what.transpose_b,
                    what.lda,
                    what.ldb,
                    what.ldc,
                    what.stride_a,
                    what.stride_b,
                    what.stride_c,
                    alignment(a),
                    alignment(b),
                    alignment(c)};
  const Hash hash = hash_bytes(&key, sizeof key);
  std::lock_guard lock(mutex_);
  if (auto it = plans_.find(hash); it != plans_.end()) return it->second;

  auto made = std::make_shared<Plan>(api_);
  describe_operands(*made, what);
  choose_algorithm(*made, what, c, a, b);
  if (plans_.size() >= kMostPlans) plans_.clear();
  plans_.emplace(hash, made);
  return made;
}

}  // namespace weft::runtime::cuda
