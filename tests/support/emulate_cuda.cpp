#include "tests/support/emulate_cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>

namespace weft::test {

namespace {

// What the function with this signature does, up to the brace that begins a line.
void replace_block(std::string& text, const std::string& signature, const std::string& body) {
  const size_t at = text.find(signature + " {\n");
  if (at == std::string::npos) return;
  const size_t begin = at + signature.size() + 3;
  text.replace(begin, text.find("\n}\n", begin) - begin, "  " + body);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

EmulatedCuda::EmulatedCuda() {
  std::string pattern = (std::filesystem::temp_directory_path() / "weft_emulate_XXXXXX").string();
  directory_ = mkdtemp(pattern.data());
  source_ =
      fmt::format("#include \"{}\"\n", std::filesystem::absolute("tests/support/cuda_on_host.h").string());
}

EmulatedCuda::~EmulatedCuda() {
  if (library_) dlclose(library_);
  std::filesystem::remove_all(directory_);
}

void EmulatedCuda::add(const emit::Emitted& kernel) {
  const std::string& name = kernel.source.name;
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) return;
  names_.push_back(name);
  std::string text = kernel.source.text;
  replace_all(text, "extern __shared__ __align__(16) unsigned char weft_shared[];", "");
  replace_all(text, R"(asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));)", "r = f32_of_f16(x);");
  replace_all(text, R"(asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));)", "r = f16_of_f32(x);");
  replace_all(text, R"(asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(x));)", "r = f16_of_f64(x);");
  replace_all(text, R"(asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(0.0f));)",
              "r = (unsigned)bf16_of_f32(x) << 16;");
  replace_all(text, R"(asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(rest) : "f"(e));)", "rest = exp2f(e);");
  replace_all(text, R"(asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(rare) : "f"(y));)", "rare = log2f(y);");
  replace_all(text, R"(asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(1 - rest));)",
              "r = copysignf(1 - rest, x);");
  replace_all(
      text,
      R"(asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(__float_as_uint(b)), "r"(one), "r"(__float_as_uint(a)));)",
      "r = pair_add(a, one, b);");
  replace_all(text, R"(asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x * 0.72134752044448170368f));)",
              "r = rough_exp2f(x * 0.72134752044448170368f);");
  replace_all(text, R"(asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x * 1.44269504088896340736f));)",
              "r = rough_exp2f(x * 1.44269504088896340736f);");
  for (auto [op, sign] : {std::pair{"add", '+'}, {"sub", '-'}, {"mul", '*'}})
    replace_all(text,
                fmt::format(R"(asm("{}.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));)", op),
                fmt::format("r = f16_of_f32(a {} b);", sign));
  replace_all(text, R"(asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));)", "r = 1 / sqrtf(x);");
  replace_all(text, R"(asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b * by));)", "r = 1 / (b * by);");
  replace_all(text, R"(asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));)", "r = 1 / b;");
  replace_all(text, R"(asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));)",
              "r = without_subnormal(1 / without_subnormal(y));");
  replace_block(text, "weft_exp_f32(float x)", "return expf(x);");
  replace_block(text, "weft_inverse_f32(float c)", "return 1 / (double)c;");
  replace_all(text, R"(asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));)", "r = max_nan(a, b);");
  replace_all(text, R"(asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));)", "r = min_nan(a, b);");
  replace_all(text, "unsigned int at = (unsigned int)__cvta_generic_to_shared(to);", "");
  replace_block(text, "weft_copy_to_stay(W* to, const T* from)",
                "check_aligned((const W*)from), memcpy(to, from, sizeof(W));");
  replace_all(text,
              R"(asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");)",
              "*(uint4*)to = __ldcs((const uint4*)from);");
  replace_all(
      text,
      R"(asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(W)) : "memory");)",
      "check_aligned((const W*)from), memcpy(to, from, sizeof(W));");
  replace_block(text, "weft_to_stay()", "return 0;");
  replace_block(text, "weft_get_to_stay(const T* p)", "return weft_get<W>(p);");
  replace_all(text, R"(asm volatile("cp.async.wait_all;" ::: "memory");)", "");
  replace_all(text, R"(asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");)", "");
  replace_all(text, R"(asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");)",
              "meet_cluster();");
  replace_all(text,
              "unsigned int at = (unsigned int)__cvta_generic_to_shared(&place), count = (unsigned "
              "int)__cvta_generic_to_shared(&told);",
              "S& there = *(S*)in_block(&place, rank);");
  replace_all(text, R"(asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));)", "");
  replace_all(text, R"(asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(count) : "r"(count), "r"(rank));)",
              "");
  replace_all(text,
              R"(asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 ::"r"(at + 4 * i), "r"(((const unsigned int*)&s)[i]), "r"(count) : "memory");)",
              "((unsigned int*)&there)[i] = ((const unsigned int*)&s)[i];");
  // All blocks have told the others when all have come to wait for it.
  replace_all(text, "unsigned int count = (unsigned int)__cvta_generic_to_shared(&told), all;",
              "unsigned int all = 1;");
  replace_all(text, "unsigned int count = (unsigned int)__cvta_generic_to_shared(&told);", "");
  replace_all(text, R"(asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(count) : "memory");)", "");
  // Blocks that wait for each other share the host's processors.
  replace_all(text, "there = ~0ull;", "there = ~0ull; std::this_thread::yield();");
  replace_all(text, R"(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");)", "");
  replace_all(
      text,
      R"(asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(count), "r"(bytes) : "memory");)",
      "");
  replace_all(
      text,
      R"(asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count) : "memory");)",
      "meet_cluster();");
  replace_all(
      text,
      R"(asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all) : "r"(count), "r"(phase) : "memory");)",
      "meet_cluster();");
  // Each kernel has functions of its own under the same names; its entry is called without a copy of the
  // arguments.
  const bool of_a_user = name.starts_with("weft_user_");
  if (of_a_user)  // as much as the launch says
    text = std::regex_replace(text, std::regex(R"(extern\s+__shared__\s+([\w ]+?)\s+(\w+)\s*\[\s*\]\s*;)"),
                              "$1* const $2 = ($1*)weft_shared;");
  source_ += fmt::format("namespace {}_space {{\n{}\nstatic {} args_now;\n", name, text,
                         of_a_user ? "WeftArgs" : "Args");
  auto runner = [&](const std::string& entry) {
    source_ += fmt::format(
        "static void call_{0}() {{ {0}(args_now); }}\n"
        "extern \"C\" void run_{0}(const void* words, const unsigned* blocks, const unsigned* threads, "
        "unsigned "
        "cluster, unsigned shared_bytes) {{\n"
        "  memcpy(&args_now, words, sizeof args_now);\n"
        "  run_grid(call_{0}, {{blocks[0], blocks[1], blocks[2]}}, {{threads[0], threads[1], threads[2]}}, "
        "cluster, "
        "shared_bytes);\n}}\n",
        entry);
  };
  runner(name);
  if (kernel.launch.constants)
    for (const KernelConstant& one : *kernel.launch.constants)
      source_ += fmt::format(
          "extern \"C\" size_t constant_{0}_{1}(void** to) {{ *to = (void*)&{1}; return sizeof {1}; }}\n",
          name, one.name);
  if (kernel.launch.finish_tasks > 0) runner(name + "_finish");
  source_ += "}\n";
}

