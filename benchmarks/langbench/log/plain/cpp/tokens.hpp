// Tokens, numbers and placeholders.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plain {

constexpr char variable_placeholder = '\x11';
constexpr char number_placeholder = '\x12';
constexpr std::size_t most_digits = 13;

inline bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

inline bool is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

inline bool is_placeholder(char byte) {
    return byte == variable_placeholder || byte == number_placeholder;
}

inline bool is_token_byte(char byte) {
    return is_digit(byte) || is_letter(byte) || is_placeholder(byte) || byte == '+' ||
           byte == '-' || byte == '.' || byte == '/' || byte == '_' || byte == '\\' ||
           static_cast<unsigned char>(byte) >= 128;
}

// Of the token [begin, end) of a text.
inline bool is_variable(std::string_view text, std::size_t begin, std::size_t end) {
    bool letter = false;
    for (std::size_t at = begin; at < end; at++) {
        if (is_digit(text[at]) || is_placeholder(text[at]))
            return true;
        if (is_letter(text[at]))
            letter = true;
    }
    return letter && begin > 0 && text[begin - 1] == '=';
}

inline std::optional<std::int64_t> number_code(std::string_view token) {
    std::size_t at = 0;
    const bool negative = token[0] == '-';
    if (negative)
        at++;
    std::int64_t value = 0;
    std::size_t digits = 0;
    std::size_t scale = 0;
    bool point = false;
    for (; at < token.size(); at++) {
        if (is_digit(token[at])) {
            digits++;
            if (digits > most_digits)
                return std::nullopt;
            value = 10 * value + (token[at] - '0');
            if (point)
                scale++;
        } else if (token[at] == '.' && digits > 0 && !point) {
            point = true;
        } else {
            return std::nullopt;
        }
    }
    if (digits == 0 || (point && scale == 0))
        return std::nullopt;
    const auto sizes = static_cast<std::int64_t>(digits * 32 + scale * 2);
    return value * 512 + sizes + (negative ? 1 : 0);
}

inline std::string number_text(std::int64_t code) {
    const auto digits = static_cast<std::size_t>(code / 32 % 16);
    const auto scale = static_cast<std::size_t>(code / 2 % 16);
    std::string text = std::to_string(code / 512);
    text.insert(0, digits - text.size(), '0');
    if (scale > 0)
        text.insert(digits - scale, 1, '.');
    if (code % 2 == 1)
        text.insert(0, 1, '-');
    return text;
}

}  // namespace plain
