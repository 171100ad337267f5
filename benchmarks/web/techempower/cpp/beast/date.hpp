// The value of the header Date.

#pragma once

#include <array>
#include <cstddef>
#include <ctime>
#include <string>

namespace web {

// Each thread formats it once a second.
inline const std::string& date() {
    thread_local std::time_t second = 0;
    thread_local std::string text;
    if (const std::time_t now = std::time(nullptr); now != second) {
        std::tm parts{};
        gmtime_r(&now, &parts);
        std::array<char, 40> formatted;
        // The program never leaves the C locale, which has the names that HTTP wants.
        const std::size_t length =
            std::strftime(formatted.data(), formatted.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        text.assign(formatted.data(), length);
        second = now;
    }
    return text;
}

}  // namespace web
