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

// The busy time and steal time of the processors since boot, just before the start and after the
// end of the whole tree, and the tree's own time on them, including its start. The lab subtracts
// these values of different executions. It can so find foreign time in intervals of executions
// that are each shorter than a kernel tick.
struct ProcessorSpan {
  uint64_t busy_before_ns = 0;
  uint64_t busy_after_ns = 0;
  int64_t own_ns = 0;
  uint64_t steal_before_ns = 0;
  uint64_t steal_after_ns = 0;
};

// The launcher's report for the lab. A figure without a value is unknown. If the program was not
// started, its figures are zero.
struct Report {
  Outcome outcome;
  int64_t started_monotonic_ns = 0;  // just before exec, or before the failed attempt
  int64_t started_realtime_ns = 0;
  int64_t wall_ns = 0;  // exec to the end of the program itself
  // Figures of the whole tree (RUSAGE_CHILDREN): all processes that the launcher or a parent
  // reaped.
  int64_t user_ns = 0;
  int64_t system_ns = 0;
  uint64_t peak_rss_bytes = 0;  // of the program or of its largest reaped child
  uint64_t peak_tree_bytes = 0;
  std::string peak_tree_method = "wait4";  // or cgroup, sampled_pss
  uint64_t processes = 0;                  // largest number in one sample
  uint64_t processes_started = 0;          // lower bound
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  std::optional<uint64_t> read_bytes;
  std::optional<uint64_t> written_bytes;
  std::optional<uint64_t> run_queue_ns;
  uint64_t left_behind = 0;  // descendants that outlived the program and were killed
  // Times on the processors, from just before the start until the whole tree has ended.
  std::optional<int64_t> foreign_ns;
  // CPU time of the tree that wait4 does not count; nothing without a group that counts it.
  std::optional<int64_t> uncounted_ns;
  std::optional<std::string> foreign_source;
  std::optional<uint64_t> steal_ns;  // steal time in ns, a multiple of the clock tick
  std::optional<ProcessorSpan> processor_span;
  std::vector<int> processors;
  uint64_t uid = 0;                      // the program's user
  std::optional<Throttling> throttling;  // by the requested quota
  std::optional<uint64_t> ambient_throttled_ns;
  std::optional<std::string> memory_limit_method;  // cgroup_v2, cgroup_v1, watched
  std::optional<PageCache> page_cache;
  std::optional<ProcessorCounts> processor;
  int64_t launcher_cpu_ns = 0;

  std::string json() const;
};

// The file of a report. It is created under a temporary name before the program starts, so that an
// unwritable path costs no measurement. The report appears at its path only when it is complete.
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
