// A function of arrays recorded once: later calls with arrays of the same dtypes and shapes run its program
// without recording anything.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

class Compiled;
namespace detail {
struct FunctionGraph;
FunctionGraph function_graph(const char* op, std::span<const Array> arguments,
                             const std::function<std::vector<Array>(std::span<const Array>)>& f);
// A call whose work began then by the clock of profiles; 0: begins now.
std::vector<Array> call_since(int64_t since, const Compiled& f, std::span<const Array> arguments);
}  // namespace detail

class Compiled {
 public:
  using Function = std::function<std::vector<Array>(std::span<const Array>)>;
  // Calls f once, with arrays of the arguments' dtypes, shapes and device that have no values: looking at
  // one, or at what was made of it, is an Error. What f writes to its arguments is part of it; arrays that it
  // uses besides them keep the values that they have now, and writing to one is an Error, as is reading an
  // argument from outside once f has written to it. Where an argument that f writes to shows memory that
  // another shows too, or shows it twice, f is called again, with views of one array.
  // Calls take the values of the arguments numbered by `donated` away: results get their memory where a kernel reads
  // it for the last time and nobody else holds it, and looking at one afterwards is an Error. What a view shows of
  // another array stays. Error where f writes to one.
  Compiled(std::span<const Array> arguments, const Function& f, std::span<const size_t> donated = {});
  // Whether this thread records a function at the moment: what that one calls is recorded with it.
  static bool recording();

  // f's results, and its writes. An error that comes while kernels run leaves donated arguments without values. Error when the arguments differ from those it was recorded with in more than
  // values, or not stands(). IndexError, with nothing written, when positions that f checks are out
  // of range.
  std::vector<Array> operator()(std::span<const Array> arguments) const;
  // Compiles the kernels that f's program would run without at first. Throws CompileError.
  void warm() const;
  // Whether these arguments are of the dtypes, shapes and device that it was recorded with.
  bool takes(std::span<const Array> arguments) const;
  // Whether nobody wrote to the arrays that f uses besides its arguments since it was recorded, and f writes
  // to none of them as one of these arguments.
  bool is_current(std::span<const Array> arguments) const;
  // Whether what f writes to shares memory with other arguments as it did when f was recorded: with none, or
  // in the same places. To be asked of arguments that it takes().
  bool stands(std::span<const Array> arguments) const;

 private:
  struct State;
  struct Recorded;
  std::vector<Array> run(std::span<const Array> arguments) const;
  friend std::vector<Array> detail::call_since(int64_t since, const Compiled& f,
                                               std::span<const Array> arguments);
  friend detail::FunctionGraph detail::function_graph(const char* op, std::span<const Array> arguments,
                                                      const Function& f);
  std::shared_ptr<const State> state_;
};

}  // namespace weft
