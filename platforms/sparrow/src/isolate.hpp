// The isolate of a thread, with the library loaded.
#pragma once

#include <functional>
#include <string>

namespace sparrow {

// Starts V8, once for the process.
void start_engine(const std::string& flags);

// Writes the start-up snapshot beside the launcher.
void make_snapshot();

// Calls `work` in a new isolate of this thread, and ends the isolate when it returns. The runtime's
// other fields are set before.
void in_isolate(const std::function<void()>& work);

// Runs a module and then the loop, until nothing holds it. Ends the process for what the module
// throws, and for an await that never ends.
void run_module(const std::string& name);

}  // namespace sparrow
