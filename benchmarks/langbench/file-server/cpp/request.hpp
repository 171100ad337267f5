// A request: its lines, and what they mean for the connection.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "failure.hpp"

namespace file_server {

inline constexpr std::size_t most_body_bytes = 65'536;
inline constexpr std::size_t longest_length = 15;  // digits; a longer number is too large anyway

using Headers = std::map<std::string, std::string, std::less<>>;

inline bool is_digit(char character) {
    return '0' <= character && character <= '9';
}

inline bool is_letter_or_digit(char character) {
    return is_digit(character) || ('a' <= character && character <= 'z') ||
           ('A' <= character && character <= 'Z');
}

inline char lower(char character) {
    return 'A' <= character && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                : character;
}

inline std::string lower(std::string_view text) {
    std::string lowered(text);
    std::transform(text.begin(), text.end(), lowered.begin(), [](char c) { return lower(c); });
    return lowered;
}

inline std::string_view trimmed(std::string_view text) {
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// No more digits than longest_length.
inline std::uint64_t decimal(std::string_view digits) {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

inline bool is_decimal(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Whether nothing but letters, digits and those signs is in the text.
inline bool consists_of(std::string_view text, std::string_view signs) {
    return std::all_of(text.begin(), text.end(), [signs](char c) {
        return is_letter_or_digit(c) || signs.find(c) != signs.npos;
    });
}

inline bool is_token(std::string_view text) {
    return !text.empty() && consists_of(text, "!#$%&'*+.^_`|~-");
}

struct Request {
    std::string method;
    std::string target;
    int minor = 1;  // of the version, HTTP/1.
    Headers headers;

    // Throws Failure.
    void request_line(std::string_view line) {
        const auto first = line.find(' ');
        const auto last = line.rfind(' ');
        if (first == line.npos || first == last)
            throw Failure(400);
        method = line.substr(0, first);
        target = line.substr(first + 1, last - first - 1);
        const std::string_view version = line.substr(last + 1);
        const auto visible = [](char c) { return '!' <= c && c <= '~'; };
        if (!is_token(method) || target.empty() ||
            !std::all_of(target.begin(), target.end(), visible)) {
            throw Failure(400);
        }
        if (version.size() != 8 || !version.starts_with("HTTP/") || !is_digit(version[5]) ||
            version[6] != '.' || !is_digit(version[7])) {
            throw Failure(400);
        }
        if (version[5] != '1')
            throw Failure(505);
        minor = version[7] == '0' ? 0 : 1;
    }

    // Throws Failure.
    void add_field(std::string_view line) {
        const auto colon = line.find(':');
        if (colon == line.npos || !is_token(line.substr(0, colon)))
            throw Failure(400);
        const std::string_view value = trimmed(line.substr(colon + 1));
        const auto control = [](char c) { return (0 <= c && c < ' ' && c != '\t') || c == 0x7f; };
        if (std::any_of(value.begin(), value.end(), control))
            throw Failure(400);
        const auto [entry, added] = headers.try_emplace(lower(line.substr(0, colon)), value);
        if (!added)
            entry->second.append(",").append(value);
    }

    // None: nothing that could be asked for.
    const std::string* header(std::string_view name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? nullptr : &found->second;
    }

    // How many bytes follow the headers. Throws Failure.
    std::size_t body_length() const {
        const std::string* host = header("host");
        if (host == nullptr ? minor == 1 : !consists_of(*host, "-._~%!$&'()*+;=:[]"))
            throw Failure(400);
        const std::string* length = header("content-length");
        if (header("transfer-encoding") != nullptr)
            throw Failure(length != nullptr ? 400 : 411);
        if (length != nullptr && !is_decimal(*length))
            throw Failure(400);
        if (length != nullptr &&
            (length->size() > longest_length || decimal(*length) > most_body_bytes)) {
            throw Failure(413);
        }
        if (header("expect") != nullptr && minor == 1)
            throw Failure(417);
        return length == nullptr ? 0 : decimal(*length);
    }

    // Whether another request may follow on the connection.
    bool persistent() const {
        bool close = false;
        bool keep_alive = false;
        if (const std::string* connection = header("connection")) {
            std::string_view left = *connection;
            while (!left.empty()) {
                const auto comma = std::min(left.find(','), left.size());
                const std::string token = lower(trimmed(left.substr(0, comma)));
                close = close || token == "close";
                keep_alive = keep_alive || token == "keep-alive";
                left.remove_prefix(std::min(comma + 1, left.size()));
            }
        }
        return !close && (minor == 1 || keep_alive);
    }
};

}  // namespace file_server
