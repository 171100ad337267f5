// What the inspected program shares with the thread that serves debuggers. That thread has an
// isolate of its own, so that it answers while the program is paused.
#pragma once

#include <functional>
#include <string>

#include "messages.hpp"

namespace sparrow {

// The first byte of a message to the program; library/internal/inspector-server.js has the same
// numbers. A message of the protocol has its JSON behind it.
enum ClientEvent : std::uint8_t { kListening, kOpened, kClosed, kProtocol };

struct InspectorLink {
    Inbox to_program, to_client;
    std::function<void()> interrupt;  // makes a program that runs look into its inbox
};

// Starts the thread, which ends the process if it cannot listen at this address.
void start_inspector_server(InspectorLink& link, const std::string& host, int port);

}  // namespace sparrow
