#include "frontend/cpp/session/env.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "compiler/base/error.h"
#include "compiler/base/nearest.h"
#include "frontend/cpp/session/device_name.h"
#include "frontend/cpp/session/log_sink.h"
#include "frontend/cpp/weft/session.h"
#include "runtime/cpu/host.h"

namespace weft {
namespace {

template <class T>
void read_number(const char* name, T& value) {
  const auto text = detail::environment(name);
  if (!text) return;
  T parsed{};
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), parsed);
  if (error != std::errc() || end != text->data() + text->size() || parsed < T{0}) {
    throw Error(std::string(name) + ": takes a number of 0 or more: got '" + *text + "'");
  }
  value = parsed;
}

template <class T>
T named(const char* variable, const std::string& text, T (*from)(const std::string&)) {
  try {
    return from(text);
  } catch (const Error& error) {
    throw Error(std::string(variable) + ": " + error.what());
  }
}

// Those of docs/settings.md.
constexpr std::string_view kVariables[] = {
    "WEFT_CACHE_DIR",       "WEFT_CACHE_LIMIT", "WEFT_CALIBRATION",  "WEFT_CALLERS",   "WEFT_CHECK",
    "WEFT_CUDA_GRAPHS",     "WEFT_DEVICE",      "WEFT_DUMP",         "WEFT_DUMP_DATA", "WEFT_GRAPH_LIMIT",
    "WEFT_INTERPRET_LIMIT", "WEFT_LOG",         "WEFT_MEMORY_SPEED", "WEFT_NUMERICS",  "WEFT_NVTX",
    "WEFT_PERF_MAP",        "WEFT_PROFILE",     "WEFT_PROGRESS",     "WEFT_THREADS",   "WEFT_TIER"};

// What is behind "WEFT", without underscores and in capital letters.
std::string letters_of(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_') out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out.starts_with("WEFT") ? out.substr(4) : std::string();
}

// The variable that this one may have been meant to be: one that its letters begin or end with or that begins with them, or one within
// a quarter of its letters.
std::optional<std::string> variable_meant(std::string_view name) {
  constexpr size_t kFew = 3;  // letters that tell nothing
  const std::string given = letters_of(name);
  if (given.size() < kFew) return std::nullopt;
  for (const std::string_view known : kVariables) {
    const std::string letters = letters_of(known);
    if (given.starts_with(letters) || letters.starts_with(given) || given.ends_with(letters))
      return std::string(known);
  }
  for (const std::string_view known : kVariables) {
    const std::string letters = letters_of(known);
    if (edits(given, letters) * 4 <= letters.size()) return std::string(known);
  }
  return std::nullopt;
}

std::string default_cache_directory() {
  // The specification of base directories has relative paths ignored.
  if (auto home = detail::environment("XDG_CACHE_HOME"); home && home->front() == '/') return *home + "/weft";
  if (auto home = detail::environment("HOME")) return *home + "/.cache/weft";
  return {};
}

struct Switch {
  const char* name;
  bool otherwise;
};
constexpr Switch kDumpData{"WEFT_DUMP_DATA", true}, kCallers{"WEFT_CALLERS", false},
    kCalibration{"WEFT_CALIBRATION", true}, kCheck{"WEFT_CHECK", false},
    kCudaGraphs{"WEFT_CUDA_GRAPHS", true}, kPerfMap{"WEFT_PERF_MAP", false}, kProgress{"WEFT_PROGRESS", true},
    kNvtx{"WEFT_NVTX", false};

bool read_switch(const Switch& one) {
  const std::string given = detail::environment(one.name).value_or(one.otherwise ? "1" : "0");
  if (given != "0" && given != "1")
    throw Error(std::string(one.name) + ": takes 0 or 1: got '" + given + "'");
  return given == "1";
}

std::optional<double> read_memory_speed() {
  const std::optional<std::string> given = detail::environment("WEFT_MEMORY_SPEED");
  if (!given) return std::nullopt;
  constexpr double kGiga = 1e9;
  char* end = nullptr;
  const double number = std::strtod(given->c_str(), &end);
  if (*end || !(number > 0) || number > kGiga)
    throw Error("WEFT_MEMORY_SPEED: takes GB/s, a number above 0: got '" + *given + "'");
  return number * kGiga;
}

