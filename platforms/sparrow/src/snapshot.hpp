// The start-up snapshot: the library's modules that every program needs, compiled and linked, in a
// file beside the launcher. Each process evaluates them itself, so the file has no process's state.
#pragma once

#include <v8.h>

namespace sparrow {

// From now on, isolates start from the file, if it is whole and was made by this engine with the
// same flags for V8. Call it before the first isolate: those of a process are all made alike.
void open_snapshot();

// Null: isolates start without it.
const v8::StartupData* snapshot();

// Writes the file. Ends the process if it cannot be written.
void write_snapshot(const v8::StartupData& made);

}  // namespace sparrow
