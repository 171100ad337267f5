// The inspector: a debugger, such as Chrome DevTools, attaches to the program of the main thread.
#pragma once

#include <v8.h>

#include <string>
#include <string_view>

namespace sparrow {

struct InspectorAddress {
    std::string host = "127.0.0.1";
    int port = 9229;  // 0: the system's choice
};

// The address that "HOST:PORT", "HOST" or "PORT" means in this process: workers of a program have
// the ports behind its own. The port is -1 if the words mean none.
InspectorAddress inspector_address(std::string_view words);

// Serves debuggers, from before the program is loaded.
void start_inspector(const InspectorAddress& address);

// Returns when a debugger has attached and lets the program run.
void await_debugger();
// The debugger pauses the program at the statement that runs next.
void pause_next_statement();

// Tells the debugger of an exception that ends the program.
void inspect_uncaught(v8::Local<v8::Value> thrown, v8::Local<v8::Message> message);

// Returns when no debugger is attached that could still read the program's last state.
void await_end_of_debugger();

// The heap is full: the process ends without waiting for a debugger.
void abandon_inspector();

}  // namespace sparrow
