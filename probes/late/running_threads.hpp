#pragma once

namespace probes {

// Gives every thread of this process that runs already a state of its own. An error for people, or
// nullptr.
const char* enter_running_threads();

// The calling thread has just begun.
void enter_new_thread();

}  // namespace probes
