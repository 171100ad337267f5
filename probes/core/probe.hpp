#pragma once

#include <cstdint>
#include <vector>

#include "dispatch_table.hpp"
#include "sampler.hpp"

namespace probes {

// The probe of this process: one table, one mode, from `start` to `stop`. Adapters own one each.
class Probe {
 public:
  // Each returns an error for people, or nullptr. A probe that could not start changed nothing.
  // `period`: of the sampler in nanoseconds of CPU time, of kLatency and kSteps in dispatches (a
  // power of two); other modes have none.
  const char* start(const DispatchTable& table, Mode mode, uint64_t period, Locate locate);
  const char* stop();
  // In the child of a fork: the clock begins anew.
  void begin_clock();

  bool running() const { return interposition_.attached(); }
  // CPU time of the process from start to stop.
  uint64_t cpu_ns() const { return cpu_ns_; }
  // Time-stamp ticks in a nanosecond, from start to stop.
  double ticks_per_ns() const { return ticks_per_ns_; }
  Mode mode() const { return mode_; }
  const Interposition& interposition() const { return interposition_; }
  const Sampler& sampler() const { return sampler_; }

 private:
  Interposition interposition_;
  Sampler sampler_;
  Mode mode_ = Mode::kNothing;
  uint64_t started_ns_ = 0;
  uint64_t cpu_ns_ = 0;
  uint64_t started_ticks_ = 0;
  uint64_t started_wall_ns_ = 0;
  double ticks_per_ns_ = 0;
};

}  // namespace probes
