// What the machine is and how fast: facts of the system, and speeds that were measured once and kept beside the compiled
// kernels. Explanations and profiles tell expected times by them. What is computed, and in which order, never depends on
// a speed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft {

// A cache of the CPU for data.
struct CacheFacts {
  int level = 0;
  size_t bytes = 0;
  int processors = 0;  // that share it
};

// As measured. Where it does not say "one thread", on all threads of a CPU or all of a GPU.
struct MachineSpeeds {
  double memory = 0;             // bytes a second, read and written, of a copy that no cache holds
  double memory_one_thread = 0;  // the same of one thread; of a GPU as the one before
  // The same of copies within the CPU's caches: the first level, the second, and the last. 0 of a GPU.
  double first_cache = 0, second_cache = 0, last_cache = 0;
  double multiply_adds_f32 = 0, multiply_adds_f64 = 0;  // operations a second; a multiply-add is two
  double divisions = 0, square_roots = 0;               // of f32, a second
  double exponentials = 0;                              // the same
  double gathers = 0;         // elements of f32 a second, each from a line of its own, of a table of 1 MiB
  double launch_seconds = 0;  // of a kernel that does nothing in one task
  double task_seconds = 0;    // more for each task, or block of a GPU
  bool operator==(const MachineSpeeds&) const = default;
};
struct SpeedField {
  const char *name, *unit;
  double MachineSpeeds::* value;
};
// All of them, in order.
std::span<const SpeedField> speed_fields();

struct MachineFacts {
  std::string device, description, architecture;  // "cpu", "AMD EPYC", "znver4"
  int threads = 0;                                // CPU: worker threads; CUDA: multiprocessors
  int processors = 0, cores = 0;                  // of the CPU's machine: hyperthreads, and what they share
  int vector_bytes = 0, vector_registers = 0;     // of the CPU
  size_t memory_bytes = 0;
  std::vector<CacheFacts> caches;       // CPU: the first processor's, the smallest first; CUDA: its L2
  std::optional<MachineSpeeds> speeds;  // none: not measured on this machine
};

// What is known: what the system tells, and speeds that were kept. "" names the default device. Measures nothing.
MachineFacts machine_facts(const std::string& device = {});
// Measures the speeds, in less than two seconds, and keeps them in the cache of compiled kernels, where there is one.
// Error where WEFT_CALIBRATION forbids it, or nothing can be compiled. A machine that does other work gives lower speeds.
MachineFacts calibrate(const std::string& device = {});

// A line each.
std::string to_string(const MachineFacts& facts);

}  // namespace weft
