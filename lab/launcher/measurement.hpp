#pragma once

#include "options.hpp"
#include "report.hpp"

namespace launcher {

// Starts the program the options describe, sees it through to the end of its last descendant, and
// returns what it took.
Report measure(const Options& options);

}  // namespace launcher
