// Threads, with an isolate and a loop each.
#pragma once

#include <v8.h>

#include <string>

namespace sparrow {

// In a thread: calls `handler(number)` when its starter sends this signal.
void handle_signal(int number, v8::Local<v8::Function> handler);

// "" in the main thread, "thread 2: " in others.
std::string thread_prefix();

}  // namespace sparrow
