#pragma once

#include "../core/probe.hpp"
#include "engine.hpp"

namespace probes::v8 {

// The parts of the runtime outside the interpreter.
enum Part : int { kOutside = kOperations, kCompiled, kCompiler, kCollector, kParts };
const char* part_name(int part);

void use_engine(const Engine& engine);

// Registers the isolate of the calling thread, before its table leads to `thunks`. `end_isolate`
// removes it.
void begin_isolate(Isolate isolate, const Interposition& thunks);
void end_isolate();

// The bytecode that the sampled thread executes, and the bytecode's address.
Place sampled_place(const ThreadState& state, const Interrupted& interrupted, Callers& callers);

}  // namespace probes::v8
