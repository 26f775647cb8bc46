#include "frontend/cpp/derivatives/past.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "compiler/ir/build.h"
namespace weft::detail {
namespace {

// How many there are on all threads: asking a thread for its own costs more than this when there are none.
std::atomic<int> all_pasts{0};
thread_local Past* innermost_past = nullptr;
thread_local int none_derived = 0;
thread_local const DerivedPlaces* innermost_places = nullptr;

bool is_derived_by(const ir::NodeRef& value, std::span<const ir::NodeRef> leaves,
                   const derive::Customs& customs) {
  return derive::has_tangents(value->dtype()) && derive::depends({&value, 1}, leaves, customs)[0];
}

}  // namespace

Past::Past()
    : outer_(std::exchange(innermost_past, this)),
      customs_(outer_ ? outer_->customs_ : std::make_shared<derive::Customs>()) {
  ++all_pasts;
}
Past::~Past() {
  if (innermost_past == this) innermost_past = outer_;  // not where another thread ends it
  --all_pasts;
}

DerivedPlaces::DerivedPlaces(std::span<const ir::NodeRef> places)
    : outer_(std::exchange(innermost_places, this)) {
  if (keeps_past()) places_.assign(places.begin(), places.end());
}
DerivedPlaces::~DerivedPlaces() { innermost_places = outer_; }

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

bool is_derived(const ir::NodeRef& value) { return none_derived == 0 && has_past(value); }

bool has_past(const ir::NodeRef& value) {
  if (!keeps_past()) return false;
  std::vector<ir::NodeRef> leaves;
  for (const Past* past = innermost_past; past; past = past->outer_)
    leaves.insert(leaves.end(), past->leaves.begin(), past->leaves.end());
  for (const DerivedPlaces* one = innermost_places; one; one = one->outer_)
    leaves.insert(leaves.end(), one->places_.begin(), one->places_.end());
  return is_derived_by(value, leaves, *innermost_past->customs_);
}

bool has_past_besides(std::span<const ir::NodeRef> values, std::span<const ir::NodeRef> inputs,
                      std::span<const ir::NodeRef> more) {
  if (!keeps_past()) return false;
  std::vector<ir::NodeRef> leaves;
  const auto add = [&](std::span<const ir::NodeRef> all) {
    for (const ir::NodeRef& leaf : all)
      if (std::ranges::find(inputs, leaf) == inputs.end()) leaves.push_back(leaf);
  };
  for (const Past* past = innermost_past; past; past = past->outer_) add(past->leaves);
  add(more);
  // The inputs are constants meanwhile.
  derive::Customs& customs = *innermost_past->customs_;
  std::vector<std::pair<const ir::Node*, std::shared_ptr<const derive::Custom>>> was;
  for (const ir::NodeRef& input : inputs) {
    auto& place = customs[input.get()];
    was.emplace_back(input.get(), std::exchange(place, std::make_shared<derive::Custom>()));
  }
  const std::vector<bool> found = derive::depends(values, leaves, customs);
  for (auto one = was.rbegin(); one != was.rend(); ++one) {
    if (one->second)
      customs[one->first] = one->second;
    else
      customs.erase(one->first);
  }
  return std::ranges::find(found, true) != found.end();
}

bool may_show(const ir::NodeRef& value) {
  if (!keeps_past() || none_derived > 0) return true;
  std::vector<ir::NodeRef> leaves;
  for (const Past* past = innermost_past; past; past = past->outer_)
    if (!past->shows_elements) leaves.insert(leaves.end(), past->leaves.begin(), past->leaves.end());
  return !is_derived_by(value, leaves, *innermost_past->customs_);
}

Past* innermost_derivation() { return innermost_past; }

NoDerivatives::NoDerivatives() { ++none_derived; }
NoDerivatives::~NoDerivatives() { --none_derived; }

}  // namespace weft::detail
