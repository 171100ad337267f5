#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control_group.hpp"
#include "descriptor.hpp"
#include "page_cache.hpp"
#include "processor_counters.hpp"

namespace launcher {

enum class State { kExited, kSignalled, kTimedOut, kMemoryExceeded, kEndedByLab, kNotStarted };

struct Outcome {
  State state = State::kNotStarted;
  std::optional<int> exit_status;
  std::optional<int> signal;
  std::optional<std::string> error;
};

// What the processors did until just before the start and until nothing of the tree was left, since
// boot, and what of it the tree took, its making included. Differences between executions tell what
// others took of a stretch of time of which each execution is too short for the kernel's ticks.
struct ProcessorSpan {
  uint64_t busy_before_ns = 0;
  uint64_t busy_after_ns = 0;
  int64_t own_ns = 0;
  uint64_t steal_before_ns = 0;
  uint64_t steal_after_ns = 0;
};

// What the launcher tells the lab. A figure without a value could not be known. A program that was
// not started took nothing, so its figures are zero.
struct Report {
  Outcome outcome;
  int64_t started_monotonic_ns = 0;  // just before exec; of the attempt where it failed
  int64_t started_realtime_ns = 0;
  int64_t wall_ns = 0;  // exec to the end of the program itself
  // Of the whole tree (RUSAGE_CHILDREN): all that was waited for, by the launcher or by a parent.
  int64_t user_ns = 0;
  int64_t system_ns = 0;
  uint64_t peak_rss_bytes = 0;  // of the program or of the greatest child it waited for
  uint64_t peak_tree_bytes = 0;
  std::string peak_tree_method = "wait4";  // or cgroup, sampled_pss
  uint64_t processes = 0;                  // greatest number seen at once
  uint64_t processes_started = 0;          // as far as known
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  std::optional<uint64_t> read_bytes;
  std::optional<uint64_t> written_bytes;
  std::optional<uint64_t> run_queue_ns;
  uint64_t left_behind = 0;  // descendants that outlived the program and were killed
  // Of the processors, from just before the start until nothing of the tree was left.
  std::optional<int64_t> foreign_ns;
  std::optional<std::string> foreign_source;
  std::optional<uint64_t> steal_ns;  // likewise, in clock ticks
  std::optional<ProcessorSpan> processor_span;
  std::vector<int> processors;
  uint64_t uid = 0;                      // whom the program ran as
  std::optional<Throttling> throttling;  // of the quota asked for
  std::optional<uint64_t> ambient_throttled_ns;
  std::optional<std::string> memory_limit_method;  // cgroup_v2, cgroup_v1, watched
  std::optional<PageCache> page_cache;
  std::optional<ProcessorCounts> processor;
  int64_t launcher_cpu_ns = 0;

  std::string json() const;
};

// The file a report goes to. It is opened before the program starts, so that an unwritable one
// costs no measurement, under a name of its own, and appears whole or not at all.
class ReportFile {
 public:
  // Both return 0 or errno.
  int open(const std::string& path);
  int publish(const std::string& text);
  ~ReportFile();

 private:
  std::string path_;
  std::string temporary_path_;
  Descriptor file_;
};

}  // namespace launcher
