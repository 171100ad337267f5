// Sockets that listen, for JavaScript.
#pragma once

#include <string>

namespace sparrow {

// A socket that listens, or -1 with a pending exception. An exception that the program does not
// catch ends the process with one line.
int listening(const std::string& host, int port, bool share);

}  // namespace sparrow
