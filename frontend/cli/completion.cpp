// `weft completion` and `weft manual`: what shells and man show of the commands, made of the parser itself.
#include <fmt/format.h>

#include "frontend/cli/command_tree.h"
#include "frontend/cli/commands.h"

namespace weft::cli {

void add_completion(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("completion", "A script by which a shell completes commands and options");
  command->footer(R"sh(Examples:
  eval "$(weft completion bash)"                         # in ~/.bashrc
  weft completion zsh > "${fpath[1]}/_weft"
  weft completion fish > ~/.config/fish/completions/weft.fish)sh");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app] {
    const CommandOfTree weft = command_tree(app);
    fmt::print("{}", *shell == "bash"  ? bash_completion(weft)
                     : *shell == "zsh" ? zsh_completion(weft)
                                       : fish_completion(weft));
  });
}

void add_manual(CLI::App& app) {
  CLI::App* command = app.add_subcommand("manual", "The manual page, for man");
  command->footer("Examples:\n  weft manual | man -l -\n  weft manual > /usr/local/share/man/man1/weft.1");
  command->callback([&app] { fmt::print("{}", manual(command_tree(app))); });
}

}  // namespace weft::cli
