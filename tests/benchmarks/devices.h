// Which devices the benchmarks run on, and what several of them need to put work on one directly, below the
// arrays.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/program/options.h"
#include "compiler/program/program.h"
#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace weft::bench {

// "cpu", and "cuda" where there is a GPU.
std::vector<std::string> device_names();

// A device with nothing loaded, which keeps `kernels` kernels at most. `cache` may be null.
struct OpenDevice {
  std::unique_ptr<runtime::Counters> counters;
  std::shared_ptr<runtime::Device> device;
  Target target;
};
OpenDevice open_device(const std::string& name, std::shared_ptr<runtime::KernelCache> cache = nullptr,
                       size_t kernels = 4096);

// The program of a graph in text form.
Program compile_text(std::string_view graph, const Target& target);
// The only kernel's arguments, for a program of one step without scalars.
std::vector<uint64_t> arguments(const Program& program, std::span<const runtime::BufferRef> inputs,
                                std::span<const runtime::BufferRef> outputs);

// Ten maps on two arrays of n elements, as text.
std::string ten_maps(int64_t n);

double median(std::vector<double> values);
// What a quarter of the values exceed.
double upper_quartile(std::vector<double> values);

}  // namespace weft::bench
