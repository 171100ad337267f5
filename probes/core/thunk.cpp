#include "thunk.hpp"

#include "measurement.hpp"
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

void leave_mark(Assembler& assembler, int operation, const InterpreterRegisters& registers) {
  assembler.store_fs(thread_offset(thread_state.mark), operation + 1);
  assembler.store_fs(thread_offset(thread_state.mark_frame), registers.frame);
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

void write_latency(Assembler& assembler, int operation, uint64_t target,
                   const InterpreterRegisters& registers) {
  assembler.decrement_fs(thread_offset(thread_state.countdown));
  uint8_t* chosen = assembler.jump_if(Assembler::kNegative);
  assembler.jump(target);
  assembler.land(chosen);
  assembler.store_fs(thread_offset(thread_state.saved_rax), Assembler::kRax);
  assembler.store_fs(thread_offset(thread_state.saved_rdx), Assembler::kRdx);
  assembler.compare_fs_with_zero(thread_offset(thread_state.measured));
  uint8_t* begins = assembler.jump_if(Assembler::kEqual);

  // Ends the measurement of the previous execution.
  assembler.load_fence();
  assembler.read_ticks();
  assembler.join_ticks();
  assembler.store_fs(thread_offset(thread_state.ended), Assembler::kRax);
  assembler.store_fs(thread_offset(thread_state.mark_frame), registers.frame);
  assembler.call(reinterpret_cast<const void*>(&end_timing));
  assembler.load_fs(Assembler::kRdx, thread_offset(thread_state.saved_rdx));
  assembler.load_fs(Assembler::kRax, thread_offset(thread_state.saved_rax));
  assembler.jump(target);

  assembler.land(begins);
  begin_measurement(assembler, operation, registers);
  assembler.store_fs(thread_offset(thread_state.countdown), 0);
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
}

void write_steps(Assembler& assembler, int operation, uint64_t target,
                 const InterpreterRegisters& registers) {
  assembler.decrement_fs(thread_offset(thread_state.countdown));
  uint8_t* chosen = assembler.jump_if(Assembler::kNegative);
  assembler.jump(target);
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
}

}  // namespace

uint64_t write_thunk(Assembler& assembler, Mode mode, int operation, uint64_t target,
                     const InterpreterRegisters& registers) {
  assembler.align(kAlignment);
  const uint64_t begin = reinterpret_cast<uintptr_t>(assembler.here());
  assembler.end_branch();
  use_state(assembler);
  switch (mode) {
    case Mode::kNothing:
      break;
    case Mode::kCount:
      count(assembler, operation);
      break;
    case Mode::kMark:
      count(assembler, operation);
      leave_mark(assembler, operation, registers);
      break;
    case Mode::kPairs:
      count(assembler, operation);
      count_pair(assembler, operation);
      break;
    case Mode::kProfile:
      count(assembler, operation);
      leave_mark(assembler, operation, registers);
      count_pair(assembler, operation);
      break;
    case Mode::kLatency:
      count(assembler, operation);
      write_latency(assembler, operation, target, registers);
      break;
    case Mode::kSteps:
      count(assembler, operation);
      write_steps(assembler, operation, target, registers);
      break;
  }
  assembler.use_fs();
  assembler.jump(target);
  return begin;
}

}  // namespace probes
