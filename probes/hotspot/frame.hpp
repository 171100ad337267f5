#pragma once

#include "../core/probe.hpp"
#include "virtual_machine.hpp"

namespace probes::hotspot {

// Where a sample falls outside the interpreter.
enum Part : int { kOutside = kOperations, kCompiled, kCompiler, kCollector, kParts };
const char* part_name(int part);

// Before the first sample. `interpreted`: this process compiles nothing.
void use_frames(const VirtualMachine& machine, const Interposition& interposition,
                bool interpreted);

// The method (a `Method*`), the offset in its bytecode, and the bytecode of a sampled thread. In a
// call from the interpreter to the virtual machine, or to native code, that of the caller. The
// thread's `runtime_thread` is its JavaThread; without it, samples in the virtual machine's own
// code belong to no bytecode.
Place sampled_place(const ThreadState& state, const Interrupted& interrupted);

// The size of a method's bytecode, 0 if there is no method at the address. Usable anywhere.
uint16_t code_size_of(uint64_t method);

}  // namespace probes::hotspot
