#include "frontend/cpp/derivatives/past.h"

#include <atomic>
#include <utility>

#include "compiler/ir/build.h"
namespace weft::detail {
namespace {

// How many there are on all threads: asking a thread for its own costs more than this when there are none.
std::atomic<int> all_pasts{0};
thread_local Past* innermost_past = nullptr;

}  // namespace

Past::Past()
    : outer_(std::exchange(innermost_past, this)),
      customs_(outer_ ? outer_->customs_ : std::make_shared<derive::Customs>()) {
  ++all_pasts;
}
Past::~Past() {
  innermost_past = outer_;
  --all_pasts;
}

bool keeps_past() { return all_pasts.load(std::memory_order_relaxed) > 0 && innermost_past; }

ir::NodeRef stopped(const ir::NodeRef& value) {
  const std::shared_ptr<derive::Customs> customs = customs_here();
  if (!customs) return value;
  auto custom = std::make_shared<derive::Custom>();
  custom->name = "stop_gradient";
  custom->outputs.push_back(ir::copy(value, value->lines));
  customs->emplace(custom->outputs[0].get(), custom);
  return custom->outputs[0];
}

std::shared_ptr<derive::Customs> customs_here() { return keeps_past() ? innermost_past->customs_ : nullptr; }

bool is_derived(const ir::NodeRef& value) {
  if (!keeps_past() || !derive::has_tangents(value->dtype())) return false;
  std::vector<ir::NodeRef> leaves;
  for (const Past* past = innermost_past; past; past = past->outer_)
    leaves.insert(leaves.end(), past->leaves.begin(), past->leaves.end());
  return derive::depends({&value, 1}, leaves, *innermost_past->customs_)[0];
}

}  // namespace weft::detail
