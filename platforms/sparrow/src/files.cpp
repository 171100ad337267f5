// Files, read and written at once: the loop waits for the disk.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "runtime.hpp"

namespace sparrow {

using v8::Local;

namespace {

std::string quoted(const std::string& path) {
    return "'" + path + "'";
}

// readFile(path): its bytes.
void read_file(Arguments arguments) {
    const std::string path = utf8(arguments[0]);
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return throw_system_error(quoted(path) + " cannot be read", errno);
    struct stat status{};
    fstat(file, &status);
    constexpr std::size_t step = 65536;
    std::string content;
    content.reserve(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1);
    std::size_t size = 0;
    for (;;) {
        content.resize(std::max(size + step, content.capacity()));
        const ssize_t count = read(file, content.data() + size, content.size() - size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            const int error = errno;
            close(file);
            return throw_system_error(quoted(path) + " cannot be read", error);
        }
        if (count == 0)
            break;
        size += static_cast<std::size_t>(count);
    }
    close(file);
    arguments.GetReturnValue().Set(bytes({content.data(), size}));
}

void open_file(Arguments arguments) {
    const std::string path = utf8(arguments[0]);
    const int file = open(path.c_str(), integer(arguments, 1) | O_CLOEXEC, 0666);
    if (file < 0)
        return throw_system_error(quoted(path) + " cannot be opened", errno);
    arguments.GetReturnValue().Set(file);
}

void close_file(Arguments arguments) {
    if (close(integer(arguments, 0)) != 0)
        throw_system_error("close", errno);
}

// readInto(descriptor, view, position): how many bytes. A negative position: where the last read
// ended.
void read_into(Arguments arguments) {
    const Bytes into = bytes_of(arguments[1]);
    const int file = integer(arguments, 0);
    const auto position = static_cast<off_t>(number(arguments, 2));
    const ssize_t count = position < 0 ? read(file, into.data, into.size)
                                       : pread(file, into.data, into.size, position);
    if (count < 0)
        return throw_system_error("read", errno);
    arguments.GetReturnValue().Set(static_cast<double>(count));
}

// writeAll(descriptor, a string or a view)
void write_all(Arguments arguments) {
    std::string copy;
    Bytes content = bytes_of(arguments[1]);
    if (!arguments[1]->IsArrayBufferView()) {
        copy = utf8(arguments[1]);
        content = {reinterpret_cast<std::uint8_t*>(copy.data()), copy.size()};
    }
    while (content.size > 0) {
        const ssize_t count = write(integer(arguments, 0), content.data, content.size);
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
}

void list_folder(Arguments arguments) {
    const std::string path = utf8(arguments[0]);
    DIR* folder = opendir(path.c_str());
    if (!folder)
        return throw_system_error(quoted(path) + " cannot be listed", errno);
    const auto names = v8::Array::New(runtime().isolate);
    std::uint32_t count = 0;
    while (const dirent* entry = readdir(folder)) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..")
            names->Set(context(), count++, text(name)).Check();
    }
    closedir(folder);
    arguments.GetReturnValue().Set(names);
}

// fileStatus(path): [size, milliseconds of its last change, whether it is a folder, whether it is
// a regular file].
void file_status(Arguments arguments) {
    const std::string path = utf8(arguments[0]);
    struct stat status{};
    if (stat(path.c_str(), &status) != 0)
        return throw_system_error(quoted(path) + " has no status", errno);
    v8::Isolate* isolate = runtime().isolate;
    Local<v8::Value> all[] = {
        v8::Number::New(isolate, static_cast<double>(status.st_size)),
        v8::Number::New(isolate, static_cast<double>(status.st_mtim.tv_sec) * 1e3 +
                                     static_cast<double>(status.st_mtim.tv_nsec) / 1e6),
        v8::Boolean::New(isolate, S_ISDIR(status.st_mode)),
        v8::Boolean::New(isolate, S_ISREG(status.st_mode))};
    arguments.GetReturnValue().Set(v8::Array::New(isolate, all, 4));
}

}  // namespace

void define_files(Local<v8::Object> native) {
    define(native, {{"readFile", read_file},
                    {"openFile", open_file},
                    {"closeFile", close_file},
                    {"readInto", read_into},
                    {"writeAll", write_all},
                    {"listFolder", list_folder},
                    {"fileStatus", file_status}});
}

}  // namespace sparrow
