// What every back end offers to the executor: memory, copies, kernels and matrix products, in order on the
// stream that the thread chose. A Device is shared by threads; each call is safe from any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "compiler/base/dtype.h"
#include "compiler/base/error.h"
#include "compiler/base/hash.h"
#include "compiler/program/program.h"
#include "runtime/stream.h"

namespace weft::runtime {

class Device;

// A block of device memory, given back to its device's pool (or to whom it belongs) when the last owner lets
// go.
class Buffer {
 public:
  // Never: the memory is somebody else's.
  enum class Writable : uint8_t { Freely, Never };
  Buffer(std::shared_ptr<Device> device, void* data, size_t bytes, Writable writable = Writable::Freely)
      : device_(std::move(device)), data_(data), bytes_(bytes), writable_(writable) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool writable() const { return writable_ == Writable::Freely; }
  // To be called before the memory is read; what is written as late as that is written now.
  virtual void complete() const {}
  const std::shared_ptr<Device>& device() const { return device_; }

 protected:
  // The bytes lie there from now on, where they may be written to. Nobody else uses the buffer meanwhile.
  void move_to(void* data) {
    data_ = data;
    writable_ = Writable::Freely;
  }

 private:
  std::shared_ptr<Device> device_;
  void* data_;
  size_t bytes_;
  Writable writable_;
};
using BufferRef = std::shared_ptr<Buffer>;

// What the back end's compiler reported; -1 where it does not say.
struct KernelResources {
  int registers = -1;
  int spill_bytes = -1;
  int shared_bytes = -1;
  int blocks_per_processor = -1;  // with the launch's threads and shared memory
};

// `count` rows of `length` real numbers, one behind the other.
struct SortedRows {
  DType dtype;
  int64_t count = 0, length = 0;
};

// The program ends, and what the compiler needs is gone.
class NoCompilerLeft : public Error {
 public:
  using Error::Error;
};

// A compiled, loaded kernel.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual KernelResources resources() const { return {}; }
};
using KernelRef = std::shared_ptr<Kernel>;

struct DeviceInfo {
  std::string name;          // "cpu", "cuda:0"
  std::string description;   // the vendor's name of the part
  std::string architecture;  // what kernels are compiled for, and keyed with: "znver4", "sm_90"
  int threads = 1;           // CPU: worker threads; CUDA: multiprocessors
  int vector_bytes = 0;      // CPU: width of a vector register
  bool compiles = true;      // false: it runs programs in blocks alone
  size_t cache_bytes = 0;    // CPU: last-level cache; CUDA: L2
  size_t memory_bytes = 0;   // all of the device's memory
  size_t shared_bytes = 0;   // CUDA: most shared memory of one block
  int resident_threads = 0;  // CUDA: that a multiprocessor runs at once
};

// Elements that lie one behind the other, or one that stands for all; `item`: bytes of each.
struct MapOperand {
  const std::byte* data = nullptr;
  int64_t item = 0;
  bool same = false;
};
struct MapResult {
  std::byte* data = nullptr;
  int64_t item = 0;
};

struct MemoryInfo {
  size_t in_use = 0;  // held by live buffers
  size_t pooled = 0;  // free in the pool, ready to hand out again
  size_t peak = 0;    // the highest in_use so far
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual MemoryInfo memory() const = 0;
  // info().threads, or what was set since.
  virtual int threads() const { return info().threads; }
  // Has what is given from now on share this many threads; 0: all that the process may use. Only of the CPU.
  virtual void set_threads(int) {}

  // Uninitialized memory, at least 64-byte aligned (256 on CUDA); `bytes` may be 0. Throws OutOfMemory
  // after the pool was trimmed and the request tried again.
  virtual BufferRef allocate(size_t bytes) = 0;
  // Gives the pool's free memory back to the system.
  virtual void trim() = 0;

  // Copies in stream order; `from` of a copy may belong to another device of the same kind. `upload` may
  // return before the copy is done, but `host` may be changed as soon as it returns; `download` returns when
  // `host` holds the bytes.
  virtual void upload(Buffer& to, size_t offset, const void* host, size_t bytes) = 0;
  virtual void download(void* host, const Buffer& from, size_t offset, size_t bytes) = 0;
  virtual void copy(Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t bytes) = 0;
  // Copies that may still run when they return: `host` is left alone until the stream has passed them.
  // Page-locked memory is copied beside other work.
  virtual void start_upload(Buffer& to, size_t offset, const void* host, size_t bytes) {
    upload(to, offset, host, bytes);
  }
  virtual void start_download(void* host, const Buffer& from, size_t offset, size_t bytes) {
    download(host, from, offset, bytes);
  }
  // Page-locked host memory; throws where the device has none of its own.
  virtual std::shared_ptr<void> allocate_host(size_t bytes) = 0;

  // ---- streams
  // A new one, and the one that takes this thread's work.
  virtual std::shared_ptr<Stream> make_stream() = 0;
  virtual std::shared_ptr<Stream> stream() = 0;
  // To be called before and after the thread's stream is given kernels or products that use a buffer: they
  // run after what other streams do with it, and later uses after them. Copies see to it themselves.
  enum class Use : uint8_t { Read, Write };
  virtual void before(const Buffer& /*buffer*/, Use /*use*/) {}
  virtual void after(const Buffer& /*buffer*/, Use /*use*/) {}

