#include "frontend/cli/cache_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "compiler/base/error.h"

namespace weft::cli {

namespace {

using runtime::CacheEntry;
using runtime::KernelCache;
using Facts = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  lines.reserve(static_cast<size_t>(std::ranges::count(text, '\n')) + 1);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Facts facts_of(const CacheEntry& entry) {
  Facts facts;
  const std::vector<std::string_view> lines = lines_of(entry.note.facts);
  facts.reserve(lines.size() + 2);
  facts.emplace_back("operations", entry.note.ops);
  for (std::string_view line : lines)
    if (const size_t at = line.find(": "); at != std::string_view::npos && at + 2 < line.size())
      facts.emplace_back(line.substr(0, at), line.substr(at + 2));
  facts.emplace_back("compiler and processor", entry.toolchain);
  return facts;
}

const std::string* find(const Facts& facts, std::string_view what) {
  const auto found = std::ranges::find(facts, what, [](const auto& fact) { return fact.first; });
  return found == facts.end() ? nullptr : &found->second;
}

std::vector<Difference> differences_of(const Facts& now, const Facts& then) {
  std::vector<Difference> out;
  for (const auto& [what, text] : now) {
    const std::string* other = find(then, what);
    if (!other || *other != text) out.push_back({what, text, other ? *other : ""});
  }
  for (const auto& [what, text] : then)
    if (!find(now, what)) out.push_back({what, "", text});
  return out;
}

size_t in_common(const Facts& a, const Facts& b) {
  constexpr size_t kSameOps = 2000, kSameLines = 1000;
  size_t score = 0;
  for (const auto& [what, text] : a) {
    const std::string* other = find(b, what);
    if (other && *other == text) score += what == "operations" ? kSameOps : what == "lines" ? kSameLines : 1;
  }
  return score >= kSameLines ? score : 0;
}

}  // namespace

const CacheEntry& entry_named(const std::vector<CacheEntry>& entries, const std::string& text) {
  const CacheEntry* found = nullptr;
  for (const CacheEntry& entry : entries) {
    if (text.empty() || (!to_string(entry.key).starts_with(text) && entry.kernel != text)) continue;
    if (found)
      throw Error(fmt::format("cache why: '{}' is the beginning of several keys: give more of it", text));
    found = &entry;
  }
  if (!found)
    throw Error(fmt::format(
        "cache why: there is no kernel whose key starts with '{}': `weft cache ls` has them", text));
  if (!found->problem.empty())
    throw Error(fmt::format("cache why: {} cannot be used: {}: `weft cache verify` removes it", text,
                            found->problem));
  return *found;
}

std::optional<Nearest> nearest_to(const CacheEntry& entry, const KernelCache& cache) {
  const Facts facts = facts_of(entry);
  std::optional<Nearest> nearest;
  size_t best = 0;
  for (CacheEntry& other : cache.list()) {
    if (other.key == entry.key || !other.problem.empty()) continue;
    const Facts theirs = facts_of(other);
    const size_t score = in_common(facts, theirs);
    if (score <= best) continue;
    best = score;
    nearest = Nearest{std::move(other), differences_of(facts, theirs)};
  }
  return nearest;
}

}  // namespace weft::cli
