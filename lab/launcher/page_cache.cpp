#include "page_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "descriptor.hpp"

namespace launcher {
namespace {

// Large files are mapped in pieces of this size, so that the launcher's page tables stay small.
constexpr uint64_t kPieceBytes = uint64_t{1} << 30;

// The number of bytes of the file in the page cache, or -1 and errno.
int64_t resident_bytes(int file, uint64_t size) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t resident = 0;
  for (uint64_t at = 0; at < size; at += kPieceBytes) {
    uint64_t length = std::min(kPieceBytes, size - at);
    void* piece = mmap(nullptr, length, PROT_READ, MAP_SHARED, file, static_cast<off_t>(at));
    if (piece == MAP_FAILED) return -1;
    std::vector<unsigned char> pages((length + page - 1) / page);
    int failed = mincore(piece, length, pages.data());
    int error = errno;
    munmap(piece, length);
    errno = error;
    if (failed != 0) return -1;
    for (size_t i = 0; i < pages.size(); ++i)
      if (pages[i] & 1) resident += std::min(page, length - i * page);
  }
  return static_cast<int64_t>(resident);
}

class Dropping {
 public:
  PageCache result;

  void drop(const std::string& path, bool follow) {
    if (!result.error.empty()) return;
    struct stat about{};
    if ((follow ? stat(path.c_str(), &about) : lstat(path.c_str(), &about)) != 0) return fail(path);
    if (S_ISDIR(about.st_mode)) {
      drop_folder(path);
    } else if (S_ISREG(about.st_mode)) {
      drop_file(path, static_cast<uint64_t>(about.st_size));
    }
  }

 private:
  void fail(const std::string& path) {
    result.error = "cannot drop the page cache of " + path + ": " + std::strerror(errno);
  }

  void drop_folder(const std::string& path) {
    struct Close {
      void operator()(DIR* open) const { closedir(open); }
    };
    std::unique_ptr<DIR, Close> folder(opendir(path.c_str()));
    if (!folder) return fail(path);
    while (const dirent* entry = readdir(folder.get())) {
      std::string name = entry->d_name;
      if (name != "." && name != "..") drop(path + "/" + name, false);
    }
  }

  void drop_file(const std::string& path, uint64_t size) {
    Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return fail(path);
    int64_t before = resident_bytes(file.number(), size);
    // Dirty pages cannot be dropped, so they are written to the disk first.
    if (before < 0 || fsync(file.number()) != 0) return fail(path);
    if (int error = posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED)) {
      errno = error;
      return fail(path);
    }
    int64_t after = resident_bytes(file.number(), size);
    if (after < 0) return fail(path);
    result.asked_bytes += size;
    result.resident_before_bytes += static_cast<uint64_t>(before);
    result.resident_after_bytes += static_cast<uint64_t>(after);
  }
};

}  // namespace

PageCache drop_page_cache(const std::vector<std::string>& paths) {
  Dropping dropping;
  for (const std::string& path : paths) dropping.drop(path, true);
  return dropping.result;
}

}  // namespace launcher
