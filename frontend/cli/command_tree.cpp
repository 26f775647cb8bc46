#include "frontend/cli/command_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace weft::cli {
namespace {

// CLI11 says a value as "STAGE:{graph,plan}": its name, and what its checks say of it.
std::pair<std::string, std::vector<std::string>> value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  std::string said = option.get_type_name();
  std::vector<std::string> choices;
  const size_t open = said.find('{');
  if (open != std::string::npos && said.ends_with('}'))
    choices = CLI::detail::split(said.substr(open + 1, said.size() - open - 2), ',');
  const size_t end = said.find_first_of(":{");
  std::string name = said.substr(0, end);
  if (name.empty() || name == "TEXT")
    name = end == std::string::npos || !choices.empty() ? "VALUE" : said.substr(end + 1);
  return {name, choices};
}

OptionOfCommand option_of(const CLI::Option& option) {
  OptionOfCommand out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  std::tie(out.value, out.choices) = value_of(option);
  if (out.names.empty()) out.value = option.get_single_name();
  out.description = option.get_description();
  out.otherwise = option.get_default_str();
  out.required = option.get_required();
  return out;
}

CommandOfTree tree_of(const CLI::App& app, const std::string& above) {
  CommandOfTree out;
  out.name = app.get_name();
  out.path = above.empty() ? out.name : above + " " + out.name;
  out.description = app.get_description();
  out.examples = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) out.options.push_back(option_of(*option));
  for (const CLI::App* command : app.get_subcommands(nullptr))
    out.commands.push_back(tree_of(*command, out.path));
  return out;
}

std::vector<std::string> names_of_options(const CommandOfTree& command) {
  std::vector<std::string> out;
  for (const OptionOfCommand& option : command.options)
    out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

std::vector<std::string> names_of_commands(const CommandOfTree& command) {
  std::vector<std::string> out;
  out.reserve(command.commands.size() + 1);
  for (const CommandOfTree& below : command.commands) out.push_back(below.name);
  if (command.path == command.name) out.emplace_back("help");  // main() takes it for the flag
  return out;
}

bool has_paths(const CommandOfTree& command) {
  return std::ranges::any_of(command.options, [](const OptionOfCommand& option) {
    return option.names.empty() && option.takes_a_path();
  });
}

// The lines of a `case` over "command word", which leads to the command below it, and of one over "command option".
struct Cases {
  std::string commands, values;
};

Cases cases_of(const CommandOfTree& weft, std::string_view choose, std::string_view files) {
  Cases out;
  for_each_command(weft, [&](const CommandOfTree& command) {
    for (const CommandOfTree& below : command.commands)
      out.commands += fmt::format("      '{0}') at='{0}' ;;\n", below.path);
    for (const OptionOfCommand& option : command.options) {
      if (option.names.empty() || option.value.empty()) continue;
      std::string patterns;
      for (const std::string& name : option.names)
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", command.path, name);
      const std::string answer = !option.choices.empty()
                                     ? fmt::format(fmt::runtime(choose), fmt::join(option.choices, " "))
                                 : option.takes_a_path() ? std::string(files)
                                                         : std::string(":");
      out.values += fmt::format("    {}) {}; return ;;\n", patterns, answer);
    }
  });
  return out;
}

std::string quoted(std::string text) {
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

// Of a description that has more than a sentence or a list, what a line has room for.
std::string short_of(const std::string& text) {
  const size_t end = text.find_first_of(";\n");
  return text.substr(0, end);
}

std::string escaped(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string manual_of(const OptionOfCommand& option) {
  std::string said = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.value.empty()) said += (said.empty() ? "" : " ") + option.value;
  std::string out = fmt::format(".TP\n.B {}\n{}", escaped(said), escaped(option.description));
  if (!option.choices.empty() && option.description.find(option.choices.front()) == std::string::npos)
    out += escaped(fmt::format(": {}", fmt::join(option.choices, ", ")));
  // A folder is this machine's.
  if (!option.otherwise.empty() && !option.takes_a_path())
    out += escaped(fmt::format(" (unless told: {})", option.otherwise));
  return out + ".\n";
}

}  // namespace

bool OptionOfCommand::takes_a_path() const {
  constexpr std::array<std::string_view, 2> kPaths = {"FILE", "DIR"};
  return std::ranges::any_of(kPaths,
                             [&](std::string_view path) { return value.find(path) != std::string::npos; }) ||
         value == "bundle";
}

CommandOfTree command_tree(const CLI::App& app) { return tree_of(app, ""); }

std::string bash_completion(const CommandOfTree& weft) {
  const Cases cases =
      cases_of(weft, "COMPREPLY=($(compgen -W '{}' -- \"$word\"))", "COMPREPLY=($(compgen -f -- \"$word\"))");
  std::string words;
  for_each_command(weft, [&](const CommandOfTree& command) {
    words += fmt::format("    '{}') options='{}' words='{}' files={} ;;\n", command.path,
                         fmt::join(names_of_options(command), " "),
                         fmt::join(names_of_commands(command), " "), has_paths(command) ? 1 : 0);
  });
  return fmt::format(R"sh(# Completion of weft for bash: eval "$(weft completion bash)"
_weft() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} at=weft options= words= files=0 i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$at ${{COMP_WORDS[i]}}" in
{}    esac
  done
  case "$at $before" in
{}  esac
  case "$at" in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  elif ((files)); then
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _weft weft
)sh",
                     cases.commands, cases.values, words);
}

