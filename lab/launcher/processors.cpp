#include "processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kernel_file.hpp"

namespace launcher {

std::optional<std::vector<int>> parse_processors(std::string_view list) {
  std::vector<int> processors;
  for (;;) {
    size_t comma = std::min(list.find(','), list.size());
    std::string_view range = list.substr(0, comma);
    size_t dash = range.find('-');
    auto first = parse_number(range.substr(0, dash));
    auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= CPU_SETSIZE) return std::nullopt;
    for (uint64_t number = *first; number <= *last; ++number)
      processors.push_back(static_cast<int>(number));
    if (comma == list.size()) break;
    list.remove_prefix(comma + 1);
  }
  std::sort(processors.begin(), processors.end());
  processors.erase(std::unique(processors.begin(), processors.end()), processors.end());
  return processors;
}

std::vector<int> online_processors() {
  if (auto text = read_kernel_file("/sys/devices/system/cpu/online")) {
    auto found = words(*text);
    if (!found.empty())
      if (auto processors = parse_processors(found.front())) return *processors;
  }
  std::vector<int> processors;
  for (int number = 0; number < sysconf(_SC_NPROCESSORS_ONLN); ++number)
    processors.push_back(number);
  return processors;
}

int set_affinity(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors) CPU_SET(static_cast<size_t>(processor), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

}  // namespace launcher
