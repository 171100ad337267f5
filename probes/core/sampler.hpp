#pragma once

#include <signal.h>

#include <cstdint>
#include <vector>

#include "call_tree.hpp"
#include "thread_registry.hpp"

namespace probes {

// The place of a sample. Inside the interpreter, `operation` is an operation. Outside, it is
// kOperations or a larger number that the adapter defines. `code` is the runtime's address of the
// running code (0: unknown), and `offset` is the place in this code.
struct Place {
  uint64_t code = 0;
  uint32_t offset = 0;
  uint16_t operation = kOperations;
};

// `caller` is the place's innermost caller, in `Sampler::calls`.
struct Sample {
  Place place;
  uint32_t caller;
  uint64_t count;
};

// The time of a sample on CLOCK_MONOTONIC. `sample` is its index in `Sampler::samples`.
struct Instant {
  uint32_t sample;
  uint64_t monotonic_ns;
};

// The registers of an interrupted thread.
struct Interrupted {
  uint64_t instruction;
  uint64_t stack;
  uint64_t frame;
  uint64_t r13;
};

// Finds the place of the interrupted thread, and adds its callers. Runs in a signal handler.
using Locate = Place (*)(const ThreadState& state, const Interrupted& interrupted,
                         Callers& callers);

// Interrupts each thread whenever it has used `period_ns` of CPU time, or about as many cycles of
// the processor if the machine has a counter of cycles.
class Sampler : public ThreadObserver {
 public:
  // Returns an error message, or nullptr. With `profile`, pairs are counted too, and instants are
  // stored.
  const char* start(uint64_t period_ns, Locate locate, bool profile);
  void stop();

  // The source of samples: "processor cycles" or "task clock" (perf_event_open), or, if this is
  // not allowed, "CPU timer" (POSIX), which is not finer than the kernel's tick.
  const char* source() const;
  // The cycles between two samples of a thread; 0 if the source is a clock.
  uint64_t period_cycles() const;
  std::vector<Sample> samples() const;
  std::vector<Call> calls() const;
  // The first 2^20 instants, in the order of time; none without `profile`.
  std::vector<Instant> instants() const;
  // The number of samples without room, and of threads that could not be sampled, or only until the
  // program closed the descriptor.
  uint64_t lost() const;

  void thread_begins(ThreadState& state) override;
  void thread_ends(ThreadState& state) override;
  void process_forked(ThreadState& state) override;

 private:
  bool begin_event(ThreadState& state) const;
  bool begin_timer(ThreadState& state) const;

  uint64_t period_ns_ = 0;
  struct sigaction before_ = {};
};

}  // namespace probes
