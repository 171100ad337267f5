#pragma once

#include <sys/types.h>

#include <cstdint>

namespace probes {

// The most operations of an interpreter: one dispatch table.
constexpr int kOperations = 256;
// Counts of pairs: a row for each operation, of those that followed it; the last is for the first
// operation of a thread, which follows none.
constexpr int kPairRows = kOperations + 1;
constexpr int kPairRowBytes = kOperations * static_cast<int>(sizeof(uint64_t));
constexpr uint64_t kFirstPairRow = uint64_t{kOperations} * kPairRowBytes;

// What thunks write, in the static TLS block of each thread: they reach it by one segment-relative
// address, with no register, no lock and no check whether the thread is known.
//
// A library that is loaded into a running process (PROBES_LATE) gets little static TLS: room for a
// pointer to the state. There thunks load the pointer first, into a register that the interpreter
// does not use at a dispatch.
struct ThreadState {
  uint64_t counts[kOperations];
  // The operation that runs, plus 1 (0: none yet); its frame, and its instruction if a register has
  // it, at its dispatch.
  uint64_t mark;
  uint64_t mark_frame;
  uint64_t mark_instruction;
  // Row of the previous operation in `pairs`, in bytes.
  uint64_t pair_row;
  uint64_t* pairs;
  // Registers, while a thunk uses them.
  uint64_t saved_rax;
  uint64_t saved_rdx;

  // The operation that is being measured, plus 1 (0: none), its frame, and how many dispatches
  // there are until the next is.
  uint64_t measured;
  uint64_t measured_frame;
  int64_t countdown;
  uint64_t random;
  // In time-stamp ticks; and in single steps.
  uint64_t started;
  uint64_t ended;
  uint64_t steps;

  // The runtime's own description of the thread, if the adapter needs it (0: unknown).
  uint64_t runtime_thread;

  // The rest belongs to the registry and to the sampler.
  ThreadState* next;
  pid_t tid;
  bool listed;
  bool sampled;
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

// Where a variable of the thread lies, relative to the thread pointer (the base of %fs).
template <typename Variable>
int32_t offset_in_tls(const Variable& variable) {
  const char* base;
  asm("mov %%fs:0, %0" : "=r"(base));
  return static_cast<int32_t>(reinterpret_cast<const char*>(&variable) - base);
}

// Where a field of the state lies, relative to what thunks address it by.
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
