// The word of a list that a misspelt one may have been meant to be.
#pragma once

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

// How many letters have to be put in, taken out, replaced or swapped with the next to make b of a (optimal string
// alignment); large and small letters are the same.
inline size_t edits(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<size_t> before_last, last, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool equal = same(a[i - 1], b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// "; did you mean 'x'?", or nothing where no word is within two letters and half of them, or the first letter is another.
inline std::string meant(std::string_view word, std::span<const std::string> words) {
  const auto near = std::min_element(words.begin(), words.end(), [&](const auto& a, const auto& b) {
    return edits(word, a) < edits(word, b);
  });
  constexpr size_t kMost = 2;
  if (near == words.end() || word.empty() || edits(word.substr(0, 1), near->substr(0, 1)) > 0) return {};
  const size_t found = edits(word, *near);
  if (found > kMost || found * 2 > word.size()) return {};
  return "; did you mean '" + *near + "'?";
}

}  // namespace weft
