#pragma once

#include "options.hpp"
#include "report.hpp"

namespace launcher {

// Runs the program that the options describe until its last descendant has ended, and returns the
// measurements.
Report measure(const Options& options);

}  // namespace launcher
