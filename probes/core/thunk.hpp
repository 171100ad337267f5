#pragma once

#include <cstdint>

#include "assembler.hpp"
#include "copyable_code.hpp"

namespace probes {

// The work of a thunk before it jumps to the operation.
enum class Mode : int {
  kNothing = 0,  // only jumps, which shows the cost of the detour
  kCount = 1,    // counts executions
  kMark = 2,     // counts, and leaves a mark that a sampler reads
  kPairs = 3,    // counts which operation follows which
  kLatency = 4,  // counts, and times some executions between fences
  kSteps = 5,    // counts, and single-steps through some executions
  kProfile = 6,  // kMark and kPairs together
};

constexpr bool samples(Mode mode) { return mode == Mode::kMark || mode == Mode::kProfile; }
constexpr bool counts_pairs(Mode mode) { return mode == Mode::kPairs || mode == Mode::kProfile; }

// The interpreter's registers at a dispatch. One register identifies the frame. Another may
// contain the address of the instruction, or its offset in the code. Operations that access memory
// only through the registers in `safe` may be copied into their thunks; `table` is the dispatch
// table through which they reach the next thunk.
struct InterpreterRegisters {
  Assembler::Register frame = Assembler::kRsp;
  bool has_instruction = false;
  Assembler::Register instruction = Assembler::kR13;
  RegisterSet safe = 0;
  Segment table{0, 0, false};
};

// The thunk of an operation: its own instructions, from `begin` on, and then, up to `end`, a copy
// of the operation's code, or the jump to the operation. (Code that kLatency and kSteps execute in
// measurements comes after `end`.)
struct Thunk {
  uint64_t begin = 0;
  uint64_t copy = 0;
  uint64_t end = 0;
  int operation = 0;
  bool copies = false;
};

// Writes the thunk of an operation. If the operation's code can be copied, the thunk ends with a
// copy, which saves the jump: on an interpreter with short operations, this jump is most of a
// thunk's cost. A copy that always goes on to a thunk leaves no mark: while it runs, its address
// names the operation, and the register names the frame.
//
// Thunks preserve all registers and the stack, including the red zone below the stack pointer.
// Only kLatency and kSteps overwrite the red zone, in the executions that they measure. Thunks
// change the arithmetic flags, which none of these interpreters reads across a dispatch. In a
// process that was entered late, they also change r11, which HotSpot's interpreter does not read
// there.
Thunk write_thunk(Assembler& assembler, Mode mode, int operation, uint64_t target,
                  const InterpreterRegisters& registers = {});

}  // namespace probes
