// The commands and options as the parser has them, for what is made of them: completions and the manual. Nothing here
// is listed by hand, so neither can be behind.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::cli {

struct OptionOfCommand {
  std::vector<std::string> names;  // "--json"; none for what stands without a name
  std::string value;               // "FILE"; empty for flags
  std::vector<std::string> choices;
  std::string description, otherwise;  // otherwise: what holds where it is not given
  bool required = false;

  bool takes_a_path() const;
};

struct CommandOfTree {
  std::string path;  // "weft cache ls"
  std::string name, description, examples;
  std::vector<OptionOfCommand> options;
  std::vector<CommandOfTree> commands;
};

// Hidden options are left out.
CommandOfTree command_tree(const CLI::App& app);

// Calls f for the command and for all below it, the first one first.
template <class F>
void for_each_command(const CommandOfTree& command, F&& f) {
  f(command);
  for (const CommandOfTree& below : command.commands) for_each_command(below, f);
}

// Scripts for shells, which complete commands, options, choices and names of files.
std::string bash_completion(const CommandOfTree& weft);
std::string zsh_completion(const CommandOfTree& weft);
std::string fish_completion(const CommandOfTree& weft);
// The manual page weft(1), for man.
std::string manual(const CommandOfTree& weft);

}  // namespace weft::cli
