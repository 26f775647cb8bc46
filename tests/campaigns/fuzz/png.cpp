// PNG files: an image that is read holds as many bytes as its shape takes, and is the same after another
// round.
#include "frontend/files/png.h"
#include "compiler/base/error.h"
#include "tests/campaigns/fuzz/target.h"

namespace weft::test {

std::vector<std::string> fuzz_seeds() {
  const ScratchFile file("seed.png");
  std::vector<std::string> seeds;
  for (const DType dtype : {DType::U8, DType::U16})
    for (const Shape& shape : {Shape{3, 5}, Shape{2, 2, 2}, Shape{4, 1, 3}, Shape{1, 3, 4}}) {
      std::vector<std::byte> bytes(static_cast<size_t>(element_count(shape)) * size_of(dtype), std::byte{7});
      io::write_png(file.path(), {dtype, shape, std::move(bytes)});
      seeds.push_back(files_ending_in(file.folder(), "seed.png").at(0));
    }
  return seeds;
}

}  // namespace weft::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft;
  static const test::ScratchFile file("input.png"), again("again.png");
  // The largest image that a file of this size may ask for is checked by the reader, not by its memory.
  file.write({reinterpret_cast<const char*>(data), size});
  io::HostArray image;
  try {
    image = io::read_png(file.path());
  } catch (const Error&) {
    return 0;
  }
  if (image.data.size() != static_cast<size_t>(element_count(image.shape)) * size_of(image.dtype))
    test::fault("an image does not fill its shape");
  io::write_png(again.path(), image);
  if (io::read_png(again.path()).data != image.data)
    test::fault("an image changes when it is written and read");
  return 0;
}
