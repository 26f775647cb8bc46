#include "frontend/cpp/inspect/colours.h"

#include <algorithm>
#include <iterator>

namespace weft::detail {

namespace {

constexpr std::string_view kBold = "\033[1m", kAdvice = "\033[1;33m", kStep = "\033[1;36m",
                           kGood = "\033[32m", kBad = "\033[31m", kPale = "\033[2m", kPlain = "\033[0m";

// How a line begins, and the colour of its beginning up to `until`; "": of so much as is named here.
struct Beginning {
  std::string_view text, until, colour;
};
constexpr Beginning kBeginnings[] = {
    {"advice: ", " at ", kAdvice}, {"to change: ", "", kAdvice}, {"step ", ":", kStep},
    {"fused:", "", kGood},         {"not fused:", "", kBad},     {"computed by ", ":", kBad},
    {"interpreted:", "", kAdvice}, {"  keeps ", "", kPale},      {"  writes ", "", kPale},
};

std::string coloured_line(std::string_view line) {
  // A loop's body is moved to the right.
  const size_t indent = line.find_first_not_of(' ');
  for (const size_t moved : {size_t{0}, indent == std::string_view::npos ? 0 : indent}) {
    const std::string_view rest = line.substr(moved);
    const auto* const known =
        std::ranges::find_if(kBeginnings, [&](const Beginning& one) { return rest.starts_with(one.text); });
    if (known == std::end(kBeginnings)) continue;
    const size_t end = known->until.empty() ? known->text.size() : rest.find(known->until);
    if (end == std::string_view::npos) continue;
    return std::string(line.substr(0, moved)) + std::string(known->colour) +
           std::string(rest.substr(0, end)) + std::string(kPlain) + std::string(rest.substr(end));
  }
  return std::string(line);
}

}  // namespace

std::string coloured(std::string_view explanation) {
  std::string out;
  for (size_t at = 0; at < explanation.size();) {
    const size_t end = std::min(explanation.find('\n', at), explanation.size());
    const std::string_view line = explanation.substr(at, end - at);
    const std::string shown = coloured_line(line);
    // The first line says what happens.
    out += at == 0 && shown == line ? std::string(kBold) + shown + std::string(kPlain) : shown;
    if (end < explanation.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace weft::detail
