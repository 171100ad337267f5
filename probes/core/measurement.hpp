#pragma once

#include <cstdint>

#include "assembler.hpp"
#include "thread_state.hpp"

namespace probes {

// Of one operation's measured executions: ticks (kLatency) or instructions (kSteps). Left out are
// `nested` ones, during which the interpreter was entered again or left, and `interrupted` ones,
// during which the thread lost the processor, or that were longer than the limits below.
struct Moments {
  uint64_t count;
  uint64_t sum;
  uint64_t sum_of_squares;
  uint64_t nested;
  uint64_t interrupted;
};

// Some milliseconds: an operation that takes longer was interrupted, or its squares would overflow.
constexpr uint64_t kLongestTicks = uint64_t{1} << 24;
constexpr uint64_t kMostSteps = 20'000;

// A restartable sequence (rseq(2)) that is never entered: the kernel forgets it when it takes the
// processor from the thread. `offset` of the thread's pointer to it from the thread pointer.
struct PreemptionMark {
  bool known;
  int32_t offset;
  int32_t descriptor;
};
const PreemptionMark& preemption_mark();

// Called by thunks with all registers in use, which it keeps.
__attribute__((no_caller_saved_registers)) void end_timing();

// Takes SIGTRAP for kSteps, whose thunks lie in [begin, end), for the rest of the process: a thread
// may be between two steps at any time. An error for people, or nullptr.
const char* begin_stepping(uint64_t begin, uint64_t end, Assembler::Register frame);

// A measurement about every `period` dispatches, at random.
void reset_moments(uint64_t period);
const Moments& moments_of(int operation);

}  // namespace probes
