#include "thunk.hpp"

#include "measurement.hpp"
#include "memory.hpp"
#include "thread_state.hpp"

namespace probes {

namespace {

constexpr unsigned kAlignment = 16;

// Makes the following instructions address the thread's state.
void use_state([[maybe_unused]] Assembler& assembler) {
#ifdef PROBES_LATE
  assembler.use_base_from_fs(offset_in_tls(own_thread_state));
#endif
}

void count(Assembler& assembler, int operation) {
  assembler.increment_fs(thread_offset(thread_state.counts[operation]));
}

// An operation's code. If it can be copied, `copied.length` bytes of it are in `copy`.
struct Target {
  Target(uint64_t at, const InterpreterRegisters& registers) : address(at) {
    if (registers.safe != 0 && read_memory(at, copy, sizeof copy))
      copied = copyable_code(copy, sizeof copy, registers.safe, registers.table);
  }

  uint64_t address;
  uint8_t copy[kMostCopied];
  CopyableCode copied;
};

// Goes on to the operation: executes the copy of its code, or jumps to it.
void go_on(Assembler& assembler, const Target& target, Thunk& thunk) {
  thunk.copies = target.copied.length > 0;
  thunk.copy = reinterpret_cast<uintptr_t>(assembler.here());
  if (thunk.copies)
    assembler.copy(target.copy, target.copied.length);
  else
    assembler.jump(target.address);
  thunk.end = reinterpret_cast<uintptr_t>(assembler.here());
}

void leave_mark(Assembler& assembler, int operation, const InterpreterRegisters& registers,
                bool stays_in_thunks) {
  if (!stays_in_thunks) {
    assembler.store_fs(thread_offset(thread_state.mark), operation + 1);
    assembler.store_fs(thread_offset(thread_state.mark_frame), registers.frame);
  }
  if (registers.has_instruction)
    assembler.store_fs(thread_offset(thread_state.mark_instruction), registers.instruction);
}

void count_pair(Assembler& assembler, int operation) {
  assembler.store_fs(thread_offset(thread_state.saved_rax), Assembler::kRax);
  assembler.load_fs(Assembler::kRax, thread_offset(thread_state.pair_row));
  assembler.add_fs(Assembler::kRax, thread_offset(thread_state.pairs));
  assembler.increment_at_rax(operation * static_cast<int>(sizeof(uint64_t)));
  assembler.store_fs(thread_offset(thread_state.pair_row), operation * kPairRowBytes);
  assembler.load_fs(Assembler::kRax, thread_offset(thread_state.saved_rax));
}

void begin_measurement(Assembler& assembler, int operation, const InterpreterRegisters& registers) {
  assembler.store_fs(thread_offset(thread_state.measured), operation + 1);
  assembler.store_fs(thread_offset(thread_state.measured_frame), registers.frame);
}

// The executions that are measured run the original code, never the copy. A counter of all
// dispatches would be simpler, but each dispatch would wait for the one before it.
void write_latency(Assembler& assembler, int operation, const Target& target,
                   const InterpreterRegisters& registers, Thunk& thunk) {
  assembler.compare_fs_with_zero(thread_offset(thread_state.measured));
  uint8_t* ends = assembler.jump_if(Assembler::kNotEqual);
  const auto begins = reinterpret_cast<uintptr_t>(assembler.here());
  count(assembler, operation);
  uint8_t* chosen = assembler.jump_if(Assembler::kEqual);
  go_on(assembler, target, thunk);

  // Ends the measurement of the previous execution.
  assembler.land(ends);
  assembler.store_fs(thread_offset(thread_state.saved_rax), Assembler::kRax);
  assembler.store_fs(thread_offset(thread_state.saved_rdx), Assembler::kRdx);
  assembler.load_fence();
  assembler.read_ticks();
  assembler.join_ticks();
  assembler.store_fs(thread_offset(thread_state.ended), Assembler::kRax);
  assembler.store_fs(thread_offset(thread_state.mark_frame), registers.frame);
  assembler.call(reinterpret_cast<const void*>(&end_timing));
  assembler.load_fs(Assembler::kRdx, thread_offset(thread_state.saved_rdx));
  assembler.load_fs(Assembler::kRax, thread_offset(thread_state.saved_rax));
  assembler.jump(begins);

  assembler.land(chosen);
  assembler.store_fs(thread_offset(thread_state.saved_rax), Assembler::kRax);
  assembler.store_fs(thread_offset(thread_state.saved_rdx), Assembler::kRdx);
  begin_measurement(assembler, operation, registers);
  if (const PreemptionMark& mark = preemption_mark(); mark.known) {
    assembler.use_fs();
    assembler.store_fs(mark.offset, mark.descriptor);
    use_state(assembler);
  }
  assembler.read_ticks();
  assembler.load_fence();
  assembler.join_ticks();
  assembler.store_fs(thread_offset(thread_state.started), Assembler::kRax);
  assembler.load_fs(Assembler::kRdx, thread_offset(thread_state.saved_rdx));
  assembler.load_fs(Assembler::kRax, thread_offset(thread_state.saved_rax));
  assembler.jump(target.address);
}

// Counts the steps of the original code: the handler of the steps stops in a thunk.
void write_steps(Assembler& assembler, int operation, const Target& target,
                 const InterpreterRegisters& registers, Thunk& thunk) {
  assembler.decrement_fs(thread_offset(thread_state.countdown));
  uint8_t* chosen = assembler.jump_if(Assembler::kNegative);
  go_on(assembler, target, thunk);
  assembler.land(chosen);
  begin_measurement(assembler, operation, registers);
  assembler.store_fs(thread_offset(thread_state.steps), 0);
  assembler.store_fs(thread_offset(thread_state.saved_rax), Assembler::kRax);
  assembler.call(reinterpret_cast<const void*>(&skip_if_blocked));
  assembler.load_fs(Assembler::kRax, thread_offset(thread_state.saved_rax));
  assembler.compare_fs_with_zero(thread_offset(thread_state.measured));
  uint8_t* skipped = assembler.jump_if(Assembler::kEqual);
  assembler.step();
  assembler.land(skipped);
  assembler.jump(target.address);
}

}  // namespace

Thunk write_thunk(Assembler& assembler, Mode mode, int operation, uint64_t address,
                  const InterpreterRegisters& registers) {
  const Target target(address, registers);
  assembler.align(kAlignment);
  Thunk thunk;
  thunk.operation = operation;
  thunk.begin = reinterpret_cast<uintptr_t>(assembler.here());
  assembler.end_branch();
  use_state(assembler);
  if (samples(mode)) leave_mark(assembler, operation, registers, target.copied.stays_in_table);
  if (mode != Mode::kNothing && mode != Mode::kLatency) count(assembler, operation);
  if (counts_pairs(mode)) count_pair(assembler, operation);
  if (mode == Mode::kLatency)
    write_latency(assembler, operation, target, registers, thunk);
  else if (mode == Mode::kSteps)
    write_steps(assembler, operation, target, registers, thunk);
  else
    go_on(assembler, target, thunk);
  assembler.use_fs();
  return thunk;
}

}  // namespace probes
