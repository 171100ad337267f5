#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace launcher {

struct PageCache {
  uint64_t asked_bytes = 0;  // sum of the files' sizes
  uint64_t resident_before_bytes = 0;
  uint64_t resident_after_bytes = 0;
  std::string error;  // empty where all went well
};

// Drops the files' pages from the page cache, and looks whether they went: pages which another
// process has mapped or locked stay. A folder stands for every regular file beneath it; symbolic
// links inside are not followed. mincore tells the truth only for files the caller owns or may
// write (Linux 5.2), and calls others wholly resident, which errs on the careful side.
PageCache drop_page_cache(const std::vector<std::string>& paths);

}  // namespace launcher
