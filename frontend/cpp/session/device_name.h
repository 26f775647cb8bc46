// The names of devices: cpu, cuda and cuda:N.
#pragma once

#include <string>
#include <string_view>

#include "compiler/program/options.h"

namespace weft::detail {

struct DeviceName {
  TargetKind kind = TargetKind::Cpu;
  int ordinal = 0;  // of a GPU

  std::string text() const;  // "cpu", "cuda:0"
};
// Error for what is neither cpu, cuda nor cuda:N.
DeviceName device_named(std::string_view name);

}  // namespace weft::detail
