#pragma once

#include <signal.h>

#include <cstdint>
#include <vector>

#include "thread_registry.hpp"

namespace probes {

// Where a sample fell. `operation` is an operation, or, outside the interpreter, kOperations or one
// of the adapter's numbers above it; `code`
// is the runtime's own address of the code that was running (0: unknown), `offset` the place in it.
struct Place {
  uint64_t code = 0;
  uint32_t offset = 0;
  uint16_t operation = kOperations;
};

struct Sample {
  Place place;
  uint64_t count;
};

// When a sample was taken, on CLOCK_MONOTONIC; `sample` is its place in `Sampler::samples`.
struct Instant {
  uint32_t sample;
  uint64_t monotonic_ns;
};

// The registers of an interrupted thread.
struct Interrupted {
  uint64_t instruction;
  uint64_t stack;
  uint64_t frame;
};

// Finds the place of the interrupted thread. Runs in a signal handler.
using Locate = Place (*)(const ThreadState& state, const Interrupted& interrupted);

// Interrupts every thread after each `period_ns` of CPU time that it used.
class Sampler : public ThreadObserver {
 public:
  // An error for people, or nullptr. `profile`: pairs are counted too, and the instants are kept.
  const char* start(uint64_t period_ns, Locate locate, bool profile);
  void stop();

  // What it samples by: "task clock" (perf_event_open), or "CPU timer" (POSIX, no finer than the
  // kernel's tick) where that is not allowed.
  const char* source() const;
  std::vector<Sample> samples() const;
  // In the order of time, the first 2^20; none without `profile`.
  std::vector<Instant> instants() const;
  // Samples that found no room, or whose thread could not be sampled.
  uint64_t lost() const;

  void thread_begins(ThreadState& state) override;
  void thread_ends(ThreadState& state) override;
  void process_forked(ThreadState& state) override;

 private:
  bool begin_task_clock(ThreadState& state) const;
  bool begin_timer(ThreadState& state) const;

  uint64_t period_ns_ = 0;
  struct sigaction before_ = {};
};

}  // namespace probes
