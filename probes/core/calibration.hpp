#pragma once

#include "thunk.hpp"

namespace probes {

struct Calibration {
  double mean;
  double variance;  // variance of the mean
};

// The costs of thunks that jump to the operation, and of thunks that execute a copy of its code.
struct ThunkCosts {
  Calibration jump{0, 0};
  Calibration copy{0, 0};
};

// Measures the time, in ticks, that kLatency measures for an empty operation: the fences and their
// readings. The caller has reset the moments, and executions are timed. Returns false if there is
// no room for code. Counts and moments are as before.
bool measure_fences(Calibration& found);

}  // namespace probes