bool EmulatedCuda::build() {
  std::ofstream(directory_ + "/kernels.cpp") << source_;
  std::string command = fmt::format(
      "cd {} && {} -std=c++20 -O1 -ffp-contract=off -fno-strict-aliasing -fPIC -shared -pthread -w "
      "kernels.cpp -o "
      "kernels.so > log 2>&1",
      directory_, WEFT_HOST_COMPILER);
  if (std::system(command.c_str()) != 0) {
    std::ifstream log(directory_ + "/log");
    std::string text((std::istreambuf_iterator<char>(log)), {});
    ADD_FAILURE() << "the host compiler refuses a kernel:\n" << text.substr(0, 4000);
    if (const char* keep = std::getenv("WEFT_KEEP_KERNELS"))
      std::filesystem::copy(directory_ + "/kernels.cpp", keep,
                            std::filesystem::copy_options::overwrite_existing);
    return false;
  }
  library_ = dlopen((directory_ + "/kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library_, nullptr) << dlerror();
  return library_ != nullptr;
}

void EmulatedCuda::run(const emit::Emitted& kernel, const std::vector<uint64_t>& given) const {
  using Run = void (*)(const void*, const unsigned*, const unsigned*, unsigned, unsigned);
  using Extents = std::array<unsigned, 3>;
  std::vector<uint64_t> words = given;
  auto call = [&](const std::string& entry, const Extents& blocks, const Extents& threads, uint32_t cluster,
                  uint32_t shared_bytes) {
    auto run = reinterpret_cast<Run>(dlsym(library_, ("run_" + entry).c_str()));
    ASSERT_NE(run, nullptr) << entry;
    run(words.data(), blocks.data(), threads.data(), cluster, shared_bytes);
  };
  const Launch& l = kernel.launch;
  std::vector<uint32_t> counters(l.counters);
  if (l.counters > 0) words.at(l.counting) = reinterpret_cast<uint64_t>(counters.data());
  if (l.zeroed_bytes > 0) std::memset(reinterpret_cast<void*>(words[l.zeroed]), 0, l.zeroed_bytes);
  if (l.constants)
    for (const KernelConstant& one : *l.constants) {
      using Place = size_t (*)(void**);
      const auto place = reinterpret_cast<Place>(
          dlsym(library_, ("constant_" + kernel.source.name + "_" + one.name).c_str()));
      ASSERT_NE(place, nullptr) << one.name;
      void* to = nullptr;
      ASSERT_EQ(place(&to), one.bytes) << one.name;
      std::memcpy(to, reinterpret_cast<const void*>(words.at(one.argument)), one.bytes);
    }
  call(kernel.source.name, {static_cast<unsigned>(l.tasks), l.tasks_y, l.tasks_z},
       {l.threads, l.threads_y, l.threads_z}, std::max(l.cluster, l.cooperating), l.shared_bytes);
  if (l.finish_tasks > 0)
    call(kernel.source.name + "_finish", {static_cast<unsigned>(l.finish_tasks), 1, 1},
         {l.finish_threads, 1, 1}, 1, 0);
  EXPECT_EQ(std::ranges::count(counters, 0u), static_cast<std::ptrdiff_t>(counters.size()));
}

}  // namespace weft::test
