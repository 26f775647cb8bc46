// The two kinds of failure that every layer reports: the caller's mistakes and our own.
// A message names the op, the rule, and what was got: `reshape: cannot view 12 elements as (5, 3)`.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

// Something the caller can mend: a wrong shape, dtype, file, device or option.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An index outside of an axis; Python shows it as IndexError.
class IndexError : public Error {
 public:
  using Error::Error;
};

// An axis that is not there; Python shows it as NumPy's AxisError, an IndexError and a ValueError.
class AxisError : public IndexError {
 public:
  using IndexError::IndexError;
};

// A dtype that the op does not take; Python shows it as TypeError.
class TypeError : public Error {
 public:
  using Error::Error;
};

// A number that the dtype asked for does not hold; Python shows it as OverflowError.
class OverflowError : public Error {
 public:
  using Error::Error;
};

// No memory left on a device, after its pool was trimmed; says what was asked for and what is held.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// A defect of Weft itself: names the pass or stage and carries the IR around it.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// A generated source that its compiler refused: carries the tool's log and the source.
class CompileError : public InternalError {
 public:
  CompileError(const std::string& what, std::string log, std::string source)
      : InternalError(what + "\n" + log), log_(std::move(log)), source_(std::move(source)) {}
  const std::string& log() const { return log_; }
  const std::string& source() const { return source_; }

 private:
  std::string log_, source_;
};

}  // namespace weft
