#pragma once

#include <optional>
#include <string_view>
#include <vector>

// Lists of processors, as the kernel and taskset write them: "1", "0,2-3".
namespace launcher {

// The numbers, sorted and without duplicates; nothing if the text is not such a list.
std::optional<std::vector<int>> parse_processors(std::string_view list);

// The processors that are online.
std::vector<int> online_processors();

// Pins the calling thread, and all processes that it starts. Returns 0 or errno.
int set_affinity(const std::vector<int>& processors);

}  // namespace launcher
