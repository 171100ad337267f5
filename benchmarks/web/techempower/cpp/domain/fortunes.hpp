// The fortunes and their page.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "world.hpp"

namespace web {

struct Fortune {
    std::int32_t id;
    std::string message;
};

inline void send_fortunes(Connection& connection) {
    connection.send(read_fortunes);
}

// The rows that `send_fortunes` asked for and the additional row, sorted by message.
inline std::vector<Fortune> fortunes(const Result& result) {
    std::vector<Fortune> all{{0, "Additional fortune added at request time."}};
    for (int row = 0; row < PQntuples(result.get()); ++row)
        all.push_back({number(result, row, 0), std::string(text(result, row, 1))});
    // std::string compares bytes as unsigned numbers.
    std::ranges::sort(all, {}, &Fortune::message);
    return all;
}

// Appends the text with HTML's special characters escaped.
inline void append_escaped(std::string& html, std::string_view text) {
    for (const char character : text) {
        switch (character) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            case '\'':
                html += "&#39;";
                break;
            default:
                html += character;
        }
    }
}

// Written by hand: C++ has no usual template engine, and Boost has none at all.
inline std::string page(const std::vector<Fortune>& fortunes) {
    std::string html =
        "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
        "<tr><th>id</th><th>message</th></tr>";
    for (const Fortune& fortune : fortunes) {
        html.append("<tr><td>").append(std::to_string(fortune.id)).append("</td><td>");
        append_escaped(html, fortune.message);
        html += "</td></tr>";
    }
    return html += "</table></body></html>";
}

}  // namespace web
