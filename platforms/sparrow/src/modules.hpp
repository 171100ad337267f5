// ES modules: files by their path, and the platform's own as sparrow:NAME and node:NAME.
#pragma once

#include <v8.h>

#include <cstdint>
#include <string>

namespace sparrow {

// Loads and evaluates a module with all that it imports; its promise. `name`: an absolute path, or
// the name of a module of the library. Ends the process if it cannot be loaded.
v8::Local<v8::Promise> start_module(const std::string& name);

// Loads and links it, and runs nothing.
void check_module(const std::string& name);

// The same, and runs the library's modules that it imports, before anything of the program.
void prepare_module(const std::string& name);

// Reports a top-level await that nothing will resolve.
[[noreturn]] void end_stalled(const std::string& name);

// What modules in a snapshot refer to: a list that ends with 0.
const std::intptr_t* module_references();

// Keeps the modules that are loaded in a snapshot of this context.
void keep_modules(v8::SnapshotCreator& creator);

// Loads the modules of the snapshot that this context was made from, if any.
void restore_modules();

// Makes import() and import.meta work.
void prepare_modules(v8::Isolate* isolate);

}  // namespace sparrow
