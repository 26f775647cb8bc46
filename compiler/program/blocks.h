// A row program as a list of loops over blocks of elements: what runs where no kernel is compiled. The loops
// are compiled with the library. Plain data: compiler/blocks makes it, runtime/blocks runs it.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/base/dtype.h"

namespace weft {

// A place in the memory of a run, or in a buffer: what an instruction reads and writes.
struct BlockSlot {
  enum class Kind : uint8_t {
    Same,    // one value, repeated for as many lanes as a vector may have
    Block,   // one value for each element of a block
    Memory,  // elements of a buffer, where they lie; what is less than a vector is copied
  } kind = Kind::Block;
  uint8_t bytes = 0;   // of an element
  int32_t offset = 0;  // in the memory of a run; of Memory: where less than a vector is copied
};

// A number times a position on an axis, or times an i64 value.
struct BlockTerm {
  int32_t of = 0;  // an axis, or a slot
  int64_t by = 0;
};
// Positions that a block walks over, the innermost first: so many, so many elements apart.
struct BlockStride {
  int64_t extent = 0, by = 0;
};

// Which elements of a buffer an instruction reads or writes; without a buffer, a number for each element. The
// lists are ranges of the program's.
struct BlockAccess {
  int32_t buffer = -1;
  uint8_t bytes = 0;  // of an element
  int64_t offset = 0;
  int32_t same_begin = 0, same_end = 0;      // terms of values that are the same all along a block
  int32_t values_begin = 0, values_end = 0;  // terms of values that are not
  int32_t strides_begin = 0, strides_end = 0;
  int32_t guards_begin = 0, guards_end = 0;  // slots of bools: where one is false, 0 is read
};

struct BlockInstruction {
  enum class Kind : uint8_t {
    Loop,      // out = loop(in...)
    Load,      // out = elements of the access
    Position,  // out = the access's number, i64
    Test,      // out = whether that lies in [0, number)
    Clamp,     // out = in[0], counted from `number` if negative, kept in [0, number)
    Store,     // elements of the access = in[0]
  } kind = Kind::Loop;
  uint8_t arity = 0;
  uint16_t loop = 0;
  int32_t out = -1;
  int32_t in[4] = {};
  int32_t access = -1;
  int64_t number = 0;
};

struct BlockProgram {
  std::vector<BlockSlot> slots;
  std::vector<BlockTerm> terms;
  std::vector<BlockStride> strides;
  std::vector<int32_t> guards;
  std::vector<BlockAccess> accesses;
  // What is the same for all elements, run once; then what runs for each block.
  std::vector<BlockInstruction> once, body;
  // Stores whose value is written where it is to lie: found before a block's body runs.
  std::vector<BlockInstruction> written;
  // Slots that hold a number of the text, or an argument: the words of a scalar.
  struct Constant {
    int32_t slot = 0;
    DType dtype = DType::F32;
    uint64_t words[2] = {};
  };
  struct Argument {
    int32_t slot = 0, word = 0;  // of the kernel's arguments, counted from the first scalar
    DType dtype = DType::F32;
  };
  std::vector<Constant> constants;
  std::vector<Argument> arguments;
  int32_t numbers = -1, mask = -1;  // slots: an index for each element, and the guards of a load as one
  int64_t elements = 0;             // of all blocks
  int64_t block = 0;                // elements of a block, a multiple of every vector's
  int64_t task = 0;                 // elements of a task, a multiple of a block
  int64_t memory_bytes = 0;         // of a run, 64-byte aligned
};

// Most strides of an access.
constexpr int kMostBlockStrides = 32;
// The lanes of the widest vector that loops are compiled for.
constexpr int64_t kMostBlockLanes = 16;

}  // namespace weft
