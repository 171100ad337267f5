// Threads, with an isolate and a loop each.
#pragma once

#include <string>

#include "binding.hpp"

namespace sparrow {

// In a thread: calls `handler(number)` when its starter sends this signal.
void handle_signal(int number, Callback handler);

// 0 for the main thread.
int thread_number();

// "" in the main thread, "thread 2: " in others.
std::string thread_prefix();

}  // namespace sparrow
