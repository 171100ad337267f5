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

// Measures the cost of a thunk, in ticks, on an operation of three instructions. For kLatency, the
// cost is the time that a thunk measures for an empty operation; otherwise, the additional time of
// the loop. The caller resets counts and moments afterwards. Returns false if there is no room for
// code.
bool calibrate(Mode mode, Calibration& found);

}  // namespace probes
