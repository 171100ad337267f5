#include "source_url.hpp"

#include <cstdio>
#include <string_view>

namespace sparrow {
namespace {

constexpr std::string_view kFile = "file://";

}  // namespace

std::string source_url(const std::string& name) {
    constexpr std::string_view encoded = " \"#%<>?\\^`{|}";
    if (!name.starts_with('/'))
        return name;
    std::string url(kFile);
    for (const char c : name) {
        if (c > ' ' && c < '\x7f' && encoded.find(c) == encoded.npos) {
            url += c;
            continue;
        }
        char escape[4];
        std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned char>(c));
        url += escape;
    }
    return url;
}

std::string source_path(const std::string& url) {
    std::string path;
    for (std::size_t at = kFile.size(); at < url.size(); at++) {
        unsigned byte = 0;
        if (url[at] == '%' && std::sscanf(url.c_str() + at + 1, "%2x", &byte) == 1) {
            path += static_cast<char>(byte);
            at += 2;
        } else {
            path += url[at];
        }
    }
    return path;
}

}  // namespace sparrow
