// The program `weft`: parses the command line, runs one command, and turns what is thrown into messages and
// exit codes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/base/error.h"
#include "compiler/base/nearest.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/exit_code.h"
#include "frontend/cpp/session/env.h"

namespace weft::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  weft run axpy.weft --random 1 --time
  weft run photo.weft --in photo=in.png --out 0=out.png
  weft show softmax.weft --stage cpp
  weft explain softmax.weft
  weft tune softmax.weft --device cuda
  weft grad loss.weft --wrt weights
  weft export blur.weft --folder blur
  weft help tune

Exit codes: 0 all well, 1 an error in what was given, 2 an error in the command line,
3 results that are wrong, 4 nothing compared, as every element of a result is NaN, 70 a defect of weft.)";

// The exit code tells, even where nothing can be written to the standard error.
int fail(int code, std::string_view what, std::string_view kind = "error") {
  const std::string line = fmt::format("weft: {}: {}\n", kind, what);
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

// The command that the arguments led to.
const CLI::App& command_of(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// "weft cache ls"
std::string name_of(const CLI::App& command) {
  return command.get_parent() ? name_of(*command.get_parent()) + " " + command.get_name()
                              : command.get_name();
}

std::vector<std::string> commands_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands(nullptr)) names.push_back(below->get_name());
  if (!command.get_parent()) names.emplace_back("help");
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The words that no command takes, as typed. CLI11's own message has them from the last to the first.
std::vector<std::string> unknown_words(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  std::erase(words, "--");
  return words;
}

std::string said_of(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& unknown) {
  const CLI::App& command = command_of(app);
  if (dynamic_cast<const CLI::RequiredError*>(&error) && !command.get_subcommands(nullptr).empty())
    return fmt::format("a command is missing: {} takes {}", name_of(command),
                       fmt::join(commands_below(command), ", "));
  if (unknown.empty() || !dynamic_cast<const CLI::ExtrasError*>(&error)) return error.what();
  return fmt::format("The following argument{} not expected: {}", unknown.size() > 1 ? "s were" : " was",
                     fmt::join(unknown, " "));
}

// What the first of these words may have been meant to be: an option of the command, or one below it.
std::string word_meant(const CLI::App& app, const std::vector<std::string>& unknown) {
  if (unknown.empty()) return {};
  const CLI::App& command = command_of(app);
  const std::string word = unknown[0].substr(0, unknown[0].find('='));
  std::string found = meant(word, word.starts_with("-") ? options_of(command) : commands_below(command));
  if (!found.empty() && unknown.size() > 1) found.insert(1, fmt::format(" by '{}'", word));
  return found;
}

// `weft help` and `weft help cache ls` are what the flag at the end says. ParseError where there is no such command.
std::vector<std::string> words_of(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    if (word.starts_with("-")) continue;
    const std::vector<const CLI::App*> all = at->get_subcommands(nullptr);
    const auto below = std::ranges::find(all, word, [](const CLI::App* one) { return one->get_name(); });
    if (below == all.end())
      throw CLI::ExtrasError(
          fmt::format("help: {} has no command '{}'{}", name_of(*at), word, meant(word, commands_below(*at))),
          CLI::ExitCodes::ExtrasError);
    at = *below;
  }
  words.emplace_back("--help");
  return words;
}

// Of the environment, before anything else is said. An Error where a value means nothing.
void look_at_variables() {
  for (const auto& [given, known] : detail::misspelt_variables())
    fail(kOk, fmt::format("the environment has {}, which Weft does not read: did you mean {}?", given, known),
         "warning");
  if (const std::vector<std::string> refused = detail::refused_variables(); !refused.empty())
    throw Error(fmt::format("{}", fmt::join(refused, "; ")));
}

int run(int argc, char** argv) {
  CLI::App app("See, run and measure array programs written as .weft graphs.", "weft");
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  // Asked for last, so that a word that is no command is named first.
  app.require_subcommand(0, 1);
  app.final_callback([&app] {
    if (app.get_subcommands().empty()) throw CLI::RequiredError::Subcommand(1);
  });
  app.get_formatter()->column_width(34);
  add_run(app);
  add_show(app);
  add_check(app);
  add_bisect(app);
  add_reduce(app);
  add_replay(app);
  add_explain(app);
  add_report(app);
  add_grad(app);
  add_export(app);
  add_tune(app);
  add_warm(app);
  add_ops(app);
  add_devices(app);
  add_calibrate(app);
  add_cache(app);
  add_completion(app);
  add_manual(app);
  add_version(app);
  app.footer(kExamples);  // last: commands take over the footer that is there when they are added
  try {
    std::vector<std::string> words = words_of(app, argc, argv);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) {
      const std::vector<std::string> unknown = unknown_words(app);
      return fail(kUsage, fmt::format("{}{}\nTry '{} --help'.", said_of(app, e, unknown),
                                      word_meant(app, unknown), name_of(command_of(app))));
    }
    app.exit(e);  // --help and --version
  }
  if (!std::cout.flush() || std::fflush(stdout) != 0)
    return fail(kUserError, "cannot write to the standard output");
  return kOk;
}

}  // namespace
}  // namespace weft::cli

int main(int argc, char** argv) {
  using namespace weft;
  try {
    cli::look_at_variables();
    return cli::run(argc, argv);
  } catch (const Error& e) {
    return cli::fail(cli::kUserError, e.what());
  } catch (const cli::WrongResults& e) {
    return cli::fail(cli::kWrongResults, e.what(), "wrong results");
  } catch (const cli::NothingCompared& e) {
    return cli::fail(cli::kNothingCompared, e.what(), "nothing compared");
  } catch (const std::bad_alloc&) {
    return cli::fail(cli::kUserError, "out of memory");
  } catch (const std::system_error& e) {  // files and the standard output
    return cli::fail(cli::kUserError, e.what());
  } catch (const std::exception& e) {
    return cli::fail(cli::kInternal, fmt::format("internal: {}", e.what()));
  }
}
