// A session of its own for tests: kernels cached in a fresh temporary folder, and every graph compiled unless
// told.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include "frontend/cpp/weft/weft.h"
#include "runtime/cpu/clang_jit.h"

namespace weft {

// So many kernels are compiled, where the library compiles any.
inline int64_t compiled(int64_t kernels) { return runtime::ClangJit::kCompiles ? kernels : 0; }
#define WEFT_NEEDS_A_COMPILER() \
  if (!runtime::ClangJit::kCompiles) GTEST_SKIP() << "this library compiles no kernels"

// Makes its session current while it lives, and removes the cache afterwards.
class TestSession {
 public:
  explicit TestSession(int interpret_limit = 0, int graph_limit = 4096, Tier tier = Tier::Compile)
      : before_(Session::current()) {
    std::string folder = (std::filesystem::temp_directory_path() / "weft-test-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw Error("test: no temporary folder");
    folder_ = folder;
    SessionOptions options;
    options.cache_directory = folder + "/cache";
    options.interpret_limit = interpret_limit;
    options.graph_limit = graph_limit;
    options.tier = tier;
    session_.emplace(options);
    session_->make_current();
  }
  ~TestSession() {
    session_->finish_kernels();  // what compiles behind writes there
    before_.make_current();
    session_.reset();
    // A kernel that was under way may be written a moment later.
    std::error_code problem;
    for (int attempt = 0; attempt < 100 && std::filesystem::exists(folder_); ++attempt) {
      std::filesystem::remove_all(folder_, problem);
      if (problem) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  TestSession(const TestSession&) = delete;
  Stats stats() const { return session_->stats(); }
  const Session& session() const { return *session_; }

 private:
  Session before_;
  std::filesystem::path folder_;
  std::optional<Session> session_;
};

// The message of the error that f throws, and its type checked.
template <class E = Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace weft
