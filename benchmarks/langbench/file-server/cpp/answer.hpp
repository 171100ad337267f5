// From a request to its answer.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byte_range.hpp"
#include "counts.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "request.hpp"
#include "target.hpp"

namespace file_server {

inline constexpr std::uint64_t most_file_bytes = 1 << 30;

// A whole answer. Its memory is not filled beforehand: all of it is written once.
class Answer {
public:
    Answer(std::string_view head, std::size_t body)
        : size_(head.size() + body), bytes_(std::make_unique_for_overwrite<char[]>(size_)) {
        std::copy(head.begin(), head.end(), bytes_.get());
    }

    std::span<char> body(std::size_t head) { return {bytes_.get() + head, size_ - head}; }
    std::span<const char> bytes() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<char[]> bytes_;
};

inline std::string_view reason(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 206:
            return "Partial Content";
        case 400:
            return "Bad Request";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 411:
            return "Length Required";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 416:
            return "Range Not Satisfiable";
        case 417:
            return "Expectation Failed";
        case 431:
            return "Request Header Fields Too Large";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Internal Server Error";
    }
}

inline std::string_view content_type(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> types{
        {{"txt", "text/plain; charset=utf-8"},
         {"log", "text/plain; charset=utf-8"},
         {"html", "text/html; charset=utf-8"},
         {"css", "text/css; charset=utf-8"},
         {"js", "text/javascript; charset=utf-8"},
         {"json", "application/json"},
         {"png", "image/png"},
         {"svg", "image/svg+xml"}}};
    const auto dot = name.rfind('.');
    const std::string extension = dot == name.npos ? "" : lower(name.substr(dot + 1));
    for (const auto& [known, type] : types) {
        if (known == extension)
            return type;
    }
    return "application/octet-stream";
}

// As HTTP writes it: Sun, 06 Nov 1994 08:49:37 GMT.
inline std::string date(std::time_t time_s) {
    std::tm parts{};
    gmtime_r(&time_s, &parts);
    std::array<char, 32> text;
    return {text.data(),
            std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

// Its end is the empty line; `fields` and `last`, what is said of the connection, are whole lines.
inline std::string head(int status, std::string_view fields, std::string_view last) {
    std::string lines = "HTTP/1.1 " + std::to_string(status) + " ";
    lines.append(reason(status)).append("\r\nDate: ").append(date(std::time(nullptr)));
    lines.append("\r\n").append(fields).append(last).append("\r\n");
    return lines;
}

inline Answer failed(const Failure& failure, std::string_view last) {
    std::string fields = "Content-Length: 0\r\n";
    if (!failure.field.empty())
        fields.append(failure.field).append("\r\n");
    return {head(failure.status, fields, last), 0};
}

// The answer to what could not be read, behind which nothing can be.
inline Answer refusal(const Failure& failure) {
    return failed(failure, "Connection: close\r\n");
}

inline std::string_view connection(const Request& request) {
    if (!request.persistent())
        return "Connection: close\r\n";
    return request.minor == 0 ? "Connection: keep-alive\r\n" : "";
}

// Throws Failure.
template <class Reader>
Answer content(const File& file, std::string_view name, const Request& request, Counts& counts) {
    const std::uint64_t size = file.size();
    if (size > most_file_bytes)
        throw Failure(500);
    std::optional<Range> part;
    if (request.method == "GET" && request.header("if-range") == nullptr)
        part = requested_range(request.header("range"), size);
    const Range range = part.value_or(Range{0, size});
    std::string fields = "Last-Modified: " + date(file.modified_s());
    fields.append("\r\nContent-Type: ").append(content_type(name));
    fields.append("\r\nContent-Length: ").append(std::to_string(range.count));
    fields.append("\r\nAccept-Ranges: bytes\r\n");
    if (part) {
        fields.append("Content-Range: bytes ").append(std::to_string(range.first)).append("-");
        fields.append(std::to_string(range.first + range.count - 1)).append("/");
        fields.append(std::to_string(size)).append("\r\n");
    }
    const std::string said = head(part ? 206 : 200, fields, connection(request));
    if (request.method == "HEAD")
        return {said, 0};
    Answer whole(said, range.count);
    Reader::read(file, range.first, whole.body(said.size()), counts);
    counts.requests++;  // tick
    return whole;
}

// The whole answer to a request that could be read.
template <class Reader>
Answer answer(const std::string& folder, const Request& request, Counts& counts) {
    try {
        if (request.method != "GET" && request.method != "HEAD")
            throw Failure(405, "Allow: GET, HEAD");
        const std::vector<std::string> name = file_name(request.target);
        return content<Reader>(File(folder, name), name.back(), request, counts);
    } catch (const Failure& failure) {
        return failed(failure, connection(request));
    } catch (const std::bad_alloc&) {
        return failed(Failure(500), connection(request));
    }
}

}  // namespace file_server
