// The process's environment; env.cpp is the only file that reads it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::detail {

// None when the variable is unset or empty.
std::optional<std::string> environment(const char* name);

// The variables that Weft reads.
std::span<const std::string_view> variables();
// Variables whose names are nearly those that Weft reads, and these.
std::vector<std::pair<std::string, std::string>> misspelt_variables();

// Of the variables that Weft reads, what is wrong with each whose value means nothing: an Error where it is read.
std::vector<std::string> refused_variables();

// WEFT_CHECK: whether kernels of the user's own text are held to their arrays. Read once.
bool checks_kernels();
// WEFT_CALIBRATION: whether the machine's speeds are measured and looked up. Read once.
bool calibrates();
// WEFT_CUDA_GRAPHS: whether GPUs start what comes again and again as CUDA graphs. Read once.
bool makes_cuda_graphs();
// WEFT_CALLERS: whether lines of Python have those that called. Read once.
bool notes_callers();
// WEFT_PERF_MAP: whether kernels are named for perf. Read once.
bool writes_perf_map();
// WEFT_PROGRESS: whether long work says on a terminal how far it is. Read once.
bool shows_progress();
// WEFT_NVTX: whether kernels are ranges for NVIDIA's tools. Read once.
bool marks_ranges();

// WEFT_MEMORY_SPEED: GB/s of the devices' memory, in bytes a second; none: to be measured.
std::optional<double> given_memory_speed();

// Error, under the name of a setting or a variable, where it is no number of them.
void check_threads(const std::string& name, int threads);

}  // namespace weft::detail
