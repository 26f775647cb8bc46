// An OpenBLAS for tests of how one is opened: it remembers the environment that it was loaded in, and its
// products do nothing. OPENBLAS_FAKE_PARALLEL stands for how it was built.
#include <cstdlib>
#include <string>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}
const std::string core_type = variable("OPENBLAS_CORETYPE"), num_threads = variable("OPENBLAS_NUM_THREADS");
const std::string parallel = variable("OPENBLAS_FAKE_PARALLEL");
int threads = 8;
}  // namespace

FAKE const char* fake_core_type() { return core_type.c_str(); }
FAKE const char* fake_num_threads() { return num_threads.c_str(); }

FAKE int openblas_get_parallel() { return parallel.empty() ? 1 : std::atoi(parallel.c_str()); }
FAKE int openblas_get_num_threads() { return threads; }
FAKE void openblas_set_num_threads(int count) { threads = count; }
FAKE void cblas_sgemm() {}
FAKE void cblas_dgemm() {}
FAKE void cblas_cgemm() {}
FAKE void cblas_zgemm() {}
FAKE void cblas_sgemv() {}
FAKE void cblas_dgemv() {}
FAKE void cblas_cgemv() {}
FAKE void cblas_zgemv() {}
FAKE void cblas_ssyrk() {}
FAKE void cblas_dsyrk() {}
FAKE void cblas_csyrk() {}
FAKE void cblas_zsyrk() {}
FAKE void cblas_strsm() {}
FAKE void cblas_dtrsm() {}
FAKE void cblas_ctrsm() {}
FAKE void cblas_ztrsm() {}
FAKE void sgetrf_() {}
FAKE void dgetrf_() {}
FAKE void cgetrf_() {}
FAKE void zgetrf_() {}
