#pragma once

#include "../core/sampler.hpp"

namespace probes::cpython {

// Where a version keeps what a thread runs; in bytes. The chain is thread state → frame → code.
// CPython 3.11 and 3.12 have a C frame between the first two (`c_frame` ≥ 0); 3.10 keeps the
// instruction as an index and the bytecode in an object of its own (`bytecode` ≥ 0).
struct Layout {
  int32_t frame;        // of the current frame, in the thread state or the C frame
  int32_t c_frame;      // of the C frame in the thread state, or -1
  int32_t code;         // of the code object in the frame
  int32_t instruction;  // in the frame
  int32_t bytecode;     // of the bytes object in the code object, or -1
  int32_t first;        // of the bytecode in the code object, or in the bytes object
};

void use_layout(const Layout& layout);

// The code object and the byte offset of the instruction that this thread runs, as the interpreter
// recorded it. `operation` is that instruction's. Usable in a signal handler.
Place current_instruction();

// The same for a sampled thread: the marked operation, or, if its frame has been left meanwhile for
// the C function that called it, the operation that called that function.
Place sampled_instruction(const ThreadState& state, const Interrupted& interrupted);

}  // namespace probes::cpython