  // ---- memory of others. `stream` is CUDA's name of a foreign stream; 0 stands for none.
  // A buffer over memory that `release` gives back once nobody uses it. What the foreign stream was given
  // comes first.
  virtual BufferRef adopt(void* data, size_t bytes, std::function<void()> release, uint64_t stream) = 0;
  // Gives adopted host memory back before its time: the buffer gets a copy. Nobody else uses it meanwhile.
  virtual void give_back(Buffer& /*adopted*/) {}
  // Makes the foreign stream wait for what was written to the buffer, and later uses of the buffer for the
  // foreign stream.
  virtual void lend_to(const Buffer& /*buffer*/, uint64_t /*stream*/) {}
  virtual void take_back(const Buffer& /*buffer*/, uint64_t /*stream*/) {}
  // CUDA's name of the stream that writes to the buffer; 0 where there is none.
  virtual uint64_t stream_of(const Buffer& /*buffer*/) { return 0; }

  // True where `Buffer::data()` can be read by the host directly.
  virtual bool host_visible() const = 0;

  // What a launch like this one takes, with blocks_per_processor where the device has any.
  virtual KernelResources resources(const Kernel& kernel, const Launch& /*how*/) {
    return kernel.resources();
  }

  // Compiles (or takes from the memory or disk cache) and loads. Throws CompileError, and NoCompilerLeft.
  virtual KernelRef load(const KernelSource& source) = 0;
  // How much of that is done already.
  enum class Known : uint8_t { Loaded, OnDisk, Nothing };
  virtual Known known(const KernelSource& /*source*/) { return Known::Nothing; }
  // load() by a thread that nobody waits for: who asks for the kernel meanwhile compiles it too. Throws
  // BackgroundEnded besides.
  virtual KernelRef load_behind(const KernelSource& source) { return load(source); }
  // Target assembly (`asm` on the CPU, `ptx` on CUDA) of a source, for people to read.
  virtual std::string assembly(const KernelSource& source) = 0;

  // Starts a kernel. `args` are the 8-byte words that the entry receives: device pointers first, then integer
  // parameters, then scalars (low bytes of their word; c128 takes two words). They are copied before
  // returning.
  virtual void launch(const Kernel& kernel, const Launch& how, std::span<const uint64_t> args) = 0;

  // Whether there are loops for block programs here, and their start. `buffers` and `scalars` are the words of
  // a kernel's arguments, without the integers between them.
  virtual bool runs_blocks() const { return false; }
  // What the loop of that number gives for one element of each operand, all of one dtype, which is the
  // result's too. False where there is none.
  virtual bool map_element(int /*loop*/, std::span<const Scalar> /*operands*/, Scalar& /*result*/) {
    return false;
  }
  // The same for `count` elements of each operand, whose dtypes are those of the loop.
  virtual bool map_elements(int /*loop*/, std::span<const MapOperand> /*operands*/, MapResult /*result*/,
                            int64_t /*count*/) {
    return false;
  }
  virtual void launch_blocks(const BlockProgram& /*program*/, const Launch& /*how*/,
                             std::span<const uint64_t> /*buffers*/, std::span<const uint64_t> /*scalars*/) {
    throw InternalError("launch_blocks: the device has no loops");
  }

  // A matrix product by the device's BLAS; f32, f64, c64, c128 everywhere, f16 and bf16 (f32 accumulation) on
  // CUDA.
  virtual void dot(const Dot& what, void* c, const void* a, const void* b) = 0;
  virtual bool supports_dot(DType dtype) const = 0;

  // X of A X = B, by the device's LAPACK. `a` is n×n and column-major, `b` n×columns and row-major; b becomes
  // X and a is lost. False where A is singular.
  virtual bool solve(DType, int64_t /*n*/, int64_t /*columns*/, void* /*a*/, void* /*b*/) {
    throw InternalError("solve: the device has no LAPACK");
  }
  virtual bool supports_solve(DType) const { return false; }

  // Rows of real numbers in ascending order, in place, and the positions that put them there: NaN last, equal values in the
  // order in which they stand. In memory that the host sees.
  virtual void sort(const SortedRows&, void* /*values*/) {
    throw InternalError("sort: the device has no sort");
  }
  virtual void order(const SortedRows&, const void* /*values*/, int64_t* /*positions*/) {
    throw InternalError("order: the device has no sort");
  }

  // A clock of the device's own, for when it has nothing left to do. Null: the host's is as good.
  virtual std::unique_ptr<DeviceClock> start_clock() { return nullptr; }

  // Between the two, what this thread gives to the device may be held back until the thread asks for what it
  // gives, so that work which comes again and again is started in one go. They nest. Closing starts all; it
  // throws what starting reported.
  virtual void open_batch() {}
  virtual void close_batch() {}

  // Returns when all work given to this device so far is done; throws what that work reported.
  virtual void synchronize() = 0;
};

// A batch of the device's, open until close() or the end of the scope, which says nothing of failures: a device
// reports them again.
class BatchScope {
 public:
  explicit BatchScope(Device& device) : device_(&device) { device.open_batch(); }
  ~BatchScope() {
    try {
      close();
    } catch (const std::exception&) {
    }
  }
  BatchScope(const BatchScope&) = delete;
  BatchScope& operator=(const BatchScope&) = delete;

  void close() {
    if (Device* const device = std::exchange(device_, nullptr)) device->close_batch();
  }

 private:
  Device* device_;
};

}  // namespace weft::runtime
