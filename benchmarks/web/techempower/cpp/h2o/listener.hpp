// Sockets that listen.

#pragma once

#include <cstdint>

#include "runfair/options.hpp"

namespace web {

// Listens on the port, or on a free port if it is 0. If there are several threads, each listens
// on the same port with a socket of its own, and the kernel distributes the connections. Throws
// runfair::UserError.
int listening_socket(const runfair::Options& options, std::uint16_t port);

std::uint16_t port_of(int socket);

}  // namespace web
