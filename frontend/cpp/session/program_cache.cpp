#include "frontend/cpp/session/program_cache.h"

namespace weft::detail {

ProgramCache::Program ProgramCache::find(const Hash& key) {
  std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  if (found == programs_.end()) return nullptr;
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.program;
}

ProgramCache::Program ProgramCache::put(const Hash& key, Program program) {
  Program dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  if (const auto found = programs_.find(key); found != programs_.end()) return found->second.program;
  uses_.push_front(key);
  programs_.emplace(key, Entry{program, uses_.begin()});
  if (programs_.size() > limit_) {
    const auto last = programs_.find(uses_.back());
    dropped = std::move(last->second.program);
    programs_.erase(last);
    uses_.pop_back();
  }
  return program;
}

void ProgramCache::forget(const Hash& key) {
  Program dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  if (found == programs_.end()) return;
  dropped = std::move(found->second.program);
  uses_.erase(found->second.use);
  programs_.erase(found);
}

}  // namespace weft::detail
