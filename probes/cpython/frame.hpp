#pragma once

#include "../core/sampler.hpp"

namespace probes::cpython {

// The offsets, in bytes, by which the running instruction of a thread and its callers are found.
// The chain is thread state → frame → code. CPython 3.11 and 3.12 have a C frame between the first
// two
// (`c_frame` ≥ 0). CPython 3.10 stores the instruction as an index, and the bytecode in a separate
// object (`bytecode` ≥ 0).
struct Layout {
  int32_t frame;         // the current frame, in the thread state or the C frame
  int32_t c_frame;       // the C frame in the thread state, or -1
  int32_t code;          // the code object in the frame
  int32_t instruction;   // the instruction in the frame
  int32_t bytecode;      // the bytes object in the code object, or -1
  int32_t first;         // the bytecode in the code object or the bytes object
  int32_t previous;      // the caller's frame in the frame
  int32_t owner;         // the kind of the frame in the frame, or -1 if all frames run Python
  int32_t first_traced;  // the first instruction of the source in the code object, or -1
  uint64_t code_type;    // the address of the type of code objects
};

void use_layout(const Layout& layout);

// The code object, the byte offset and the operation of this thread's current instruction, as the
// interpreter recorded it. Usable in a signal handler.
Place current_instruction();

// The callers of this thread's current function. A frame is followed only if it runs a code object,
// and an instruction of that code.
Callers current_callers();

// The place of a sampled thread: the marked operation. If the operation's frame has returned to a C
// function, the place is the operation that called this C function.
Place sampled_instruction(const ThreadState& state, const Interrupted& interrupted,
                          Callers& callers);

}  // namespace probes::cpython
