// One client: its requests, one after another.

#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "answer.hpp"
#include "counts.hpp"
#include "failure.hpp"
#include "request.hpp"

namespace file_server {

inline constexpr std::size_t longest_request_line = 8192;
inline constexpr std::size_t longest_headers = 65'536;
inline constexpr std::size_t most_dropped_bytes = 1'048'576;

// The client has left.
struct Gone {};

// What comes from a client, line by line. `Reader` says how a file is read.
template <class Reader>
class Connection {
public:
    Connection(int socket, const std::string& folder) : socket_(socket), folder_(folder) {
        const int on = 1;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }

    // Answers requests until the client leaves or wants no more.
    void converse() {
        try {
            while (answer_next()) {
            }
            leave();
        } catch (const Gone&) {
            // Nobody is there any more to be told.
        }
    }

    const Counts& counts() const { return counts_; }

private:
    // Whether another request may follow. Throws Gone.
    bool answer_next() {
        try {
            const Request request = read_request();
            write(answer<Reader>(folder_, request, counts_).bytes());
            return request.persistent();
        } catch (const Failure& failure) {
            write(refusal(failure).bytes());
            return false;
        }
    }

    // Throws Failure, Gone.
    Request read_request() {
        Request request;
        std::string line = read_line(longest_request_line, 414);
        while (line.empty())
            line = read_line(longest_request_line, 414);
        request.request_line(line);
        std::size_t left = longest_headers;
        while (!(line = read_line(left, 431)).empty()) {
            left -= line.size();
            request.add_field(line);
        }
        drop(request.body_length());
        return request;
    }

    // Throws Failure, Gone.
    std::string read_line(std::size_t most, int status) {
        std::size_t searched = 0;
        while (true) {
            const std::string_view come = std::string_view(come_).substr(taken_, most + 2);
            const auto end = come.find('\n', searched);
            if (end != come.npos) {
                if (end == 0 || come[end - 1] != '\r')
                    throw Failure(400);
                taken_ += end + 1;
                return std::string(come.substr(0, end - 1));
            }
            if (come.size() == most + 2)
                throw Failure(status);
            searched = come.size();
            receive();
        }
    }

    // Throws Gone.
    void drop(std::size_t length) {
        while (come_.size() - taken_ < length) {
            length -= come_.size() - taken_;
            taken_ = come_.size();
            receive();
        }
        taken_ += length;
    }

    // At least a byte more of what the client sends. Throws Gone.
    void receive() {
        std::array<char, 16'384> bytes;
        const std::size_t length = receive(bytes);
        if (length == 0)
            throw Gone();
        come_.erase(0, taken_);
        taken_ = 0;
        come_.append(bytes.data(), length);
    }

    // Zero at the end. Throws Gone.
    std::size_t receive(std::span<char> into) {
        while (true) {
            const ssize_t length = recv(socket_, into.data(), into.size(), 0);
            if (length >= 0)
                return static_cast<std::size_t>(length);
            if (errno != EINTR)
                throw Gone();
        }
    }

    // Throws Gone.
    void write(std::span<const char> bytes) {
        while (!bytes.empty()) {
            const ssize_t taken = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (taken < 0 && errno != EINTR)
                throw Gone();
            if (taken > 0)
                bytes = bytes.subspan(static_cast<std::size_t>(taken));
        }
    }

    // Waits for the client to go, so that no reset overtakes the last answer. Throws Gone.
    void leave() {
        shutdown(socket_, SHUT_WR);
        std::array<char, 16'384> dropped;
        for (std::size_t left = most_dropped_bytes; left > 0;) {
            const std::size_t length = receive(dropped);
            if (length == 0)
                return;
            left -= std::min(length, left);
        }
    }

    int socket_;
    const std::string& folder_;
    Counts counts_;
    std::string come_;       // and not yet all taken
    std::size_t taken_ = 0;  // of it
};

}  // namespace file_server
