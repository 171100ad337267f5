#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace launcher {

// Figures that can only be read while a process lives, or just before it is reaped.
// run_queue_ns   Time in which threads were runnable but not running. The kernel keeps this time
//                only as long as the thread (except in taskstats, which needs privileges). It is
//                exact for the first thread of the program and of each orphan, which is read just
//                before reaping. For all other threads it comes from the last sample. The time
//                after this sample is missing, and so are threads that lived between two samples:
//                the sum is a lower bound.
// read_bytes     Bytes from and to storage, without the page cache. The kernel adds the figures of
//                a reaped child to its parent's figures. Reading them before the launcher reaps is
//                therefore exact, except for children of a parent that ignores SIGCHLD.
// processes      The kernel does not count the forks of a tree. Processes that lived between two
//                samples are known only by the faults that their parent inherited.
class TreeSamples {
 public:
  // Takes one sample of the tree. It reads the memory only if there is more than one process:
  // reading holds the memory lock of a measured process, and for a single process wait4 is exact.
  // Returns the proportional bytes if it read them.
  std::optional<uint64_t> look(const std::vector<pid_t>& members);

  // Reads the last figures of the launcher's child that has ended and has not been reaped yet.
  void before_reaping(pid_t pid);

  uint64_t greatest_at_once() const { return greatest_at_once_; }
  uint64_t processes_started() const;
  bool saw_children() const { return greatest_at_once_ > 1 || inherited_faults_ || started_ > 1; }
  uint64_t peak_pss_bytes() const { return peak_pss_bytes_; }
  std::optional<uint64_t> run_queue_ns() const;
  std::optional<uint64_t> read_bytes() const { return read_bytes_; }
  std::optional<uint64_t> written_bytes() const { return written_bytes_; }

 private:
  void look_at_threads(pid_t pid, std::unordered_map<pid_t, uint64_t>& waits);

  uint64_t greatest_at_once_ = 1;
  uint64_t started_ = 0;
  bool inherited_faults_ = false;
  uint64_t peak_pss_bytes_ = 0;
  std::unordered_set<pid_t> known_;
  bool waits_known_ = false;
  uint64_t ended_wait_ns_ = 0;
  std::unordered_map<pid_t, uint64_t> wait_ns_;  // the last sample of each living thread
  std::optional<uint64_t> read_bytes_;
  std::optional<uint64_t> written_bytes_;
};

// The sum of the processes' current proportional memory (PSS): a page that n processes share
// counts 1/n in each. Processes without a readable smaps_rollup are left out.
uint64_t proportional_bytes(const std::vector<pid_t>& members);

// The sum of the processes' resident memory (statm). It is cheap to read, but shared pages count
// in each process.
uint64_t resident_bytes(const std::vector<pid_t>& members);

}  // namespace launcher
