#pragma once

namespace probes {

// For a runtime that handles a signal later, in its own language, so that the probe can write its
// results when a signal ends the program. A thread that is about to wait would not notice the
// signal, and a busy one would not notice it in time. Therefore the thread is interrupted again and
// again until the handler calls `heard`. If it does not for some seconds, the signal ends the
// process, as it would have without the probe.
//
// The runtime's handler of the signal must be in place.
void repeat_until_heard(int signal_number);
void heard();
// From now on the program itself handles the signal.
void hand_over(int signal_number);

}  // namespace probes
