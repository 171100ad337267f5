// The little of JSON that the contract's lines need.

#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace runfair {

// A text as a string of JSON, which is also how messages quote what the user gave.
inline std::string quoted(std::string_view text) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    std::string json = "\"";
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20) {
            json += "\\u00";
            json += hexadecimal[byte / 16];
            json += hexadecimal[byte % 16];
        } else {
            if (character == '"' || character == '\\')
                json += '\\';
            json += character;
        }
    }
    return json + '"';
}

// Whether the text is well-formed UTF-8 (RFC 3629, section 4); nothing else can stand in JSON.
inline bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const auto lead = static_cast<unsigned char>(text[0]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || text.size() < length)
            return false;
        for (std::size_t i = 1; i < length; ++i) {
            if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
                return false;
        }
        const auto second = static_cast<unsigned char>(length > 1 ? text[1] : 0);
        const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
        const bool outside = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
        if (overlong || outside)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

// A number of JSON, which has neither infinities nor NaN.
inline std::string number(double value) {
    if (!std::isfinite(value))
        throw std::domain_error("a metric or sample is not finite");
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// One flat JSON object under construction.
class Object {
public:
    static Object event(std::string_view name) { return Object().text("event", name); }

    Object& json(std::string_view name, std::string_view value) {
        if (!members_.empty())
            members_ += ',';
        members_.append(quoted(name)).append(":").append(value);
        return *this;
    }
    Object& integer(std::string_view name, std::uint64_t value) {
        return json(name, std::to_string(value));
    }
    Object& flag(std::string_view name, bool value) { return json(name, value ? "true" : "false"); }
    Object& text(std::string_view name, std::string_view value) {
        return json(name, quoted(value));
    }
    std::string end() const { return '{' + members_ + '}'; }

private:
    std::string members_;
};

}  // namespace runfair
