// The commands of `weft`. Each function adds one to the parser, with its options and what it does; failures
// are thrown, and main() alone turns them into messages and exit codes.
#pragma once

#include <CLI/CLI.hpp>

namespace weft::cli {

void add_ops(CLI::App& app);
void add_devices(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_show(CLI::App& app);
void add_run(CLI::App& app);
void add_tune(CLI::App& app);
void add_warm(CLI::App& app);
void add_check(CLI::App& app);
void add_bisect(CLI::App& app);
void add_replay(CLI::App& app);
void add_reduce(CLI::App& app);
void add_explain(CLI::App& app);
void add_report(CLI::App& app);
void add_grad(CLI::App& app);
void add_export(CLI::App& app);
void add_cache(CLI::App& app);
void add_completion(CLI::App& app);
void add_manual(CLI::App& app);
void add_version(CLI::App& app);

}  // namespace weft::cli
