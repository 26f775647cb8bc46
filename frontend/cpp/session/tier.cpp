#include <algorithm>
#include <array>

#include "compiler/base/error.h"
#include "frontend/cpp/weft/session.h"

namespace weft {
namespace {

constexpr std::array<const char*, 3> kNames = {"auto", "compile", "blocks"};  // in the order of Tier

}  // namespace

Tier tier_named(const std::string& name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) throw Error("tier: takes auto, compile or blocks: got '" + name + "'");
  return static_cast<Tier>(found - kNames.begin());
}

std::string to_string(Tier tier) { return kNames[static_cast<size_t>(tier)]; }

}  // namespace weft
