#pragma once

#include <sys/types.h>

#include <cstdint>

namespace probes {

// The largest number of operations of an interpreter: the entries of one dispatch table.
constexpr int kOperations = 256;
// The rows of pair counts: for each operation, the counts of the operations after it. The last row
// is for the first operation of each thread, which has no predecessor.
constexpr int kPairRows = kOperations + 1;
constexpr int kPairRowBytes = kOperations * static_cast<int>(sizeof(uint64_t));
constexpr uint64_t kFirstPairRow = uint64_t{kOperations} * kPairRowBytes;

// The data that thunks write, in the static TLS block of each thread. Thunks reach it by a single
// segment-relative address, without a register, without a lock, and without checking whether the
// thread is registered.
//
// If a library is loaded into a running process (PROBES_LATE), its static TLS has room only for a
// pointer to the state. Thunks then load the pointer first, into a register that the interpreter
// does not use during a dispatch.
struct ThreadState {
  // In kLatency, a count is too small by its `ahead`, so that it becomes zero at the next execution
  // that will be measured. In all other modes, `ahead` is zero.
  uint64_t counts[kOperations];
  uint64_t ahead[kOperations];
  // The current operation plus 1 (0: none yet), its frame at its dispatch, and its instruction if
  // a register contained it.
  uint64_t mark;
  uint64_t mark_frame;
  uint64_t mark_instruction;
  // Row of the previous operation in `pairs`, in bytes.
  uint64_t pair_row;
  uint64_t* pairs;
  // Saved registers, while a thunk uses them.
  uint64_t saved_rax;
  uint64_t saved_rdx;

  // The measured operation plus 1 (0: none), its frame, and, in kSteps, the number of dispatches
  // until the next measurement.
  uint64_t measured;
  uint64_t measured_frame;
  int64_t countdown;
  uint64_t random;
  // `started` and `ended` are time-stamp ticks; `steps` is a number of single steps.
  uint64_t started;
  uint64_t ended;
  uint64_t steps;

  // The runtime's own description of the thread, if the adapter needs it (0: unknown).
  uint64_t runtime_thread;

  // The registry and the sampler use the rest.
  ThreadState* next;
  pid_t tid;
  bool listed;
  bool sampled;
  bool in_first_period;
  int sampling_descriptor;
  uint64_t sampling_identity;
  void* sampling_timer;
};

#define PROBES_STATIC_TLS __attribute__((tls_model("initial-exec")))
#ifdef PROBES_LATE
extern __thread ThreadState* own_thread_state PROBES_STATIC_TLS;
#define thread_state (*probes::own_thread_state)
#else
extern __thread ThreadState thread_state PROBES_STATIC_TLS;
#endif

// The offset of a variable in TLS from the thread pointer (the base of %fs).
template <typename Variable>
int32_t offset_in_tls(const Variable& variable) {
  const char* base;
  asm("mov %%fs:0, %0" : "=r"(base));
  return static_cast<int32_t>(reinterpret_cast<const char*>(&variable) - base);
}

// The offset of a field of the state from the base that thunks use.
template <typename Field>
int32_t thread_offset(const Field& field) {
#ifdef PROBES_LATE
  const auto* state = reinterpret_cast<const char*>(&thread_state);
  return static_cast<int32_t>(reinterpret_cast<const char*>(&field) - state);
#else
  return offset_in_tls(field);
#endif
}

}  // namespace probes
