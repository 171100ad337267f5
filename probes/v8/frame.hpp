#pragma once

#include "../core/probe.hpp"
#include "engine.hpp"

namespace probes::v8 {

// The parts of the runtime outside the interpreter.
enum Part : int { kOutside = kOperations, kCompiled, kBuiltin, kCompiler, kCollector, kParts };
const char* part_name(int part);

void use_engine(const Engine& engine);

// Registers the isolate of the calling thread, before its table leads to `thunks`. `end_isolate`
// removes it.
void begin_isolate(Isolate isolate, const Interposition& thunks);
void end_isolate();

// The bytecode that the sampled thread executes, and the bytecode's address. A caller is the
// address of its bytecode or of its compiled code. If compiled code was interrupted, its function
// is the first caller.
Place sampled_place(const ThreadState& state, const Interrupted& interrupted, Callers& callers);

}  // namespace probes::v8
