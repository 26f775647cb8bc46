// A session that dumps writes the graph of each program with its data, whole or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "compiler/base/error.h"
#include "compiler/ir/text/parse.h"
#include "frontend/cpp/inspect/dump_graph.h"
#include "frontend/cpp/weft/weft.h"
#include "tests/support/cli_process.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A session that dumps to a folder is the current one, for a test.
class Dumping {
 public:
  explicit Dumping(bool data = true) : before_(Session::current()), session_(options(data)) {
    session_.make_current();
  }
  ~Dumping() { before_.make_current(); }
  Dumping(const Dumping&) = delete;

  std::string folder() const { return folder_ / "dumps"; }
  std::vector<detail::GraphDump> read() const {
    std::vector<detail::GraphDump> out;
    const std::vector<std::string> folders = detail::dumps_in(folder());
    out.reserve(folders.size());
    for (const std::string& one : folders) out.push_back(detail::read_dump(one));
    return out;
  }

 private:
  SessionOptions options(bool data) const {
    SessionOptions out;
    out.interpret_limit = 0;
    out.dump = folder();
    out.dump_data = data;
    return out;
  }
  Folder folder_;
  Session before_;
  Session session_;
};

std::vector<float> floats_of(const ir::HostTensor& tensor) {
  std::vector<float> out(tensor.data.size() / sizeof(float));
  std::memcpy(out.data(), tensor.data.data(), tensor.data.size());
  return out;
}

TEST(Dumps, HaveTheGraphItsDataAndWhatWasComputed) {
  const Dumping dumping;
  const Array x = arange(0, 2000, 1, DType::F32);
  x.eval();
  Array y = x * 2 + 1;
  y.eval();
  Array(x * 2 + 1).eval();  // the same program
  std::vector<detail::GraphDump> dumps = dumping.read();
  std::erase_if(dumps, [](const detail::GraphDump& dump) { return dump.inputs.size() < 3; });
  ASSERT_EQ(dumps.size(), 1u);
  const detail::GraphDump& dump = dumps[0];
  EXPECT_EQ(dump.device, "cpu");
  EXPECT_FALSE(dump.architecture.empty() || dump.version.empty());
  ASSERT_EQ(dump.outputs.size(), 1u);
  EXPECT_EQ(dump.outputs[0].data, ir::interpret(dump.graph, dump.inputs)[0].data);
  EXPECT_EQ(floats_of(dump.outputs[0])[1999], 3999);
}

TEST(Dumps, OfShapesAloneHaveNoData) {
  const Dumping dumping(false);
  Array(ones({3000}) * 2).eval();
  const std::vector<detail::GraphDump> dumps = dumping.read();
  ASSERT_EQ(dumps.size(), 1u);
  EXPECT_TRUE(dumps[0].inputs.empty() && dumps[0].outputs.empty());
  EXPECT_FALSE(has_data(dumps[0]));
}

TEST(Dumps, KeepWhatIsWrittenOverInPlace) {
  const Dumping dumping;
  Array x = zeros({300'000}, DType::F32);
  x.eval();
  x(Slice{0, 1000}) = x(Slice{0, 1000}) + 5;
  x.eval();
  for (const detail::GraphDump& dump : dumping.read()) {
    ASSERT_TRUE(has_data(dump));
    const auto want = ir::interpret(dump.graph, dump.inputs);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(dump.outputs[i].data, want[i].data);
  }
}

TEST(Dumps, OfFunctionsThatAreCompiled) {
  const Dumping dumping;
  const Array x = full({2000}, 3.0);
  const Compiled f(std::vector<Array>{x},
                   [](std::span<const Array> in) { return std::vector<Array>{in[0] * in[0]}; });
  f(std::vector<Array>{x});
  bool found = false;
  for (const detail::GraphDump& dump : dumping.read())
    if (dump.inputs.size() == 1 && dump.inputs[0].type.shape == Shape{2000}) {
      found = true;
      EXPECT_EQ(dump.outputs[0].data, ir::interpret(dump.graph, dump.inputs)[0].data);
    }
  EXPECT_TRUE(found);
}

TEST(Dumps, OfAFolderThatCannotBeWrittenToAreGivenUp) {
  const Folder folder;
  write_text(folder / "file", "x");
  const Session before = Session::current();
  SessionOptions options;
  options.interpret_limit = 0;
  options.dump = folder / "file/dumps";
  options.log = "off";
  Session session(options);
  session.make_current();
  Array y = ones({3000}) * 2;
  y.eval();
  EXPECT_EQ(y(2999).item<double>(), 2);
  Session(before).make_current();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Dumps, AreWrittenWholeOrNotAtAll) {
  const Folder folder;
  detail::GraphDump dump;
  dump.graph = ir::parse("graph {\n  %x = input : f32[2]\n  %y = exp %x\n  return %y\n}\n");
  dump.inputs.push_back({{DType::F32, {2}}, std::vector<std::byte>(7)});  // a byte too few
  EXPECT_THROW(detail::write_dump(folder / "dump", dump), Error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  dump.inputs[0].data.resize(8);
  detail::write_dump(folder / "dump/", dump);
  EXPECT_EQ(detail::read_dump(folder / "dump").inputs[0].data, dump.inputs[0].data);
  EXPECT_THROW(detail::write_dump(folder / "dump", dump), Error);
}

TEST(Dumps, KeepEveryDTypeAndShape) {
  const Folder folder;
  std::string lines;
  detail::GraphDump dump;
  int number = 0;
  for (const char* type :
       {"bool[3]", "i8[0, 4]", "u64[]", "f16[2, 2]", "bf16[5]", "f64[1]", "c64[2]", "c128[3]"}) {
    const std::string name = "a" + std::to_string(number++);
    lines += "  %" + name + " = input : " + type + "\n";
  }
  dump.graph = ir::parse("graph {\n" + lines + "  return %a0\n}\n");
  uint8_t next = 0;
  for (const ir::NodeRef& in : dump.graph.inputs) {
    ir::HostTensor& tensor = dump.inputs.emplace_back(ir::zeros(in->type, in->as<ir::InputAttr>().name));
    for (std::byte& byte : tensor.data)
      byte = static_cast<std::byte>(in->dtype() == DType::Bool ? next++ % 2 : next++);
  }
  detail::write_dump(folder / "dump", dump);
  const detail::GraphDump read = detail::read_dump(folder / "dump");
  ASSERT_EQ(read.inputs.size(), dump.inputs.size());
  for (size_t i = 0; i < read.inputs.size(); ++i) {
    EXPECT_EQ(read.inputs[i].type, dump.inputs[i].type);
    EXPECT_EQ(read.inputs[i].data, dump.inputs[i].data);
  }
  EXPECT_EQ(hash_graph(read.graph), hash_graph(dump.graph));
}

}  // namespace
}  // namespace weft::test
