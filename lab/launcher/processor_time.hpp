#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace launcher {

// What a set of processors did, read from the best source this kernel has:
//   "schedstat"  /proc/schedstat, seventh figure: time tasks ran, ns (CONFIG_SCHEDSTATS)
//   "cpuacct"    cpuacct.usage_percpu of the root cgroup (version 1), ns
//   "stat"       /proc/stat, in clock ticks of 10 ms, so an interval errs by a tick a processor
// The first two count tasks only, the last also interrupts.
class ProcessorTime {
 public:
  struct Reading {
    std::optional<uint64_t> busy_ns;   // time the processors ran anything, since boot
    std::optional<uint64_t> steal_ns;  // time the hypervisor kept them, in clock ticks
  };

  explicit ProcessorTime(std::vector<int> processors);
  // The named source, whether it is the best or not (to compare them).
  ProcessorTime(std::vector<int> processors, std::string source);

  Reading read() const;
  // Empty where there is none.
  const std::string& source() const { return source_; }

 private:
  std::optional<uint64_t> busy_ns() const;

  std::vector<int> processors_;
  std::string source_;
};

}  // namespace launcher
