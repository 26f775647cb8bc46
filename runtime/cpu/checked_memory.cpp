#include "runtime/cpu/checked_memory.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/base/error.h"

namespace weft::runtime {
namespace {

// The part that a thread runs.
struct Part {
  const char* kernel;
  const CheckedMemory* memory;
  uint64_t count;
  std::jmp_buf end;
};
thread_local Part* running = nullptr;
thread_local bool was_outside = false;
thread_local std::string outside;

constexpr uint64_t kFirstPage = 4096;

// Kernels have nothing to be undone, and no tables to be unwound by. Whoever calls it has no destructors to run.
[[noreturn]] void end_part() {
  was_outside = true;
  std::longjmp(running->end, 1);  // NOLINT(cert-err52-cpp)
}

void note(std::string_view what) { outside = std::string(running->kernel).append(": ").append(what); }

void note_element(const CheckedMemory& array, int64_t index, bool writes) {
  const std::string name = array.name;
  note(name + "[" + std::to_string(index) + "] is " + (writes ? "written to" : "read") + ", but " + name +
       " has " + std::to_string(array.bytes / array.element) + " elements");
}

[[noreturn]] void refuse(const CheckedMemory& array, int64_t index, bool writes) {
  note_element(array, index, writes);
  end_part();
}

}  // namespace

extern "C" void weft_run_checked(const char* kernel, const CheckedMemory* memory, long count,
                                 void (*body)(const uint64_t*, long, long), const uint64_t* words, long begin,
                                 long end) {
  Part part{kernel, memory, static_cast<uint64_t>(count), {}};
  running = &part;
  if (setjmp(part.end) == 0) body(words, begin, end);  // NOLINT(cert-err52-cpp)
  running = nullptr;
}

extern "C" void* weft_checked_address(void* address, long bytes, long writes) {
  const auto whole = reinterpret_cast<uint64_t>(address);
  const uint64_t tag = whole >> kTagBit;
  if (bytes == 0 || (tag == 0 && whole >= kFirstPage)) return address;  // the kernel's own
  const uint64_t array = (tag + kTagStep / 2 - kFirstTag) / kTagStep;
  if (tag + kTagStep / 2 < kFirstTag || array >= running->count || !running->memory[array].name[0]) {
    note(writes ? "something is written to an address that is in none of its arrays"
                : "something is read from an address that is in none of its arrays");
    end_part();
  }
  const CheckedMemory& memory = running->memory[array];
  const auto offset = static_cast<int64_t>(whole - tag_of(array) - memory.address);
  const auto length = static_cast<int64_t>(memory.bytes), element = static_cast<int64_t>(memory.element);
  if (offset < 0) refuse(memory, -((-offset + element - 1) / element), writes != 0);
  if (offset >= length) refuse(memory, offset / element, writes != 0);
  if (bytes > length - offset) refuse(memory, length / element, writes != 0);
  return reinterpret_cast<void*>(whole - tag_of(array));
}

namespace {
// A negative length is a very long one.
long length_of(size_t bytes) {
  return static_cast<long>(std::min<size_t>(bytes, std::numeric_limits<long>::max()));
}
}  // namespace

extern "C" void weft_checked_move(void* to, void* from, size_t bytes) {
  if (bytes == 0) return;
  const void* const source = weft_checked_address(from, length_of(bytes), 0);
  std::memmove(weft_checked_address(to, length_of(bytes), 1), source, bytes);
}

extern "C" void weft_checked_fill(void* to, int value, size_t bytes) {
  if (bytes == 0) return;
  std::memset(weft_checked_address(to, length_of(bytes), 1), value, bytes);
}

void throw_outside_access() {
  if (!std::exchange(was_outside, false)) return;
  throw Error(std::exchange(outside, {}));
}

}  // namespace weft::runtime