std::string zsh_completion(const CommandOfTree& weft) {
  const Cases cases = cases_of(weft, "compadd -- {}", "_files");
  std::string words;
  for_each_command(weft, [&](const CommandOfTree& command) {
    std::string said;
    for (const CommandOfTree& below : command.commands)
      said += " " + quoted(below.name + ":" + short_of(below.description));
    words += fmt::format("    '{}') options=({}) commands=({}) files={} ;;\n", command.path,
                         fmt::join(names_of_options(command), " "), said, has_paths(command) ? 1 : 0);
  });
  return fmt::format(R"sh(#compdef weft
# Completion of weft for zsh: eval "$(weft completion zsh)"
_weft() {{
  local at=weft i files=0
  local -a options commands
  for ((i = 2; i < CURRENT; ++i)); do
    case "$at ${{words[i]}}" in
{}    esac
  done
  case "$at ${{words[CURRENT - 1]}}" in
{}  esac
  case "$at" in
{}  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    compadd -- $options
  elif ((${{#commands}})); then
    _describe command commands
  elif ((files)); then
    _files
  fi
}}
compdef _weft weft
)sh",
                     cases.commands, cases.values, words);
}

std::string fish_completion(const CommandOfTree& weft) {
  std::string out = "# Completion of weft for fish: weft completion fish | source\ncomplete -c weft -f\n";
  // Fish asks a condition before it offers a word: which commands were seen, and which not yet.
  const auto seen = [](const CommandOfTree& command) {
    if (command.path == command.name) return std::string("__fish_use_subcommand");
    std::vector<std::string> names = CLI::detail::split(command.path, ' ');
    std::string condition;
    for (size_t i = 1; i < names.size(); ++i)
      condition += fmt::format("{}__fish_seen_subcommand_from {}", i > 1 ? "; and " : "", names[i]);
    if (!command.commands.empty()) {
      std::vector<std::string> below;
      below.reserve(command.commands.size());
      for (const CommandOfTree& one : command.commands) below.push_back(one.name);
      condition += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(below, " "));
    }
    return condition;
  };
  for_each_command(weft, [&](const CommandOfTree& command) {
    const std::string condition = quoted(seen(command));
    for (const CommandOfTree& below : command.commands)
      out += fmt::format("complete -c weft -n {} -a {} -d {}\n", condition, below.name,
                         quoted(short_of(below.description)));
    for (const OptionOfCommand& option : command.options) {
      std::string line = fmt::format("complete -c weft -n {}", condition);
      if (option.names.empty()) {
        if (option.takes_a_path()) out += line + " -F\n";
        continue;
      }
      for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        line += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
      else if (!option.value.empty())
        line += option.takes_a_path() ? " -r -F" : " -x";
      out += line + " -d " + quoted(short_of(option.description)) + "\n";
    }
  });
  return out;
}

std::string manual(const CommandOfTree& weft) {
  std::string out = fmt::format(".TH WEFT 1 \"\" \"Weft {}\" \"Weft\"\n.SH NAME\nweft \\- {}\n", WEFT_VERSION,
                                escaped(weft.description));
  out += ".SH SYNOPSIS\n.B weft\n.I COMMAND\n[\n.I OPTIONS\n]\n.SH COMMANDS\n";
  for_each_command(weft, [&](const CommandOfTree& command) {
    if (command.path == command.name) return;
    std::string usage = command.path;
    for (const OptionOfCommand& option : command.options)
      if (option.names.empty()) usage += option.required ? " " + option.value : " [" + option.value + "]";
    out += fmt::format(".SS {}\n{}.\n", escaped(usage), escaped(command.description));
    for (const OptionOfCommand& option : command.options) out += manual_of(option);
    if (!command.examples.empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.examples));
  });
  out += ".SH OPTIONS\n";
  for (const OptionOfCommand& option : weft.options) out += manual_of(option);
  return out + fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", escaped(weft.examples));
}

}  // namespace weft::cli
