// `weft cache`: what the kernel cache on disk holds, checked, trimmed, emptied, exported and imported.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "compiler/base/error.h"
#include "frontend/cli/cache_why.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/machine.h"
#include "frontend/cli/print_json.h"
#include "runtime/kernel_cache.h"

namespace weft::cli {
namespace {

using runtime::CacheEntry;
using runtime::KernelCache;

struct Flags {
  std::string directory = default_device_choice().cache_directory;
  uint64_t max_bytes = 0;
  std::string bundle, target, key;
  bool json = false;
};

Json entry_json(const CacheEntry& e) {
  Json problem;
  if (!e.problem.empty()) problem = e.problem;
  return {{"key", to_string(e.key)},  {"bytes", e.bytes},
          {"last_used", e.last_used}, {"compile_us", e.note.compile_us},
          {"kernel", e.kernel},       {"toolchain", e.toolchain},
          {"ops", e.note.ops},        {"problem", std::move(problem)},
          {"foreign", e.foreign}};
}

Json entries_json(const std::vector<CacheEntry>& entries) {
  Json out = Json::array();
  for (const CacheEntry& e : entries) out.push_back(entry_json(e));
  return out;
}

std::string size(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) * 1e-3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::string kernels(size_t count) { return fmt::format("{} kernel{}", count, count == 1 ? "" : "s"); }

std::string compile_time(const CacheEntry& e) {
  return e.note.compile_us == 0 ? ""
                                : fmt::format("{:.0f} ms", static_cast<double>(e.note.compile_us) * 1e-3);
}

std::string state_of(const CacheEntry& e) {
  if (e.problem.empty()) return "";
  return (e.foreign ? "  CANNOT BE USED: " : "  DAMAGED: ") + e.problem;
}

// Ends between two ops.
std::string shortened(const std::string& ops) {
  constexpr size_t kMost = 100;
  if (ops.size() <= kMost) return ops;
  return ops.substr(0, ops.rfind(',', kMost)) + ", …";
}

std::unique_ptr<KernelCache> open(const std::string& directory, uint64_t limit) {
  if (directory.empty()) throw Error("cache: there is no cache folder; name one with --cache-dir");
  auto cache = std::make_unique<KernelCache>(directory, limit);
  if (!cache->disabled_because().empty())
    throw Error(fmt::format("cache: {} cannot be used: {}", directory, cache->disabled_because()));
  return cache;
}

std::unique_ptr<KernelCache> open(const Flags& flags) {
  return open(flags.directory, default_device_choice().cache_limit);
}

// Opening a cache makes its folder, which is not for commands that look for kernels in it.
bool is_missing(const Flags& flags) {
  return !flags.directory.empty() &&
         !std::filesystem::exists(std::filesystem::symlink_status(flags.directory));
}

void list(const Flags& flags) {
  if (is_missing(flags)) {
    if (flags.json)
      return print_json("weft.cache", {{"folder", flags.directory}, {"kernels", Json::array()}});
    fmt::print("0 kernels, 0 bytes in {}, which does not exist\n", flags.directory);
    return;
  }
  auto cache = open(flags);
  uint64_t bytes = 0;
  auto entries = cache->list();
  std::sort(entries.begin(), entries.end(),
            [](const CacheEntry& a, const CacheEntry& b) { return a.last_used > b.last_used; });
  if (flags.json)
    return print_json("weft.cache", {{"folder", cache->directory()}, {"kernels", entries_json(entries)}});
  for (const CacheEntry& e : entries) {
    bytes += e.bytes;
    fmt::print("{}  {:>9}  {:%Y-%m-%d %H:%M}  {:>8}  {}  {}  {}{}\n", to_string(e.key).substr(0, 12),
               size(e.bytes), fmt::localtime(static_cast<std::time_t>(e.last_used)), compile_time(e),
               e.kernel, e.toolchain, shortened(e.note.ops), state_of(e));
  }
  fmt::print("{}, {} in {}\n", kernels(entries.size()), size(bytes), cache->directory());
}

void verify(const Flags& flags) {
  if (is_missing(flags)) {
    if (flags.json)
      return print_json("weft.cache.verify",
                        {{"folder", flags.directory}, {"checked", 0}, {"removed", Json::array()}});
    fmt::print("0 kernels checked in {}, which does not exist\n", flags.directory);
    return;
  }
  auto cache = open(flags);
  size_t before = cache->list().size();
  auto damaged = cache->verify();
  if (flags.json)
    return print_json(
        "weft.cache.verify",
        {{"folder", cache->directory()}, {"checked", before}, {"removed", entries_json(damaged)}});
  for (const CacheEntry& e : damaged)
    fmt::print("removed {}: {}\n", to_string(e.key).substr(0, 12), e.problem);
  fmt::print("{} checked, {} damaged or of another version, and removed\n", kernels(before), damaged.size());
}

void removed_nothing(const char* schema, const Flags& flags, const Json& more = Json::object()) {
  if (!flags.json) {
    fmt::print("0 kernels removed from {}, which does not exist\n", flags.directory);
    return;
  }
  Json fields = {{"folder", flags.directory}, {"kernels_removed", 0}};
  fields.update(more);
  print_json(schema, fields);
}

void clear(const Flags& flags) {
  if (is_missing(flags)) return removed_nothing("weft.cache.clear", flags);
  auto cache = open(flags);
  const size_t removed = cache->clear();
  if (flags.json)
    return print_json("weft.cache.clear", {{"folder", cache->directory()}, {"kernels_removed", removed}});
  fmt::print("{} removed from {}\n", kernels(removed), cache->directory());
}

void trim(const Flags& flags) {
  if (is_missing(flags))
    return removed_nothing("weft.cache.trim", flags, {{"kernels_left", 0}, {"bytes_left", 0}});
  auto cache = open(flags);
  size_t before = cache->list().size();
  cache->trim(flags.max_bytes);
  auto left = cache->list();
  uint64_t bytes = 0;
  for (const CacheEntry& e : left) bytes += e.bytes;
  if (flags.json)
    return print_json("weft.cache.trim", {{"folder", cache->directory()},
                                          {"kernels_removed", before - left.size()},
                                          {"kernels_left", left.size()},
                                          {"bytes_left", bytes}});
  fmt::print("{} removed, {} with {} left\n", kernels(before - left.size()), kernels(left.size()),
             size(bytes));
}

struct Bundled {
  const char* schema;
  std::string from, to;
  std::string what;  // "exported to kernels"
};

void report(const Bundled& how, const runtime::CacheImport& done, const Flags& flags) {
  if (flags.json)
    return print_json(how.schema, {{"from", how.from},
                                   {"to", how.to},
                                   {"kernels_copied", done.kernels},
                                   {"bytes_copied", done.bytes},
                                   {"left_out", entries_json(done.refused)}});
  for (const CacheEntry& e : done.refused)
    fmt::print("left out {}: {}\n", to_string(e.key).substr(0, 12), e.problem);
  fmt::print("{}, {} {}\n", kernels(done.kernels), size(done.bytes), how.what);
}

void write_bundle(const Flags& flags) {
  auto cache = open(flags), bundle = open(flags.bundle, UINT64_MAX);
  const runtime::CacheImport done = bundle->import_from(cache->directory(), flags.target);
  report({"weft.cache.export", cache->directory(), bundle->directory(), "exported to " + bundle->directory()},
         done, flags);
}

void read_bundle(const Flags& flags) {
  auto cache = open(flags);
  const runtime::CacheImport done = cache->import_from(flags.bundle, flags.target);
  report({"weft.cache.import", flags.bundle, cache->directory(), "imported from " + flags.bundle}, done,
         flags);
}

Json why_json(const CacheEntry& entry, const std::optional<Nearest>& nearest) {
  Json differences = Json::array(), other;
  if (nearest) {
    other = entry_json(nearest->entry);
    for (const Difference& one : nearest->differences)
      differences.push_back({{"what", one.what}, {"now", one.now}, {"then", one.then}});
  }
  return {{"kernel", entry_json(entry)},
          {"facts", entry.note.facts},
          {"nearest", std::move(other)},
          {"differences", std::move(differences)}};
}

void why(const Flags& flags) {
  if (is_missing(flags))
    throw Error(fmt::format("cache why: there is no kernel: {} does not exist", flags.directory));
  auto cache = open(flags);
  const std::vector<CacheEntry> entries = cache->list();
  const CacheEntry& entry = entry_named(entries, flags.key);
  const std::optional<Nearest> nearest = nearest_to(entry, *cache);
  if (flags.json) return print_json("weft.cache.why", why_json(entry, nearest));
  fmt::print("{}  {}: {}\n{}", to_string(entry.key).substr(0, 12), entry.kernel, entry.note.ops,
             entry.note.facts);
  if (!nearest) return fmt::print("no other kernel here is of these operations or these lines\n");
  fmt::print("the nearest kernel here is {}  {}: {}\n", to_string(nearest->entry.key).substr(0, 12),
             nearest->entry.kernel, nearest->entry.note.ops);
  const auto said = [](const std::string& text) { return text.empty() ? "none" : text; };
  for (const Difference& one : nearest->differences)
    fmt::print("  {}: {}, and there {}\n", one.what, said(one.now), said(one.then));
}

}  // namespace

void add_cache(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("cache", "The compiled kernels that are kept on disk");
  command->require_subcommand(0, 1);
  command->final_callback([command] {
    if (command->get_subcommands().empty()) throw CLI::RequiredError::Subcommand(1);
  });
  auto add = [&](const char* name, const char* description, void (*action)(const Flags&)) {
    CLI::App* sub = command->add_subcommand(name, description);
    sub->add_option("--cache-dir", flags->directory, "The cache's folder")
        ->type_name("DIR")
        ->capture_default_str();
    add_json_flag(*sub, flags->json);
    sub->callback([flags, action] { action(*flags); });
    return sub;
  };
  add("ls",
      "List the kernels, the last used first: key, size, last use, time to compile, name, compiler, ops",
      list);
  add("verify", "Read and check every kernel; damaged ones are removed", verify);
  add("clear", "Remove every kernel", clear);
  add("why", "Say why a kernel had to be compiled: the nearest other one, and what differs", why)
      ->add_option("key", flags->key, "Its name, or how its key begins, as `ls` shows them")
      ->type_name("KEY")
      ->required();
  add("trim", "Remove the least recently used kernels", trim)
      ->add_option("--max-bytes", flags->max_bytes, "How much may stay: 0, 5000000, 100MB, 100MiB")
      ->transform(CLI::AsSizeValue(true))
      ->check([](const std::string& text) {
        errno = 0;
        std::strtoull(text.c_str(), nullptr, 10);
        const bool held = !text.starts_with('-') && errno != ERANGE;
        return held ? std::string() : "takes a number of bytes from 0 to 2^64 - 1: got " + text;
      })
      ->required();
  auto add_bundle = [&](const char* name, const char* description, void (*action)(const Flags&)) {
    CLI::App* sub = add(name, description, action);
    sub->add_option("bundle", flags->bundle, "The folder of the bundle")->type_name("DIR")->required();
    sub->add_option("--target", flags->target,
                    "Only kernels whose compiler and processor, as `ls` shows them, contain this text");
  };
  add_bundle("export", "Copy sound kernels to a folder, for machines without a compiler", write_bundle);
  add_bundle("import", "Add the sound kernels of an exported folder", read_bundle);
  command->footer(
      "Examples:\n  weft cache ls\n  weft cache why 3f2a90c1\n  weft cache trim --max-bytes 100MiB\n  weft "
      "cache verify --cache-dir "
      "/tmp/kernels\n  weft cache export kernels --target sm_90");
}

}  // namespace weft::cli
