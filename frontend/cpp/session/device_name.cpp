#include "frontend/cpp/session/device_name.h"

#include <charconv>

#include "compiler/base/error.h"

namespace weft::detail {

std::string DeviceName::text() const {
  return kind == TargetKind::Cpu ? "cpu" : "cuda:" + std::to_string(ordinal);
}

DeviceName device_named(std::string_view name) {
  if (name == "cpu") return {};
  constexpr std::string_view kNumbered = "cuda:";
  DeviceName gpu{TargetKind::Cuda, 0};
  if (name == "cuda") return gpu;
  const std::string_view digits =
      name.starts_with(kNumbered) ? name.substr(kNumbered.size()) : std::string_view();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), gpu.ordinal);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || gpu.ordinal < 0 || digits.size() > 3)
    throw Error("device: takes cpu or cuda:N: got '" + std::string(name) + "'");
  return gpu;
}

}  // namespace weft::detail