// What each variable, or several, sets; Error where its value means nothing.
constexpr void (*kReaders[])(SessionOptions&) = {
    [](SessionOptions& options) {
      if (auto device = detail::environment("WEFT_DEVICE"))
        options.device = named<std::string>("WEFT_DEVICE", *device, [](const std::string& name) {
          static_cast<void>(detail::device_named(name));  // an Error where it is none
          return name;
        });
    },
    [](SessionOptions& options) {
      options.cache_directory = detail::environment("WEFT_CACHE_DIR").value_or(default_cache_directory());
      if (edits(options.cache_directory, "off") == 0) options.cache_directory.clear();
      options.dump = detail::environment("WEFT_DUMP").value_or("");
    },
    [](SessionOptions& options) { read_number("WEFT_CACHE_LIMIT", options.cache_limit); },
    [](SessionOptions& options) {
      read_number("WEFT_THREADS", options.threads);
      detail::check_threads("WEFT_THREADS", options.threads);
    },
    [](SessionOptions& options) { read_number("WEFT_GRAPH_LIMIT", options.graph_limit); },
    [](SessionOptions& options) { read_number("WEFT_INTERPRET_LIMIT", options.interpret_limit); },
    [](SessionOptions& options) {
      if (auto tier = detail::environment("WEFT_TIER")) options.tier = named("WEFT_TIER", *tier, tier_named);
    },
    [](SessionOptions& options) {
      if (auto level = detail::environment("WEFT_LOG")) {
        detail::log_words("WEFT_LOG", *level, true);
        options.log = *level;
      }
    },
    [](SessionOptions& options) { options.dump_data = read_switch(kDumpData); },
    [](SessionOptions& options) {
      if (auto numerics = detail::environment("WEFT_NUMERICS"))
        options.numerics = named("WEFT_NUMERICS", *numerics, numerics_named);
    },
};

}  // namespace

std::optional<std::string> detail::environment(const char* name) {
  const char* text = std::getenv(name);
  if (!text || !*text) return std::nullopt;
  return text;
}

bool detail::checks_kernels() {
  static const bool checks = read_switch(kCheck);
  return checks;
}

std::span<const std::string_view> detail::variables() { return kVariables; }

std::vector<std::pair<std::string, std::string>> detail::misspelt_variables() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** one = environ; one && *one; ++one) {
    const std::string_view entry(*one);
    const std::string name(entry.substr(0, entry.find('=')));
    if (std::ranges::find(kVariables, name) != std::end(kVariables)) continue;
    if (const auto near = variable_meant(name)) found.emplace_back(name, *near);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> detail::refused_variables() {
  std::vector<std::string> found;
  const auto attempt = [&](const auto& read) {
    try {
      read();
    } catch (const Error& error) {
      found.emplace_back(error.what());
    }
  };
  SessionOptions options;
  for (const auto& read : kReaders) attempt([&] { read(options); });
  for (const Switch& one : {kCalibration, kCallers, kCheck, kCudaGraphs, kPerfMap, kProgress, kNvtx})
    attempt([&] { static_cast<void>(read_switch(one)); });
  attempt([] { static_cast<void>(read_memory_speed()); });
  return found;
}

std::optional<double> detail::given_memory_speed() {
  static const std::optional<double> speed = read_memory_speed();
  return speed;
}

bool detail::calibrates() {
  static const bool calibrates = read_switch(kCalibration);
  return calibrates;
}

bool detail::makes_cuda_graphs() {
  static const bool makes = read_switch(kCudaGraphs);
  return makes;
}

bool detail::notes_callers() {
  static const bool notes = read_switch(kCallers);
  return notes;
}

bool detail::writes_perf_map() {
  static const bool writes = read_switch(kPerfMap);
  return writes;
}

bool detail::shows_progress() {
  static const bool shows = read_switch(kProgress);
  return shows;
}

bool detail::marks_ranges() {
  static const bool marks = read_switch(kNvtx);
  return marks;
}

void detail::check_threads(const std::string& name, int threads) {
  if (threads < 0 || threads > runtime::kMostThreads)
    throw Error(name + ": takes a number from 1 to " + std::to_string(runtime::kMostThreads) +
                ", or 0 for all: got " + std::to_string(threads));
}

SessionOptions SessionOptions::from_environment() {
  SessionOptions options;
  for (const auto& read : kReaders) read(options);
  return options;
}

}  // namespace weft
