#pragma once

namespace probes {

// The duration of a cycle of the processor, in ticks of the time-stamp counter. The measurement
// takes about 30 µs.
double ticks_per_cycle();

}  // namespace probes
