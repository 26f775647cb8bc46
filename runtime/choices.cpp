#include "runtime/choices.h"

#include <fmt/format.h>

#include <cstdio>

namespace weft::runtime {

namespace {

constexpr const char* kForm = "frugal {} width {} work {}: {}";

std::optional<Choice> parse(const std::string& text) {
  Choice c;
  int length = 0;
  if (std::sscanf(text.c_str(), "frugal %d width %d work %d: %n", &c.bias.frugal, &c.bias.width, &c.bias.work,
                  &length) != 3 ||
      length == 0)
    return std::nullopt;
  const auto small = [](int n, int least, int most) { return n >= least && n <= most; };
  if (!small(c.bias.frugal, 0, kMostFrugal) || !small(c.bias.width, -8, 8) || !small(c.bias.work, -8, 8))
    return std::nullopt;
  c.reason = text.substr(static_cast<size_t>(length));
  return c;
}

}  // namespace

Choices::Choices(std::shared_ptr<KernelCache> cache, const std::string& architecture)
    : cache_(std::move(cache)), kind_("schedules for " + architecture) {}

std::optional<Choice> Choices::find(const Hash& hash) {
  std::lock_guard lock(mutex_);
  auto [known, fresh] = known_.try_emplace(hash);
  if (fresh && cache_)
    if (auto text = cache_->find(kind_, to_string(hash))) known->second = parse(*text);
  return known->second;
}

Choice Choices::find(const KernelKey& key) {
  if (auto choice = find(key.shape)) return *choice;
  return find(key.source).value_or(Choice{});
}

void Choices::keep(const Hash& hash, const Choice& choice) {
  const Bias& b = choice.bias;
  if (cache_)
    cache_->put(kind_, "schedule", to_string(hash),
                fmt::format(fmt::runtime(kForm), b.frugal, b.width, b.work, choice.reason));
  std::lock_guard lock(mutex_);
  known_[hash] = choice;
}

}  // namespace weft::runtime
