#include "runtime/cpu/refused_mapping.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace weft::runtime {
namespace {

size_t number_in(const char* path) {
  std::ifstream in(path);
  size_t number = 0;
  in >> number;
  return number;
}

}  // namespace

std::string refused_mapping() {
  std::ifstream maps("/proc/self/maps");
  const auto count = static_cast<size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
  const size_t most = number_in("/proc/sys/vm/max_map_count");
  // The last few cannot be had: memory that is split needs two.
  if (most > 0 && count + 16 >= most)
    return fmt::format("more than {} memory maps of a process (vm.max_map_count): {} are in use", most,
                       count);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const size_t used = number_in("/proc/self/statm") * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    return fmt::format("more than {} bytes of address space to this process (ulimit -v): {} are in use",
                       limit.rlim_cur, used);
  }
  return "memory that it has not promised to others (vm.overcommit_memory)";
}

}  // namespace weft::runtime
