#pragma once

#include <array>
#include <vector>

#include "../core/dispatch_table.hpp"
#include "../core/thread_state.hpp"

namespace probes::cpython {

// The tables in the interpreter's file that look like the one of `_PyEval_EvalFrameDefault`.
//
// `named[n]`: opcode n has a name. All others lead to one address (the error "unknown opcode"), the
// named ones elsewhere. That needs no symbols, so stripped and statically linked builds are found.
std::vector<DispatchTable> search(const std::array<bool, kOperations>& named, uint64_t inside);

}  // namespace probes::cpython
