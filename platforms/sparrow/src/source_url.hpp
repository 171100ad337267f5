#pragma once

#include <string>

namespace sparrow {

// The file: URL of a path. Other names stay as they are.
std::string source_url(const std::string& name);

// The path that a file: URL names.
std::string source_path(const std::string& url);

}  // namespace sparrow
