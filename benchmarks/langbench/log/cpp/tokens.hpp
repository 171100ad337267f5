// Tokens, numbers and placeholders: langbench/log/contract.md, "Tokens".

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace clp {

constexpr char variable_placeholder = '\x11';
constexpr char number_placeholder = '\x12';
constexpr int most_digits = 13;

constexpr bool is_digit(char byte) {
    return '0' <= byte && byte <= '9';
}

constexpr bool is_letter(char byte) {
    return ('a' <= byte && byte <= 'z') || ('A' <= byte && byte <= 'Z');
}

constexpr bool is_placeholder(char byte) {
    return byte == variable_placeholder || byte == number_placeholder;
}

constexpr std::array<bool, 256> token_bytes = [] {
    std::array<bool, 256> table{};
    for (std::size_t code = 0; code < table.size(); ++code) {
        const char byte = static_cast<char>(code);
        table[code] = code >= 128 || is_digit(byte) || is_letter(byte) || is_placeholder(byte) ||
                      std::string_view("+-./_\\").find(byte) != std::string_view::npos;
    }
    return table;
}();

constexpr bool is_token_byte(char byte) {
    return token_bytes[static_cast<unsigned char>(byte)];
}

// A longest run of token bytes, [begin, end) of its text.
struct Token {
    std::size_t begin;
    std::size_t end;
};

// The first token from `from` on; an empty one at the end of the text if there is none.
inline Token next_token(std::string_view text, std::size_t from) {
    std::size_t begin = from;
    while (begin < text.size() && !is_token_byte(text[begin]))
        ++begin;
    std::size_t end = begin;
    while (end < text.size() && is_token_byte(text[end]))
        ++end;
    return {begin, end};
}

// Whether the token of the text is a variable.
inline bool is_variable(std::string_view text, Token token) {
    bool letter = false;
    for (std::size_t at = token.begin; at < token.end; ++at) {
        if (is_digit(text[at]) || is_placeholder(text[at]))
            return true;
        letter = letter || is_letter(text[at]);
    }
    return letter && token.begin > 0 && text[token.begin - 1] == '=';
}

// The code of a variable that is a number.
inline std::optional<std::int64_t> number_code(std::string_view token) {
    const bool negative = token.front() == '-';
    std::int64_t value = 0;
    int digits = 0;
    int scale = 0;
    bool point = false;
    for (const char byte : token.substr(negative ? 1 : 0)) {
        if (is_digit(byte)) {
            if (++digits > most_digits)
                return std::nullopt;
            value = value * 10 + (byte - '0');
            scale += point ? 1 : 0;
        } else if (byte == '.' && digits > 0 && !point) {
            point = true;
        } else {
            return std::nullopt;
        }
    }
    if (digits == 0 || (point && scale == 0))
        return std::nullopt;
    return (value * 16 + digits) * 32 + scale * 2 + (negative ? 1 : 0);
}

inline void append_number(std::string& line, std::int64_t code) {
    const auto digits = static_cast<std::size_t>(code / 32 % 16);
    const auto scale = static_cast<std::size_t>(code / 2 % 16);
    std::array<char, most_digits> text;
    std::int64_t value = code / 512;
    for (std::size_t at = digits; at-- > 0; value /= 10)
        text[at] = static_cast<char>('0' + value % 10);
    if (code % 2 == 1)
        line += '-';
    line.append(text.data(), digits - scale);
    if (scale > 0) {
        line += '.';
        line.append(text.data() + digits - scale, scale);
    }
}

}  // namespace clp
