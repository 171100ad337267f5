// A request, and the file that its target names.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plain {

constexpr std::uint64_t most_body_bytes = 65536;
constexpr std::size_t most_digits = 15;
constexpr std::uint64_t beyond_any_file = 1'000'000'000'000'000;
constexpr std::string_view digits = "0123456789";
constexpr std::string_view token_bytes =
    "!#$%&'*+.^_`|~-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view host_bytes =
    "-._~%!$&'()*+;=:[]0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// A request that is not answered with a file. `field` is a further line of the head.
struct Failure {
    int status;
    std::string field;
};

inline bool has_only(std::string_view text, std::string_view bytes) {
    return text.find_first_not_of(bytes) == text.npos;
}

inline bool is_number(std::string_view text) {
    return !text.empty() && has_only(text, digits);
}

inline std::uint64_t number(const std::string& text) {
    return text.size() > most_digits ? beyond_any_file : std::stoull(text);
}

// Changes ASCII letters only.
inline std::string lower(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

// Without the spaces and tabs at its ends.
inline std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == text.npos)
        return "";
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

inline std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

struct Request {
    std::string method;
    std::string target;
    int minor;
    std::map<std::string, std::string> headers;

    explicit Request(const std::string& line) {
        const std::vector<std::string> parts = split(line, ' ');
        if (parts.size() != 3 || parts[0].empty() || !has_only(parts[0], token_bytes) ||
            parts[1].empty())
            throw Failure{400, ""};
        for (const char c : parts[1]) {
            if (c < '!' || c > '~')
                throw Failure{400, ""};
        }
        const std::string& version = parts[2];
        if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.' ||
            !is_number(version.substr(5, 1)) || !is_number(version.substr(7)))
            throw Failure{400, ""};
        if (version[5] != '1')
            throw Failure{505, ""};
        method = parts[0];
        target = parts[1];
        minor = version[7] == '0' ? 0 : 1;
    }

    void add(const std::string& line) {
        const auto colon = line.find(':');
        if (colon == line.npos || colon == 0 || !has_only(line.substr(0, colon), token_bytes))
            throw Failure{400, ""};
        for (const char c : line.substr(colon + 1)) {
            const auto byte = static_cast<unsigned char>(c);
            if ((byte < ' ' && byte != '\t') || byte == 0x7f)
                throw Failure{400, ""};
        }
        const std::string value = trimmed(line.substr(colon + 1));
        const auto [header, is_new] = headers.emplace(lower(line.substr(0, colon)), value);
        if (!is_new)
            header->second += ',' + value;
    }

    // The value of a header, or null.
    const std::string* header(const char* name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? nullptr : &found->second;
    }

    std::uint64_t body_length() const {
        const std::string* host = header("host");
        if (host == nullptr ? minor == 1 : !has_only(*host, host_bytes))
            throw Failure{400, ""};
        const std::string* length = header("content-length");
        if (header("transfer-encoding") != nullptr)
            throw Failure{length == nullptr ? 411 : 400, ""};
        if (length != nullptr && !is_number(*length))
            throw Failure{400, ""};
        const std::uint64_t bytes = length == nullptr ? 0 : number(*length);
        if (bytes > most_body_bytes)
            throw Failure{413, ""};
        if (header("expect") != nullptr && minor == 1)
            throw Failure{417, ""};
        return bytes;
    }

    bool is_persistent() const {
        const std::string* connection = header("connection");
        bool persistent = minor == 1;
        if (connection != nullptr) {
            for (const std::string& token : split(*connection, ',')) {
                const std::string name = lower(trimmed(token));
                if (name == "close")
                    return false;
                persistent = persistent || name == "keep-alive";
            }
        }
        return persistent;
    }

    // The names of the folders, and of the file.
    std::vector<std::string> file_name() const {
        std::string path = target;
        if (lower(path.substr(0, 7)) == "http://") {
            const auto end = path.find_first_of("/?", 7);
            if (end == 7 || path.size() == 7)
                throw Failure{400, ""};
            path = end != path.npos && path[end] == '/' ? path.substr(end) : "/";
        }
        if (path[0] != '/')
            throw Failure{400, ""};
        std::vector<std::string> names = split(split(path, '?')[0].substr(1), '/');
        for (std::string& name : names)
            name = unescaped(name);
        for (const std::string& name : names) {
            if (name.empty() || name == "." || name == "..")
                throw Failure{404, ""};
            for (const char c : name) {
                if (c < ' ' || c > '~' || c == '/' || c == '\\')
                    throw Failure{404, ""};
            }
        }
        return names;
    }

    static std::string unescaped(const std::string& segment) {
        const std::vector<std::string> parts = split(segment, '%');
        std::string text = parts[0];
        for (std::size_t i = 1; i < parts.size(); i++) {
            const std::string code = parts[i].substr(0, 2);
            if (code.size() < 2 || !has_only(code, "0123456789ABCDEFabcdef"))
                throw Failure{400, ""};
            text += static_cast<char>(std::stoi(code, nullptr, 16));
            text += parts[i].substr(2);
        }
        return text;
    }
};

}  // namespace plain
