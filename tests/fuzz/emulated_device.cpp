#include "tests/fuzz/emulated_device.h"

#include "compiler/base/error.h"
#include "runtime/cpu/cpu_device.h"
#include "tests/support/emulate_cuda.h"

namespace weft::test {
namespace {

using namespace runtime;

struct EmulatedKernel : Kernel {
  explicit EmulatedKernel(KernelSource s) : source(std::move(s)) {}
  KernelSource source;
};

// Memory, copies and products are the CPU device's.
class EmulatedDevice : public Device {
 public:
  EmulatedDevice(std::unique_ptr<EmulatedCuda> emulator, Counters& counters)
      : emulator_(std::move(emulator)), host_(make_cpu_device({}, nullptr, counters)), info_(host_->info()) {
    info_.name = "emulated";
  }

  const DeviceInfo& info() const override { return info_; }
  MemoryInfo memory() const override { return host_->memory(); }
  BufferRef allocate(size_t bytes) override { return host_->allocate(bytes); }
  void trim() override { host_->trim(); }
  void upload(Buffer& to, size_t offset, const void* from, size_t bytes) override {
    host_->upload(to, offset, from, bytes);
  }
  void download(void* to, const Buffer& from, size_t offset, size_t bytes) override {
    host_->download(to, from, offset, bytes);
  }
  void copy(Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t bytes) override {
    host_->copy(to, to_offset, from, from_offset, bytes);
  }
  std::shared_ptr<void> allocate_host(size_t bytes) override { return host_->allocate_host(bytes); }
  std::shared_ptr<Stream> make_stream() override { return host_->make_stream(); }
  std::shared_ptr<Stream> stream() override { return host_->stream(); }
  BufferRef adopt(void* data, size_t bytes, std::function<void()> release, uint64_t stream) override {
    return host_->adopt(data, bytes, std::move(release), stream);
  }
  bool host_visible() const override { return true; }
  KernelRef load(const KernelSource& source) override { return std::make_shared<EmulatedKernel>(source); }
  std::string assembly(const KernelSource& source) override { return source.text; }
  void launch(const Kernel& kernel, const Launch& how, std::span<const uint64_t> args) override {
    auto& source = dynamic_cast<const EmulatedKernel&>(kernel).source;
    emulator_->run({source, how, {}, 0}, {args.begin(), args.end()});
  }
  void dot(const Dot& what, void* c, const void* a, const void* b) override { host_->dot(what, c, a, b); }
  bool supports_dot(DType dtype) const override { return host_->supports_dot(dtype); }
  void synchronize() override {}

 private:
  std::unique_ptr<EmulatedCuda> emulator_;
  std::shared_ptr<Device> host_;
  DeviceInfo info_;
};

// With those of loops' bodies.
void add_kernels(EmulatedCuda& emulator, const Program& program) {
  for (auto& step : program.steps) {
    if (auto* k = std::get_if<KernelStep>(&step))
      emulator.add({program.kernels[static_cast<size_t>(k->kernel)], k->launch, {}, 0});
    if (auto* l = std::get_if<LoopStep>(&step))
      for (auto& body : l->loop->bodies) add_kernels(emulator, body.program);
  }
}

}  // namespace

std::shared_ptr<Device> make_emulated_device(const std::vector<Program>& programs, Counters& counters) {
  auto emulator = std::make_unique<EmulatedCuda>();
  for (auto& program : programs) add_kernels(*emulator, program);
  if (!emulator->build()) return nullptr;
  return std::make_shared<EmulatedDevice>(std::move(emulator), counters);
}

}  // namespace weft::test
