#pragma once

#include <cstdint>
#include <optional>

#include "descriptor.hpp"

namespace launcher {

// An event by its kind and number, as linux/perf_event.h has them.
struct CountedEvent {
  uint32_t type = 0;
  uint64_t config = 0;
};

// Those that stand for cycles and for instructions; the processor's own where nothing else is
// asked.
struct CountedEvents {
  CountedEvent cycles{0, 0};
  CountedEvent instructions{0, 1};
};

struct CounterReading {
  uint64_t value = 0;
  uint64_t enabled_ns = 0;  // for how long it was to be counted
  uint64_t running_ns = 0;  // and had a counter of the processor
};

struct ProcessorCounts {
  CounterReading cycles;
  CounterReading instructions;
  bool user_only = false;  // what the kernel did is not in it
};

// Counts two events of every program that this thread starts, and of all that those start, each
// from its exec on. Where nothing is asked for, the processor counts nothing or may not be asked,
// there is no reading.
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
