// The inspector: a debugger, such as Chrome DevTools, attaches to the program of the main thread.
#pragma once

#include <v8.h>

#include <optional>
#include <string>
#include <string_view>

namespace sparrow {

struct InspectorOption {
    std::string host = "127.0.0.1";
    int port = 9229;      // 0: the system's choice; -1: not a port
    bool breaks = false;  // the program waits for a debugger
};

// What --inspect or --inspect-brk means in this process: workers of a program have the ports behind
// its own. Nothing for another word.
std::optional<InspectorOption> inspector_option(std::string_view word);

// Serves debuggers, from before the program is loaded.
void start_inspector(const InspectorOption& option);

// Returns when a debugger has attached and lets the program run. It then pauses the first statement
// of the program, or of a file that the program imports.
void await_debugger(const std::string& file);

// What the program prints with `console` also goes to the debugger.
void extend_console();

// Whether a debugger may attach to this thread.
bool is_inspected();

// Tells the debugger of an exception that ends the program.
void inspect_uncaught(v8::Local<v8::Value> thrown, v8::Local<v8::Message> message);

// Returns when no debugger is attached that could still read the program's last state.
void await_end_of_debugger();

// The heap is full: the process ends without waiting for a debugger.
void abandon_inspector();

}  // namespace sparrow
