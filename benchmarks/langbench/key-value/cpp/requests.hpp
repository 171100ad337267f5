// Requests in RESP2, read from the bytes of a connection.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replies.hpp"

namespace key_value {

using Words = std::vector<std::string>;

// What was sent is no request; the text says why. It may hold any byte, zero too, which what()
// could not.
class ProtocolError : public std::exception {
public:
    explicit ProtocolError(std::string text) : text_(std::move(text)) {}
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

// The client has ended the connection, or it is broken.
class ConnectionEnded : public std::exception {};

// An optional minus and a few decimal digits.
std::optional<std::int64_t> number(std::string_view text);

// The requests of a connection, one after another. `replies` are sent before more bytes are waited
// for.
class Requests {
public:
    Requests(int connection, Replies& replies) : connection_(connection), replies_(replies) {}

    // Reads the words of the next request.
    void next(Words& words);

private:
    void inline_words(Words& words);

    // Valid until the next one is read.
    std::string_view line(const char* too_big);
    std::string word(std::size_t length);

    // What is left of the buffer, but no more than that.
    std::string_view taken(std::size_t most);
    char byte();

    void fill();
    std::size_t receive(char* to, std::size_t most);

    static constexpr std::size_t buffer_bytes = 16384;  // as Redis has it

    int connection_;
    Replies& replies_;
    std::array<char, buffer_bytes> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::string long_line_;
};

}  // namespace key_value
