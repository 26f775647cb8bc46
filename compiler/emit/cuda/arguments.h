// The argument words of a kernel behind its buffers and the program's own numbers: whatever the text reads as
// p[n] so that another size needs no other kernel. Equal divisors and equal rows share their words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::emit {

class Arguments {
 public:
  // The program's own numbers come first; `wide` says that indices have 64 bits.
  Arguments(size_t program_params, bool wide) : program_params_(program_params), wide_(wide) {}

  // One more word; its name in the text.
  std::string add(int64_t value);
  // A word for the address of counters, which the runtime fills in; and which of these words it is, -1: none.
  void add_counters() { counters_ = static_cast<int>(words_.size()), add(0); }
  int counters() const { return counters_; }
  // The number of the last of flattened rows of this length: one word for each length.
  std::string last_row_of(int64_t length, int64_t value);

  // Of a number x below 2^31: x by n, whose value is known, without a division.
  std::string quotient(const std::string& x, const std::string& n, int64_t value);
  std::string remainder(const std::string& x, const std::string& n, int64_t value);
  // Leaves the quotient in x and is the remainder.
  std::string split(const std::string& x, const std::string& n, int64_t value);

  // All words behind the program's own numbers.
  const std::vector<int64_t>& words() const { return words_; }

 private:
  std::string inverse(const std::string& n, int64_t value);

  size_t program_params_;
  bool wide_;
  int counters_ = -1;
  std::vector<int64_t> words_;
  std::map<std::string, std::string> inverses_;  // divisor -> what weft_quotient_by takes for it
  std::map<int64_t, std::string> last_rows_;     // length of flattened rows -> number of the last one
};

}  // namespace weft::emit
