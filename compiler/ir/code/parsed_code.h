// An op as text that was read, before the dtypes of a call are known.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/ir/code/code_syntax.h"
#include "compiler/ir/function.h"

namespace weft::ir {

// The texts of an op. Each names itself in errors, and has to live as long as what is parsed of it.
struct CodeTexts {
  std::string name;
  CodeText in_params, out_params;
  CodeText operation;  // statements; or one value, which is that of the only result
  bool is_value = false;
  CodeText preamble;    // functions that the operation calls
  CodeText derivative;  // assigns dr_dx, of each result r by each parameter x
  // What CUDA computes in the operation's place, and what verifying compares it with; empty: nothing else.
  CodeText cuda_operation, cuda_preamble, reference;
  double ulps = kUlps;
};

// What an op takes and gives.
struct CodeParameters {
  std::set<std::string> generics;
  std::vector<CodeParameter> params, results;
};

// Error where there are none, where two have one name, or where a result has a type that no parameter says.
CodeParameters parse_parameters(const std::string& op, const CodeText& in, const CodeText& out);

struct ParsedCode {
  CodeTexts texts;
  std::set<std::string> generics;
  std::vector<CodeParameter> params, results;
  CodeStatements operation, derivative;
  std::vector<CodeFunction> functions;
};

}  // namespace weft::ir
