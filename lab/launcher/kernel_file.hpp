#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The small text files of /proc, /sys and the cgroup file systems.
namespace launcher {

// The whole text, or nothing if the file cannot be opened or read.
std::optional<std::string> read_kernel_file(const std::string& path);

// Returns 0 or errno.
int write_kernel_file(const std::string& path, std::string_view text);

std::optional<uint64_t> read_kernel_number(const std::string& path);

// The number after `key` at the start of a line: "oom_kill 3", "Pss:   12 kB".
std::optional<uint64_t> field_after(std::string_view text, std::string_view key);

// All words of a text, cut at white space.
std::vector<std::string_view> words(std::string_view text);

std::optional<uint64_t> parse_number(std::string_view text);

// The entries of a folder that have numbers as names: processes in /proc, threads in task/.
std::vector<pid_t> numbered_entries(const std::string& directory);

}  // namespace launcher
