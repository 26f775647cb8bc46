// Where the log's messages go: to the standard error, or to the language above, as Python's `logging`.
#pragma once

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include <memory>
#include <string>
#include <string_view>

namespace weft {

// Gets each message, on any thread and under locks: it may not call Weft. `level` is spdlog's number: 0 is trace, 5 critical.
using TellLog = void (*)(const std::string& logger, int level, const std::string& text);

namespace detail {

class LogSink final : public spdlog::sinks::sink {
 public:
  LogSink();
  void log(const spdlog::details::log_msg& message) override;
  void flush() override;
  void set_pattern(const std::string& pattern) override;
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override;

 private:
  std::shared_ptr<spdlog::sinks::sink> on_stderr_;
};

// From now on messages of the process go there; null: to the standard error.
void send_log_to(TellLog tell);
bool log_is_sent();

// The process's logger of that name, made when it is first asked for.
std::shared_ptr<spdlog::logger> logger_named(const char* name);
// The name of the one that says why programs are planned.
inline constexpr const char* kRecompiles = "weft.recompiles";

// What a log's setting says: a level and words, with commas between them.
struct LogWords {
  std::string level = "warn";
  bool recompiles = false;  // why programs are planned, whatever the level
  bool logging = false;     // in Python: to its `logging`
};
// Error, under the name of a setting or a variable, for what is none of them. `may_log`: whether "logging" is one.
LogWords log_words(const std::string& name, std::string_view text, bool may_log);
std::string to_string(const LogWords& words);
void set_log(const LogWords& words);
LogWords log_now();

}  // namespace detail
}  // namespace weft
