#pragma once

#include <cstdint>
#include <optional>

#include "descriptor.hpp"

namespace launcher {

// An event by its type and config, as in linux/perf_event.h.
struct CountedEvent {
  uint32_t type = 0;
  uint64_t config = 0;
};

// The events for cycles and for instructions. The defaults are the processor's generic events.
struct CountedEvents {
  CountedEvent cycles{0, 0};
  CountedEvent instructions{0, 1};
};

struct CounterReading {
  uint64_t value = 0;
  uint64_t enabled_ns = 0;  // time in which the event was enabled
  uint64_t running_ns = 0;  // part of this time in which it had a hardware counter
};

struct ProcessorCounts {
  CounterReading cycles;
  CounterReading instructions;
  bool user_only = false;  // work in the kernel is not counted
};

// Counts two events of all programs that this thread starts, and of all their descendants, from
// exec on. There is no reading if no events are requested, if the processor has no counters, or if
// the user may not read them.
class ProcessorCounters {
 public:
  explicit ProcessorCounters(const std::optional<CountedEvents>& events);
  std::optional<ProcessorCounts> read() const;

 private:
  bool open(const CountedEvents& events);

  Descriptor cycles_;
  Descriptor instructions_;
  bool user_only_ = false;
};

}  // namespace launcher
