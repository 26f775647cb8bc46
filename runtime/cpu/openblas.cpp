#include "runtime/cpu/openblas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "compiler/base/error.h"
#include "runtime/cpu/own_library.h"
#include "runtime/cpu/wide_openblas.h"

namespace weft::runtime {
namespace {

constexpr int kPthreads = 1;  // of openblas_get_parallel

// OpenBLAS reads its settings from the environment while it is loaded, and takes them from nowhere else.
// setenv may free the array that a getenv of another thread walks; here a longer array takes its place, which
// nobody frees, with the settings last, so that taking them out again moves no other. Names that are set stay
// as they are.
class SettingsWhileLoading {
 public:
  explicit SettingsWhileLoading(const std::vector<std::pair<std::string, std::string>>& settings) {
    static auto& kept = *new std::vector<std::unique_ptr<char*[]>>;
    static auto& texts = *new std::vector<std::unique_ptr<std::string>>;
    std::vector<char*> longer;
    for (char** entry = environ; entry && *entry; ++entry) longer.push_back(*entry);
    for (const auto& [name, value] : settings) {
      if (value.empty() || std::getenv(name.c_str())) continue;
      added_.push_back(name);
      longer.push_back(
          texts.emplace_back(std::make_unique<std::string>(fmt::format("{}={}", name, value)))->data());
    }
    if (added_.empty()) return;
    longer.push_back(nullptr);
    char** array = kept.emplace_back(std::make_unique<char*[]>(longer.size())).get();
    std::copy(longer.begin(), longer.end(), array);
    environ = array;
  }
  ~SettingsWhileLoading() {
    for (const std::string& name : added_) ::unsetenv(name.c_str());
  }
  SettingsWhileLoading(const SettingsWhileLoading&) = delete;
  SettingsWhileLoading& operator=(const SettingsWhileLoading&) = delete;

 private:
  std::vector<std::string> added_;
};

template <typename T>
bool find_all(void* library, char letter, BlasFunctions<T>& functions) {
  return find(library, fmt::format("cblas_{}gemm", letter), functions.gemm) &&
         find(library, fmt::format("cblas_{}gemv", letter), functions.gemv) &&
         find(library, fmt::format("cblas_{}syrk", letter), functions.syrk) &&
         find(library, fmt::format("cblas_{}trsm", letter), functions.trsm) &&
         find(library, fmt::format("{}getrf_", letter), functions.getrf);
}

// How a build names its functions: what stands in front of and behind the usual name.
struct Naming {
  const char *before, *behind;
};
constexpr Naming kUsual{"", ""}, kOfNumPy{"scipy_", "64_"};

bool find_functions(void* library, const Naming& naming, OpenBlas& blas, int (*&parallel)()) {
  const auto named = [&](const char* name) {
    return fmt::format("{}openblas_{}{}", naming.before, name, naming.behind);
  };
  if (!find(library, named("get_parallel"), parallel) ||
      !find(library, named("get_num_threads"), blas.get_num_threads) ||
      !find(library, named("set_num_threads"), blas.set_num_threads))
    return false;
  find(library, named("get_config"), blas.get_config);
  auto& [f32, f64, c64, c128] = blas.functions;
  if (naming.before == kOfNumPy.before)
    return WideBlas<float>::find_all(library, 's', f32) && WideBlas<double>::find_all(library, 'd', f64) &&
           WideBlas<std::complex<float>>::find_all(library, 'c', c64) &&
           WideBlas<std::complex<double>>::find_all(library, 'z', c128);
  return find_all(library, 's', f32) && find_all(library, 'd', f64) && find_all(library, 'c', c64) &&
         find_all(library, 'z', c128);
}

// NumPy computes with it, too, or will once it is imported.
bool is_numpys(const std::string& name) { return name.find("libscipy_openblas") != std::string::npos; }

// None when `name` is no OpenBLAS that we can use; then `reason` says why.
std::optional<OpenBlas> open_one(const std::string& name, std::string& reason) {
  OpenBlas blas{};
  void* library = dlopen(name.c_str(), kOwnSymbols | RTLD_NOLOAD);
  blas.shared = library != nullptr || is_numpys(name);
  if (!library) library = dlopen(name.c_str(), kOwnSymbols);
  if (!library) {
    const char* text = dlerror();
    reason = text ? text : name + " cannot be opened";
    return {};
  }
  blas.library = library, blas.wide = is_numpys(name);
  int (*parallel)() = nullptr;
  if (!find_functions(library, blas.wide ? kOfNumPy : kUsual, blas, parallel))
    reason = name + " lacks functions of OpenBLAS";
  else if (parallel() != kPthreads)
    reason = name + (parallel() == 0 ? " is a serial build" : " is an OpenMP build");
  else
    return blas;
  dlclose(library);
  return {};
}

// What NumPy's wheel brought, where Weft and NumPy were installed into one folder.
std::vector<std::string> beside_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&beside_this_library), &info) == 0 || !info.dli_fname) return {};
  const auto folder = std::filesystem::path(info.dli_fname).parent_path().parent_path() / "numpy.libs";
  std::vector<std::string> found;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(folder, none))
    if (file.path().filename().string().starts_with("libscipy_openblas64_")) found.push_back(file.path());
  return found;
}

