// What a kernel does, counted by kind: by it, and by the speeds of a machine, expected times are told.
#pragma once

#include <cstdint>

namespace weft {

// Operations count as those of f32: one of f64 counts twice, one of a half once.
struct KernelCost {
  // Bytes of arrays: of what is touched, once.
  int64_t bytes_read = 0, bytes_written = 0;
  // Bytes that later sweeps read once more, or that stay between sweeps, of memory of which a task walks `kept_bytes`
  // over and over.
  int64_t bytes_again = 0, kept_bytes = 0;
  int64_t bytes_accessed = 0;  // by all loads and stores, between registers and the nearest cache
  double operations = 0;       // multiplications, additions and their like; a multiply-add is two
  double divisions = 0, square_roots = 0;
  double functions = 0;  // each as long as an exponential
  double gathers = 0;    // elements that lie in no order
  double chained = 0;    // vectors that are folded one after another, each waiting for the one before
  int64_t rows = 0;      // runs along the lanes that begin and end
  int64_t joins = 0;     // of a vector's lanes to one value
  int64_t tasks = 1, grain = 1, launches = 1;
  int lanes = 1;            // of the values of a vector, or of several at once
  bool streaming = false;   // stores pass the cache by
  bool row_masked = false;  // rows begin and end with masks, else through copies
};

}  // namespace weft
