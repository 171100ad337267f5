// A request's target, as the name of a file.

#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "request.hpp"

namespace file_server {

// With every %XX replaced by its byte. Throws Failure.
inline std::string unescaped(std::string_view segment) {
    std::string bytes;
    for (std::size_t i = 0; i < segment.size(); ++i) {
        if (segment[i] != '%') {
            bytes += segment[i];
            continue;
        }
        const std::string_view digits = segment.substr(i + 1, 2);
        unsigned value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.size() != 2 || end != digits.data() + 2 || error != std::errc())
            throw Failure(400);
        bytes += static_cast<char>(value);
        i += 2;
    }
    return bytes;
}

// A name that cannot leave its folder, whatever it is taken for.
inline bool is_name(std::string_view segment) {
    const auto fits = [](char c) { return ' ' <= c && c <= '~' && c != '/' && c != '\\'; };
    return !segment.empty() && segment != "." && segment != ".." &&
           std::all_of(segment.begin(), segment.end(), fits);
}

// The names of folders on the way, and the file's own. Throws Failure.
inline std::vector<std::string> file_name(std::string_view target) {
    constexpr std::string_view scheme = "http://";
    if (lower(target.substr(0, scheme.size())) == scheme) {
        target.remove_prefix(scheme.size());
        const auto end = std::min(target.find_first_of("/?"), target.size());
        if (end == 0)
            throw Failure(400);
        target.remove_prefix(end);
        if (!target.starts_with('/'))
            target = "/";
    }
    if (!target.starts_with('/'))
        throw Failure(400);
    std::string_view path = target.substr(1, target.find('?') - 1);
    std::vector<std::string> segments;
    for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
        segments.push_back(unescaped(path.substr(0, slash)));
        path.remove_prefix(slash + 1);
    }
    segments.push_back(unescaped(path));
    if (!std::all_of(segments.begin(), segments.end(), is_name))
        throw Failure(404);
    return segments;
}

}  // namespace file_server
