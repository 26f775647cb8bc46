#include "frontend/cpp/session/log_sink.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "compiler/base/error.h"

namespace weft::detail {

namespace {

std::atomic<TellLog> tell_log{nullptr};

}  // namespace

LogSink::LogSink() : on_stderr_(std::make_shared<spdlog::sinks::stderr_color_sink_mt>()) {}

void LogSink::log(const spdlog::details::log_msg& message) {
  if (const TellLog tell = tell_log.load())
    tell(std::string(message.logger_name.data(), message.logger_name.size()), message.level,
         std::string(message.payload.data(), message.payload.size()));
  else
    on_stderr_->log(message);
}

void LogSink::flush() { on_stderr_->flush(); }
void LogSink::set_pattern(const std::string& pattern) { on_stderr_->set_pattern(pattern); }
void LogSink::set_formatter(std::unique_ptr<spdlog::formatter> formatter) {
  on_stderr_->set_formatter(std::move(formatter));
}

std::shared_ptr<spdlog::logger> logger_named(const char* name) {
  if (std::shared_ptr<spdlog::logger> known = spdlog::get(name)) return known;
  auto made = std::make_shared<spdlog::logger>(name, std::make_shared<LogSink>());
  spdlog::initialize_logger(made);
  return made;
}

void set_log(const LogWords& words) {
  const spdlog::level::level_enum level = spdlog::level::from_str(words.level);
  logger_named("weft")->set_level(level);
  logger_named(kRecompiles)->set_level(words.recompiles ? std::min(level, spdlog::level::info) : level);
}

LogWords log_now() {
  const spdlog::level::level_enum level = logger_named("weft")->level();
  const auto name = spdlog::level::to_string_view(level);
  return {level == spdlog::level::warn ? "warn" : std::string(name.data(), name.size()),
          logger_named(kRecompiles)->level() < level};
}

void send_log_to(TellLog tell) { tell_log = tell; }
bool log_is_sent() { return tell_log.load() != nullptr; }

LogWords log_words(const std::string& name, std::string_view text, bool may_log) {
  static constexpr std::array<std::string_view, 6> kLevels = {"trace", "debug", "info",
                                                              "warn",  "error", "off"};
  LogWords out;
  bool has_level = false;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word == "recompiles") {
      out.recompiles = true;
    } else if (word == "logging" && may_log) {
      out.logging = true;
    } else if (std::ranges::find(kLevels, word) != kLevels.end() && !has_level) {
      out.level = word, has_level = true;
    } else {
      throw Error(name + ": takes trace, debug, info, warn, error or off, and recompiles" +
                  (may_log ? " and logging" : "") + ", with commas between them: got '" + std::string(text) +
                  "'");
    }
  }
  return out;
}

std::string to_string(const LogWords& words) { return words.level + (words.recompiles ? ",recompiles" : ""); }

}  // namespace weft::detail
