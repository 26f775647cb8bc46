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

#include "compiler/base/error.h"
#include "frontend/cli/commands.h"
#include "frontend/cli/exit_code.h"
#include "frontend/cli/nearest.h"

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
3 results that are wrong, 70 a defect of weft.)";

// The exit code tells, even where nothing can be written to the standard error.
int fail(int code, std::string_view what, std::string_view kind = "error") {
  const std::string line = fmt::format("weft: {}: {}\n", kind, what);
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

// "weft cache ls": the command that the arguments led to.
std::string command_of(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* at = &app; !at->get_subcommands().empty(); name += " " + at->get_name())
    at = at->get_subcommands().front();
  return name;
}

// What the first word may have been meant to be, where it is no command.
std::string command_meant(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return {};
  return meant(argv[1], names);
}

// `weft help` and `weft help cache ls` are what the flag at the end says.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
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
  add_ops(app);
  add_devices(app);
  add_cache(app);
  add_completion(app);
  add_manual(app);
  add_version(app);
  app.footer(kExamples);  // last: commands take over the footer that is there when they are added
  try {
    std::vector<std::string> words = words_of(argc, argv);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      return fail(kUsage, fmt::format("{}{}\nTry '{} --help'.", e.what(), command_meant(app, argc, argv),
                                      command_of(app)));
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
    return cli::run(argc, argv);
  } catch (const Error& e) {
    return cli::fail(cli::kUserError, e.what());
  } catch (const cli::WrongResults& e) {
    return cli::fail(cli::kWrongResults, e.what(), "wrong results");
  } catch (const std::bad_alloc&) {
    return cli::fail(cli::kUserError, "out of memory");
  } catch (const std::system_error& e) {  // files and the standard output
    return cli::fail(cli::kUserError, e.what());
  } catch (const std::exception& e) {
    return cli::fail(cli::kInternal, fmt::format("internal: {}", e.what()));
  }
}
