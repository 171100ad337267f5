#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace launcher {

// What can only be learnt by looking at the tree while it lives, or at the last moment before one
// of its members is reaped.
//
// run_queue_ns   Time spent runnable but not running. The kernel keeps it a thread and drops it
//                with the thread (only taskstats tells it on, and that needs privileges). Exact for
//                the first thread of the program and of each orphan, read before they are reaped;
//                for every other thread it is what the last sample saw, so the time after that, and
//                threads that lived between two samples, are missing: a lower bound.
// read_bytes     From and to storage, not the page cache. The kernel adds the figures of a reaped
//                child to its parent's, so reading them before the launcher reaps is exact, but for
//                children whose parent ignores SIGCHLD.
// processes      The kernel counts no forks a tree; those that lived between two samples are
//                known only by the faults their parent inherited.
class TreeSamples {
 public:
  // One look at the tree. Memory is walked only where there is more than one process, as the walk
  // holds the measured process's memory lock; for a single one wait4 is exact. Returns the
  // proportional bytes where it walked.
  std::optional<uint64_t> look(const std::vector<pid_t>& members);

  // Last figures of a child of the launcher that has ended and was not yet reaped.
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
  std::unordered_map<pid_t, uint64_t> wait_ns_;  // of each living thread, as last seen
  std::optional<uint64_t> read_bytes_;
  std::optional<uint64_t> written_bytes_;
};

// Proportional memory of the processes now: a page that n of them share counts 1/n in each. Those
// whose smaps_rollup cannot be read are left out.
uint64_t proportional_bytes(const std::vector<pid_t>& members);

// Sum of what each has resident (statm): cheap, but pages that are shared count in each.
uint64_t resident_bytes(const std::vector<pid_t>& members);

}  // namespace launcher
