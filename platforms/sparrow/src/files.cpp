// Files, read and written at once: the loop waits for the disk.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "binding.hpp"

namespace sparrow {

using v8::Local;

namespace {

std::string quoted(const std::string& path) {
    return "'" + path + "'";
}

// readFile(path): its bytes.
Local<v8::Value> read_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return throw_system_error(quoted(path) + " cannot be read", errno);
    struct stat status{};
    fstat(file, &status);
    constexpr std::size_t step = 65536;
    std::string content(static_cast<std::size_t>(status.st_size) + 1, '\0');
    std::size_t size = 0;
    ssize_t count = 0;
    while ((count = read(file, content.data() + size, content.size() - size)) != 0) {
        if (count < 0 && errno != EINTR)
            break;
        size += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
        if (size == content.size())
            content.resize(2 * size + step);
    }
    const int error = errno;
    close(file);
    return count < 0 ? throw_system_error(quoted(path) + " cannot be read", error)
                     : bytes({content.data(), size}).As<v8::Value>();
}

Local<v8::Value> open_file(const std::string& path, int flags, int mode) {
    const int file = open(path.c_str(), flags | O_CLOEXEC, mode);
    return file < 0 ? throw_system_error(quoted(path) + " cannot be opened", errno)
                    : value_of(file);
}

Local<v8::Value> close_file(int file) {
    return close(file) == 0 ? Local<v8::Value>() : throw_system_error("close", errno);
}

// readInto(descriptor, view, position): how many bytes. A negative position: where the last read
// ended.
Local<v8::Value> read_into(int file, Bytes into, double position) {
    const ssize_t count = position < 0
                              ? read(file, into.data, into.size)
                              : pread(file, into.data, into.size, static_cast<off_t>(position));
    return count < 0 ? throw_system_error("read", errno) : value_of(count);
}

// writeAll(descriptor, view)
Local<v8::Value> write_all(int file, Bytes content) {
    while (content.size > 0) {
        const ssize_t count = write(file, content.data, content.size);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
            if (errno == EAGAIN)
                usleep(1000);
            continue;
        }
        if (count < 0)
            return throw_system_error("write", errno);
        content.data += count;
        content.size -= static_cast<std::size_t>(count);
    }
    return {};
}

Local<v8::Value> list_folder(const std::string& path) {
    DIR* folder = opendir(path.c_str());
    if (!folder)
        return throw_system_error(quoted(path) + " cannot be listed", errno);
    std::vector<std::string> names;
    while (const dirent* entry = readdir(folder)) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..")
            names.emplace_back(name);
    }
    closedir(folder);
    return value_of(names);
}

// fileStatus(path): [size, milliseconds of its last change, whether it is a folder, whether it is
// a regular file].
Local<v8::Value> file_status(const std::string& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0)
        return throw_system_error(quoted(path) + " has no status", errno);
    const double changed_ms = static_cast<double>(status.st_mtim.tv_sec) * 1e3 +
                              static_cast<double>(status.st_mtim.tv_nsec) / 1e6;
    return array_of(status.st_size, changed_ms, S_ISDIR(status.st_mode), S_ISREG(status.st_mode));
}

}  // namespace

void define_files(Local<v8::Object> native) {
    define(native, {{"readFile", bound<read_file>},
                    {"openFile", bound<open_file>},
                    {"closeFile", bound<close_file>},
                    {"readInto", bound<read_into>},
                    {"writeAll", bound<write_all>},
                    {"listFolder", bound<list_folder>},
                    {"fileStatus", bound<file_status>}});
}

}  // namespace sparrow
