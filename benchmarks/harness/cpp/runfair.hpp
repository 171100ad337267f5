// The in-language half of the program contract, version 1 (benchmarks/contract.md).
//
// A program is a class that satisfies runfair::Benchmark, and a main that calls
// runfair::main<Class>; options, clocks, output, the shared primitives and the loop over
// iterations are here. Linux, C++20.

#pragma once

#include "runfair/benchmark.hpp"
#include "runfair/command_line.hpp"
#include "runfair/counters.hpp"
#include "runfair/execution.hpp"
#include "runfair/input.hpp"
#include "runfair/lines.hpp"
#include "runfair/measurements.hpp"
#include "runfair/mistake.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
