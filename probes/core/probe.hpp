#pragma once

#include <cstdint>
#include <vector>

#include "calibration.hpp"
#include "dispatch_table.hpp"
#include "sampler.hpp"

namespace probes {

// The probe of this process, with one table and one mode, from `start` to `stop`. Each adapter
// owns one probe.
class Probe {
 public:
  // Both functions return an error message, or nullptr. If `start` fails, nothing was changed.
  // `period` of the sampler: nanoseconds of CPU time. `period` of kSteps: a number of dispatches;
  // of kLatency: a number of executions of an operation. Both are powers of two. Other modes have
  // no period.
  const char* start(const DispatchTable& table, Mode mode, uint64_t period, Locate locate);
  const char* stop();
  // For the child of a fork: the clock begins again.
  void begin_clock();

  bool running() const { return interposition_.attached(); }
  // The process's CPU time between start and stop.
  uint64_t cpu_ns() const { return cpu_ns_; }
  // The time-stamp ticks of a nanosecond, measured between start and stop.
  double ticks_per_ns() const { return ticks_per_ns_; }
  // The duration of a cycle of the processor in nanoseconds, measured at start and at stop.
  Calibration cycle_ns() const;
  // What kLatency measures for an empty operation, in nanoseconds, measured at start and at stop.
  Calibration fences_ns() const;
  Mode mode() const { return mode_; }
  const Interposition& interposition() const { return interposition_; }
  const Sampler& sampler() const { return sampler_; }

 private:
  Calibration between(const Calibration& first, const Calibration& last) const;

  Interposition interposition_;
  Sampler sampler_;
  Mode mode_ = Mode::kNothing;
  uint64_t started_ns_ = 0;
  uint64_t cpu_ns_ = 0;
  uint64_t started_ticks_ = 0;
  uint64_t started_wall_ns_ = 0;
  double ticks_per_ns_ = 0;
  double first_cycle_ticks_ = 0;
  double last_cycle_ticks_ = 0;
  Calibration first_fences_{0, 0};
  Calibration last_fences_{0, 0};
};

}  // namespace probes
