// The response to a request.

#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "request.hpp"

namespace plain {

constexpr std::uint64_t most_file_bytes = 1 << 30;

// The counts of one connection, or the sum of several.
struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t body_bytes = 0;
};

inline const char* reason(int status) {
    static const std::map<int, const char*> reasons{{200, "OK"},
                                                    {206, "Partial Content"},
                                                    {400, "Bad Request"},
                                                    {404, "Not Found"},
                                                    {405, "Method Not Allowed"},
                                                    {411, "Length Required"},
                                                    {413, "Content Too Large"},
                                                    {414, "URI Too Long"},
                                                    {416, "Range Not Satisfiable"},
                                                    {417, "Expectation Failed"},
                                                    {431, "Request Header Fields Too Large"},
                                                    {500, "Internal Server Error"},
                                                    {505, "HTTP Version Not Supported"}};
    return reasons.at(status);
}

inline std::string content_type(const std::string& name) {
    static const std::map<std::string, std::string> types{{".txt", "text/plain; charset=utf-8"},
                                                          {".log", "text/plain; charset=utf-8"},
                                                          {".html", "text/html; charset=utf-8"},
                                                          {".css", "text/css; charset=utf-8"},
                                                          {".js", "text/javascript; charset=utf-8"},
                                                          {".json", "application/json"},
                                                          {".png", "image/png"},
                                                          {".svg", "image/svg+xml"}};
    const auto dot = name.rfind('.');
    const auto found = types.find(dot == name.npos ? "" : lower(name.substr(dot)));
    return found == types.end() ? "application/octet-stream" : found->second;
}

// A time as HTTP writes it.
inline std::string date(std::time_t time) {
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 32> text;
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text.data();
}

inline std::string connection_field(const Request& request) {
    if (!request.is_persistent())
        return "Connection: close\r\n";
    return request.minor == 0 ? "Connection: keep-alive\r\n" : "";
}

inline std::string head(int status, const std::string& fields, const std::string& connection) {
    return "HTTP/1.1 " + std::to_string(status) + ' ' + reason(status) +
           "\r\nDate: " + date(std::time(nullptr)) + "\r\n" + fields + connection + "\r\n";
}

inline std::string failure_response(const Failure& failure, const std::string& connection) {
    return head(failure.status, "Content-Length: 0\r\n" + failure.field, connection);
}

// An open file, which is closed at the end.
struct File {
    int descriptor;

    File(const std::string& folder, const std::vector<std::string>& names) {
        std::string path = folder;
        for (std::size_t i = 0; i + 1 < names.size(); i++) {
            path += '/' + names[i];
            struct stat status{};
            if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
                throw Failure{404, ""};
        }
        path += '/' + names.back();
        descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor < 0)
            throw Failure{404, ""};
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { ::close(descriptor); }
};

// The first byte and the number of bytes; none for the whole file.
inline std::optional<std::pair<std::uint64_t, std::uint64_t>> requested_range(
    const Request& request, std::uint64_t size) {
    const std::string* range = request.header("range");
    if (range == nullptr || request.header("if-range") != nullptr || size == 0 ||
        request.method == "HEAD" || !range->starts_with("bytes="))
        return std::nullopt;
    const std::vector<std::string> ends = split(range->substr(6), '-');
    if (ends.size() != 2 || !has_only(ends[0], digits) || !has_only(ends[1], digits) ||
        (ends[0].empty() && ends[1].empty()))
        return std::nullopt;
    const std::uint64_t last = ends[1].empty() ? beyond_any_file : number(ends[1]);
    if (!ends[0].empty() && last < number(ends[0]))
        return std::nullopt;
    const std::uint64_t first = ends[0].empty() ? size - std::min(last, size) : number(ends[0]);
    if (first >= size)
        throw Failure{416, "Content-Range: bytes */" + std::to_string(size) + "\r\n"};
    return std::pair(first, ends[0].empty() ? size - first : std::min(last, size - 1) - first + 1);
}

inline std::string file_response(const std::string& folder, const Request& request,
                                 Counts& counts) {
    if (request.method != "GET" && request.method != "HEAD")
        throw Failure{405, "Allow: GET, HEAD\r\n"};
    const std::vector<std::string> names = request.file_name();
    const File file(folder, names);
    struct stat status{};
    if (::fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        throw Failure{404, ""};
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > most_file_bytes)
        throw Failure{500, ""};
    const auto part = requested_range(request, size);
    const auto [first, count] = part.value_or(std::pair(std::uint64_t{0}, size));
    std::string fields = "Last-Modified: " + date(status.st_mtime) +
                         "\r\nContent-Type: " + content_type(names.back()) +
                         "\r\nContent-Length: " + std::to_string(count) +
                         "\r\nAccept-Ranges: bytes\r\n";
    if (part) {
        fields += "Content-Range: bytes " + std::to_string(first) + '-' +
                  std::to_string(first + count - 1) + '/' + std::to_string(size) + "\r\n";
    }
    std::string response = head(part ? 206 : 200, fields, connection_field(request));
    if (request.method == "HEAD")
        return response;
    const std::size_t start = response.size();
    response.resize(start + count);
    const ssize_t taken =
        ::pread(file.descriptor, &response[start], count, static_cast<off_t>(first));
    if (taken != static_cast<ssize_t>(count))
        throw Failure{500, ""};
    counts.requests++;           // tick
    counts.body_bytes += count;  // tick
    return response;
}

inline std::string respond(const std::string& folder, const Request& request, Counts& counts) {
    try {
        return file_response(folder, request, counts);
    } catch (const Failure& failure) {
        return failure_response(failure, connection_field(request));
    }
}

}  // namespace plain
