#include "frontend/files/npz.h"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>

#include "compiler/base/error.h"
#include "frontend/files/deflate.h"
#include "frontend/files/npy.h"
#include "frontend/files/whole_file.h"

namespace weft::io {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr uint64_t kMaxCall = 1u << 30;  // minizip counts the bytes of a call in 32 bits
constexpr uint64_t kMaxWithout64 = 0xFFFF0000;
constexpr size_t kMaxName = 0xFFFF;
constexpr uLong kEncrypted = 1, kUtf8 = 1u << 11;

[[noreturn]] void refuse(const char* op, const std::string& path, const std::string& rule) {
  throw Error(fmt::format("{}: '{}': {}", op, path, rule));
}

struct CloseZip {
  void operator()(void* file) const { unzClose(file); }
};

// The archive's member that the reader stands at.
struct Member {
  std::string name;
  unz_file_info64 info{};
};

Member member_at(unzFile zip, const std::string& path) {
  Member member;
  if (unzGetCurrentFileInfo64(zip, &member.info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    refuse("read_npz", path, "the archive's directory is damaged");
  member.name.resize(member.info.size_filename);
  unzGetCurrentFileInfo64(zip, nullptr, member.name.data(), member.info.size_filename, nullptr, 0, nullptr,
                          0);
  return member;
}

std::string bytes_of(unzFile zip, const Member& member, const std::string& path, uint64_t file_size) {
  const auto fail = [&](const char* rule) {
    refuse("read_npz", path, fmt::format("'{}': {}", member.name, rule));
  };
  if ((member.info.flag & kEncrypted) != 0) fail("is encrypted");
  // A damaged size must not allocate terabytes.
  if (member.info.uncompressed_size / kMaxDeflateRatio > file_size)
    fail("its size cannot come from a file of this size");
  if (unzOpenCurrentFile(zip) != UNZ_OK) fail("is damaged, or compressed otherwise than by deflate");
  std::string bytes(member.info.uncompressed_size, '\0');
  for (size_t at = 0; at < bytes.size();) {
    const int read = unzReadCurrentFile(zip, bytes.data() + at,
                                        static_cast<unsigned>(std::min(bytes.size() - at, kMaxCall)));
    if (read <= 0) fail("is damaged");
    at += static_cast<size_t>(read);
  }
  if (unzCloseCurrentFile(zip) != UNZ_OK) fail("is damaged: its checksum differs");
  return bytes;
}

// An archive of nothing, which minizip does not open: it begins with the directory's end.
bool is_empty_archive(const std::string& path, uint64_t file_size) {
  constexpr std::string_view kEnd{"PK\5\6\0\0\0\0\0\0\0\0", 12};
  constexpr uint64_t kEndSize = 22;
  std::string first(kEnd.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  return in.read(first.data(), static_cast<std::streamsize>(first.size())) && first == kEnd &&
         file_size == kEndSize;
}

void check_names(const char* op, const std::string& path, const NamedArrays& arrays) {
  std::set<std::string_view> names;
  for (const auto& [name, array] : arrays)
    if (!names.insert(name).second) refuse(op, path, fmt::format("two arrays have the name '{}'", name));
}

}  // namespace

NamedArrays read_npz(const std::string& path) {
  std::error_code code;
  const uint64_t file_size = std::filesystem::file_size(path, code);
  if (code) refuse("read_npz", path, "cannot be opened: " + code.message());
  if (is_empty_archive(path, file_size)) return {};
  const std::unique_ptr<void, CloseZip> zip(unzOpen64(path.c_str()));
  if (!zip) refuse("read_npz", path, "not an NPZ file: it is no zip archive, or damaged");
  NamedArrays arrays;
  unz_global_info64 all{};
  if (unzGetGlobalInfo64(zip.get(), &all) != UNZ_OK) refuse("read_npz", path, "the archive is damaged");
  int at = all.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : unzGoToFirstFile(zip.get());
  for (; at == UNZ_OK; at = unzGoToNextFile(zip.get())) {
    Member member = member_at(zip.get(), path);
    if (!std::string_view(member.name).ends_with(kSuffix))
      refuse("read_npz", path, fmt::format("holds '{}', which is no array", member.name));
    const std::string place = fmt::format("{}: {}", path, member.name);
    std::istringstream in(bytes_of(zip.get(), member, path, file_size), std::ios::binary);
    member.name.resize(member.name.size() - kSuffix.size());
    arrays.emplace_back(std::move(member.name), read_npy(in, place));
  }
  if (at != UNZ_END_OF_LIST_OF_FILE) refuse("read_npz", path, "the archive's directory is damaged");
  check_names("read_npz", path, arrays);
  return arrays;
}

void write_npz(const std::string& path, const NamedArrays& arrays, bool compressed) {
  check_names("write_npz", path, arrays);
  std::vector<std::string> heads;
  heads.reserve(arrays.size());
  for (const auto& [name, array] : arrays) {
    heads.push_back(npy_head(array, fmt::format("{}: {}", path, name)));
    if (name.size() + kSuffix.size() > kMaxName)
      refuse("write_npz", path, fmt::format("a name takes at most {} bytes", kMaxName - kSuffix.size()));
  }
  write_whole_file(path, [&](const std::string& where) {
    const auto check = [&](int result) {
      if (result != ZIP_OK) refuse("write_npz", path, "cannot be written");
    };
    errno = 0;
    zipFile zip = zipOpen64(where.c_str(), APPEND_STATUS_CREATE);
    if (zip == nullptr) refuse("write_npz", path, fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct Close {
      void operator()(void* file) const { zipClose(file, nullptr); }
    };
    std::unique_ptr<void, Close> closing(zip);
    const auto write = [&](const void* data, size_t size) {
      for (size_t at = 0; at < size; at += kMaxCall)
        check(zipWriteInFileInZip(zip, static_cast<const char*>(data) + at,
                                  static_cast<unsigned>(std::min(size - at, kMaxCall))));
    };
    zip_fileinfo info{};  // no time: equal arrays are equal files
    info.tmz_date.tm_year = 1980;
    info.tmz_date.tm_mday = 1;
    for (size_t i = 0; i < arrays.size(); ++i) {
      const HostArray& array = arrays[i].second;
      const std::string name = arrays[i].first + std::string(kSuffix);
      const int large = heads[i].size() + array.data.size() >= kMaxWithout64;
      check(zipOpenNewFileInZip4_64(zip, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                    compressed ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS,
                                    DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, 0, kUtf8, large));
      write(heads[i].data(), heads[i].size());
      write(array.data.data(), array.data.size());
      check(zipCloseFileInZip(zip));
    }
    check(zipClose(closing.release(), nullptr));
  });
}

}  // namespace weft::io
