#include "frontend/cpp/inspect/dump_graph.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/base/hash.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "frontend/files/npz.h"

namespace weft::detail {

namespace fs = std::filesystem;

namespace {

using nlohmann::ordered_json;

constexpr int kDumpSchema = 1;
constexpr const char *kDumpFile = "dump.json", *kGraphFile = "graph.weft", *kInputsFile = "inputs.npz",
                     *kOutputsFile = "outputs.npz";

constexpr std::pair<Numerics, const char*> kNumericsNames[] = {
    {Numerics::Strict, "strict"}, {Numerics::Standard, "standard"}, {Numerics::Fast, "fast"}};

std::string bytes_of_file(const fs::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof())
    throw Error(fmt::format("'{}': cannot be read: {}", path.string(), std::strerror(errno)));
  return text;
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw Error(fmt::format("'{}': cannot be written: {}", path.string(), std::strerror(errno)));
}

void write_arrays(const fs::path& path, const std::vector<ir::HostTensor>& tensors) {
  io::NamedArrays arrays;
  arrays.reserve(tensors.size());
  for (const ir::HostTensor& tensor : tensors)
    arrays.emplace_back(std::to_string(arrays.size()),
                        io::HostArray{tensor.type.dtype, tensor.type.shape, tensor.data});
  io::write_npz(path.string(), arrays, false);
}

ir::TensorType given_type(const ir::Node& input) {
  return input.op == ir::Op::scalar ? ir::TensorType{input.dtype(), {}} : input.type;
}

void write_files(const fs::path& folder, const GraphDump& dump) {
  write_bytes(folder / kGraphFile, ir::print(dump.graph, {.lines = true}));
  if (!dump.inputs.empty()) write_arrays(folder / kInputsFile, dump.inputs);
  if (!dump.outputs.empty()) write_arrays(folder / kOutputsFile, dump.outputs);
  ordered_json files = ordered_json::object();
  for (const char* name : {kGraphFile, kInputsFile, kOutputsFile})
    if (fs::exists(folder / name)) files[name] = to_string(hash_text(bytes_of_file(folder / name)));
  const auto* const numerics =
      std::ranges::find(kNumericsNames, dump.numerics, &std::pair<Numerics, const char*>::first);
  const ordered_json all = {{"schema", "weft.dump"},
                            {"version", kDumpSchema},
                            {"weft", WEFT_VERSION},
                            {"device", dump.device},
                            {"architecture", dump.architecture},
                            {"numerics", numerics->second},
                            {"files", std::move(files)}};
  // Last: a folder without it is no dump.
  write_bytes(folder / kDumpFile, all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
  throw Error(fmt::format("'{}': {}", folder, why));
}

ordered_json described(const std::string& folder) {
  const fs::path path = fs::path(folder) / kDumpFile;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) refuse(folder, fmt::format("is no dump: it has no {}", kDumpFile));
  ordered_json all = ordered_json::parse(bytes_of_file(path), nullptr, false);
  if (!all.is_object()) refuse(folder, fmt::format("is damaged: {} is not JSON", kDumpFile));
  if (all.value("schema", ordered_json()) != "weft.dump")
    refuse(folder, fmt::format("is no dump: {} has another schema than 'weft.dump'", kDumpFile));
  if (all.value("version", ordered_json()) != kDumpSchema)
    refuse(folder, fmt::format("was written in form {} by Weft {}: this one reads form {}",
                               all.value("version", ordered_json()).dump(),
                               all.value("weft", ordered_json("?")).dump(), kDumpSchema));
  const bool whole = all.contains("files") && all["files"].is_object() && all["files"].contains(kGraphFile);
  for (const char* field : {"weft", "device", "architecture", "numerics"})
    if (!whole || !all.contains(field) || !all[field].is_string())
      refuse(folder, fmt::format("is damaged: {} lacks fields", kDumpFile));
  return all;
}

std::vector<ir::HostTensor> read_arrays(const std::string& folder, const char* name,
                                        const std::vector<ir::TensorType>& types) {
  std::vector<ir::HostTensor> out;
  for (auto& [key, array] : io::read_npz((fs::path(folder) / name).string())) {
    const ir::TensorType type{array.dtype, array.shape};
    if (key != std::to_string(out.size()) || out.size() >= types.size() || type != types[out.size()])
      refuse(folder, fmt::format("is damaged: array '{}' of {} is not what the graph declares", key, name));
    out.push_back({type, std::move(array.data)});
  }
  if (out.size() != types.size())
    refuse(folder, fmt::format("is damaged: {} has {} arrays, the graph {}", name, out.size(), types.size()));
  return out;
}

}  // namespace

void write_dump(const std::string& folder, const GraphDump& dump) {
  fs::path target = fs::path(folder).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // "out/"
  std::error_code code;
  if (fs::exists(fs::symlink_status(target, code)))
    refuse(folder, "is there already: name a folder that is not, for a dump");
  const fs::path beside = target.string() + ".weft-" + std::to_string(::getpid());
  try {
    fs::create_directories(beside);
    write_files(beside, dump);
    fs::rename(beside, target);
  } catch (const fs::filesystem_error& e) {
    fs::remove_all(beside, code);
    refuse(folder, "cannot be written: " + e.code().message());
  } catch (...) {
    fs::remove_all(beside, code);
    throw;
  }
}

GraphDump read_dump(const std::string& folder) {
  const ordered_json all = described(folder);
  for (const auto& [name, hash] : all["files"].items()) {
    // Nothing outside of the folder is read.
    if (name != kGraphFile && name != kInputsFile && name != kOutputsFile)
      refuse(folder, fmt::format("is damaged: {} names a file '{}'", kDumpFile, name));
    const fs::path path = fs::path(folder) / name;
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) refuse(folder, fmt::format("is damaged: it lacks {}", name));
    if (hash != to_string(hash_text(bytes_of_file(path))))
      refuse(folder, fmt::format("is damaged: {} is not what was written", name));
  }
  GraphDump dump;
  dump.version = all["weft"];
  dump.device = all["device"];
  dump.architecture = all["architecture"];
  const auto* const numerics =
      std::ranges::find_if(kNumericsNames, [&](const auto& one) { return all["numerics"] == one.second; });
  if (numerics == std::end(kNumericsNames)) refuse(folder, "is damaged: its numerics have no known name");
  dump.numerics = numerics->first;
  const std::string text = bytes_of_file(fs::path(folder) / kGraphFile);
  dump.graph = ir::parse(text, (fs::path(folder) / kGraphFile).string());
  std::vector<ir::TensorType> given, results;
  given.reserve(dump.graph.inputs.size());
  results.reserve(dump.graph.outputs.size());
  for (const ir::NodeRef& input : dump.graph.inputs) given.push_back(given_type(*input));
  for (const ir::NodeRef& output : dump.graph.outputs) results.push_back(output->type);
  if (all["files"].contains(kInputsFile)) dump.inputs = read_arrays(folder, kInputsFile, given);
  if (all["files"].contains(kOutputsFile)) dump.outputs = read_arrays(folder, kOutputsFile, results);
  return dump;
}

bool is_dump(const std::string& folder) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(folder) / kDumpFile, ignored);
}

std::vector<std::string> dumps_in(const std::string& folder) {
  std::error_code code;
  if (is_dump(folder)) return {folder};
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (is_dump(entry.path().string())) out.push_back(entry.path().string());
  if (code) refuse(folder, "cannot be read: " + code.message());
  if (out.empty()) refuse(folder, fmt::format("is no dump and holds none: no {} was found", kDumpFile));
  std::ranges::sort(out);
  return out;
}

}  // namespace weft::detail
