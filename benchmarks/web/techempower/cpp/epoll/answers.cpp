#include "answers.hpp"

#include <array>
#include <charconv>

namespace web {
namespace {

constexpr std::string_view end_of_head = "\r\n\r\n";
constexpr std::size_t longest_head = 1 << 14;
constexpr std::string_view greeting = "Hello, World!";

// A string of JSON; the object is made for each request.
std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char character : text) {
        if (character == '"' || character == '\\')
            quoted += '\\';
        quoted += character;
    }
    return quoted += '"';
}

}  // namespace

bool Answers::take(std::string& received, std::string& unsent) {
    std::size_t taken = 0;
    bool good = true;
    while (good) {
        const std::string_view rest = std::string_view(received).substr(taken);
        const std::size_t end = rest.find(end_of_head);
        if (end == std::string_view::npos) {
            good = rest.size() <= longest_head;
            break;
        }
        const std::string_view line = rest.substr(0, rest.find("\r\n"));
        const std::size_t first = line.find(' '), last = line.rfind(' ');
        good = line.starts_with("GET ") && last > first && line.substr(last + 1) == "HTTP/1.1";
        if (good)
            answer(line.substr(first + 1, last - first - 1), unsent);
        else
            append("400 Bad Request", "text/plain", "no such request", unsent);
        taken += end + end_of_head.size();
    }
    received.erase(0, taken);
    return good;
}

void Answers::answer(std::string_view path, std::string& unsent) {
    if (path == "/plaintext")
        append("200 OK", "text/plain", greeting, unsent);
    else if (path == "/json")
        append("200 OK", "application/json", "{\"message\":" + json_string(greeting) + "}", unsent);
    else
        append("404 Not Found", "text/plain", "no such path", unsent);
}

void Answers::append(std::string_view status, std::string_view type, std::string_view body,
                     std::string& unsent) {
    std::array<char, 20> digits;
    const auto length = std::to_chars(digits.data(), digits.data() + digits.size(), body.size());
    unsent.append("HTTP/1.1 ").append(status).append("\r\nServer: epoll\r\nDate: ").append(date());
    unsent.append("\r\nContent-Type: ").append(type).append("\r\nContent-Length: ");
    unsent.append(digits.data(), length.ptr).append(end_of_head).append(body);
}

const std::string& Answers::date() {
    const std::time_t now = std::time(nullptr);
    if (now != second_) {
        std::tm parts{};
        gmtime_r(&now, &parts);
        std::array<char, 40> text;
        // The program never leaves the C locale, which has the names that HTTP wants.
        const std::size_t length =
            std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        date_.assign(text.data(), length);
        second_ = now;
    }
    return date_;
}

}  // namespace web
