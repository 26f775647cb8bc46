// A program that was compiled ahead: what its function takes and gives, the program without its kernels' texts, and both
// as bytes that lie in the user's program beside the kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/dtype.h"
#include "compiler/base/shape.h"
#include "compiler/program/program.h"

namespace weft::runtime {

// Grows where a program's bytes, a kernel's arguments or what kernels call get another meaning.
inline constexpr uint32_t kExportFormat = 2;

struct ExportedProgram {
  struct Argument {
    std::string name;
    DType dtype = DType::F32;
    Shape shape;
  };
  // What an input of the program is: an argument, or an array that the function used besides.
  struct Input {
    int argument = -1, array = -1;
  };
  // What a scalar of the program is: an argument of rank 0, or a number.
  struct Number {
    int argument = -1;
    Scalar value;
  };
  // Of positions that the function picks by, and of exponents: outputs behind the results give the least and the most.
  struct Check {
    enum class Rule : uint8_t { Position, Exponent, Picked };
    Rule rule = Rule::Position;
    std::string op;
    int64_t axis = 0, extent = 0;
  };

  std::vector<Argument> arguments, results;
  std::vector<Input> inputs;
  std::vector<Number> scalars;
  std::vector<Check> checks;
  std::vector<int64_t> array_bytes;  // of each array that the function used besides
  Program program;
};

// Of kernels the names alone. The program has neither late kernels nor steps in blocks, of which the caller made sure.
std::string to_bytes(const ExportedProgram& exported);
// Throws Error where the bytes are none of to_bytes().
ExportedProgram exported_program(std::string_view bytes);

}  // namespace weft::runtime
