// Numbers in a path.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <string_view>
#include <system_error>

namespace payments {

// What is answered with 400.
class BadRequest : public std::exception {
public:
    const char* what() const noexcept override { return "malformed request"; }
};

inline bool only_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

// From 1 to `most`; throws BadRequest. from_chars alone would take a minus sign.
inline std::int64_t number(std::string_view text, std::int64_t most) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!only_digits(text) || parsed.ec != std::errc() || value < 1 || value > most)
        throw BadRequest();
    return value;
}

}  // namespace payments
