#include "runtime/kernel_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

#include "compiler/base/error.h"
#include "runtime/private_directory.h"

namespace weft::runtime {
namespace {

constexpr char kMagic[8] = {'W', 'E', 'F', 'T', 'K', 'R', 'N', '\n'};
constexpr uint32_t kVersion = 3;
constexpr std::string_view kSuffix = ".kernel";
constexpr std::string_view kTemporary = ".new-";
constexpr int64_t kTouchSeconds = 60;
constexpr int64_t kAbandonedSeconds = 3600;
constexpr uint64_t kPutsPerCount =
    64;  // other processes put too, so the directory is counted anew now and then
constexpr uint64_t kLargestText = uint64_t{1} << 32;

// What a file starts with; toolchain, kernel, ops, facts, source and binary follow, in this order. The checksum
// is taken over the whole file with the checksum itself as zeros.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t compile_us;
  uint64_t toolchain, kernel, ops, facts, source, binary;  // bytes
  uint64_t key_low, key_high;
  uint64_t sum_low, sum_high;
};
static_assert(sizeof(Header) == 96);

struct Parts {
  std::string_view toolchain, kernel, source, binary;
  KernelNote note;
};

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

int open_entry(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

std::string read_bytes(int descriptor, uint64_t offset, uint64_t size) {
  std::string bytes(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t n =
        ::pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

bool write_bytes(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string entry_name(const Hash& key) { return to_string(key) + std::string(kSuffix); }

std::optional<Hash> key_of_name(std::string_view name) {
  if (name.size() != 32 + kSuffix.size() || name.substr(32) != kSuffix) return {};
  uint64_t words[2] = {0, 0};
  for (size_t i = 0; i < 32; ++i) {
    const char c = name[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return {};
    words[i / 16] = words[i / 16] << 4 | static_cast<uint64_t>(digit);
  }
  Hash key;
  key.high = words[0];
  key.low = words[1];
  return key;
}

bool is_foreign(const Header& header) {
  return std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 && header.version != kVersion;
}

// Why a header cannot belong to a whole entry of `file_bytes` under `key`; empty when it can.
std::string header_problem(const Header& header, uint64_t file_bytes, const Hash& key) {
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return "not a kernel cache entry";
  if (is_foreign(header))
    return "another version of Weft wrote it, in format " + std::to_string(header.version) + "; this is " +
           std::to_string(kVersion);
  uint64_t whole = sizeof(Header);
  for (uint64_t part :
       {header.toolchain, header.kernel, header.ops, header.facts, header.source, header.binary}) {
    if (part > kLargestText) return "its lengths are damaged";
    whole += part;
  }
  if (whole != file_bytes)
    return "its header promises " + std::to_string(whole) + " bytes, the file has " +
           std::to_string(file_bytes);
  if (header.key_low != key.low || header.key_high != key.high) return "its key is not its file's name";
  return {};
}

Hash checksum(std::string& file) {
  constexpr size_t kAt = offsetof(Header, sum_low);
  const std::string kept = file.substr(kAt, 16);
  std::memset(file.data() + kAt, 0, 16);
  const Hash sum = hash_text(file);
  std::memcpy(file.data() + kAt, kept.data(), 16);
  return sum;
}

// Checks a whole file and takes it apart. Returns the problem; empty when it is sound.
std::string parse(std::string& file, const Hash& key, Parts& parts) {
  if (file.size() < sizeof(Header))
    return "too short for a header: " + std::to_string(file.size()) + " bytes";
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (std::string problem = header_problem(header, file.size(), key); !problem.empty()) return problem;
  if (checksum(file) != Hash{header.sum_low, header.sum_high}) return "its checksum does not match";
  std::string_view rest(file);
  rest.remove_prefix(sizeof header);
  auto take = [&](uint64_t size) {
    std::string_view part = rest.substr(0, size);
    rest.remove_prefix(size);
    return part;
  };
  parts.toolchain = take(header.toolchain);
  parts.kernel = take(header.kernel);
  parts.note.ops = take(header.ops);
  parts.note.facts = take(header.facts);
  parts.note.compile_us = header.compile_us;
  parts.source = take(header.source);
  parts.binary = take(header.binary);
  if (KernelCache::key(parts.toolchain, parts.source) != key) return "its key is not that of its source";
  return {};
}

// Calls `visit(name)` for every file of the directory.
template <typename Visit>
void each_name(const std::string& directory, Visit visit) {
  DIR* stream = ::opendir(directory.c_str());
  if (!stream) return;
  while (const dirent* entry = ::readdir(stream)) visit(std::string_view(entry->d_name));
  ::closedir(stream);
}

struct FileOnDisk {
  std::string path;
  uint64_t bytes;
  timespec used;
};

std::vector<FileOnDisk> entries_of(const std::string& directory) {
  std::vector<FileOnDisk> files;
  each_name(directory, [&](std::string_view name) {
    if (!key_of_name(name)) return;
    std::string path = directory + "/" + std::string(name);
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) return;
    files.push_back({std::move(path), static_cast<uint64_t>(status.st_size), status.st_mtim});
  });
  return files;
}

// Since a file was written, or until then: clocks are set back, too.
int64_t seconds_from_now(const struct stat& status) {
  return std::abs(std::time(nullptr) - status.st_mtim.tv_sec);
}

void remove_abandoned(const std::string& directory) {
  each_name(directory, [&](std::string_view name) {
    if (!name.starts_with(kTemporary)) return;
    const std::string path = directory + "/" + std::string(name);
    struct stat status;
    if (::lstat(path.c_str(), &status) == 0 && seconds_from_now(status) > kAbandonedSeconds)
      ::unlink(path.c_str());
  });
}

}  // namespace

KernelCache::KernelCache(std::string directory, uint64_t max_bytes,
                         std::function<void(const std::string&)> warn)
    : warn_(std::move(warn)), place_(place_at(std::move(directory), max_bytes)) {}

std::shared_ptr<KernelCache::Place> KernelCache::place_at(std::string directory, uint64_t max_bytes) {
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  // What the name means now is meant: the process may change its folder.
  std::error_code code;
  if (!directory.empty()) directory = std::filesystem::absolute(directory, code).string();
  auto place = std::make_shared<Place>();
  place->directory = std::move(directory);
  place->max_bytes = max_bytes;
  if (place->directory.empty()) {
    place->disabled_because = "no directory was given";
  } else if (!make_directory(place->directory)) {
    place->disabled_because = place->directory + ": cannot be made: " + std::strerror(errno);
  } else {
    place->disabled_because = directory_problem(place->directory);
  }
  return place;
}

std::string KernelCache::move_to(const std::string& directory, uint64_t max_bytes) {
  std::shared_ptr<Place> place = place_at(directory, max_bytes);
  if (!directory.empty() && !place->disabled_because.empty()) return place->disabled_because;
  const std::lock_guard lock(mutex_);
  place_ = std::move(place);
  return {};
}

Hash KernelCache::key(std::string_view toolchain, std::string_view source) {
  std::string text;
  text.reserve(toolchain.size() + source.size() + 1);
  text.append(toolchain).push_back('\0');
  text.append(source);
  return hash_text(text);
}

std::optional<std::string> KernelCache::find(std::string_view toolchain, std::string_view source) {
  const std::shared_ptr<Place> place = this->place();
  if (!place->disabled_because.empty()) return {};
  const Hash wanted = key(toolchain, source);
  const std::string path = place->directory + "/" + entry_name(wanted);
  File file(open_entry(path));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  if (!file_problem(status).empty()) {
    ::unlink(path.c_str());
    return {};
  }
  std::string bytes = read_bytes(file.get(), 0, static_cast<uint64_t>(status.st_size));
  Parts parts;
  if (!parse(bytes, wanted, parts).empty() || parts.toolchain != toolchain || parts.source != source) {
    ::unlink(path.c_str());
    return {};
  }
  if (seconds_from_now(status) >= kTouchSeconds) ::futimens(file.get(), nullptr);
  return std::string(parts.binary);
}

bool KernelCache::may_have(std::string_view toolchain, std::string_view source) const {
  const std::shared_ptr<Place> place = this->place();
  return place->disabled_because.empty() &&
         ::access((place->directory + "/" + entry_name(key(toolchain, source))).c_str(), F_OK) == 0;
}

void KernelCache::put(std::string_view toolchain, std::string_view kernel, std::string_view source,
                      std::string_view binary, const KernelNote& note) {
  const std::shared_ptr<Place> place = this->place();
  if (!place->disabled_because.empty()) return;
  const Hash hash = key(toolchain, source);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.toolchain = toolchain.size();
  header.kernel = kernel.size();
  header.ops = note.ops.size();
  header.facts = note.facts.size();
  header.compile_us = static_cast<uint32_t>(std::clamp<int64_t>(note.compile_us, 0, UINT32_MAX));
  header.source = source.size();
  header.binary = binary.size();
  header.key_low = hash.low;
  header.key_high = hash.high;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  if (uint64_t{bytes.size()} + toolchain.size() + kernel.size() + note.ops.size() + note.facts.size() +
          source.size() + binary.size() >
      place->max_bytes)
    return;
  bytes.append(toolchain).append(kernel).append(note.ops).append(note.facts);
  bytes.append(source).append(binary);
  const Hash sum = checksum(bytes);
  std::memcpy(bytes.data() + offsetof(Header, sum_low), &sum.low, 8);
  std::memcpy(bytes.data() + offsetof(Header, sum_high), &sum.high, 8);

  if (!write(*place, entry_name(hash), bytes)) return;

  std::lock_guard lock(place->mutex);
  if (place->used_bytes && place->puts++ % kPutsPerCount != 0) {
    *place->used_bytes += bytes.size();
  } else {
    place->used_bytes = 0;
    for (const FileOnDisk& file : entries_of(place->directory)) *place->used_bytes += file.bytes;
  }
  if (*place->used_bytes > place->max_bytes) {
    trim(*place, place->max_bytes - place->max_bytes / 10);
    place->used_bytes.reset();
  }
}

bool KernelCache::write(Place& place, const std::string& name, std::string_view bytes) {
  // The temporary name is this process's alone; O_EXCL guards against a leftover of an earlier one with its
  // number.
  static std::atomic<uint64_t> counter{0};
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::string temporary = place.directory + "/" + std::string(kTemporary) + std::to_string(::getpid()) +
                                "-" + std::to_string(counter++) + "-" + std::to_string(now.tv_nsec);
  auto create = [&] {
    return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  };
  int descriptor = create();
  // Somebody removed the whole directory while we ran.
  if (descriptor < 0 && errno == ENOENT && make_directory(place.directory) &&
      directory_problem(place.directory).empty())
    descriptor = create();
  const File file(descriptor);
  if (file && write_bytes(file.get(), bytes) &&
      ::rename(temporary.c_str(), (place.directory + "/" + name).c_str()) == 0)
    return true;
  const int error = errno;
  if (file) ::unlink(temporary.c_str());
  if (warn_)
    std::call_once(place.warned,
                   [&] { warn_(place.directory + ": a kernel cannot be kept: " + std::strerror(error)); });
  return false;
}

namespace {

// `own`: whether this user alone may have written the entries.
std::vector<CacheEntry> entries_in(const std::string& directory, bool own) {
  std::vector<CacheEntry> entries;
  each_name(directory, [&](std::string_view name) {
    const std::optional<Hash> key = key_of_name(name);
    if (!key) return;
    CacheEntry entry;
    entry.key = *key;
    File file(open_entry(directory + "/" + std::string(name)));
    struct stat status;
    if (!file || ::fstat(file.get(), &status) != 0) {
      if (errno == ENOENT) return;  // removed since the directory was read
      entry.problem = std::strerror(errno);
      entries.push_back(std::move(entry));
      return;
    }
    entry.bytes = static_cast<uint64_t>(status.st_size);
    entry.last_used = status.st_mtim.tv_sec;
    const std::string start = read_bytes(file.get(), 0, sizeof(Header));
    Header header;
    entry.problem = own ? file_problem(status) : !S_ISREG(status.st_mode) ? "not a regular file" : "";
    if (entry.problem.empty() && start.size() < sizeof header)
      entry.problem = "too short for a header: " + std::to_string(start.size()) + " bytes";
    if (entry.problem.empty()) {
      std::memcpy(&header, start.data(), sizeof header);
      entry.problem = header_problem(header, entry.bytes, *key);
      entry.foreign = is_foreign(header);
      if (entry.problem.empty()) {
        const std::string texts = read_bytes(file.get(), sizeof header,
                                             header.toolchain + header.kernel + header.ops + header.facts);
        uint64_t at = 0;
        const auto take = [&](uint64_t size) {
          return texts.substr(std::min<size_t>(std::exchange(at, at + size), texts.size()), size);
        };
        entry.toolchain = take(header.toolchain);
        entry.kernel = take(header.kernel);
        entry.note.ops = take(header.ops);
        entry.note.facts = take(header.facts);
        entry.note.compile_us = header.compile_us;
      }
    }
    entries.push_back(std::move(entry));
  });
  return entries;
}

// Reads and checks a whole listed entry, whose problem it sets; visits the parts of a sound one. False when
// it has gone meanwhile.
template <typename Visit>
bool examine(const std::string& directory, CacheEntry& entry, Visit visit) {
  if (!entry.problem.empty()) return true;
  File file(open_entry(directory + "/" + entry_name(entry.key)));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) return false;
  std::string bytes = read_bytes(file.get(), 0, static_cast<uint64_t>(status.st_size));
  Parts parts;
  entry.problem = parse(bytes, entry.key, parts);
  if (entry.problem.empty()) visit(parts);
  return true;
}

}  // namespace

std::vector<CacheEntry> KernelCache::list() const {
  const std::shared_ptr<Place> place = this->place();
  return place->disabled_because.empty() ? entries_in(place->directory, true) : std::vector<CacheEntry>{};
}

CacheImport KernelCache::import_from(const std::string& directory, std::string_view target) {
  CacheImport result;
  struct stat status;
  if (::stat(directory.c_str(), &status) != 0)
    throw Error("cache: " + directory + " cannot be read: " + std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) throw Error("cache: " + directory + " cannot be read: not a directory");
  for (CacheEntry& entry : entries_in(directory, false)) {
    if (entry.toolchain.find(target) == std::string::npos) continue;
    const bool there = examine(directory, entry, [&](const Parts& parts) {
      put(parts.toolchain, parts.kernel, parts.source, parts.binary, parts.note);
      ++result.kernels;
      result.bytes += entry.bytes;
    });
    if (there && !entry.problem.empty()) result.refused.push_back(std::move(entry));
  }
  return result;
}

std::vector<CacheEntry> KernelCache::verify() {
  const std::shared_ptr<Place> place = this->place();
  std::vector<CacheEntry> damaged;
  for (CacheEntry& entry : list()) {
    const std::string path = place->directory + "/" + entry_name(entry.key);
    if (!examine(place->directory, entry, [](const Parts&) {}) || entry.problem.empty()) continue;
    std::error_code code;  // a folder may stand in an entry's place
    std::filesystem::remove_all(path, code);
    if (code) throw Error("cache: " + path + " is damaged and cannot be removed: " + code.message());
    damaged.push_back(std::move(entry));
  }
  return damaged;
}

int64_t KernelCache::clear() {
  const std::shared_ptr<Place> place = this->place();
  int64_t removed = 0;
  if (!place->disabled_because.empty()) return removed;
  each_name(place->directory, [&](std::string_view name) {
    const bool entry = key_of_name(name).has_value();
    if (!entry && !name.starts_with(kTemporary)) return;
    if (::unlink((place->directory + "/" + std::string(name)).c_str()) == 0) removed += entry;
  });
  return removed;
}

void KernelCache::trim(uint64_t max_bytes) { trim(*place(), max_bytes); }

void KernelCache::trim(const Place& place, uint64_t max_bytes) {
  if (!place.disabled_because.empty()) return;
  remove_abandoned(place.directory);
  std::vector<FileOnDisk> files = entries_of(place.directory);
  std::sort(files.begin(), files.end(), [](const FileOnDisk& a, const FileOnDisk& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
  });
  uint64_t total = 0;
  for (const FileOnDisk& file : files) total += file.bytes;
  for (const FileOnDisk& file : files) {
    if (total <= max_bytes) break;
    ::unlink(file.path.c_str());
    total -= file.bytes;
  }
}

}  // namespace weft::runtime