// What OpenBLAS chooses by itself depends on whether the processor is older than it: 0.3.21 computes a
// quarter as fast as with SkylakeX's kernels on a Xeon with AMX, 0.3.26 equally fast. Zen 4 computes 512 bits
// in two halves, and Haswell's kernels gain it a tenth.
std::string kernels_for_this_processor() {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) return __builtin_cpu_is("amdfam19h") ? "Haswell" : "SkylakeX";
#endif
  return "";
}

struct SharedThreads {
  std::mutex mutex;
  int users = 0, threads = 1;
};
SharedThreads& shared_threads() {
  static SharedThreads threads;
  return threads;
}

}  // namespace

OpenBlas open_openblas(const std::vector<std::string>& libraries, const std::string& kernels) {
  std::vector<std::string> reasons;
  for (const std::string& name : libraries) {
    // One thread: it would start one for each processor as it is loaded.
    const bool ours = !is_numpys(name);
    const SettingsWhileLoading settings(
        {{"OPENBLAS_CORETYPE", ours ? kernels : ""}, {"OPENBLAS_NUM_THREADS", ours ? "1" : ""}});
    if (const std::optional<OpenBlas> blas = open_one(name, reasons.emplace_back())) {
      if (!blas->shared) blas->set_num_threads(1);
      return *blas;
    }
  }
  throw Error(
      fmt::format("dot: products on the CPU need a pthread build of OpenBLAS (Debian and Ubuntu: "
                  "libopenblas0-pthread; Fedora: openblas-threads; or NumPy's wheel beside Weft's); {}",
                  fmt::join(reasons, "; ")));
}

const OpenBlas& openblas() {
  // What the loader finds, and where builds lie when it finds another: Debian's, Fedora's, NumPy's.
  static const OpenBlas blas = [] {
    std::vector<std::string> libraries{"libopenblas.so.0",
                                       "/usr/lib/" WEFT_MULTIARCH "/openblas-pthread/libopenblas.so.0",
                                       "libopenblasp.so.0"};
    for (std::string& name : beside_this_library()) libraries.push_back(std::move(name));
    return open_openblas(libraries, kernels_for_this_processor());
  }();
  return blas;
}

OneBlasThread::OneBlasThread(const OpenBlas& blas) : blas_(blas) {
  if (!blas_.shared) return;
  std::lock_guard lock(shared_threads().mutex);
  if (shared_threads().users++ > 0) return;
  shared_threads().threads = blas_.get_num_threads();
  if (shared_threads().threads != 1) blas_.set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  if (!blas_.shared) return;
  std::lock_guard lock(shared_threads().mutex);
  if (--shared_threads().users == 0 && shared_threads().threads != 1)
    blas_.set_num_threads(shared_threads().threads);
}

}  // namespace weft::runtime
