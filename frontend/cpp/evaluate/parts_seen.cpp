#include "frontend/cpp/evaluate/parts_seen.h"

namespace weft::detail {

namespace {

thread_local PartsSeen* listening = nullptr;

}  // namespace

PartsSeen::PartsSeen() { listening = this; }
PartsSeen::~PartsSeen() { listening = nullptr; }
PartsSeen* parts_seen() { return listening; }

}  // namespace weft::detail
