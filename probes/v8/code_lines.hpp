#pragma once

#include "../core/side_file.hpp"
#include "engine.hpp"

namespace probes::v8 {

// Keeps the names and source positions of all bytecode that V8 makes, by its address: of what
// exists when an isolate is observed, the names alone.
void observe_code(const Engine& engine, Isolate isolate);
void ignore_code(const Engine& engine, Isolate isolate);

// The function and the line of a bytecode. Lines are counted in the files as they are now.
SourceLine line_of(uint64_t address);

}  // namespace probes::v8
