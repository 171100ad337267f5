#pragma once

namespace probes {

// Gives each running thread of this process its own state. Returns an error message, or nullptr.
const char* enter_running_threads();

// Called by a thread that has just begun.
void enter_new_thread();

}  // namespace probes
