#include "probe.hpp"

#include <time.h>
#include <x86intrin.h>

#include "cycle.hpp"
#include "measurement.hpp"

namespace probes {

namespace {

uint64_t clock_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

const char* Probe::start(const DispatchTable& table, Mode mode, uint64_t period, Locate locate) {
  if (running()) return "already attached";
  mode_ = mode;
  first_cycle_ticks_ = ticks_per_cycle();
  if (samples(mode)) {
    if (const char* error = sampler_.start(period, locate, counts_pairs(mode))) return error;
  } else {
    observe_threads(nullptr, counts_pairs(mode));
  }
  if (mode == Mode::kLatency) preemption_mark();
  if (mode == Mode::kLatency || mode == Mode::kSteps) reset_moments(period);
  time_operations(mode == Mode::kLatency);
  if (mode == Mode::kLatency && !measure_fences(first_fences_))
    return "no room for code to calibrate";
  reset_counts();
  if (const char* error = interposition_.attach(table, mode)) {
    if (samples(mode)) sampler_.stop();
    return error;
  }
  begin_clock();
  return nullptr;
}

const char* Probe::stop() {
  const uint64_t now_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  if (const char* error = interposition_.detach()) return error;
  cpu_ns_ = now_ns - started_ns_;
  const auto wall_ns = static_cast<double>(clock_ns(CLOCK_MONOTONIC) - started_wall_ns_);
  ticks_per_ns_ = static_cast<double>(__rdtsc() - started_ticks_) / wall_ns;
  if (samples(mode_)) sampler_.stop();
  last_cycle_ticks_ = ticks_per_cycle();
  if (mode_ == Mode::kLatency && !measure_fences(last_fences_)) last_fences_ = first_fences_;
  return nullptr;
}

Calibration Probe::cycle_ns() const {
  return between({first_cycle_ticks_, 0}, {last_cycle_ticks_, 0});
}

Calibration Probe::fences_ns() const { return between(first_fences_, last_fences_); }

// The speed of the processor may have changed between the two measurements.
Calibration Probe::between(const Calibration& first, const Calibration& last) const {
  const double change = (first.mean - last.mean) / 2;
  const double variance = (first.variance + last.variance) / 4 + change * change;
  return {(first.mean + last.mean) / 2 / ticks_per_ns_, variance / ticks_per_ns_ / ticks_per_ns_};
}

void Probe::begin_clock() {
  started_ns_ = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  started_wall_ns_ = clock_ns(CLOCK_MONOTONIC);
  started_ticks_ = __rdtsc();
}

}  // namespace probes
