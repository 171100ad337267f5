#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

// The busy time of a set of processors, read from the best source of this kernel:
//   "schedstat"  /proc/schedstat, seventh figure: time tasks ran, ns (CONFIG_SCHEDSTATS)
//   "cpuacct"    cpuacct.usage_percpu of the root cgroup (version 1), ns
//   "stat"       /proc/stat, in clock ticks of 10 ms: an interval errs by up to one tick per
//                processor
// The first two sources count only tasks. The third source also counts interrupts.
class ProcessorTime {
 public:
  struct Reading {
    std::optional<uint64_t> busy_ns;   // time the processors were busy, since boot
    std::optional<uint64_t> steal_ns;  // steal time in ns, a multiple of the clock tick
  };

  explicit ProcessorTime(std::vector<int> processors);
  // Reads from the named source even if a better one exists, so that sources can be compared.
  ProcessorTime(std::vector<int> processors, std::string source);

  // The kernel adds a running task's time late. The calling task's own time is complete.
  Reading read() const;
  // The name of the source; empty if there is none.
  const std::string& source() const { return source_; }

 private:
  std::optional<uint64_t> busy_ns() const;

  std::vector<int> processors_;
  std::string source_;
};

}  // namespace launcher
