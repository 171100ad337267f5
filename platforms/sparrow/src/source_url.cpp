#include "source_url.hpp"

#include <cstdio>
#include <string_view>

namespace sparrow {

std::string source_url(const std::string& name) {
    constexpr std::string_view encoded = " \"#%<>?\\^`{|}";
    if (!name.starts_with('/'))
        return name;
    std::string url = "file://";
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

}  // namespace sparrow
