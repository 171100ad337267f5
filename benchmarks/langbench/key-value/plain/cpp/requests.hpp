// Requests in RESP2; see langbench/key-value/contract.md, "Requests".

#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plain {

constexpr std::size_t most_line_bytes = 65536;
constexpr std::int64_t most_words = 1048576;
constexpr std::int64_t most_request_bytes = 512000000;
constexpr std::size_t most_digits = 10;

// What the client sent is not a request.
struct ProtocolError {
    std::string text;
};

// The client has closed the connection.
struct ConnectionEnded {};

// An optional minus and 1 to 10 digits.
inline std::optional<std::int64_t> number(const std::string& text) {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const std::size_t digits = text.size() - sign;
    if (digits == 0 || digits > most_digits ||
        text.find_first_not_of("0123456789", sign) != text.npos)
        return std::nullopt;
    return std::stoll(text);
}

// The requests of a connection, one after another.
class Requests {
public:
    explicit Requests(int connection) : connection_(connection) {}

    // The words of the next request.
    std::vector<std::string> next() {
        if (peek() != '*')
            return inline_words();
        const auto count = number(line("too big mbulk count string").substr(1));
        if (!count || *count > most_words)
            throw ProtocolError{"invalid multibulk length"};
        std::vector<std::string> words;
        std::int64_t left = most_request_bytes;
        for (std::int64_t i = 0; i < *count; i++) {
            const std::string text = line("too big bulk count string");
            if (!text.starts_with('$'))
                throw ProtocolError{"expected '$', got '" + (text + ' ').substr(0, 1) + "'"};
            const auto length = number(text.substr(1));
            if (!length || *length < 0 || *length > left)
                throw ProtocolError{"invalid bulk length"};
            left -= *length;
            words.push_back(take(static_cast<std::size_t>(*length)));
            if (take(2) != "\r\n")
                throw ProtocolError{"expected CRLF after bulk"};
        }
        return words;
    }

private:
    std::vector<std::string> inline_words() {
        std::vector<std::string> words(1);
        for (const char c : line("too big inline request")) {
            if (c != ' ' && c != '\t')
                words.back() += c;
            else if (!words.back().empty())
                words.emplace_back();
        }
        if (words.back().empty())
            words.pop_back();
        return words;
    }

    // A line without LF, or CR LF.
    std::string line(const char* too_big) {
        std::string line;
        while (peek() != '\n') {
            line += peek();
            at_++;
            if (line.size() > most_line_bytes)
                throw ProtocolError{too_big};
        }
        at_++;
        if (line.ends_with('\r'))
            line.pop_back();
        return line;
    }

    // So many bytes.
    std::string take(std::size_t length) {
        std::string word;
        while (word.size() < length) {
            peek();
            const std::size_t piece = std::min(length - word.size(), end_ - at_);
            word.append(buffer_.data() + at_, piece);
            at_ += piece;
        }
        return word;
    }

    // The next byte, which stays.
    char peek() {
        if (at_ == end_) {
            ssize_t received;
            do {
                received = ::recv(connection_, buffer_.data(), buffer_.size(), 0);
            } while (received < 0 && errno == EINTR);
            if (received <= 0)
                throw ConnectionEnded();
            at_ = 0;
            end_ = static_cast<std::size_t>(received);
        }
        return buffer_[at_];
    }

    int connection_;
    std::array<char, 16384> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

}  // namespace plain
