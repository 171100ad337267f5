#pragma once

#include "../core/side_file.hpp"
#include "engine.hpp"

namespace probes::v8 {

// Stores the names of all code that V8 makes, by address, and the source positions of bytecode. For
// bytecode that was made before the isolate is observed, only names are available.
void observe_code(const Engine& engine, Isolate isolate);
void ignore_code(const Engine& engine, Isolate isolate);

// The function and the line of a bytecode. Lines are counted in the present content of the files.
// For compiled code, the line is that of the function's beginning.
SourceLine line_of(uint64_t address);

}  // namespace probes::v8
