#include "runtime/cpu/host.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

namespace weft::runtime {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return {};
  return line;
}

// A file of one number; "max" and version 1's page-rounded 2^63 mean that there is no limit.
std::optional<size_t> number_in(const std::string& path) {
  const std::optional<std::string> line = first_line(path);
  if (!line || line->empty() || !std::isdigit(static_cast<unsigned char>(line->front()))) return {};
  const size_t value = std::strtoull(line->c_str(), nullptr, 10);
  return value >= size_t{1} << 62 ? std::optional<size_t>() : value;
}

// The value of a "name  value" row: /proc/meminfo, memory.stat.
std::optional<size_t> row_of(const std::string& path, std::string_view row) {
  std::ifstream in(path);
  std::string name;
  size_t value = 0;
  std::string rest;
  while (in >> name >> value) {
    if (name == row) return value;
    std::getline(in, rest);
  }
  return {};
}

// The folders of this process's control group and of all above it, for `controller`; version 2's when it is
// empty.
std::vector<std::string> control_groups(std::string_view controller) {
  std::vector<std::string> folders;
  std::ifstream in("/proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controller.empty() ? names != ",,"
                           : names.find("," + std::string(controller) + ",") == std::string::npos)
      continue;
    const std::string root = "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + std::string(controller));
    std::string path = line.substr(second + 1);
    while (path.size() > 1) {
      folders.push_back(root + path);
      path.resize(path.rfind('/'));
    }
    folders.push_back(root);
  }
  return folders;
}

// "64K", "2M" or a number of bytes.
size_t bytes_of(const std::string& size) {
  char* unit = nullptr;
  const size_t bytes = std::strtoull(size.c_str(), &unit, 10);
  return *unit == 'K' ? bytes << 10 : *unit == 'M' ? bytes << 20 : bytes;
}

// Of a list as "0-3,8,10-11"; 0 where it is none.
int count_of(const std::string& list) {
  int count = 0;
  std::istringstream in(list);
  std::string range;
  while (std::getline(in, range, ',')) {
    const size_t dash = range.find('-');
    const int first = std::atoi(range.c_str());
    count += dash == std::string::npos ? 1 : std::atoi(range.c_str() + dash + 1) - first + 1;
  }
  return count;
}

constexpr int kMostIndices = 8;  // of a processor's caches

struct MemoryFiles {
  const char *controller, *limit, *used, *reclaimable;
};
constexpr MemoryFiles kMemoryFiles[] = {
    {"", "memory.max", "memory.current", "inactive_file"},
    {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

}  // namespace

int usable_threads() {
  // As many words as the kernel's mask has; a fixed cpu_set_t ends at 1024 processors.
  int threads = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  for (int most = 1024; most <= 1 << 16; most *= 2) {
    cpu_set_t* set = CPU_ALLOC(most);
    const size_t bytes = CPU_ALLOC_SIZE(most);
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    if (known) threads = CPU_COUNT_S(bytes, set);
    CPU_FREE(set);
    if (known) break;
  }
  auto bound = [&](double quota, double period) {
    if (quota > 0 && period > 0) threads = std::min(threads, static_cast<int>((quota + period - 1) / period));
  };
  for (const std::string& folder : control_groups("")) {
    double quota = 0, period = 0;
    std::istringstream line(first_line(folder + "/cpu.max").value_or("max"));
    if (line >> quota >> period) bound(quota, period);
  }
  for (const std::string& folder : control_groups("cpu"))
    bound(static_cast<double>(number_in(folder + "/cpu.cfs_quota_us").value_or(0)),
          static_cast<double>(number_in(folder + "/cpu.cfs_period_us").value_or(0)));
  return std::max(threads, 1);
}

size_t total_memory() {
  size_t total = row_of("/proc/meminfo", "MemTotal:").value_or(kNoLimit >> 10) << 10;
  for (const MemoryFiles& files : kMemoryFiles)
    for (const std::string& folder : control_groups(files.controller))
      total = std::min(total, number_in(folder + "/" + files.limit).value_or(kNoLimit));
  return total;
}

size_t available_memory() {
  size_t available = row_of("/proc/meminfo", "MemAvailable:").value_or(kNoLimit >> 10) << 10;
  for (const MemoryFiles& files : kMemoryFiles) {
    for (const std::string& folder : control_groups(files.controller)) {
      const std::optional<size_t> limit = number_in(folder + "/" + files.limit);
      const std::optional<size_t> used = number_in(folder + "/" + files.used);
      if (!limit || !used) continue;
      const size_t reclaimable = row_of(folder + "/memory.stat", files.reclaimable).value_or(0);
      const size_t held = *used - std::min(*used, reclaimable);
      available = std::min(available, *limit - std::min(*limit, held));
    }
  }
  return available;
}

size_t last_level_cache() {
  size_t largest = 0;
  for (int index = 0; index < kMostIndices; ++index)
    if (const auto size =
            first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size"))
      largest = std::max(largest, bytes_of(*size));
  // Virtual machines may hide the folder; the C library asks the processor itself.
  if (largest == 0)
    for (int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
      largest = std::max(largest, static_cast<size_t>(std::max(::sysconf(name), 0L)));
  return largest;
}

CpuLayout cpu_layout(const std::string& folder) {
  CpuLayout out;
  out.processors = count_of(first_line(folder + "/present").value_or(""));
  std::set<std::string> cores;  // each by the list of its processors
  for (int k = 0; k < out.processors; ++k)
    if (const auto of = first_line(folder + "/cpu" + std::to_string(k) + "/topology/thread_siblings_list"))
      cores.insert(*of);
  out.cores = static_cast<int>(cores.size());
  for (int index = 0; index < kMostIndices; ++index) {
    const std::string cache = folder + "/cpu0/cache/index" + std::to_string(index) + "/";
    const auto size = first_line(cache + "size"), type = first_line(cache + "type"),
               level = first_line(cache + "level");
    if (!size || !level || type == "Instruction") continue;
    out.caches.push_back({std::atoi(level->c_str()), bytes_of(*size),
                          std::max(count_of(first_line(cache + "shared_cpu_list").value_or("")), 1)});
  }
  std::ranges::sort(out.caches, {}, &CpuCache::level);
  return out;
}

int host_vector_registers() {
#ifdef __x86_64__
  // AVX-512VL gives all 32 to shorter vectors, too.
  return __builtin_cpu_supports("avx512vl") ? 32 : 16;
#else
  return 32;
#endif
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  std::string line;
  while (std::getline(in, line))
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

}  // namespace weft::runtime
