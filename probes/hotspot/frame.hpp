#pragma once

#include "../core/probe.hpp"
#include "virtual_machine.hpp"

namespace probes::hotspot {

// The parts of the runtime outside the interpreter.
enum Part : int { kOutside = kOperations, kCompiled, kCompiler, kCollector, kParts };
const char* part_name(int part);

// Call this before the first sample. `interpreted`: this process compiles nothing.
void use_frames(const VirtualMachine& machine, const Interposition& interposition,
                bool interpreted);

// The method (a `Method*`), the offset in its bytecode, and the bytecode of a sampled thread. If
// the interpreter has called the virtual machine or native code, it is the caller's bytecode. The
// thread's `runtime_thread` is its JavaThread. Without it, samples in the virtual machine's own
// code belong to no bytecode. If compiled code was interrupted, its function is the first caller.
// The callers end at the first frame of compiled code.
Place sampled_place(const ThreadState& state, const Interrupted& interrupted, Callers& callers);

// The size of a method's bytecode; 0 if there is no method at the address. Usable in a signal
// handler.
uint16_t code_size_of(uint64_t method);

}  // namespace probes::hotspot
