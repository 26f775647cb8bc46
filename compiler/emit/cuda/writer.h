// Lines of CUDA C++, indented by the braces that are open. It knows nothing of what it writes.
#pragma once

#include <fmt/format.h>

#include <string>

namespace weft::emit {

class Writer {
 public:
  explicit Writer(int depth = 0) : depth_(depth) {}
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    add(fmt::format(text, std::forward<Args>(args)...));
  }
  void add(const std::string& text) {
    if (text.starts_with("}")) --depth_;
    out_ += std::string(text.starts_with("#") ? 0 : static_cast<size_t>(depth_) * 2, ' ') + text + "\n";
    if (text.ends_with("{")) ++depth_;
  }
  // Opens a loop over a constant count whose arrays stay in registers.
  void unrolled(const char* variable, int count) {
    if (count > 1) {
      add("#pragma unroll");
      line("for (int {0} = 0; {0} < {1}; ++{0}) {{", variable, count);
    } else {
      add("{");
      line("const int {} = 0;", variable);
    }
  }
  // Opens a loop that is not unrolled: its steps hold what is in flight together, and more of them only take
  // longer to compile.
  template <class... Args>
  void loop(fmt::format_string<Args...> text, Args&&... args) {
    add("#pragma unroll 1");
    line(text, std::forward<Args>(args)...);
  }
  // Whether the block in which the text had this length is still open; 0: none had.
  bool is_open_since(size_t length) const {
    int depth = length == 0 ? -1 : 0;
    for (size_t k = length; k < out_.size() && depth >= 0; ++k)
      depth += out_[k] == '{' ? 1 : out_[k] == '}' ? -1 : 0;
    return depth >= 0;
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
  int depth_;
};

// Two conditions as one, of which an empty one always holds. Not by &&, which compilers follow into two
// copies of all that reads the result.
inline std::string both(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + " & " + (b.find(' ') == std::string::npos ? b : "(" + b + ")");
}

}  // namespace weft::emit
