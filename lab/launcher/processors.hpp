#pragma once

#include <optional>
#include <string_view>
#include <vector>

// Lists of processors, as the kernel and taskset write them: "1", "0,2-3".
namespace launcher {

// Sorted, each once; nothing where the text is not such a list.
std::optional<std::vector<int>> parse_processors(std::string_view list);

// Those the kernel calls online.
std::vector<int> online_processors();

// 0 or errno; for the calling thread and what it starts.
int set_affinity(const std::vector<int>& processors);

}  // namespace launcher
