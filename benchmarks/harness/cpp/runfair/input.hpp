// Input: the files of --input, and the end of standard input.

#pragma once

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "runfair/json.hpp"
#include "runfair/mistake.hpp"

namespace runfair {

// The bytes of an input file.
inline std::string read(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    std::string bytes;
    std::array<char, 65536> chunk;
    std::size_t length = file ? chunk.size() : 0;
    while (length == chunk.size()) {
        length = std::fread(chunk.data(), 1, chunk.size(), file.get());
        bytes.append(chunk.data(), length);
    }
    if (!file || std::ferror(file.get())) {
        throw UserError("--input " + runfair::quoted(path) +
                        " cannot be read: " + std::strerror(errno));
    }
    return bytes;
}

// Whether standard input has ended; takes what has come, and never waits.
inline bool standard_input_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) <= 0)
        return false;
    std::array<char, 4096> taken;
    const ssize_t length = ::read(STDIN_FILENO, taken.data(), taken.size());
    return length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
}

}  // namespace runfair
