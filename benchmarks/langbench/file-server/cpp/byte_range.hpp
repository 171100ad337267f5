// A range of bytes of a file (RFC 9110, section 14).

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "request.hpp"

namespace file_server {

struct Range {
    std::uint64_t first;
    std::uint64_t count;
};

inline std::uint64_t number(std::string_view digits) {
    constexpr std::uint64_t beyond_any_file = 1'000'000'000'000'000;
    return digits.size() <= longest_length ? decimal(digits) : beyond_any_file;
}

// Of the value of a field; none is the whole file. Throws Failure.
inline std::optional<Range> requested_range(const std::string* value, std::uint64_t size) {
    constexpr std::string_view unit = "bytes=";
    if (value == nullptr || size == 0 || !value->starts_with(unit))
        return std::nullopt;
    const std::string_view asked = std::string_view(*value).substr(unit.size());
    const auto dash = asked.find('-');
    if (dash == asked.npos)
        return std::nullopt;
    const std::string_view from = asked.substr(0, dash);
    const std::string_view to = asked.substr(dash + 1);
    const auto unsatisfiable = [size] {
        return Failure(416, "Content-Range: bytes */" + std::to_string(size));
    };
    if (from.empty()) {
        if (!is_decimal(to))
            return std::nullopt;
        const std::uint64_t count = std::min(number(to), size);
        if (count == 0)
            throw unsatisfiable();
        return Range{size - count, count};
    }
    if (!is_decimal(from) || !(to.empty() || is_decimal(to)))
        return std::nullopt;
    const std::uint64_t first = number(from);
    const std::uint64_t last = to.empty() ? size - 1 : number(to);
    if (!to.empty() && last < first)
        return std::nullopt;
    if (first >= size)
        throw unsatisfiable();
    return Range{first, std::min(last, size - 1) - first + 1};
}

}  // namespace file_server
