// A file that is asked for.

#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <vector>

#include "counts.hpp"
#include "failure.hpp"

namespace file_server {

class File {
public:
    // Throws Failure.
    File(const std::string& folder, const std::vector<std::string>& name) : path_(folder) {
        struct stat status{};
        for (std::size_t i = 0; i + 1 < name.size(); ++i) {
            path_.append("/").append(name[i]);
            if (lstat(path_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
                throw Failure(404);
        }
        path_.append("/").append(name.back());
        descriptor_ = open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor_ < 0)
            throw Failure(404);
        if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
            close(descriptor_);
            throw Failure(404);
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
        modified_s_ = status.st_mtime;
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { close(descriptor_); }

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    std::time_t modified_s() const { return modified_s_; }

    // Fills `into` with the bytes from `first` on. Throws Failure.
    void read(std::uint64_t first, std::span<char> into, Counts& counts) const {
        while (!into.empty()) {
            const ssize_t taken =
                pread(descriptor_, into.data(), into.size(), static_cast<off_t>(first));
            if (taken < 0 && errno == EINTR)
                continue;
            if (taken <= 0)
                throw Failure(500);
            const auto length = static_cast<std::size_t>(taken);
            counts.body_bytes += length;  // tick
            first += length;
            into = into.subspan(length);
        }
    }

private:
    std::string path_;
    int descriptor_;
    std::uint64_t size_;
    std::time_t modified_s_;
};

}  // namespace file_server
