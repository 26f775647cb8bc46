#include "compiler/planned_work.h"

#include <fmt/format.h>

#include <variant>

#include "compiler/loop_program.h"

namespace weft {

namespace {

constexpr int64_t kWorthTiming = 100'000;

void add_program(const Program& program, int64_t times, PlannedWork& work);

void add_step(const Program& program, const KernelStep& k, int64_t times, PlannedWork& work) {
  const bool is_library = k.kernel >= 0 && program.kernels[static_cast<size_t>(k.kernel)].linked.entry;
  ++(is_library ? work.library_calls : work.kernels);
  work.bytes_read += k.bytes_read * times, work.bytes_written += k.bytes_written * times;
}

void add_step(const Program&, const DotStep& d, int64_t times, PlannedWork& work) {
  const auto size = static_cast<int64_t>(size_of(d.dot.dtype));
  ++work.library_calls;
  work.bytes_read += d.dot.batch * d.dot.k * (d.dot.m + d.dot.n) * size * times;
  work.bytes_written += d.dot.batch * d.dot.m * d.dot.n * size * times;
  work.operations += 2 * d.dot.batch * d.dot.m * d.dot.n * d.dot.k * times;
}

void add_step(const Program& program, const CopyStep& c, int64_t times, PlannedWork& work) {
  const int64_t bytes = program.buffers[static_cast<size_t>(c.to)].bytes * times;
  ++work.copies;
  work.bytes_read += bytes, work.bytes_written += bytes;
}

void add_step(const Program&, const LoopStep& l, int64_t times, PlannedWork& work) {
  ++work.loops;
  const bool scan = l.loop->kind == LoopProgram::Kind::Scan;
  work.unknown_turns |= !scan;
  for (const LoopProgram::Body& body : l.loop->bodies)
    add_program(body.program, scan ? l.loop->length * times : times, work);
}

void add_program(const Program& program, int64_t times, PlannedWork& work) {
  for (const ProgramStep& step : program.steps)
    std::visit([&](const auto& one) { add_step(program, one, times, work); }, step);
}

}  // namespace

PlannedWork work_of(const Program& program) {
  PlannedWork work;
  add_program(program, 1, work);
  return work;
}

void add_work_of(const Program& program, size_t step, PlannedWork& work) {
  std::visit([&](const auto& one) { add_step(program, one, 1, work); }, program.steps[step]);
}

double timed_speed(int64_t bytes, double memory_speed) { return bytes >= kWorthTiming ? memory_speed : 0; }

std::string readable_bytes(int64_t bytes) {
  constexpr double kKilo = 1e3, kMega = 1e6, kGiga = 1e9;
  const auto many = static_cast<double>(bytes);
  if (many < kKilo) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  if (many < kMega) return fmt::format("{:.1f} kB", many / kKilo);
  return many < kGiga ? fmt::format("{:.1f} MB", many / kMega) : fmt::format("{:.2f} GB", many / kGiga);
}

std::string readable_seconds(double seconds) {
  constexpr double kMilli = 1e-3, kMicro = 1e-6;
  if (seconds < kMilli) return fmt::format("{:.3g} us", seconds / kMicro);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds / kMilli) : fmt::format("{:.3g} s", seconds);
}

}  // namespace weft
