// NPY files: what is read is written and read again with the same bytes.
#include <sstream>

#include "compiler/base/error.h"
#include "frontend/files/npy.h"
#include "tests/campaigns/fuzz/target.h"

namespace weft::test {
namespace {

std::string written(const io::HostArray& array) {
  std::ostringstream out;
  io::write_npy(out, array, "seed");
  return out.str();
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds;
  for (int k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 0, 4}, Shape{2, 3, 1}}) {
      std::vector<std::byte> bytes(static_cast<size_t>(element_count(shape)) * size_of(dtype), std::byte{1});
      seeds.push_back(written({dtype, shape, std::move(bytes)}));
    }
  }
  // Big-endian, and in Fortran's order.
  for (auto& [from, to] : {std::pair<std::string, std::string>{"'<", "'>"}, {"False", "True "}}) {
    std::string seed = written({DType::F64, {2, 3}, std::vector<std::byte>(48, std::byte{2})});
    if (const size_t at = seed.find(from); at != std::string::npos) seed.replace(at, from.size(), to);
    seeds.push_back(seed);
  }
  return seeds;
}

}  // namespace weft::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  io::HostArray array;
  try {
    array = io::read_npy(in, "input");
  } catch (const Error&) {
    return 0;
  }
  std::stringstream again;
  io::write_npy(again, array, "again");
  const io::HostArray back = io::read_npy(again, "again");
  if (back.dtype != array.dtype || back.shape != array.shape || back.data != array.data)
    test::fault("an array changes when it is written and read");
  return 0;
}
