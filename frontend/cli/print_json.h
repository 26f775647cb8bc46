// What commands print with --json: one object, which says its schema.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string_view>

namespace weft::cli {

using Json = nlohmann::ordered_json;

// Text that is no UTF-8, as file names may be, has its bytes replaced.
inline void print_json(std::string_view schema, const Json& fields, int version = 1) {
  Json all = {{"schema", schema}, {"version", version}};
  all.update(fields);
  fmt::print("{}\n", all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

inline constexpr const char* kJsonHelp = "Print it as JSON: docs/seeing_inside.md has the schema";
inline CLI::Option* add_json_flag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, kJsonHelp);
}

}  // namespace weft::cli
