// The names of modules: what a specifier means, and which file has the module's source.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparrow {

constexpr std::string_view kNative = "sparrow:native";
constexpr std::string_view kJson = "json:";  // before the path of a file that is imported as JSON

// Whether a module belongs to the library.
bool of_library(std::string_view name);
std::string file_of(const std::string& name);
// Nothing if the file cannot be read.
std::optional<std::string> content_of(const std::string& path);

// The file: URL of a path. Other names stay as they are.
std::string source_url(const std::string& name);
// The path that a file: URL names.
std::string source_path(const std::string& url);

// The full name of what `specifier` means to `referrer`; nothing for a module that is not here.
std::optional<std::string> resolved(const std::string& specifier, const std::string& referrer);

}  // namespace sparrow
