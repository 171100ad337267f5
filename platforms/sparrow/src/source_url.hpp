#pragma once

#include <string>

namespace sparrow {

// The file: URL of a path, by which debuggers find the source. Other names stay as they are.
std::string source_url(const std::string& name);

}  // namespace sparrow
