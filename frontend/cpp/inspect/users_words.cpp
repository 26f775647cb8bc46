#include "frontend/cpp/inspect/users_words.h"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>

#include "frontend/cpp/inspect/source_text.h"

namespace weft::detail {

namespace {

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Without spaces around it, and not longer than anybody reads.
std::string shown(std::string_view text) {
  constexpr size_t kLongest = 100;
  constexpr std::string_view kSpaces = " \t\r";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return "";
  text = text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
  return text.size() <= kLongest ? std::string(text) : std::string(text.substr(0, kLongest)) + " …";
}

}  // namespace

bool calls(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_of_a_name(text[at - 1])) && end < text.size() && text[end] == '(') return true;
  }
  return false;
}

void tell_in_users_words(CostSeen& cost) {
  const CostSeen::Named& named = cost.named;
  if (named.as.empty()) return;
  const std::string text = line_text(named.line);
  if (calls(text, named.op)) return;
  const size_t at = cost.text.find(named.as);
  if (at == std::string::npos) return;
  const std::string line = shown(text);
  cost.text.replace(at, named.as.size(), named.plainly + (line.empty() ? "" : fmt::format(" (`{}`)", line)));
}

}  // namespace weft::detail
