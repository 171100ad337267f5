#pragma once

#include <array>
#include <vector>

#include "../core/dispatch_table.hpp"
#include "../core/thread_state.hpp"

namespace probes::cpython {

// The tables in the interpreter's file that look like the table of `_PyEval_EvalFrameDefault`.
//
// `named[n]`: opcode n has a name. All opcodes without a name lead to the same address (the error
// "unknown opcode"), and named opcodes lead elsewhere. The search needs no symbols, so it works
// with stripped and statically linked builds.
std::vector<DispatchTable> search(const std::array<bool, kOperations>& named, uint64_t inside);

}  // namespace probes::cpython
