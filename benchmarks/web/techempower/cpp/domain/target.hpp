// What a request's target asks for.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace web {

inline constexpr std::string_view greeting = "Hello, World!";

inline std::string_view path(std::string_view target) {
    return target.substr(0, target.find('?'));
}

// The value of a parameter of the query string; empty if it is missing.
inline std::string_view parameter(std::string_view target, std::string_view name) {
    std::size_t end = target.find('?');
    while (end != target.npos) {
        target.remove_prefix(end + 1);
        end = target.find('&');
        const std::string_view pair = target.substr(0, end);
        if (const std::size_t equals = pair.find('='); pair.substr(0, equals) == name)
            return equals == pair.npos ? std::string_view() : pair.substr(equals + 1);
    }
    return {};
}

// The number of queries that a target asks for, from 1 to 500.
inline std::size_t query_count(std::string_view target) {
    constexpr long most = 500;
    const std::string_view text = parameter(target, "queries");
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size())
        return 1;
    if (error == std::errc::result_out_of_range)
        number = text.starts_with('-') ? 1 : most;
    return static_cast<std::size_t>(std::clamp(number, 1L, most));
}

}  // namespace web
