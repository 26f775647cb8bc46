#include "runtime/cuda/sequence.h"

#include <algorithm>
#include <array>

namespace weft::runtime::cuda {

namespace {

// Enough to tell sequences apart nearly always; what is equal is compared besides.
std::array<uint64_t, 3> digest(const Start& start) {
  const auto word = [](const void* pointer) { return reinterpret_cast<uint64_t>(pointer); };
  if (const auto* kernel = std::get_if<KernelStart>(&start))
    return {word(kernel->kernel), static_cast<uint64_t>(kernel->how.tasks), kernel->how.threads};
  if (const auto* copy = std::get_if<CopyStart>(&start)) return {copy->to, copy->from, copy->bytes};
  const auto& product = std::get<ProductStart>(start);
  return {word(product.a), word(product.b), word(product.c)};
}

}  // namespace

void Sequence::add(const Start& what, std::span<const uint64_t> args) {
  const std::array<uint64_t, 3> told_by = digest(what);
  words_.insert(words_.end(), told_by.begin(), told_by.end());
  starts_.push_back({what, words_.size(), args.size()});
  words_.insert(words_.end(), args.begin(), args.end());
}

bool Sequence::same_at(size_t i, const Sequence& other) const {
  return starts_[i].what == other.starts_[i].what && std::ranges::equal(args(i), other.args(i));
}

Hash Sequence::hash(size_t count) const {
  const size_t words = count == 0 ? 0 : starts_[count - 1].first + starts_[count - 1].words;
  return hash_bytes(words_.data(), words * sizeof(uint64_t));
}

}  // namespace weft::runtime::cuda
