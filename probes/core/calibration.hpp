#pragma once

#include "thunk.hpp"

namespace probes {

struct Calibration {
  double mean;
  double variance;  // of the mean
};

// What a thunk adds to an execution, in ticks, measured on an operation of three instructions: for
// kLatency what its bracket reads when nothing is in it, otherwise the longer time of the loop.
// The caller resets counts and moments afterwards. False if there is no room for code.
bool calibrate(Mode mode, Calibration& found);

}  // namespace probes
