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
extern __thread ThreadState thread_state PROBES_STATIC_TLS;

// Where a field of the block lies, relative to the thread pointer (the base of %fs).
template <typename Field>
int32_t thread_offset(const Field& field) {
  const char* base;
  asm("mov %%fs:0, %0" : "=r"(base));
  return static_cast<int32_t>(reinterpret_cast<const char*>(&field) - base);
}

}  // namespace probes
