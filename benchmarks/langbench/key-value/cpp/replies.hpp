// Answers in RESP2.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace key_value {

// Answers to a connection, kept until they are sent.
class Replies {
public:
    explicit Replies(int connection) : connection_(connection) {}

    void simple(std::string_view text);
    void error(std::string text);
    void integer(std::uint64_t value);
    void bulk(std::string_view value);
    void null_bulk();
    // So many replies follow.
    void array(std::size_t length);

    // To be asked between answers, where no row is locked.
    void send_if_many();
    void send();

private:
    void number_line(char kind, std::uint64_t number);

    int connection_;
    std::string kept_;
};

}  // namespace key_value
