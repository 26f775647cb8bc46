// The workloads of workloads.py on Weft's arrays, behind C functions that Python's ctypes can call. A failed
// call returns null or a negative number and leaves its reason in weft_workload_error().
#pragma once

#include <cstdint>

extern "C" {

struct WeftWorkload;

// `inputs` are row-major f32 arrays in host memory, copied to the device ("cpu" or "cuda"); `shapes` are
// their extents one after the other, `ranks` how many belong to each. `threads` (0: all) counts in the
// first call of the process.
WeftWorkload* weft_workload_make(const char* name, const char* device, int threads, int inputs,
                                 const float* const* data, const int64_t* shapes, const int* ranks);
// Records and evaluates the workload as a user's loop would; on a GPU it may still run when this returns.
// The results of the call before live until those of this one are there.
int weft_workload_call(WeftWorkload* workload);
// Returns when everything called so far is done.
int weft_workload_wait();
int weft_workload_outputs(const WeftWorkload* workload);
int64_t weft_workload_output_size(const WeftWorkload* workload, int output);
int weft_workload_output(const WeftWorkload* workload, int output, float* to);
// How many kernels one call starts, matrix products of the device's BLAS included.
int64_t weft_workload_launches(WeftWorkload* workload);
void weft_workload_free(WeftWorkload* workload);
const char* weft_workload_error();

}  // extern "C"
