#pragma once

#include "../core/probe.hpp"
#include "engine.hpp"

namespace probes::v8 {

// Where a sample falls outside the interpreter.
enum Part : int { kOutside = kOperations, kCompiled, kCompiler, kCollector, kParts };
const char* part_name(int part);

void use_engine(const Engine& engine);

// The isolate of the calling thread, whose table is still as it was and will lead to `thunks`; and
// none any more.
void begin_isolate(Isolate isolate, const Interposition& thunks);
void end_isolate();

// The address of the bytecode that the sampled thread executes, and the bytecode.
Place sampled_place(const ThreadState& state, const Interrupted& interrupted);

}  // namespace probes::v8
