// Types, lists of numbers and strings as `.weft` text writes them, and errors of what they are given to, at their place.
#pragma once

#include <string>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/base/shape.h"
#include "compiler/ir/node.h"
#include "compiler/ir/text/lexer.h"

namespace weft::ir {

// f(), which speaks of what it does alone: its errors are shown at `at`, and keep their types.
template <class F>
auto at_token(const TextLexer& lexer, const Token& at, F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const IndexError& e) {
    throw IndexError(lexer.located(at, e.what()));
  } catch (const TypeError& e) {
    throw TypeError(lexer.located(at, e.what()));
  } catch (const Error& e) {
    throw Error(lexer.located(at, e.what()));
  }
}

// [1, 2, 3]
Dims parse_dims(TextLexer& lexer);
// f32[2, 3]
TensorType parse_type(TextLexer& lexer);
// What a token in quotes stands for.
std::string parse_string(const TextLexer& lexer, const Token& at);

}  // namespace weft::ir
