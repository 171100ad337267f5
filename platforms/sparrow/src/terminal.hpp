// The terminal of the REPL.
#pragma once

namespace sparrow {

// Gives it back as it was found. A handler of signals may call this.
void restore_terminal();

}  // namespace sparrow
