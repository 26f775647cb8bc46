#include "compiler/ir/code/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "compiler/base/error.h"
#include "compiler/ir/code/code_words.h"

namespace weft::ir {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Comments, literals and the preprocessor's lines are blank, so that words are the program's own.
std::string without_comments(std::string_view text) {
  std::string out(text);
  const auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (size_t i = 0; i < out.size(); ++i) {
    size_t end = i;
    if (text.substr(i, 2) == "//" || text[i] == '#') {
      end = text.find('\n', i);
    } else if (text.substr(i, 2) == "/*") {
      end = text.find("*/", i + 2);
      if (end != std::string_view::npos) end += 2;
    } else if (text[i] == '"' ||
               (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {  // as 1'000 is a number
      for (end = i + 1; end < text.size() && text[end] != text[i] && text[end] != '\n'; ++end)
        if (text[end] == '\\') ++end;
      ++end;
    } else {
      continue;
    }
    end = std::min(end, out.size());
    blank(i, end);
    i = std::max(i, end - 1);
  }
  return out;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    words.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

// Parts between commas that stand in no brackets.
std::vector<std::string> between_commas(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  size_t from = 0;
  const auto add = [&](size_t to) {
    const std::string part(text.substr(from, to - from));
    if (!words_of(part).empty()) parts.push_back(part);
    from = to + 1;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '<' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '>' || text[i] == ']') --depth;
    if (text[i] == ',' && depth == 0) add(i);
  }
  add(text.size());
  return parts;
}

std::optional<DType> dtype_of(const std::string& type) {
  static const std::map<std::string, DType, std::less<>> known = {{"bool", DType::Bool},
                                                                  {"char", DType::I8},
                                                                  {"signed char", DType::I8},
                                                                  {"int8_t", DType::I8},
                                                                  {"unsigned char", DType::U8},
                                                                  {"uint8_t", DType::U8},
                                                                  {"short", DType::I16},
                                                                  {"int16_t", DType::I16},
                                                                  {"unsigned short", DType::U16},
                                                                  {"uint16_t", DType::U16},
                                                                  {"int", DType::I32},
                                                                  {"signed", DType::I32},
                                                                  {"signed int", DType::I32},
                                                                  {"int32_t", DType::I32},
                                                                  {"unsigned", DType::U32},
                                                                  {"unsigned int", DType::U32},
                                                                  {"uint32_t", DType::U32},
                                                                  {"long", DType::I64},
                                                                  {"long int", DType::I64},
                                                                  {"long long", DType::I64},
                                                                  {"long long int", DType::I64},
                                                                  {"int64_t", DType::I64},
                                                                  {"ptrdiff_t", DType::I64},
                                                                  {"unsigned long", DType::U64},
                                                                  {"unsigned long int", DType::U64},
                                                                  {"unsigned long long", DType::U64},
                                                                  {"unsigned long long int", DType::U64},
                                                                  {"uint64_t", DType::U64},
                                                                  {"size_t", DType::U64},
                                                                  {"half", DType::F16},
                                                                  {"__half", DType::F16},
                                                                  {"_Float16", DType::F16},
                                                                  {"__nv_bfloat16", DType::BF16},
                                                                  {"float", DType::F32},
                                                                  {"double", DType::F64},
                                                                  {"float2", DType::C64},
                                                                  {"double2", DType::C128},
                                                                  {"complex<float>", DType::C64},
                                                                  {"complex<double>", DType::C128}};
  const size_t bare = type.rfind("::complex<");  // std's, or thrust's
  const auto found = known.find(bare == std::string::npos ? type : type.substr(bare + 2));
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

bool is_type_of_c(std::string_view word) {
  return joins_types(word) || word == "bool" || word == "float" || word == "auto";
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, bool cuda)
      : text_(text), bare_(without_comments(text)), name_(name), cuda_(cuda) {
    const size_t open = name.find('<');
    base_ = name.substr(0, open);
    while (!base_.empty() && base_.back() == ' ') base_.pop_back();
    if (open != std::string::npos && name.rfind('>') != std::string::npos)
      template_arguments_ =
          between_commas(std::string_view(name).substr(open + 1, name.rfind('>') - open - 1));
  }

  KernelText read() {
    const size_t at = definition();
    const size_t open = bare_.find('(', at);
    const std::string head = head_before(at);
    if (cuda_ && head.find("__global__") == std::string::npos)
      fail(at, base_ + " is no kernel: write __global__ before it");
    const std::string returns = head + " ";
    if (returns.find("void") == std::string::npos)
      fail(at, "a kernel gives nothing back: write void before it, and a parameter for each result");
    generics(head, at);
    if (is_keyword(base_))
      fail(at, fmt::format("'{}' is a word that C++ keeps: name the kernel otherwise", base_));
    const size_t close = closing(open);
    check_closed(bare_.find('{', close));
    KernelText out;
    out.name = name_;
    size_t from = open + 1;
    for (const std::string& part :
         between_commas(std::string_view(bare_).substr(open + 1, close - open - 1))) {
      const size_t here = bare_.find(part, from);
      KernelParameter one = parameter(part, here);
      if (std::ranges::any_of(out.parameters, [&](const auto& other) { return other.name == one.name; }))
        fail(here, fmt::format("'{}' is a parameter already", one.name));
      out.parameters.push_back(std::move(one));
      from = here + part.size();
    }
    if (cuda_) out.constants = constants(), out.most_threads = bounds(head);
    return out;
  }

 private:
  [[noreturn]] void fail(size_t at, const std::string& what) const {
    while (at < bare_.size() && std::isspace(static_cast<unsigned char>(bare_[at])) != 0) ++at;
    const auto line = std::ranges::count(text_.substr(0, at), '\n') + 1;
    const size_t start = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
    throw Error(fmt::format("{}:{}:{}: {}", base_, line, at - start + 1, what));
  }

  // __constant__ float weights[16]; of which one with an initializer has its elements already.
  std::vector<KernelConstantText> constants() const {
    static constexpr std::string_view kWord = "__constant__";
    std::vector<KernelConstantText> found;
    for (size_t at = 0; (at = bare_.find(kWord, at)) != std::string::npos; at += kWord.size()) {
      const size_t end = std::min(bare_.find(';', at), bare_.size());
      const std::string text = bare_.substr(at + kWord.size(), end - at - kWord.size());
      if (text.find_first_of("={") != std::string::npos) continue;
      if (text.find(',') != std::string::npos) fail(at, "declare each __constant__ array on its own");
      std::vector<std::string> words = words_of(text.substr(0, text.find('[')));
      std::erase_if(words, [](const std::string& word) {
        return word == "const" || word == "static" || word == "extern" || word == "__device__";
      });
      if (words.size() < 2) fail(at, "a __constant__ array has a type and a name");
      KernelConstantText one{words.back(), words[0], {}};
      for (size_t k = 1; k + 1 < words.size(); ++k) one.type += " " + words[k];
      one.dtype = dtype_of(one.type);
      found.push_back(std::move(one));
    }
    return found;
  }

  // The first number of __launch_bounds__, where it is one.
  static std::optional<int64_t> bounds(std::string_view head) {
    static constexpr std::string_view kWord = "__launch_bounds__";
    const size_t at = head.find(kWord);
    if (at == std::string_view::npos) return {};
    const std::vector<std::string> words = words_of(head.substr(at + kWord.size()));
    if (words.size() < 3 || words[0] != "(" || (words[2] != ")" && words[2] != ",")) return {};
    int64_t most = 0;
    const char* const end = words[1].data() + words[1].size();
    const auto [stop, error] = std::from_chars(words[1].data(), end, most);
    return error == std::errc() && stop == end && most > 0 ? std::optional(most) : std::nullopt;
  }

  // Branches of the preprocessor may each open what is closed once.
  void check_closed(size_t open) const {
    if (text_.find('#') != std::string_view::npos) return;
    int depth = 0;
    for (size_t i = open; i < bare_.size(); ++i) {
      if (bare_[i] == '{') ++depth;
      if (bare_[i] == '}' && --depth == 0) return;
    }
    fail(open, "this { is not closed");
  }

  size_t closing(size_t open) const {
    int depth = 0;
    for (size_t i = open; i < bare_.size(); ++i) {
      if (bare_[i] == '(') ++depth;
      if (bare_[i] == ')' && --depth == 0) return i;
    }
    fail(open, "this ( is not closed");
  }

  // Where functions with a body begin: a name, parameters, and {.
  std::vector<std::pair<std::string, size_t>> functions() const {
    std::vector<std::pair<std::string, size_t>> found;
    int depth = 0;
    for (size_t i = 0; i < bare_.size(); ++i) {
      if (bare_[i] == '{' && !of_linkage(i)) ++depth;
      if (bare_[i] == '}' && depth > 0) --depth;
      if (bare_[i] != '(' || depth > 0) continue;
      size_t end = i;
      while (end > 0 && std::isspace(static_cast<unsigned char>(bare_[end - 1])) != 0) --end;
      size_t begin = end;
      while (begin > 0 && is_word(bare_[begin - 1])) --begin;
      const size_t close = closing(i);
      const size_t next = bare_.find_first_not_of(" \t\r\n", close + 1);
      if (begin < end && next != std::string::npos && bare_[next] == '{')
        found.emplace_back(bare_.substr(begin, end - begin), begin);
      i = close;
    }
    return found;
  }

  // extern "C" { and namespace x {, within which functions stand.
  bool of_linkage(size_t brace) const {
    const size_t before = brace == 0 ? std::string::npos : bare_.find_last_of(";{}", brace - 1);
    const size_t from = before == std::string::npos ? 0 : before + 1;
    const std::vector<std::string> words = words_of(std::string_view(bare_).substr(from, brace - from));
    return !words.empty() && words.size() <= 2 && (words[0] == "extern" || words[0] == "namespace");
  }

  size_t definition() const {
    std::string others;
    for (const auto& [name, at] : functions()) {
      if (name == base_) return at;
      others += (others.empty() ? "" : ", ") + name;
    }
    throw Error(fmt::format("{}: the text defines no function of this name{}", base_,
                            others.empty() ? "" : ": it defines " + others));
  }

  std::string head_before(size_t at) const {
    const size_t before = at == 0 ? std::string::npos : bare_.find_last_of(";}{", at - 1);
    const size_t from = before == std::string::npos ? 0 : before + 1;
    return bare_.substr(from, at - from);
  }

  void generics(const std::string& head, size_t at) {
    const size_t begin = head.find("template");
    if (begin == std::string::npos) {
      if (!template_arguments_.empty()) fail(at, base_ + " is no template: name it without <…>");
      return;
    }
    const size_t open = head.find('<', begin), close = head.find('>', begin);
    if (open == std::string::npos || close == std::string::npos) fail(at, "template has no <…>");
    const std::vector<std::string> names =
        between_commas(std::string_view(head).substr(open + 1, close - open - 1));
    if (template_arguments_.empty())
      fail(at, fmt::format("{} is a template: name it with its types, as in \"{}<float>\"", base_, base_));
    for (size_t k = 0; k < std::min(names.size(), template_arguments_.size()); ++k) {
      const std::vector<std::string> words = words_of(names[k]);
      if (words.size() >= 2) generics_[words[1]] = template_arguments_[k];
    }
  }

  KernelParameter parameter(const std::string& part, size_t at) const {
    if (words_of(part)[0] == ".") fail(at, "a kernel takes as many arguments as it names: leave ... out");
    KernelParameter out;
    std::vector<std::string> words = words_of(part.substr(0, part.find('=')));
    std::erase_if(words, [](const std::string& word) {
      return word == "__restrict__" || word == "__restrict" || word == "restrict" ||
             word == "__grid_constant__" || word == "volatile" || word == "struct";
    });
    if (words.size() > 2 && words.back() == "]") {
      out.is_pointer = true;
      words.erase(std::ranges::find(words, "["), words.end());
    }
    const auto stars = std::ranges::count(words, "*");
    if (stars + (out.is_pointer ? 1 : 0) > 1)
      fail(at, "an address of addresses cannot be given: take one array for each");
    if (std::ranges::count(words, "&") > 0)
      fail(at, "a reference cannot be given: take the number by its value");
    out.is_pointer |= stars == 1;
    const auto star = std::ranges::find(words, "*");
    out.is_const = std::find(words.begin(), star, "const") != star;
    std::erase(words, "const");
    std::erase(words, "*");
    if (words.size() < 2) fail(at, "a parameter has a type and a name");
    out.name = words.back();
    if (is_keyword(out.name) || is_type_of_c(out.name))
      fail(at, fmt::format("a parameter has a type and a name, and '{}' is a word that C++ keeps", out.name));
    words.pop_back();
    for (const std::string& word : words) {
      const auto generic = generics_.find(word);
      const std::string& written = generic == generics_.end() ? word : generic->second;
      const bool spaced = !out.type.empty() && is_word(out.type.back()) && is_word(written.front());
      out.type += (spaced ? " " : "") + written;
    }
    while (out.type.starts_with(' ')) out.type.erase(0, 1);
    out.dtype = dtype_of(out.type);
    if (!out.is_pointer && !out.dtype)
      fail(at,
           fmt::format(
               "{} is taken by its value as {}: a number has one of C's types, and an array is an address",
               out.name, out.type));
    return out;
  }

  std::string_view text_;
  std::string bare_, name_, base_;
  bool cuda_;
  std::vector<std::string> template_arguments_;
  std::map<std::string, std::string, std::less<>> generics_;
};

}  // namespace

KernelText read_kernel_text(std::string_view text, const std::string& name, bool cuda) {
  return Reader(text, name, cuda).read();
}

}  // namespace weft::ir
