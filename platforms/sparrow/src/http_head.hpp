// The head of an HTTP/1.1 request: a strict parser that never copies and never allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sparrow {

constexpr std::size_t kHeadLimit = 16384;
constexpr std::size_t kTargetLimit = 8192;
constexpr std::size_t kHeaderLimit = 100;

enum class Method : std::uint8_t { get, head, post, put, patch, remove, options, other };
constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                      "PATCH", "DELETE", "OPTIONS"};

struct Header {
    std::uint16_t name, name_length, value, value_length;
};

enum class Parsed : std::uint8_t { whole, partial, refused };

// Offsets are relative to the head's first byte, so that the head may move.
struct Head {
    Method method;
    bool old, keep_alive, chunked, has_length, expects_continue;
    std::uint16_t method_length, target, target_length, header_count;
    // `old`: HTTP/1.0, which knows neither chunks nor another request.
    std::uint32_t length;       // of the head, with the empty line
    std::uint64_t body_length;  // 0 without Content-Length
    int status;                 // why it was refused: 400, 414, 431, 501 or 505
    std::array<Header, kHeaderLimit> headers;

    // Reads a head from the beginning of `bytes`. `partial`: more bytes may make it whole.
    Parsed parse(std::string_view bytes);
};

// Whether `name` is `lower`, which is in lower case.
bool same_name(std::string_view name, std::string_view lower);

// The bytes that a token may have (RFC 9110, section 5.6.2).
bool is_token(unsigned char byte);

}  // namespace sparrow
