// The conversation with a client.

#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "request.hpp"
#include "response.hpp"

namespace plain {

constexpr std::size_t most_line_bytes = 8192;
constexpr std::size_t most_header_bytes = 65536;
constexpr std::uint64_t most_discarded_bytes = 1048576;

// The client has left.
struct ClientLeft {};

class Connection {
public:
    Connection(int client, const std::string& folder, Counts& counts)
        : client_(client), folder_(folder), counts_(counts) {}

    // Responds until the client wants no more. Throws ClientLeft.
    void converse() {
        bool persistent = true;
        while (persistent) {
            std::string response;
            try {
                const Request request = read_request();
                response = respond(folder_, request, counts_);
                persistent = request.is_persistent();
            } catch (const Failure& failure) {
                response = failure_response(failure, "Connection: close\r\n");
                persistent = false;
            }
            write(response);
        }
        ::shutdown(client_, SHUT_WR);
        discard(most_discarded_bytes);
    }

private:
    Request read_request() {
        std::string line;
        while (line.empty())
            line = read_line(most_line_bytes, 414);
        Request request(line);
        std::size_t left = most_header_bytes;
        while (true) {
            line = read_line(left, 431);
            if (line.empty())
                break;
            left -= line.size();
            request.add(line);
        }
        discard(request.body_length());
        return request;
    }

    // The bytes before CR LF.
    std::string read_line(std::size_t most, int status) {
        std::string line;
        while (!line.ends_with('\n')) {
            if (line.size() == most + 2)
                throw Failure{status, ""};
            line += next_byte();
        }
        if (!line.ends_with("\r\n"))
            throw Failure{400, ""};
        return line.substr(0, line.size() - 2);
    }

    void discard(std::uint64_t bytes) {
        for (; bytes > 0; bytes--)
            next_byte();
    }

    char next_byte() {
        if (at_ == end_) {
            ssize_t received;
            do {
                received = ::recv(client_, buffer_.data(), buffer_.size(), 0);
            } while (received < 0 && errno == EINTR);
            if (received <= 0)
                throw ClientLeft();
            at_ = 0;
            end_ = static_cast<std::size_t>(received);
        }
        return buffer_[at_++];
    }

    void write(std::string_view response) {
        while (!response.empty()) {
            const ssize_t sent = ::send(client_, response.data(), response.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno != EINTR)
                throw ClientLeft();
            response.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
        }
    }

    int client_;
    const std::string& folder_;
    Counts& counts_;
    std::array<char, 16384> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

}  // namespace plain
