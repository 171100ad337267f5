#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace launcher {

struct PageCache {
  uint64_t asked_bytes = 0;  // sum of the files' sizes
  uint64_t resident_before_bytes = 0;
  uint64_t resident_after_bytes = 0;
  std::string error;  // empty if there was no error
};

// Drops the files' pages from the page cache, and counts the pages that remain because another
// process has mapped or locked them. A folder stands for all regular files in it; symbolic links
// in it are not followed. Linux 5.2 and newer report the residency only of files that the caller
// owns or may write. mincore calls all other files wholly resident, so the count of remaining
// pages can only be too high.
// write (Linux 5.2), and calls others wholly resident, which errs on the careful side.
PageCache drop_page_cache(const std::vector<std::string>& paths);

}  // namespace launcher
