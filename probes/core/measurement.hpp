#pragma once

#include <cstdint>

#include "assembler.hpp"
#include "thread_state.hpp"

namespace probes {

// The measured executions of one operation, in ticks (kLatency) or instructions (kSteps). Two
// kinds of executions are only counted: in `nested` executions the interpreter was entered again
// or left; in `interrupted` executions the thread lost the processor or exceeded a limit below.
struct Moments {
  uint64_t count;
  uint64_t sum;
  uint64_t sum_of_squares;
  uint64_t nested;
  uint64_t interrupted;
};

// Some milliseconds. Longer executions were interrupted; besides, the sum of squares would
// overflow.
constexpr uint64_t kLongestTicks = uint64_t{1} << 24;
constexpr uint64_t kMostSteps = 20'000;

// A restartable sequence (rseq(2)) that is never entered. The kernel clears the thread's pointer
// to it when the thread loses the processor. `offset` is the offset of this pointer from the
// thread pointer.
struct PreemptionMark {
  bool known;
  int32_t offset;
  int32_t descriptor;
};
const PreemptionMark& preemption_mark();

// Thunks call this. It preserves all registers.
__attribute__((no_caller_saved_registers)) void end_timing();
// Skips the measurement if the thread blocks SIGTRAP: a single step would end the process.
__attribute__((no_caller_saved_registers)) void skip_if_blocked();

// Handles SIGTRAP for kSteps until the process ends, because a thread may be between two steps at
// any time. [begin, end) contains the thunks. Returns an error message, or nullptr.
const char* begin_stepping(uint64_t begin, uint64_t end, Assembler::Register frame);
// The thunks at `begin`, if there are any, will be unmapped.
void end_stepping(uint64_t begin);

// Measures at random about every `period`-th dispatch (kSteps), or every `period`-th execution of
// each operation (kLatency). `period` is a power of two.
void reset_moments(uint64_t period);
// Whether executions are timed from now on.
void time_operations(bool wanted);
// If executions are timed, chooses the first one of each operation in a thread without counts.
void begin_timing(ThreadState& state);
// The child of a fork begins without its parent's measurements.
void forget_moments();
Moments& moments_of(int operation);

}  // namespace probes
