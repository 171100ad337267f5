#pragma once

namespace probes {

// Lets the probe write its results when a signal ends the program, in a runtime that handles
// signals later, in its own language. A thread that is about to wait would not notice the signal,
// and a busy thread would not notice it in time. The signal is therefore repeated until the
// handler calls `heard`. If it does not do so for some seconds, the signal ends the process, as it
// would without the probe.
//
// The runtime's handler of the signal must be installed before.
void repeat_until_heard(int signal_number);
void heard(int signal_number);
// From now on, only the program itself handles the signal.
void hand_over(int signal_number);

}  // namespace probes
