#include "module_names.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime.hpp"

namespace sparrow {
namespace {

constexpr std::string_view kOwn = "sparrow:";
constexpr std::string_view kNode = "node:";
constexpr std::string_view kInternal = "sparrow:internal/";
constexpr std::string_view kFile = "file://";
constexpr std::string_view kMark = "\xef\xbb\xbf";  // of the byte order, which is no part of a text

}  // namespace

bool of_library(std::string_view name) {
    return name.starts_with(kOwn) || name.starts_with(kNode);
}

std::string file_of(const std::string& name) {
    if (name.starts_with(kOwn))
        return runtime().home + "/library/" + name.substr(kOwn.size()) + ".js";
    if (name.starts_with(kNode)) {
        return runtime().home + "/library/node/" + name.substr(kNode.size()) + ".js";
    }
    return name.starts_with(kJson) ? name.substr(kJson.size()) : name;
}

std::optional<std::string> content_of(const std::string& path) {
    std::error_code error;
    // The system would read the file whose name ends at the null character.
    if (path.find('\0') != path.npos || !std::filesystem::is_regular_file(path, error))
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    std::string content(std::istreambuf_iterator<char>(file), {});
    if (content.starts_with(kMark))
        content.erase(0, kMark.size());
    return content;
}

std::optional<std::string> resolved(const std::string& specifier, const std::string& referrer) {
    if ((specifier == kNative || specifier.starts_with(kInternal)) && !of_library(referrer))
        return std::nullopt;
    if (specifier == kNative)
        return specifier;
    std::string name = specifier;
    if (name.starts_with(kFile))
        name = source_path(name);
    if (name.starts_with('/') || name.starts_with("./") || name.starts_with("../")) {
        const std::filesystem::path folder = std::filesystem::path(referrer).parent_path();
        return (folder / name).lexically_normal().string();
    }
    // Node's modules may be named without a prefix.
    if (!of_library(name))
        name = std::string(kNode) + name;
    if (name.find("..") != name.npos || access(file_of(name).c_str(), R_OK) != 0)
        return std::nullopt;
    return name;
}

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
