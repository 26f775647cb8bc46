/* Runs programs that `weft export` compiled ahead, from C and C++. Neither Weft's compiler nor LLVM is needed.
 *
 * A program NAME is a folder with NAME.h and libNAME.a, which are linked with libweft_runtime. NAME.h declares `NAME`, the
 * program, and says what it takes and gives. Arrays are row-major, without gaps. Every function is safe from any
 * thread. */
/* NOLINTBEGIN(readability-identifier-naming): names of C */
#ifndef WEFT_RUNTIME_H
#define WEFT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The dtypes of elements. Halves are their 16 bits; complex numbers are two floats, the real part first. */
typedef enum weft_dtype {
  WEFT_BOOL,
  WEFT_I8,
  WEFT_I16,
  WEFT_I32,
  WEFT_I64,
  WEFT_U8,
  WEFT_U16,
  WEFT_U32,
  WEFT_U64,
  WEFT_F16,
  WEFT_BF16,
  WEFT_F32,
  WEFT_F64,
  WEFT_C64,
  WEFT_C128
} weft_dtype;

#define WEFT_MOST_AXES 16

typedef struct weft_array {
  void* data;
  weft_dtype dtype;
  int rank;
  int64_t shape[WEFT_MOST_AXES]; /* `rank` extents, in elements */
  void* owner;                   /* of results that weft_run() allocated: for weft_release() */
} weft_array;

typedef enum weft_status {
  WEFT_OK = 0,
  WEFT_WRONG_INPUT =
      1, /* arrays of other dtypes or shapes, a position out of range, a processor or a GPU without what the program
            needs */
  WEFT_NO_MEMORY = 2,
  WEFT_WRONG_PROGRAM = 3, /* made by another version, or damaged */
  WEFT_DEFECT = 4         /* a defect of Weft's */
} weft_status;

/* Made by `weft export`; the fields are the library's. Of a program for a GPU `entry` is the image that holds the kernel. */
typedef struct weft_kernel {
  const char* name;
  void (*entry)(void);
  void (*finish)(void);
} weft_kernel;
typedef struct weft_program {
  const unsigned char* bytes;
  uint64_t size, hash[2];
  const weft_kernel* kernels;
  const void* const* arrays;
  uint32_t kernel_count, array_count;
} weft_program;
typedef struct weft_exported {
  uint32_t format, program_count;
  const char *name, *made_by, *processor;
  const weft_program* programs; /* one for each set of shapes */
} weft_exported;

/* Runs the program for the shapes of `inputs`. A result whose `data` is NULL gets memory that weft_release() gives back, and its
 * dtype, rank and shape are set; otherwise they must be the program's, and the values are copied to `data`. Inputs are read
 * alone. A program for a GPU takes `data` in the host's memory and in a GPU's, mixed as you like; allocated results are the
 * host's. It runs on the GPU whose memory is given, else on the first, after what the legacy default stream was given, and
 * is done when the call returns. What is returned is 0 or why it failed; then no result has changed, and weft_last_error() says more. */
weft_status weft_run(const weft_exported* program, const weft_array* inputs, size_t input_count,
                     weft_array* results, size_t result_count);
/* The same, where each result lies in memory of the caller's: `data` may be NULL where there is no element alone. */
weft_status weft_run_into(const weft_exported* program, const weft_array* inputs, size_t input_count,
                          weft_array* results, size_t result_count);
/* Gives a result's memory back, and sets `data` to NULL. */
void weft_release(weft_array* result);

/* Why this thread's last call failed, up to 1,000 characters; "" where it did not. Valid until the thread's next call. */
const char* weft_last_error(void);
/* How many threads share a kernel; 0: all that the process may use. */
weft_status weft_set_threads(int threads);
/* "0.1.0" */
const char* weft_runtime_version(void);

#ifdef __cplusplus
}
#endif

#endif
/* NOLINTEND(readability-identifier-naming) */
