// The chunked coding of a request's body (RFC 9112, section 7.1), decoded as it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http_head.hpp"

namespace sparrow {

class Chunks {
public:
    // Appends decoded bytes to `body`, and sets `used` to how many of `bytes` were consumed.
    // `partial`: all were, and more are needed. Refuses a body longer than `limit` (`too_long`).
    Parsed decode(std::string_view bytes, std::size_t limit, std::string& body, std::size_t& used);
    bool too_long() const { return too_long_; }

private:
    enum class At : std::uint8_t {
        size,
        extension,
        size_feed,
        data,
        data_return,
        data_feed,
        trailer,
        trailer_name,
        trailer_value,
        trailer_feed,
        last_feed,
        done
    };

    bool step(char byte);
    bool size_digit(char byte);
    bool overhead();

    At at_ = At::size;
    std::uint64_t left_ = 0;
    int digits_ = 0;
    std::size_t overhead_ = 0;  // bytes of extensions and trailers
    bool too_long_ = false;
};

}  // namespace sparrow
