// What a program is given: options, which the lab has checked, and files.

#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace runfair {
// The user's mistake: one line that says what to do, and exit status 2.
struct UserError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    std::string program;
    std::map<std::string, std::string, std::less<>> values;
    Options(const char* name, int argc, char** argv) : program(name) {
        for (const std::string_view option : std::span(argv, argv + argc).subspan(1))
            values.emplace(option.substr(0, option.find('=')), option.substr(option.find('=') + 1));
    }
    bool has(std::string_view name) const { return values.contains(name); }
    const std::string& text(std::string_view name) const {
        if (const auto found = values.find(name); found != values.end())
            return found->second;
        throw UserError("option " + std::string(name) + "=VALUE is missing; ./runfair exec " +
                        program + " --print shows a whole command");
    }
    std::uint64_t number(std::string_view name) const { return std::stoull(text(name)); }
    struct Recorder recorder(std::string_view distribution) const;  // of recorder.hpp
};

// A string of JSON, which is also how messages quote what the user gave.
inline std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char byte : text) {
        char escaped[8] = {byte};
        if (byte == '"' || byte == '\\' || (0 <= byte && byte < ' '))
            std::snprintf(escaped, sizeof escaped, byte < ' ' ? "\\u%04hhx" : "\\%c", byte);
        json += escaped;
    }
    return json + '"';
}

// The bytes of a file. A single call reads a file of known size.
inline std::string read(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(fopen(path.c_str(), "rb"), fclose);
    std::string bytes;
    std::size_t length = 0;
    for (struct stat info{}; file && !fstat(fileno(file.get()), &info) && length == bytes.size();) {
        bytes.resize(length + static_cast<std::size_t>(info.st_size) + 4096);
        length += std::fread(&bytes[length], 1, bytes.size() - length, file.get());
    }
    if (!file || std::ferror(file.get()))
        throw UserError("input " + runfair::quoted(path) + " cannot be read: " + strerror(errno));
    bytes.resize(length);
    return bytes;
}
}  // namespace runfair
