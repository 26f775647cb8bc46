// The word of a list that a misspelt one may have been meant to be.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

// How many letters have to be put in, taken out or replaced to make b of a (Levenshtein).
inline size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

// "; did you mean 'x'?", or nothing where no word is within two letters and half of them, or the first letter is another.
inline std::string meant(std::string_view word, std::span<const std::string> words) {
  const auto near = std::min_element(words.begin(), words.end(), [&](const auto& a, const auto& b) {
    return edits(word, a) < edits(word, b);
  });
  constexpr size_t kMost = 2;  // two letters that changed places
  if (near == words.end() || word.empty() || near->front() != word.front()) return {};
  const size_t found = edits(word, *near);
  if (found > kMost || found * 2 > word.size()) return {};
  return "; did you mean '" + *near + "'?";
}

}  // namespace weft
