#include "runtime/choices.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace weft::runtime {

namespace {

// A choice is kept as the text of its bias, this, and its reason.
constexpr std::string_view kBeforeReason = ": ";
// The entry of the disk cache that is there once there is a choice.
constexpr std::string_view kAny = "any";

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<TunedBias> parse(std::string_view text) {
  TunedBias c;
  for (const BiasField& f : kBiasFields) {
    int& value = c.bias.*f.value;
    if (!take(text, f.name)) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < f.least || value > f.most) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  if (!take(text, kBeforeReason)) return std::nullopt;
  c.reason = text;
  return c;
}

}  // namespace

Choices::Choices(std::shared_ptr<KernelCache> cache, const std::string& architecture)
    : cache_(std::move(cache)), kind_("schedules for " + architecture) {}

std::optional<TunedBias> Choices::find(const Hash& hash) {
  std::lock_guard lock(mutex_);
  auto [known, fresh] = known_.try_emplace(hash);
  if (fresh && cache_)
    if (auto text = cache_->find(kind_, to_string(hash))) known->second = parse(*text);
  return known->second;
}

bool Choices::any() {
  std::lock_guard lock(mutex_);
  if (!any_) any_ = cache_ && cache_->find(kind_, kAny).has_value();
  return *any_;
}

TunedBias Choices::find(const KernelKey& key) {
  if (auto choice = find(key.shape)) return *choice;
  return find(key.source).value_or(TunedBias{});
}

void Choices::look_again() {
  std::lock_guard lock(mutex_);
  std::erase_if(known_, [](const auto& entry) { return !entry.second; });
  if (any_ == false) any_.reset();
}

void Choices::keep(const Hash& hash, const TunedBias& choice) {
  if (cache_) {
    cache_->put(kind_, "schedule", to_string(hash),
                fmt::format("{}{}{}", to_string(choice.bias), kBeforeReason, choice.reason));
    cache_->put(kind_, "schedule", kAny, "");
  }
  std::lock_guard lock(mutex_);
  known_[hash] = choice;
  any_ = true;
}

}  // namespace weft::runtime
