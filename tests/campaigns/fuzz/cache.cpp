// Entries of the kernel cache: whatever lies in the folder under an entry's name is listed, refused or given
// out, and what is given out is the binary of this very source.
#include <cstring>

#include "runtime/kernel_cache.h"
#include "tests/campaigns/fuzz/target.h"

namespace weft::test {
namespace {

using runtime::KernelCache;

constexpr const char* kToolchain = "clang-19 test";
constexpr const char* kSource = "void kernel() {}";
constexpr const char* kBinary = "binary of the kernel";

std::string entry_name() { return to_string(KernelCache::key(kToolchain, kSource)) + ".kernel"; }

// Where an entry's header has its checksum, which random bytes would never meet (runtime/kernel_cache.cpp).
constexpr size_t kSumAt = 80, kHeader = 96;

void mend_checksum(std::string& entry) {
  if (entry.size() < kHeader) return;
  std::memset(entry.data() + kSumAt, 0, 16);
  const Hash sum = hash_text(entry);
  std::memcpy(entry.data() + kSumAt, &sum.low, 8);
  std::memcpy(entry.data() + kSumAt + 8, &sum.high, 8);
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  const ScratchFile file(entry_name());
  KernelCache cache(file.folder(), 1 << 20);
  cache.put(kToolchain, "kernel", kSource, kBinary);
  const std::string entry = files_ending_in(file.folder(), ".kernel").at(0);
  // The first byte says whether the checksum is made to match.
  return {"\1" + entry, std::string(1, '\0') + entry};
}

}  // namespace weft::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft;
  using namespace weft::test;
  if (size == 0) return 0;
  static const ScratchFile file(entry_name());
  static KernelCache cache(file.folder(), 1 << 20);
  std::string entry(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] & 1) mend_checksum(entry);
  file.write(entry);
  for (auto& listed : cache.list())
    if (listed.bytes != entry.size()) fault("an entry is listed with another size");
  const auto found = cache.find(kToolchain, kSource);
  // With a checksum that matches, another binary is a sound entry too.
  if (found && !(data[0] & 1) && *found != kBinary) fault("a damaged entry is given out");
  cache.verify();
  return 0;
}
